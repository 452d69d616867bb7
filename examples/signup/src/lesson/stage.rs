//! One version on stage: people sign up, trouble comes, and afterwards it is counted.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use onceward::{Onceward, Outbox};
use tempfile::TempDir;
use tokio::net::TcpListener;
use tokio::process::Command;
use tokio::sync::mpsc;

use super::count::{Evidence, Tally, tally};
use super::crew::{Crew, Role};
use super::fate::{Fate, fate, revive_crashed};
use super::people::{Answer, median, sign_up};
use super::place::Place;
use super::server::Server;
use super::trouble::Trouble;
use super::wire::{NOBODY, Wire};
use super::{By, Lesson};
use crate::Fallible;
use crate::store::Store;
use crate::versions::four::queue::Queue;

/// How long a trouble may take to come true, before it counts as too late.
const TOO_LATE: Duration = Duration::from_secs(2);

/// How long a database may take to come up again.
const REACHED: Duration = Duration::from_secs(30);

/// How it went.
#[derive(Debug)]
pub(crate) struct Ending {
    pub(crate) tally: Tally,
    pub(crate) turned_away: usize,
    pub(crate) median: Option<Duration>,
    /// Troubles that had nothing to meet.
    pub(crate) late: usize,
    /// Jobs that a person gave another budget.
    pub(crate) revived: usize,
}

/// One version, with all that it needs.
pub(crate) struct Stage<'a> {
    lesson: &'a Lesson,
    version: u8,
    by: By,
    queue: Queue,
    server: &'a Server,
    crew: Arc<Crew>,
    wire: Wire,
    /// The application's database first.
    places: Vec<Place>,
    folder: TempDir,
    answers: Vec<Answer>,
    late: usize,
}

impl<'a> Stage<'a> {
    /// Plays the whole of it.
    pub(crate) async fn play(
        lesson: &'a Lesson,
        version: u8,
        by: By,
        server: &'a Server,
    ) -> Fallible<Ending> {
        let mut stage = Self::set(lesson, version, by, server).await?;
        for seed in lesson.seeds() {
            stage.round(seed).await?;
        }
        stage.end().await
    }

    async fn set(lesson: &'a Lesson, version: u8, by: By, server: &'a Server) -> Fallible<Self> {
        let folder = tempfile::tempdir()?;
        let (queue, places) = places(lesson, version, by, folder.path()).await?;
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let roles = roles(lesson, version, &queue, &places[0].url, listener.local_addr()?);
        let crew = Arc::new(Crew::new(roles, folder.path().join("log")));
        let wire = Wire::before(server.address()?, listener, lesson.mail_takes(), Arc::clone(&crew));
        let (answers, late) = (Vec::new(), 0);
        Ok(Self { lesson, version, by, queue, server, crew, wire, places, folder, answers, late })
    }

    async fn round(&mut self, seed: u64) -> Fallible {
        let application = self.crew.up().await?;
        let trouble = Trouble::of(seed, self.lesson.restart.len());
        if self.lesson.tell {
            eprintln!("version {}, seed {seed}: {trouble}", self.version);
        }
        let until =
            Instant::now() + Duration::from_millis(if let Trouble::Away(ms) = trouble { ms } else { 0 });
        self.wire.away_until(until);
        if let Trouble::Dialogue(fault) = trouble {
            self.wire.arm(fault);
        }
        let people = (0..self.lesson.people).map(|n| self.address(&format!("p{seed}-{n}"))).collect();
        self.sign_up(application, people, trouble).await?;
        if matches!(trouble, Trouble::Dialogue(_)) && !self.wire.is_met(TOO_LATE).await {
            self.late += 1;
        }
        tokio::time::sleep_until(until.into()).await;
        tokio::time::sleep(self.lesson.pause()).await;
        Ok(())
    }

    /// All of them at once, and the trouble beside.
    async fn sign_up(&mut self, application: SocketAddr, people: Vec<String>, trouble: Trouble) -> Fallible {
        let (told, mut first) = mpsc::unbounded_channel();
        let asked = Instant::now();
        for email in people {
            let told = told.clone();
            tokio::spawn(async move { told.send(sign_up(application, email).await) });
        }
        drop(told);
        if let Trouble::AppAnswered(_) = trouble {
            self.answers.extend(first.recv().await);
        }
        self.strike(trouble, asked).await?;
        while let Some(answer) = first.recv().await {
            self.answers.push(answer);
        }
        Ok(())
    }

    async fn strike(&self, trouble: Trouble, asked: Instant) -> Fallible {
        let after = |ms| tokio::time::sleep_until((asked + Duration::from_millis(ms)).into());
        match trouble {
            Trouble::AppAsked(ms) => {
                after(ms).await;
                self.crew.kill(Role::App).await;
            }
            Trouble::AppAnswered(ms) => {
                tokio::time::sleep(Duration::from_millis(ms)).await;
                self.crew.kill(Role::App).await;
            }
            Trouble::Sender(ms) => {
                after(ms).await;
                self.crew.kill(Role::Worker).await;
            }
            Trouble::Relay(ms) => {
                after(ms).await;
                self.crew.kill(Role::Relay).await;
            }
            Trouble::Server(which, ms) => {
                after(ms).await;
                self.restart(which).await?;
            }
            Trouble::Dialogue(_) | Trouble::Away(_) => {}
        }
        Ok(())
    }

