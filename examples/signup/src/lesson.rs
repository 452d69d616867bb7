//! The lesson: each version is killed at the same moments, and what became of the mails stands in one table.
//!
//! ```text
//! trouble  what goes wrong, by seed              people  who signs up, and what they are told
//! wire     before the mail server: breaks, kills, keeps a record       server  who delivers the mails
//! crew     the processes: start, kill, stop      place   a database for one version
//! stage    one version, round by round           fate    what it says became of its mails
//! count    what it comes to (pure)
//! ```

mod count;
mod crew;
mod fate;
mod people;
mod place;
mod server;
mod stage;
mod trouble;
mod wire;

use std::ops::Range;
use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, ValueEnum};
use serde_json::json;

use self::server::Server;
use self::stage::{Ending, Stage};
use crate::Fallible;

/// What is played, and where.
#[derive(Debug, Args)]
pub(crate) struct Lesson {
    /// Which versions
    #[arg(long, value_delimiter = ',', default_value = "1,2,3,4", value_parser = clap::value_parser!(u8).range(1..=4))]
    versions: Vec<u8>,
    /// Rounds of each version: one seed, one trouble
    #[arg(long, default_value_t = 40)]
    rounds: u64,
    /// The first seed
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// People who sign up in a round
    #[arg(long, default_value_t = 3)]
    people: u64,
    /// How long the mail server thinks about each mail, in milliseconds
    #[arg(long, default_value_t = 50)]
    mail_takes: u64,
    /// How long nothing happens after a round, in milliseconds
    #[arg(long, default_value_t = 200)]
    pause: u64,
    /// Where version 4 has its queue; it is played once for each
    #[arg(long, value_delimiter = ',', default_value = "here")]
    queue: Vec<By>,
    /// A NATS server with JetStream: `nats://HOST:PORT`
    #[arg(long)]
    nats: Option<String>,
    /// A RabbitMQ server: `amqp://HOST:PORT`
    #[arg(long)]
    rabbitmq: Option<String>,
    /// A PostgreSQL server on which the lesson may make databases; without it: SQLite files
    #[arg(long)]
    store: Option<String>,
    /// The folder of a Postfix (scripts/services/postfix.sh); without it: our stand-in
    #[arg(long)]
    postfix: Option<PathBuf>,
    /// A shell command that restarts a server in use: one more sort of trouble. May be given again
    #[arg(long)]
    restart: Vec<String>,
    /// The lease of version 4's workers, in seconds
    #[arg(long, default_value_t = 5, value_parser = clap::value_parser!(u64).range(3..))]
    lease: u64,
    /// Mails at once in version 4; versions 2 and 3 send one at a time
    #[arg(long, default_value_t = 1)]
    at_once: usize,
    /// Says each trouble as it comes
    #[arg(long)]
    tell: bool,
    /// One JSON document in place of the table
    #[arg(long)]
    json: bool,
}

/// Where version 4 has its queue in the lesson.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum By {
    /// In the application's database
    Here,
    /// In a database of its own, behind an outbox and a relay
    Elsewhere,
    /// Behind an outbox, a relay and NATS (`--nats`)
    Nats,
    /// Behind an outbox, a relay and RabbitMQ (`--rabbitmq`)
    #[value(name = "rabbitmq")]
    RabbitMq,
}

impl By {
    const fn name(self) -> &'static str {
        match self {
            Self::Here => "here",
            Self::Elsewhere => "elsewhere",
            Self::Nats => "nats",
            Self::RabbitMq => "rabbitmq",
        }
    }
}

impl Lesson {
    /// Plays all versions, one after another, and says how each ended.
    ///
    /// # Errors
    /// Also when version 4 did not keep its promise.
    pub(crate) async fn run(&self) -> Fallible {
        let server = Server::start(self.postfix.as_deref()).await?;
        let mut endings = Vec::new();
        for version in &self.versions {
            let queues = if *version == 4 { self.queue.as_slice() } else { &[By::Here] };
            for by in queues {
                eprintln!("{}: {} rounds", title(*version, *by), self.rounds);
                endings.push((*version, *by, Stage::play(self, *version, *by, &server).await?));
            }
        }
        server.stop().await;
        if self.json {
            println!("{:#}", document(&endings));
        } else {
            println!("{}", table(&endings));
        }
        let broken = endings.iter().any(|(version, _, ending)| *version == 4 && !keeps_its_promise(ending));
        if broken {
            Err("version 4 did not keep its promise; --json says whose mails".into())
        } else {
            Ok(())
        }
    }

    fn seeds(&self) -> Range<u64> {
        self.seed..self.seed + self.rounds
    }

    fn mail_takes(&self) -> Duration {
        Duration::from_millis(self.mail_takes)
    }

    fn pause(&self) -> Duration {
        Duration::from_millis(self.pause)
    }
}

/// Nothing lost, nothing twice, and in doubt exactly what nobody can know.
fn keeps_its_promise(ending: &Ending) -> bool {
    let tally = &ending.tally;
    [&tally.lost, &tally.doubled, &tally.guessed, &tally.lazy].iter().all(|wrong| wrong.is_empty())
}

fn title(version: u8, by: By) -> String {
    if by == By::Here { format!("version {version}") } else { format!("version {version}, {}", by.name()) }
}

fn table(endings: &[(u8, By, Ending)]) -> String {
    const HEADER: [&str; 9] =
        ["", "accounts", "mails", "lost", "doubled", "in doubt", "dead", "turned away", "answer (p50)"];
    let mut rows = vec![HEADER.map(str::to_owned)];
    for (version, by, Ending { tally, turned_away, median, .. }) in endings {
        let median = median.map(|it| format!("{:.1} ms", it.as_secs_f64() * 1000.0));
        rows.push([
            title(*version, *by),
            tally.accounts.to_string(),
            tally.mails.to_string(),
            tally.lost.len().to_string(),
            tally.doubled.len().to_string(),
            tally.in_doubt.to_string(),
            tally.dead.len().to_string(),
            turned_away.to_string(),
            median.unwrap_or_default(),
        ]);
    }
    let width = |column: usize| rows.iter().map(|row| row[column].len()).max().unwrap_or(0);
    let line = |row: &[String; 9]| {
        let cells = row.iter().enumerate().map(|(column, cell)| match column {
            0 => format!("{cell:<0$}", width(0)),
            _ => format!("{cell:>0$}", width(column)),
        });
        cells.collect::<Vec<_>>().join("  ")
    };
    rows.iter().map(line).collect::<Vec<_>>().join("\n")
}

fn document(endings: &[(u8, By, Ending)]) -> serde_json::Value {
    let versions = endings.iter().map(|(version, by, ending)| {
        json!({
            "version": version,
            "queue": by.name(),
            "tally": ending.tally,
            "turned_away": ending.turned_away,
            "median_ms": ending.median.map(|it| it.as_secs_f64() * 1000.0),
            "late": ending.late,
            "revived": ending.revived,
        })
    });
    json!({ "versions": versions.collect::<Vec<_>>() })
}
