//! One adapter of each kind of platform, for laws that hold on all of them.

use std::sync::Arc;

use onceward_http::Client;
use onceward_publish::channel::Channel;
use onceward_publish::channels::bluesky::BlueskyChannel;
use onceward_publish::channels::devto::DevtoChannel;
use onceward_publish::channels::mastodon::MastodonChannel;
use onceward_publish::channels::slack::{SlackBot, SlackWebhook};
use onceward_publish::channels::telegram::TelegramChannel;
use onceward_publish::vault::Sessions;
use onceward_sandbox::{Options, Sandbox};

use crate::stage::{PATIENCE, Verdict};

/// Stand-ins that do not limit rates.
pub(crate) async fn sandbox() -> Verdict<Sandbox> {
    let mut options = Options::default();
    options.faults.limits = false;
    Ok(Sandbox::start(options).await?)
}

/// A channel to that stand-in.
pub(crate) fn adapter(platform: &str, sandbox: &Sandbox) -> Verdict<Arc<dyn Channel>> {
    let (client, url) = (Client::builder().build()?, sandbox.url(platform));
    let slot = || Sessions::in_memory(None).slot("it", &["me"]);
    Ok(match platform {
        "bluesky" => Arc::new(BlueskyChannel::new(
            &url,
            "@me.test",
            "s3cret-pass".into(),
            Vec::new(),
            slot(),
            client,
            PATIENCE,
        )?),
        "devto" => Arc::new(DevtoChannel::new(&format!("{url}/api"), "s3cret-key".into(), client, PATIENCE)?),
        "slack" => Arc::new(SlackBot::new(&url, "xoxb-s3cret".into(), "C0123456789", client, PATIENCE)?),
        "slack webhook" => {
            let address = format!("{}/hook/T0/B0/s3cret", sandbox.url("slack"));
            Arc::new(SlackWebhook::new(&address.into(), client, PATIENCE)?)
        }
        "telegram" => {
            Arc::new(TelegramChannel::new(&url, "123456:AAs3cret".into(), "@news", client, PATIENCE)?)
        }
        _ => Arc::new(MastodonChannel::new(&url, "s3cret-token".into(), None, None, client, PATIENCE)?),
    })
}
