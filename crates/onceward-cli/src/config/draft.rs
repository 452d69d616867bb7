//! The parts of a file as they were read, with their places, before they are held against each other.

use std::net::{Ipv4Addr, SocketAddr};
use std::path::PathBuf;

use onceward_http::Cidr;

use super::alert::Alert;
use super::channel::{Channel, Spots};
use super::env::Env;
use super::publish::Publish;
use super::queue::{Queue, Queueing};
use super::relay::Relay;
use super::schedule::Schedule;
use super::secret::Secret;
use super::source::Source;
use super::store::StoreAt;
use super::table::Table;
use super::value::Named;
use super::{Config, Group, resolve};

#[derive(Debug)]
pub(super) struct Draft {
    pub(super) store: StoreAt,
    /// The key that opens stored secrets.
    pub(super) key: Option<Secret>,
    pub(super) publish: Publish,
    /// The `channels` of [publish], as written.
    pub(super) wanted: Option<Vec<Named>>,
    pub(super) queueing: Queueing,
    /// Where the lease is written, if it is.
    pub(super) lease: Option<usize>,
    pub(super) queue_names: Vec<Named>,
    pub(super) queues: Vec<Queue>,
    /// All names of channels, those that can't be used included.
    pub(super) channel_names: Vec<Named>,
    pub(super) channels: Vec<(Channel, Spots)>,
    pub(super) groups: Vec<(Named, Vec<Named>)>,
    pub(super) alerts: Vec<Alert>,
    pub(super) schedules: Vec<Schedule>,
    pub(super) relays: Vec<Relay>,
    pub(super) sources: Vec<Source>,
    pub(super) listen: SocketAddr,
    pub(super) allow: Vec<Cidr>,
}

impl Draft {
    /// Takes the whole file apart.
    pub(super) fn read(mut root: Table<'_>) -> Self {
        let (publish, wanted) = Publish::read(root.table("publish"));
        let (queueing, lease) = Queueing::read(root.table("queue"));
        let (queue_names, queues) =
            sections(root.table("queues"), |named, table| Some(Queue::read(named.name, table)));
        let (channel_names, channels) = sections(root.table("channels"), Channel::read);
        let zone = publish.timezone.as_ref();
        let (store, key) = store(root.table("store"));
        let draft = Self {
            store,
            key,
            queueing,
            lease,
            queue_names,
            queues,
            channel_names,
            channels,
            groups: groups(root.table("groups")),
            alerts: root.tables("alerts").into_iter().filter_map(Alert::read).collect(),
            schedules: root
                .tables("schedules")
                .into_iter()
                .filter_map(|table| Schedule::read(table, zone))
                .collect(),
            relays: root.tables("relays").into_iter().filter_map(Relay::read).collect(),
            sources: root.tables("sources").into_iter().filter_map(Source::read).collect(),
            listen: listen(root.table("server")),
            allow: allow(root.table("network")),
            wanted,
            publish,
        };
        root.close();
        draft
    }

    /// The configuration, once nothing was found wrong.
    pub(super) fn finish(self, file: PathBuf, folder: PathBuf, env: Env) -> Config {
        let plain = |names: Vec<Named>| names.into_iter().map(|named| named.name).collect();
        let mut config = Config {
            file,
            folder,
            env,
            publish: self.publish,
            queueing: self.queueing,
            queues: self.queues,
            channels: self.channels.into_iter().map(|(channel, _)| channel).collect(),
            groups: self
                .groups
                .into_iter()
                .map(|(name, names)| Group { name: name.name, channels: plain(names) })
                .collect(),
            alerts: self.alerts,
            schedules: self.schedules,
            relays: self.relays,
            sources: self.sources,
            listen: self.listen,
            allow: self.allow,
            store: self.store,
            key: self.key,
        };
        config.publish.channels = default_channels(self.wanted.as_deref(), &config);
        config
    }
}

/// The channels of a content that names none.
fn default_channels(wanted: Option<&[Named]>, config: &Config) -> Vec<String> {
    if let Some(wanted) = wanted {
        let names = wanted.iter().map(|named| named.name.as_str());
        return resolve(names, &config.channels, &config.groups).unwrap_or_default();
    }
    let alerting = |name: &str| config.alerts.iter().any(|alert| alert.channel.name == name);
    let usual = config.channels.iter().filter(|channel| channel.publish && !alerting(&channel.name));
    usual.map(|channel| channel.name.clone()).collect()
}

/// A table of named tables: all names, and what could be read.
fn sections<'a, T>(
    table: Option<Table<'a>>,
    mut read: impl FnMut(Named, Table<'a>) -> Option<T>,
) -> (Vec<Named>, Vec<T>) {
    let Some(mut table) = table else { return (Vec::new(), Vec::new()) };
    let names = table.names();
    let found =
        names.iter().filter_map(|named| read(named.clone(), table.named_table(&named.name)?)).collect();
    (names, found)
}

fn groups(table: Option<Table<'_>>) -> Vec<(Named, Vec<Named>)> {
    let Some(mut table) = table else { return Vec::new() };
    let names = table.names();
    let mut members = |named: &Named| table.named(&named.name).unwrap_or_default();
    names.into_iter().map(|named| (named.clone(), members(&named))).collect()
}

fn store(table: Option<Table<'_>>) -> (StoreAt, Option<Secret>) {
    let Some(mut table) = table else { return (StoreAt::usual(), None) };
    let store = table.get_or("url", StoreAt::usual());
    let key = table.get("key");
    for (name, secret) in [("url", store.secret()), ("key", key.as_ref())] {
        if let Some(Secret::Stored(_)) = secret {
            table.refuse(name, "expected { env = \"NAME\" } or { file = \"path\" }: nothing can be looked up in a store before it is open");
        }
    }
    table.close();
    (store, key)
}

fn listen(table: Option<Table<'_>>) -> SocketAddr {
    let usual = SocketAddr::from((Ipv4Addr::LOCALHOST, 8080));
    let Some(mut table) = table else { return usual };
    let listen = table.get_or("listen", usual);
    table.close();
    listen
}

fn allow(table: Option<Table<'_>>) -> Vec<Cidr> {
    let Some(mut table) = table else { return Vec::new() };
    let allow = table.get_or("allow", Vec::new());
    table.close();
    allow
}
