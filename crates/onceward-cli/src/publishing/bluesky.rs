//! `type = "bluesky"` in the publisher's terms.

use onceward_http::Client;
use onceward_publish::channels::bluesky::BlueskyChannel;

use super::{deadline, secret, wrong};
use crate::config::{Bluesky, Channel, Config};
use crate::stop::Stop;

pub(super) fn channel(
    channel: &Channel,
    settings: &Bluesky,
    config: &Config,
    client: &Client,
) -> Result<BlueskyChannel, Stop> {
    let password = secret(channel, "password", &settings.password, config)?;
    let (handle, languages) = (&settings.handle, settings.languages.clone());
    BlueskyChannel::new(&settings.server, handle, password, languages, client.clone(), deadline(channel))
        .map_err(|error| wrong(channel, "server", &error))
}
