//! The eight channels of the one command.

use onceward_sandbox::Sandbox;

/// Eight channels. The first is ahead of the others, whose rate keeps work open for longer than ten kills take; short
/// deadlines make a lost answer known soon.
pub(crate) fn config(sandbox: &Sandbox) -> String {
    let url = |platform| sandbox.url(platform);
    let brisk = "timeout = \"3s\"\ncircuit = { failures = 3, pause = \"1s\", max = \"2s\" }\nrate = \"5/1s\"";
    let pace = brisk.replace("5/1s", "1/1s");
    format!(
        r#"
[queue]
lease = "14s"
[channels.mastodon]
type = "mastodon"
server = "{}"
token = {{ env = "MASTODON_TOKEN" }}
{brisk}
[channels.bluesky]
type = "bluesky"
server = "{}"
handle = "onceward.example"
password = {{ env = "BLUESKY_TOKEN" }}
{pace}
[channels.slack]
type = "slack"
token = {{ env = "SLACK_TOKEN" }}
room = "C0000000001"
api = "{}"
{pace}
[channels.devto]
type = "devto"
key = {{ env = "DEVTO_TOKEN" }}
api = "{}/api"
{pace}
[channels.telegram]
type = "telegram"
token = {{ env = "TELEGRAM_TOKEN" }}
chat = "@onceward"
api = "{}"
{pace}
[channels.webhook]
type = "webhook"
url = "{}"
secret = {{ env = "WEBHOOK_SECRET" }}
{pace}
[channels.rss]
type = "feed"
path = "public/feed.xml"
title = "Notes"
link = "https://example.org/"
rate = "1/1s"
timeout = "3s"
[channels.atom]
type = "feed"
path = "public/feed.atom"
title = "Notes"
link = "https://example.org/"
rate = "1/1s"
timeout = "3s"
"#,
        url("mastodon"),
        url("bluesky"),
        url("slack"),
        url("devto"),
        url("telegram"),
        url("webhook"),
    )
}
