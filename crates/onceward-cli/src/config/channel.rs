//! One `[channels.NAME]`: the keys that every type has, and the type's own.

use std::time::Duration;

use onceward::retry::RetryPolicy;
use toml::Spanned;
use toml::de::DeValue;

use super::Config;
use super::kind::{self, Settings};
use super::policy::{Pace, Quiet};
use super::rehearsal::StandIns;
use super::secret::{Lacking, Place, Secret};
use super::table::Table;
use super::template;
use super::value::{Fault, FromValue, Named, word};

/// A place that contents or alerts are sent to.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Channel {
    pub(crate) name: String,
    /// The type's name.
    pub(crate) kind: &'static str,
    pub(crate) settings: Settings,
    pub(crate) pace: Pace,
    /// How many of its jobs run at once, over all workers.
    pub(crate) concurrency: u32,
    /// How long one request may take.
    pub(crate) timeout: Duration,
    pub(crate) quiet: Option<Quiet>,
    /// A content that is due for longer than this while nothing ran is held, not sent.
    pub(crate) late_after: Duration,
    pub(crate) on_doubt: OnDoubt,
    pub(crate) template: Option<String>,
    /// The channel's former name: its jobs and keys move along.
    pub(crate) was: Option<String>,
    /// Whether it is among the default channels of a content.
    pub(crate) publish: bool,
    secrets: Vec<Place>,
}

/// What happens to a job whose effect can't be verified.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum OnDoubt {
    /// A person decides.
    Park,
    /// It is sent again, once, after the quiet period: the owner accepts a double.
    Resend,
}

/// Where a channel's keys stand, those that are written, for the checks that need the whole file.
#[derive(Debug)]
pub(super) struct Spots {
    pub(super) name: usize,
    pub(super) timeout: Option<usize>,
    pub(super) was: Option<usize>,
    pub(super) quiet: Option<usize>,
    pub(super) path: Option<usize>,
}

impl Channel {
    /// Reads a channel; `None` when it can't be used, with the reason noted.
    pub(super) fn read(named: Named, mut table: Table<'_>) -> Option<(Self, Spots)> {
        let reader = Self::reader(&mut table);
        // Mail servers put off what they do not know yet, and expect to be asked again.
        let usual = match reader {
            Some(("email", _)) => RetryPolicy::GENERIC,
            _ => RetryPolicy::CHANNEL,
        };
        let pace = Pace::read(&mut table, usual);
        let concurrency = table.get_or("concurrency", 1);
        let timeout = table.get_or("timeout", Duration::from_secs(30));
        let quiet = table.get("quiet");
        let late_after = table.get_or("late_after", Duration::from_hours(6));
        let on_doubt = table.get_or("on_doubt", OnDoubt::Park);
        let template: Option<String> = table.get("template");
        if let Some(why) = template.as_deref().and_then(template::wrong) {
            table.refuse("template", &why);
        }
        let was = table.get("was");
        let publish = table.get_or("publish", true);
        let (kind, read) = reader?;
        let settings = read(&mut table);
        let [timeout_at, was_at, quiet_at, path_at] =
            ["timeout", "was", "quiet", "path"].map(|key| table.spot(key));
        let spots =
            Spots { name: named.at, timeout: timeout_at, was: was_at, quiet: quiet_at, path: path_at };
        let secrets = table.close();
        let (settings, name) = (settings?, named.name);
        #[rustfmt::skip]
        let channel = Self {
            name, kind, settings, pace, concurrency, timeout, quiet, late_after, on_doubt, template, was, publish, secrets,
        };
        Some((channel, spots))
    }

    fn reader(table: &mut Table<'_>) -> Option<(&'static str, kind::Read)> {
        let name: String = table.need("type")?;
        kind::reader(&name).map_err(|why| table.refuse("type", &why)).ok()
    }

    /// Leads it to its stand-in, whose secrets are made up.
    pub(super) fn rehearse(&mut self, stand_ins: &StandIns) {
        stand_ins.take(&self.name, &mut self.settings);
        self.secrets.clear();
    }

    /// Its keys whose secrets are in the store, with their names there.
    pub(crate) fn stored(&self) -> impl Iterator<Item = (&'static str, &str)> {
        self.secrets.iter().filter_map(|place| match &place.secret {
            Secret::Stored(name) => Some((place.key, name.as_str())),
            Secret::Env(_) | Secret::File(_) | Secret::StandIn(_) => None,
        })
    }

    /// Its keys that hold secrets, wherever those are.
    pub(crate) fn secret_keys(&self) -> impl Iterator<Item = &'static str> {
        self.secrets.iter().map(|place| place.key)
    }

    /// The secrets that this process lacks, or that cannot be what they are for: the key, and what to do about it.
    pub(crate) fn lacking(&self, config: &Config) -> Vec<(&'static str, Lacking)> {
        let why = |place: &Place| {
            let found = place.secret.resolve(&config.env, &config.folder);
            let fits =
                found.and_then(|secret| self.settings.fits(place.key, &secret).map_err(Lacking::unfit));
            Some((place.key, fits.err()?.at(&config.file, place.line)))
        };
        self.secrets.iter().filter_map(why).collect()
    }
}

impl FromValue for OnDoubt {
    fn from_value(value: &Spanned<DeValue<'_>>) -> Result<Self, Fault> {
        word(value, &[("park", Self::Park), ("resend", Self::Resend)])
    }
}
