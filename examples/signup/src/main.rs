//! A sign-up and its welcome mail: one story in four versions, and a lesson that kills all four at the same moments.
//!
//! ```text
//! web        POST /signup
//! versions   what each version does with it: one, two, three, four
//! store      the application's database        mail   SMTP, and what is known when it breaks
//! lesson     signs people up, kills, counts, and prints the table
//! ```

mod lesson;
mod mail;
mod store;
mod versions;
mod web;

use std::net::SocketAddr;
use std::time::Duration;

use clap::{Args, Parser, Subcommand};
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::watch;

use crate::mail::Mailer;
use crate::store::Store;
use crate::versions::four::queue::Queue;
use crate::versions::four::{self, Four};
use crate::versions::{Version, one::One, three, three::Three, two::Two};

/// What this program's own functions give.
pub(crate) type Fallible<T = ()> = Result<T, Box<dyn std::error::Error + Send + Sync>>;

#[derive(Debug, Parser)]
#[command(name = "signup", about, version)]
struct Program {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Takes sign-ups: `curl 127.0.0.1:8080/signup -d '{"email": "ada@example.org"}'`
    Serve {
        /// 1 to 4
        #[arg(long, default_value_t = 4, value_parser = clap::value_parser!(u8).range(1..=4))]
        version: u8,
        /// 0: a free one
        #[arg(long, default_value_t = 8080)]
        port: u16,
        #[command(flatten)]
        at: At,
    },
    /// Sends what version 3 or 4 has saved to be sent
    Work {
        /// 3 or 4
        #[arg(long, default_value_t = 4, value_parser = clap::value_parser!(u8).range(3..=4))]
        version: u8,
        /// Mails at once, in version 4
        #[arg(long, default_value_t = 4)]
        at_once: usize,
        #[command(flatten)]
        at: At,
    },
    /// Carries what version 4 has in its outbox to where its queue is
    Relay {
        #[command(flatten)]
        at: At,
    },
    /// Signs people up in each version, kills it at the same moments, and prints what became of the mails
    Lesson(lesson::Lesson),
}

/// Where things are.
#[derive(Debug, Args)]
struct At {
    /// The application's database: `sqlite://FILE` or `postgres://…`
    #[arg(long, default_value = "sqlite://signup.db")]
    store: String,
    /// The mail server, without TLS
    #[arg(long, default_value = "127.0.0.1:25")]
    mail: SocketAddr,
    /// How long a worker or a relay of version 4 holds what it took without a sign of life, in seconds
    #[arg(long, default_value_t = 60, value_parser = clap::value_parser!(u64).range(3..))]
    lease: u64,
    /// Where version 4 has its queue: `here`, in the application's database, or the URL of another
    #[arg(long, default_value = "here")]
    queue: Queue,
}

impl At {
    async fn store(&self) -> Fallible<Store> {
        let store = Store::open(&self.store).await?;
        store.prepare().await?;
        Ok(store)
    }

    fn lease(&self) -> Duration {
        Duration::from_secs(self.lease)
    }

    /// A mail must be over well within the lease.
    fn mailer(&self) -> Mailer {
        Mailer::new(self.mail, self.lease() / 2)
    }
}

#[tokio::main]
async fn main() -> Fallible {
    tracing_subscriber::fmt().with_writer(std::io::stderr).with_ansi(false).init();
    match Program::parse().command {
        Command::Serve { version, port, at } => {
            let version = version_of(version, &at).await?;
            web::serve(version, port, Stop::listen()?).await
        }
        Command::Work { version, at_once, at } => Box::pin(work(version, at_once, &at)).await,
        Command::Relay { at } => relay(&at).await,
        Command::Lesson(lesson) => lesson.run().await,
    }
}

async fn version_of(number: u8, at: &At) -> Fallible<Version> {
    let store = at.store().await?;
    Ok(match number {
        1 => Version::One(One { store, mailer: at.mailer() }),
        2 => Version::Two(Two::start(store, at.mailer())),
        3 => Version::Three(Three { store }),
        _ => Version::Four(Four { way: at.queue.way(&store).await?, store }),
    })
}

async fn work(version: u8, at_once: usize, at: &At) -> Fallible {
    let (store, stop) = (at.store().await?, Stop::listen()?);
    println!("working");
    if version == 3 {
        three::work(store, at.mailer(), stop).await;
        return Ok(());
    }
    let once = at.queue.jobs(&store).await?;
    let taking = at.queue.take_in(&once, at.lease(), stop.clone());
    let working = four::work(&once, at.mailer(), (at_once, at.lease()), stop);
    tokio::try_join!(taking, working).map(drop)
}

async fn relay(at: &At) -> Fallible {
    let (store, stop) = (at.store().await?, Stop::listen()?);
    println!("relaying");
    at.queue.relay(&store, at.lease(), stop).await
}

/// SIGTERM or Ctrl-C. Cheap to clone.
#[derive(Debug, Clone)]
pub(crate) struct Stop(watch::Receiver<bool>);

impl Stop {
    fn listen() -> Fallible<Self> {
        let (mut term, mut int) = (signal(SignalKind::terminate())?, signal(SignalKind::interrupt())?);
        let (tell, told) = watch::channel(false);
        tokio::spawn(async move {
            tokio::select! { _ = term.recv() => {}, _ = int.recv() => {} }
            tell.send_replace(true);
        });
        Ok(Self(told))
    }

    /// Ready once it is time to stop.
    pub(crate) async fn told(mut self) {
        // An end of the task that listens is an end, too.
        drop(self.0.wait_for(|told| *told).await);
    }
}
