//! `type = "email"` in the publisher's terms.

use std::sync::Arc;

use onceward_http::tls_config;
use onceward_publish::channels::email::{EmailChannel, EmailSettings};

use crate::config::{self, Channel, Config};
use crate::stop::Stop;

pub(super) fn channel(
    channel: &Channel,
    settings: &config::Email,
    config: &Config,
) -> Result<EmailChannel, Stop> {
    let wrong = |key: &str, why: String| {
        Stop::usage("channel_invalid", format!("[channels.{}] {key}: {why}", channel.name))
    };
    let password = settings.password.as_ref().map(|secret| secret.resolve(&config.env, &config.folder));
    let password = password.transpose().map_err(|lacking| wrong("password", lacking.to_string()))?;
    let tls = tls_config(Vec::new()).map_err(|error| wrong("smtp", error.to_string()))?;
    let config::Email { smtp, from, to, subject, .. } = settings.clone();
    let settings = EmailSettings { server: smtp, password, from, to, subject };
    // The dialogue ends first: it knows how far it came.
    let timeout = channel.timeout.saturating_sub(channel.timeout / 20);
    Ok(EmailChannel::new(settings, Arc::new(tls), timeout))
}
