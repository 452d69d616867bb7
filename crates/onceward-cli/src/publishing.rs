//! The configuration's channels in the publisher's terms.

mod bluesky;
mod devto;
mod email;
mod mastodon;
mod slack;
mod telegram;

use std::fmt;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use jiff::tz::TimeZone;
use onceward::{Onceward, Time};
use onceward_http::Client;
use onceward_publish::channel::Channel as Adapter;
use onceward_publish::channels::archive::{self, ArchiveChannel};
use onceward_publish::channels::feed::{self, FeedChannel};
use onceward_publish::channels::webhook::{Key, WebhookChannel};
use onceward_publish::content::Rules;
use onceward_publish::vault::Sessions;
use onceward_publish::{Configured, Dress, Lacking, Publisher, Quiet, regular};
use secrecy::{ExposeSecret, SecretString};

use crate::config::{self, Channel, Config, Format, Hashtags, OnDoubt, Secret, Settings};
use crate::secrets;
use crate::stop::Stop;

/// A template has at most so many bytes.
const LONGEST: u64 = 1024 * 1024;

/// The publisher over a store, with every channel of the configuration.
pub(crate) async fn publisher(config: &Config, once: &Onceward) -> Result<Publisher, Stop> {
    let (client, sessions) = (client(config)?, secrets::sessions(config, once).await?);
    let channels = config.channels.iter().map(|channel| configured(channel, config, &client, &sessions));
    Ok(Publisher::open(once, channels.collect::<Result<_, _>>()?).await?)
}

/// Every channel of the configuration, for a look without a store; one whose secret is not set says so in place of its
/// adapter.
pub(crate) fn channels(config: &Config) -> Result<Vec<Configured>, Stop> {
    let (client, sessions) = (client(config)?, Sessions::in_memory(None));
    config.channels.iter().map(|channel| configured(channel, config, &client, &sessions)).collect()
}

/// What all channels send through.
pub(crate) fn client(config: &Config) -> Result<Client, Stop> {
    let client = Client::builder().allow(config.allow.iter().copied()).build();
    client.map_err(|error| Stop::failed("http_client", error.to_string()))
}

/// How contents are read: default ids and media paths start at the configuration's folder.
pub(crate) fn rules(config: &Config) -> Rules {
    Rules {
        root: config.folder.clone(),
        static_root: config.publish.static_folder.clone(),
        timezone: config.publish.timezone.clone(),
        channels: config.channels.iter().map(|channel| channel.name.clone()).collect(),
        groups: config.groups.iter().map(|group| (group.name.clone(), group.channels.clone())).collect(),
        default_channels: config.publish.channels.clone(),
        now: Time::now(),
    }
}

fn configured(
    channel: &Channel,
    config: &Config,
    client: &Client,
    sessions: &Sessions,
) -> Result<Configured, Stop> {
    let lacking = channel.lacking(config).into_iter().next();
    let adapter = match lacking {
        Some((key, why)) => Err(Lacking { code: why.code, text: format!("{key}: {why}") }),
        None => Ok(adapter(channel, config, client, sessions)?),
    };
    let dress = Dress {
        template: channel.template.clone(),
        hashtags: config.publish.hashtags == Hashtags::Append,
        link_query: config.publish.link_query.clone(),
    };
    let zone = config.publish.timezone.clone().unwrap_or(TimeZone::UTC);
    let quiet = channel.quiet.map(|quiet| Quiet { from: quiet.from, to: quiet.to, zone });
    Ok(Configured {
        name: channel.name.clone(),
        was: channel.was.clone(),
        adapter,
        dress,
        retry: channel.pace.retry,
        late_after: channel.late_after,
        quiet,
        timeout: channel.timeout,
        resend: channel.on_doubt == OnDoubt::Resend,
    })
}

/// What is special about a channel. Its secrets must be there.
pub(crate) fn adapter(
    channel: &Channel,
    config: &Config,
    client: &Client,
    sessions: &Sessions,
) -> Result<Arc<dyn Adapter>, Stop> {
    Ok(match &channel.settings {
        Settings::Feed(settings) => Arc::new(feed(channel, settings)),
        Settings::Archive(settings) => Arc::new(archive(channel, settings)?),
        Settings::Webhook(settings) => Arc::new(webhook(channel, settings, config, client)?),
        Settings::Devto(settings) => Arc::new(devto::channel(channel, settings, config, client)?),
        Settings::Mastodon(settings) => Arc::new(mastodon::channel(channel, settings, config, client)?),
        Settings::Email(settings) => Arc::new(email::channel(channel, settings, config)?),
        Settings::Bluesky(settings) => {
            Arc::new(bluesky::channel(channel, settings, config, client, sessions)?)
        }
        Settings::Slack(settings) => slack::channel(channel, settings, config, client)?,
        Settings::Telegram(settings) => Arc::new(telegram::channel(channel, settings, config, client)?),
    })
}

/// The value of a channel's secret.
fn secret(
    channel: &Channel,
    key: &'static str,
    secret: &Secret,
    config: &Config,
) -> Result<SecretString, Stop> {
    secret.resolve(&config.env, &config.folder).map_err(|lacking| wrong(channel, key, &lacking))
}

/// The client gives up first: it knows whether anything was sent.
fn deadline(channel: &Channel) -> Duration {
    channel.timeout.saturating_sub(channel.timeout / 20)
}

fn wrong(channel: &Channel, key: &str, why: &dyn fmt::Display) -> Stop {
    Stop::usage("channel_invalid", format!("[channels.{}] {key}: {why}", channel.name))
}

fn feed(channel: &Channel, settings: &config::Feed) -> FeedChannel {
    FeedChannel {
        path: settings.path.clone(),
        format: match settings.format {
            Format::Rss => feed::Format::Rss,
            Format::Atom => feed::Format::Atom,
            Format::Json => feed::Format::Json,
        },
        title: settings.title.clone().unwrap_or_else(|| channel.name.clone()),
        link: settings.link.as_str().to_owned(),
        items: usize::try_from(settings.items).unwrap_or(usize::MAX),
    }
}

fn archive(channel: &Channel, settings: &config::Archive) -> Result<ArchiveChannel, Stop> {
    let page = settings.page.as_deref().map(|path| template(channel, path)).transpose()?;
    let title = settings.title.clone().unwrap_or_else(|| channel.name.clone());
    Ok(ArchiveChannel { path: settings.path.clone(), archive: archive::Archive { title, page } })
}

fn template(channel: &Channel, path: &Path) -> Result<String, Stop> {
    regular::text(path, LONGEST).map_err(|error| {
        let text = format!("[channels.{}] page: {}: {error}", channel.name, path.display());
        Stop::usage("template_unreadable", text)
    })
}

fn webhook(
    channel: &Channel,
    settings: &config::Webhook,
    config: &Config,
    client: &Client,
) -> Result<WebhookChannel, Stop> {
    let secret = secret(channel, "secret", &settings.secret, config)?;
    let key = Key::parse(secret.expose_secret());
    let key = key.map_err(|error| Stop { code: "secret_invalid", ..wrong(channel, "secret", &error) })?;
    WebhookChannel::new(settings.url.as_str(), key, client.clone(), deadline(channel))
        .map_err(|error| wrong(channel, "url", &error))
}
