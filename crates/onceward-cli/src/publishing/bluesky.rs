//! `type = "bluesky"` in the publisher's terms.

use onceward_http::Client;
use onceward_publish::channels::bluesky::BlueskyChannel;
use onceward_publish::vault::Sessions;

use super::{deadline, secret, wrong};
use crate::config::{Bluesky, Channel, Config};
use crate::stop::Stop;

pub(super) fn channel(
    channel: &Channel,
    settings: &Bluesky,
    config: &Config,
    client: &Client,
    sessions: &Sessions,
) -> Result<BlueskyChannel, Stop> {
    let password = secret(channel, "password", &settings.password, config)?;
    let (server, handle, languages) = (&settings.server, &settings.handle, settings.languages.clone());
    let slot = sessions.slot(&channel.name, &[server, handle]);
    BlueskyChannel::new(server, handle, password, languages, slot, client.clone(), deadline(channel))
        .map_err(|error| wrong(channel, "server", &error))
}
