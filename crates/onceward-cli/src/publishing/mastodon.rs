//! `type = "mastodon"` in the publisher's terms.

use onceward_http::Client;
use onceward_publish::channels::mastodon::MastodonChannel;

use super::{deadline, secret, wrong};
use crate::config::{self, Channel, Config};
use crate::stop::Stop;

pub(super) fn channel(
    channel: &Channel,
    settings: &config::Mastodon,
    config: &Config,
    client: &Client,
) -> Result<MastodonChannel, Stop> {
    let token = secret(channel, "token", &settings.token, config)?;
    let (visibility, language) = (settings.visibility, settings.language.clone());
    let (server, timeout) = (settings.server.as_str(), deadline(channel));
    MastodonChannel::new(server, token, visibility, language, client.clone(), timeout)
        .map_err(|error| wrong(channel, "server", &error))
}
