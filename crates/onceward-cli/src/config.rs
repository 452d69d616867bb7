//! `onceward.toml`: read once, checked as a whole, and then only looked at.
//!
//! Reading never stops at the first mistake, and no message repeats a value that could be a secret.

mod alert;
mod broker;
mod channel;
mod check;
mod draft;
mod env;
mod find;
mod key;
mod kind;
mod place;
mod policy;
mod problem;
mod publish;
mod queue;
mod rehearsal;
mod relay;
mod schedule;
mod secret;
mod source;
mod store;
mod table;
mod template;
#[cfg(test)]
mod tests;
mod text;
mod value;
mod writes;

use std::net::SocketAddr;
use std::path::{Path, PathBuf};

use onceward_http::Cidr;
use onceward_publish::regular;
use onceward_publish::vault::Keys;
use toml::de::DeTable;

pub(crate) use alert::Alert;
pub(crate) use broker::BrokerAt;
pub(crate) use channel::{Channel, OnDoubt};
pub(crate) use env::{Env, Stored};
pub(crate) use find::{NAME, find};
pub(crate) use key::HOW_TO as KEY_HOW_TO;
pub(crate) use kind::{
    Archive, Bluesky, Devto, Email, Feed, Format, Mastodon, Settings, Slack, Telegram, Webhook, is_built,
};
pub(crate) use policy::Pace;
pub(crate) use problem::{ConfigError, advice};
pub(crate) use publish::{Hashtags, Publish};
pub(crate) use queue::{Queue, Queueing};
pub(crate) use rehearsal::{REHEARSAL_STORE, StandIns};
pub(crate) use relay::{Relay, To};
pub(crate) use schedule::Schedule;
pub(crate) use secret::Secret;
pub(crate) use source::Source;
pub(crate) use store::{StoreAt, StoreUrl};

use draft::Draft;
use problem::Report;
use table::Table;

const LONGEST: u64 = 1024 * 1024;

/// Everything that one file says, with the defaults filled in. Channels and queues keep the file's order.
#[derive(Debug)]
pub(crate) struct Config {
    /// The file itself.
    pub(crate) file: PathBuf,
    /// Where relative paths start.
    pub(crate) folder: PathBuf,
    /// Where secrets are looked up.
    pub(crate) env: Env,
    pub(crate) publish: Publish,
    pub(crate) queueing: Queueing,
    pub(crate) queues: Vec<Queue>,
    pub(crate) channels: Vec<Channel>,
    pub(crate) groups: Vec<Group>,
    pub(crate) alerts: Vec<Alert>,
    pub(crate) schedules: Vec<Schedule>,
    pub(crate) relays: Vec<Relay>,
    pub(crate) sources: Vec<Source>,
    /// Where the HTTP server listens.
    #[allow(dead_code, reason = "it is checked with the rest, and used once `serve` is built")]
    pub(crate) listen: SocketAddr,
    /// Ranges that addresses from contents and other strangers may lie in although they are not public.
    pub(crate) allow: Vec<Cidr>,
    store: StoreAt,
    key: Option<Secret>,
}

/// A name for several channels.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Group {
    pub(crate) name: String,
    pub(crate) channels: Vec<String>,
}

impl Config {
    /// Finds the file that is meant and reads it. Without one, a store that is named some other way is enough
    /// (`has_store`): then there are no channels, and the defaults hold.
    pub(crate) fn open(
        named: Option<&Path>,
        has_store: bool,
        env: Env,
        here: &Path,
    ) -> Result<Self, ConfigError> {
        match find(named, &env, here) {
            Ok(file) => Self::load(&file, env),
            Err(ConfigError::Missing { .. }) if has_store || env.given("ONCEWARD_STORE").is_some() => {
                Self::parse("", &here.join(NAME), env)
            }
            Err(error) => Err(error),
        }
    }

    /// Reads a file and the `.env` beside it.
    pub(crate) fn load(file: &Path, env: Env) -> Result<Self, ConfigError> {
        let file = std::path::absolute(file).map_err(|error| ConfigError::unreadable(file, error))?;
        let text = regular::text(&file, LONGEST).map_err(|error| ConfigError::unreadable(&file, error))?;
        let folder = file.parent().unwrap_or(Path::new("/")).to_owned();
        let env = env.with_dot_env(&folder)?;
        Self::parse(&text, &file, env)
    }

    /// Understands the text of a file that lies at `file`, which is absolute.
    pub(crate) fn parse(text: &str, file: &Path, env: Env) -> Result<Self, ConfigError> {
        let folder = file.parent().unwrap_or(Path::new("/")).to_owned();
        let report = Report::new(text, &folder);
        let draft = match DeTable::parse(text) {
            Ok(table) => {
                let draft = Draft::read(Table::root(table.into_inner(), &report));
                check::check(&draft, &report, &env);
                writes::check(&draft, &report, &env, file);
                Some(draft)
            }
            Err(error) => {
                report.refuse(
                    error.span().map_or(0, |span| span.start),
                    format!("not TOML: {}", error.message()),
                );
                None
            }
        };
        match (draft, report.into_problems()) {
            (Some(draft), problems) if problems.is_empty() => {
                Ok(draft.finish(file.to_owned(), folder.clone(), env))
            }
            (_, problems) => Err(ConfigError::Refused { file: file.to_owned(), problems }),
        }
    }

    /// The store: `--store` (relative to `here`), else `ONCEWARD_STORE` (likewise), else [store] of the file.
    pub(crate) fn store(&self, named: Option<&str>, here: &Path) -> Result<StoreUrl, String> {
        match store::named(named, &self.env, here)? {
            Some(url) => Ok(url),
            None => self.store.resolve("[store] url", &self.env, &self.folder),
        }
    }

    /// The keys that open stored secrets, if any are given: [store] `key`, else `ONCEWARD_KEY`, else the systemd
    /// credential `onceward-key`; else the place that holds no key, and why.
    pub(crate) fn keys(&self) -> Result<Option<Keys>, String> {
        key::find(self.key.as_ref(), &self.env, &self.folder)
    }

    /// A channel by its name.
    pub(crate) fn channel(&self, name: &str) -> Option<&Channel> {
        self.channels.iter().find(|channel| channel.name == name)
    }

    /// The channels that the names of channels and groups stand for, each once; else the first unknown name.
    pub(crate) fn resolve<'n>(
        &self,
        names: impl IntoIterator<Item = &'n str>,
    ) -> Result<Vec<String>, UnknownChannel> {
        resolve(names, &self.channels, &self.groups)
    }
}

/// No channel or group has this name; the text offers the nearest.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct UnknownChannel {
    pub(crate) name: String,
    pub(crate) text: String,
}

fn resolve<'n>(
    names: impl IntoIterator<Item = &'n str>,
    channels: &[Channel],
    groups: &[Group],
) -> Result<Vec<String>, UnknownChannel> {
    let mut found: Vec<String> = Vec::new();
    for name in names {
        let members = match groups.iter().find(|group| group.name == name) {
            Some(group) => group.channels.clone(),
            None if channels.iter().any(|channel| channel.name == name) => vec![name.to_owned()],
            None => {
                let known = channels
                    .iter()
                    .map(|channel| &channel.name)
                    .chain(groups.iter().map(|group| &group.name));
                let text = format!(
                    "no channel or group is called `{name}`; {}",
                    problem::advice(name, known.map(String::as_str))
                );
                return Err(UnknownChannel { name: name.to_owned(), text });
            }
        };
        for member in members {
            if !found.contains(&member) {
                found.push(member);
            }
        }
    }
    Ok(found)
}
