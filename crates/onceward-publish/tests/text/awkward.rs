//! Awkward texts as every platform gets them, against what was looked at and committed.
//!
//! A difference fails. To take it over: `INSTA_UPDATE=always cargo test -p onceward-publish --test text awkward`, then
//! read what `git diff` says.

use std::fmt::Write as _;
use std::sync::Arc;
use std::time::Duration;

use onceward::Time;
use onceward_http::{Client, tls_config};
use onceward_publish::channel::{Channel, Part};
use onceward_publish::channels::bluesky::BlueskyChannel;
use onceward_publish::channels::devto::DevtoChannel;
use onceward_publish::channels::email::{EmailChannel, EmailSettings};
use onceward_publish::channels::mastodon::MastodonChannel;
use onceward_publish::channels::slack::{SlackBot, SlackWebhook};
use onceward_publish::channels::telegram::TelegramChannel;
use onceward_publish::content::Thread;
use onceward_publish::vault::Sessions;
use onceward_publish::{Dress, Post};
use serde_json::{Value as Json, json};

use crate::awkward_texts::texts;
use crate::parts::post;

const SITE: &str = "https://platform.example";
const TIMEOUT: Duration = Duration::from_secs(1);

fn client() -> Client {
    Client::builder().build().unwrap()
}

/// Everything that this channel would send of every text.
fn rendered(channel: &dyn Channel, server: &Json) -> String {
    let dress = Dress { template: None, hashtags: true, link_query: None };
    let mut out = String::new();
    for (name, body) in texts() {
        let post =
            Post { link: None, tags: Vec::new(), title: Some("T".into()), ..post(&body, Thread::Auto) };
        let at: Time = "2026-12-01T09:00:00Z".parse().unwrap();
        let dressed = dress.put_on(&post, "c", at, server).unwrap();
        let _ = writeln!(out, "\n══ {name}");
        match channel.render(&dressed) {
            Ok(parts) => {
                parts.iter().enumerate().for_each(|(at, part)| show(&mut out, at, parts.len(), part));
            }
            Err(reason) => {
                let _ = writeln!(out, "refused: {}: {}", reason.code, reason.text);
            }
        }
    }
    out
}

/// Marks that nobody sees are written out. Of what is long, both ends are enough.
fn show(out: &mut String, at: usize, of: usize, part: &Part) {
    let _ = writeln!(out, "── {}/{of} · {}", at + 1, part.length);
    let request = part.request.to_string();
    for text in [part.text.as_str(), request.as_str()] {
        let characters: Vec<char> = text.chars().collect();
        let text = if characters.len() > 1000 {
            let end = |range: &[char]| range.iter().collect::<String>();
            format!("{} ⋯ {}", end(&characters[..60]), end(&characters[characters.len() - 60..]))
        } else {
            text.to_owned()
        };
        for line in text.lines() {
            let _ = writeln!(
                out,
                "{}",
                line.escape_debug().to_string().replace("\\\"", "\"").replace("\\'", "'")
            );
        }
    }
}

/// Compares; never updates by itself.
fn compare(name: &str, channel: &dyn Channel, server: &Json) {
    insta::with_settings!({ snapshot_path => "awkward", prepend_module_to_snapshot => false, omit_expression => true }, {
        insta::assert_snapshot!(name, rendered(channel, server));
    });
}

#[test]
fn mastodon() {
    let channel = MastodonChannel::new(SITE, "t".into(), None, None, client(), TIMEOUT).unwrap();
    compare("mastodon", &channel, &json!({ "version": "4.5.2" }));
}

#[test]
fn gotosocial() {
    let channel = MastodonChannel::new(SITE, "t".into(), None, None, client(), TIMEOUT).unwrap();
    compare("gotosocial", &channel, &json!({ "version": "0.20.2+git", "characters": 5000 }));
}

#[test]
fn bluesky() {
    let slot = Sessions::in_memory(None).slot("it", &["me.example"]);
    let (handle, password) = ("me.example", "p".into());
    let channel = BlueskyChannel::new(SITE, handle, password, Vec::new(), slot, client(), TIMEOUT).unwrap();
    compare("bluesky", &channel, &Json::Null);
}

#[test]
fn slack_bot() {
    let channel = SlackBot::new(SITE, "t".into(), "C1", client(), TIMEOUT).unwrap();
    compare("slack_bot", &channel, &Json::Null);
}

#[test]
fn slack_webhook() {
    let channel = SlackWebhook::new(&SITE.into(), client(), TIMEOUT).unwrap();
    compare("slack_webhook", &channel, &Json::Null);
}

#[test]
fn telegram() {
    let channel = TelegramChannel::new(SITE, "1:t".into(), "@room", client(), TIMEOUT).unwrap();
    compare("telegram", &channel, &Json::Null);
}

#[test]
fn devto() {
    let channel = DevtoChannel::new(SITE, "k".into(), client(), TIMEOUT).unwrap();
    compare("devto", &channel, &Json::Null);
}

#[test]
fn email() {
    let settings = EmailSettings {
        server: "smtp://mx.example:25".parse().unwrap(),
        password: None,
        from: "a@b.example".parse().unwrap(),
        to: vec!["c@d.example".parse().unwrap()],
        subject: None,
    };
    let channel = EmailChannel::new(settings, Arc::new(tls_config(Vec::new()).unwrap()), TIMEOUT);
    compare("email", &channel, &Json::Null);
}
