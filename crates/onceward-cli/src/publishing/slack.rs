//! `type = "slack"` in the publisher's terms.

use std::sync::Arc;

use onceward_http::Client;
use onceward_publish::channel::Channel as Adapter;
use onceward_publish::channels::slack::{SlackBot, SlackWebhook};

use crate::config::{Channel, Config, Slack};
use crate::stop::Stop;

const API: &str = "https://slack.com/api";

pub(super) fn channel(
    channel: &Channel,
    settings: &Slack,
    config: &Config,
    client: &Client,
) -> Result<Arc<dyn Adapter>, Stop> {
    let wrong = |key: &str, why: String| {
        Stop::usage("channel_invalid", format!("[channels.{}] {key}: {why}", channel.name))
    };
    // The client gives up first: it knows whether anything was sent.
    let timeout = channel.timeout.saturating_sub(channel.timeout / 20);
    match settings {
        Slack::Bot { token, room, api } => {
            let token = token.resolve(&config.env, &config.folder);
            let token = token.map_err(|lacking| wrong("token", lacking.to_string()))?;
            let api = api.as_ref().map_or(API, |api| api.as_str());
            let bot = SlackBot::new(api, token, room, client.clone(), timeout);
            Ok(Arc::new(bot.map_err(|error| wrong("api", error.to_string()))?))
        }
        Slack::Webhook { url } => {
            let url = url.resolve(&config.env, &config.folder);
            let url = url.map_err(|lacking| wrong("webhook_url", lacking.to_string()))?;
            let hook = SlackWebhook::new(&url, client.clone(), timeout);
            Ok(Arc::new(hook.map_err(|error| wrong("webhook_url", error.to_string()))?))
        }
    }
}
