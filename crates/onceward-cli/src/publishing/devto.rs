//! `type = "devto"` in the publisher's terms.

use onceward_http::Client;
use onceward_publish::channels::devto::DevtoChannel;

use crate::config::{self, Channel, Config};
use crate::stop::Stop;

const API: &str = "https://dev.to/api";

pub(super) fn channel(
    channel: &Channel,
    settings: &config::Devto,
    config: &Config,
    client: &Client,
) -> Result<DevtoChannel, Stop> {
    let wrong = |key: &str, why: String| {
        Stop::usage("channel_invalid", format!("[channels.{}] {key}: {why}", channel.name))
    };
    let key = settings.key.resolve(&config.env, &config.folder);
    let key = key.map_err(|lacking| wrong("key", lacking.to_string()))?;
    let api = settings.api.as_ref().map_or(API, |api| api.as_str());
    // The client gives up first: it knows whether anything was sent.
    let timeout = channel.timeout.saturating_sub(channel.timeout / 20);
    DevtoChannel::new(api, key, client.clone(), timeout).map_err(|error| wrong("api", error.to_string()))
}