    async fn restart(&self, which: usize) -> Fallible {
        let command = &self.lesson.restart[which];
        self.crew.note();
        let done = Command::new("sh").args(["-c", command]).status().await?;
        self.crew.note();
        if done.success() { Ok(()) } else { Err(format!("{command:?} failed: {done}").into()) }
    }

    /// One more, whose mailbox does not exist; then everybody finishes, and it is counted.
    async fn end(mut self) -> Fallible<Ending> {
        let store = reach(&self.places[0].url).await?;
        let application = self.crew.up().await?;
        self.answers.push(sign_up(application, self.address(NOBODY)).await);
        if self.version < 3 {
            self.crew.stop().await?;
        }
        let mut fate = self.fate(&store).await?;
        let revived = if self.version == 4 { revive_crashed(&self.queue, &store).await? } else { 0 };
        if revived > 0 {
            fate = self.fate(&store).await?;
        }
        self.crew.stop().await?;
        let seen = Evidence {
            accounts: store.accounts().await?,
            mails: self.server.mails().await?,
            in_doubt: fate.in_doubt,
            dead: fate.dead,
            dialogues: self.wire.heard(),
            kills: self.crew.kills(),
        };
        store.close().await;
        let welcome = |answer: &&Answer| matches!(answer, Answer::Welcome(_));
        let ending = Ending {
            tally: tally(&seen),
            turned_away: self.answers.len() - self.answers.iter().filter(welcome).count(),
            median: median(&self.answers),
            late: self.late,
            revived,
        };
        for place in self.places {
            place.remove().await?;
        }
        self.queue.remove().await?;
        Ok(ending)
    }

    async fn fate(&self, store: &Store) -> Fallible<Fate> {
        let fate = fate(self.version, &self.queue, store).await;
        fate.map_err(|error| format!("{error}\n{}", self.log()).into())
    }

    /// What its processes said.
    fn log(&self) -> String {
        std::fs::read_to_string(self.folder.path().join("log")).unwrap_or_default()
    }

    /// An address of this run alone: the server may have served others.
    fn address(&self, who: &str) -> String {
        format!("{who}.v{}.{}.{}@box.test", self.version, self.by.name(), std::process::id())
    }
}

/// The application's database, which may have been restarted a moment ago.
async fn reach(url: &str) -> Fallible<Store> {
    let deadline = Instant::now() + REACHED;
    loop {
        match Store::open(url).await {
            Err(_) if Instant::now() < deadline => tokio::time::sleep(Duration::from_millis(50)).await,
            opened => return opened,
        }
    }
}

/// The databases of a version, the application's first, and where its queue is.
async fn places(lesson: &Lesson, version: u8, by: By, folder: &Path) -> Fallible<(Queue, Vec<Place>)> {
    let make = async |name: &str| {
        let name = format!("v{version}_{}_{name}", by.name());
        let place = Place::make(lesson.store.as_deref(), folder, &name).await?;
        if place.url.starts_with("postgres") {
            Onceward::open(&place.url).await?.migrate().await?;
            Outbox::open(&place.url).await?.migrate().await?;
        }
        Ok::<_, Box<dyn std::error::Error + Send + Sync>>(place)
    };
    let mut places = vec![make("app").await?];
    let queue = match by {
        By::Here => Queue::Here,
        By::Elsewhere => {
            places.push(make("queue").await?);
            Queue::Elsewhere(places[1].url.clone())
        }
        By::Nats => {
            let server = lesson.nats.as_deref().ok_or("--queue nats needs --nats nats://HOST:PORT")?;
            Queue::Nats(format!("{server}/signup-{}", std::process::id()).parse()?)
        }
        By::RabbitMq => {
            let server =
                lesson.rabbitmq.as_deref().ok_or("--queue rabbitmq needs --rabbitmq amqp://HOST:PORT")?;
            Queue::RabbitMq(format!("{server}?queue=signup-{}", std::process::id()).parse()?)
        }
    };
    Ok((queue, places))
}

/// The processes of a version, by their arguments.
fn roles(
    lesson: &Lesson,
    version: u8,
    queue: &Queue,
    store: &str,
    mail: SocketAddr,
) -> BTreeMap<Role, Vec<String>> {
    let (number, mail, lease) = (version.to_string(), mail.to_string(), lesson.lease.to_string());
    let at = ["--store", store, "--mail", &mail, "--lease", &lease, "--queue", &queue.to_string()];
    let arguments = |own: &[&str]| own.iter().chain(&at).map(|&it| it.to_owned()).collect::<Vec<_>>();
    let mut roles = BTreeMap::from([(Role::App, arguments(&["serve", "--version", &number, "--port", "0"]))]);
    if version > 2 {
        let at_once = lesson.at_once.to_string();
        roles.insert(Role::Worker, arguments(&["work", "--version", &number, "--at-once", &at_once]));
    }
    if *queue != Queue::Here {
        roles.insert(Role::Relay, arguments(&["relay"]));
    }
    roles
}
