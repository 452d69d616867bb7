//! `onceward channels`.

mod check;
mod login;

use onceward_publish::vault::{self, StoredName};
use serde_json::{Value, json};

use super::Run;
use super::queues::{self, Order};
use crate::args::ChannelsVerb;
use crate::config::{Channel, Config};
use crate::exit::Exit;
use crate::output::{self, Cell, Grid, Shown};
use crate::stop::Stop;

const NONE: &str = "no channel is configured; add one to onceward.toml, such as:\n\n  [channels.blog]\n  \
                    type = \"archive\"\n  path = \"public\"";

pub(crate) async fn run(run: &Run, verb: &ChannelsVerb) -> Result<Exit, Stop> {
    let (which, order) = match verb {
        ChannelsVerb::List => return list(run).await,
        ChannelsVerb::Login(args) => return login::login(run, args).await,
        ChannelsVerb::Logout { channel } => return login::logout(run, channel).await,
        ChannelsVerb::Check { names } => return check::check(run, names).await,
        ChannelsVerb::Pause(which) => (which, Order::Pause),
        ChannelsVerb::Resume(which) => (which, Order::Resume),
    };
    run.with_store(async |store| {
        let names = queues::channels(store, which).await?;
        queues::order(run, store, &names, order).await
    })
    .await
}

/// Lists the configured channels, what each lacks, and which secrets are stored.
async fn list(run: &Run) -> Result<Exit, Stop> {
    run.with_secrets(async |config, once| {
        let stored = match once {
            Some(once) => vault::stored(once).await?,
            None => Vec::new(),
        };
        let items: Vec<_> = config.channels.iter().map(|channel| item(channel, config, &stored)).collect();
        run.output.answer(&output::list(&items, None), || match config.channels.as_slice() {
            [] => NONE.to_owned(),
            _ => table(config).show(&run.output),
        })?;
        Ok(Exit::Fine)
    })
    .await
}

fn item(channel: &Channel, config: &Config, stored: &[StoredName]) -> Value {
    let lacking = channel.lacking(config);
    let place = |(key, name): (&str, &str)| {
        let since = stored.iter().find(|it| it.name == name).map(|it| it.since);
        json!({ "key": key, "name": name, "since": since })
    };
    json!({
        "name": channel.name,
        "type": channel.kind,
        "default": config.publish.channels.contains(&channel.name),
        "concurrency": channel.concurrency,
        "rate": channel.pace.rate.map(|rate| rate.to_string()),
        "stored": channel.stored().map(place).collect::<Vec<_>>(),
        "lacking": lacking.iter().map(|(key, why)| json!({ "key": key, "text": why.to_string() })).collect::<Vec<_>>(),
    })
}

fn table(config: &Config) -> Grid {
    let mut grid = Grid::new(["channel", "type", "default", "rate", "ready"]);
    for channel in &config.channels {
        let default = config.publish.channels.contains(&channel.name);
        let lacking = channel.lacking(config);
        let ready = match lacking.first() {
            None => "yes".to_owned(),
            Some((key, why)) => format!("{} no: {key}: {why}", Shown::Paused.shape()),
        };
        grid.row([
            Cell::Whole(channel.name.clone()),
            channel.kind.into(),
            if default { "yes" } else { "no" }.into(),
            Cell::maybe(channel.pace.rate.map(|rate| rate.to_string())),
            Cell::Whole(ready),
        ]);
    }
    grid
}
