//! `type = "telegram"` in the publisher's terms.

use onceward_http::Client;
use onceward_publish::channels::telegram::TelegramChannel;

use crate::config::{Channel, Config, Telegram};
use crate::stop::Stop;

const API: &str = "https://api.telegram.org";

pub(super) fn channel(
    channel: &Channel,
    settings: &Telegram,
    config: &Config,
    client: &Client,
) -> Result<TelegramChannel, Stop> {
    let wrong = |key: &str, why: String| {
        Stop::usage("channel_invalid", format!("[channels.{}] {key}: {why}", channel.name))
    };
    let token = settings.token.resolve(&config.env, &config.folder);
    let token = token.map_err(|lacking| wrong("token", lacking.to_string()))?;
    // The client gives up first: it knows whether anything was sent.
    let timeout = channel.timeout.saturating_sub(channel.timeout / 20);
    let api = settings.api.as_ref().map_or(API, |api| api.as_str());
    TelegramChannel::new(api, token, settings.chat.as_str(), client.clone(), timeout)
        .map_err(|error| wrong("api", error.to_string()))
}
