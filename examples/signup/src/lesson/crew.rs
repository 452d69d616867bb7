//! The processes of one version: started, killed, stopped.

use std::collections::BTreeMap;
use std::fs::File;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::Stdio;
use std::sync::{Mutex as Cell, PoisonError};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use tokio::io::{AsyncBufReadExt, BufReader, Lines};
use tokio::process::{Child, ChildStdout, Command};
use tokio::sync::Mutex;

use crate::Fallible;

/// How long a start may take, a database that comes up again included.
const STARTED: Duration = Duration::from_secs(30);
/// How long a gentle stop may take.
const STOPPED: Duration = Duration::from_secs(30);

/// What a process does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Role {
    App,
    Worker,
    Relay,
}

#[derive(Debug)]
struct Running {
    child: Child,
    /// Kept, since whoever prints into a closed pipe dies of it.
    _said: Lines<BufReader<ChildStdout>>,
}

/// The processes of one version.
#[derive(Debug)]
pub(crate) struct Crew {
    /// The arguments of each.
    roles: BTreeMap<Role, Vec<String>>,
    log: PathBuf,
    up: Mutex<BTreeMap<Role, Running>>,
    address: Cell<Option<SocketAddr>>,
    kills: Cell<Vec<Instant>>,
}

impl Crew {
    pub(crate) fn new(roles: BTreeMap<Role, Vec<String>>, log: PathBuf) -> Self {
        Self { roles, log, up: Mutex::default(), address: Cell::default(), kills: Cell::default() }
    }

    /// Starts whoever is not there; gives where the application listens.
    pub(crate) async fn up(&self) -> Fallible<SocketAddr> {
        let mut up = self.up.lock().await;
        for (role, arguments) in &self.roles {
            let is_up = up.get_mut(role).is_some_and(|it| matches!(it.child.try_wait(), Ok(None)));
            if !is_up {
                let (running, said) = self.start(arguments).await?;
                up.insert(*role, running);
                if let Some(address) = said.strip_prefix("listening on ") {
                    *self.address.lock().unwrap_or_else(PoisonError::into_inner) = Some(address.parse()?);
                }
            }
        }
        let address = *self.address.lock().unwrap_or_else(PoisonError::into_inner);
        Ok(address.ok_or("the application did not say where it listens")?)
    }

    /// Starts one, again and again while what it needs is away; gives its first line.
    async fn start(&self, arguments: &[String]) -> Fallible<(Running, String)> {
        let deadline = Instant::now() + STARTED;
        loop {
            let log = File::options().create(true).append(true).open(&self.log)?;
            let mut child = Command::new(std::env::current_exe()?)
                .args(arguments)
                .stdin(Stdio::null())
                .stdout(Stdio::piped())
                .stderr(log)
                .kill_on_drop(true)
                .spawn()?;
            let mut said = BufReader::new(child.stdout.take().ok_or("no output")?).lines();
            if let Some(line) = said.next_line().await? {
                return Ok((Running { child, _said: said }, line));
            }
            if Instant::now() > deadline {
                let log = std::fs::read_to_string(&self.log)?;
                return Err(format!("{arguments:?} does not start:\n{log}").into());
            }
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
    }

    /// Kills whoever does that (SIGKILL), and waits until it is dead.
    pub(crate) async fn kill(&self, role: Role) {
        let mut up = self.up.lock().await;
        let Some(it) = up.get_mut(&self.doer(role)) else { return };
        self.note();
        // It may have ended already.
        drop(it.child.kill().await);
    }

    /// Notes that something was killed now.
    pub(crate) fn note(&self) {
        self.kills.lock().unwrap_or_else(PoisonError::into_inner).push(Instant::now());
    }

    /// When something was killed.
    pub(crate) fn kills(&self) -> Vec<Instant> {
        self.kills.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Who does that: a version without a relay or a worker does it all in the one before.
    fn doer(&self, role: Role) -> Role {
        self.roles.keys().rev().find(|it| **it <= role).copied().unwrap_or(Role::App)
    }

    /// Tells everybody to stop (SIGTERM), the application first, and waits.
    pub(crate) async fn stop(&self) -> Fallible {
        let mut up = self.up.lock().await;
        for running in up.values_mut() {
            let pid = running.child.id().and_then(|id| Pid::from_raw(i32::try_from(id).ok()?));
            if let Some(pid) = pid {
                kill_process(pid, Signal::TERM)?;
            }
            tokio::time::timeout(STOPPED, running.child.wait()).await??;
        }
        up.clear();
        Ok(())
    }
}
