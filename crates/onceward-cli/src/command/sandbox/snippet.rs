//! What to write into `onceward.toml`, so that its channels lead to the stand-ins.

use std::fmt::Write as _;

use onceward_sandbox::WEBHOOK_SECRET;

use crate::config;

/// The channel's name, its type, which is the platform's name as well, and its keys, where `URL` is the address of the
/// stand-in.
const CHANNELS: &[(&str, &str, &str)] = &[
    ("mastodon", "mastodon", "server = \"URL\"\ntoken = { env = \"SANDBOX_TOKEN\" }\n"),
    (
        "bluesky",
        "bluesky",
        "server = \"URL\"\nhandle = \"rehearsal.example\"\npassword = { env = \"SANDBOX_TOKEN\" }\n",
    ),
    ("slack", "slack", "api = \"URL\"\ntoken = { env = \"SANDBOX_TOKEN\" }\nroom = \"C0123456789\"\n"),
    ("slack-hook", "slack", "webhook_url = { env = \"SANDBOX_SLACK_HOOK\" }\n"),
    ("devto", "devto", "api = \"URL/api\"\nkey = { env = \"SANDBOX_TOKEN\" }\n"),
    ("telegram", "telegram", "api = \"URL\"\ntoken = { env = \"SANDBOX_BOT\" }\nchat = \"@rehearsal\"\n"),
    ("webhook", "webhook", "url = \"URL/in\"\nsecret = { env = \"SANDBOX_WEBHOOK\" }\n"),
    ("email", "email", "smtp = \"URL\"\nfrom = \"me@example.org\"\nto = [\"you@example.org\"]\n"),
];

/// The channels of these platforms, as far as this version has their type.
pub(super) fn config(places: &[(&str, String)]) -> String {
    let mut text = String::new();
    for (channel, kind, keys) in CHANNELS.iter().filter(|(_, kind, _)| config::is_built(kind)) {
        if let Some(url) = place(places, kind) {
            let keys = keys.replace("URL", url);
            let _ = write!(text, "[channels.{channel}]\ntype = \"{kind}\"\n{keys}");
        }
    }
    text
}

/// Secrets that open the stand-ins, and nothing else. The address of a Slack webhook is one.
pub(super) fn env(places: &[(&str, String)]) -> String {
    let mut text =
        format!("SANDBOX_TOKEN=rehearsal\nSANDBOX_BOT=1:rehearsal\nSANDBOX_WEBHOOK={WEBHOOK_SECRET}\n");
    if let Some(url) = place(places, "slack") {
        let _ = writeln!(text, "SANDBOX_SLACK_HOOK={url}/hook/rehearsal");
    }
    text
}

fn place<'p>(places: &'p [(&str, String)], platform: &str) -> Option<&'p str> {
    places.iter().find(|(name, _)| *name == platform).map(|(_, url)| url.as_str())
}
