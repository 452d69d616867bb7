//! A PostgreSQL of one test's own, to be restarted, killed and promoted: a private folder, a Unix socket, no TCP port.
//!
//! Only its processes die here, never the machine, so it does not wait for the disk (`fsync=off`).

use std::ffi::OsStr;
use std::fs::File;
use std::os::unix::fs::chown;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};
use sqlx::{Connection, PgConnection};
use tempfile::TempDir;

use crate::wait::until;
use crate::{Verdict, harness};

/// How long a start or an end may take on a busy machine.
const PATIENCE: Duration = Duration::from_mins(1);
/// Names a socket in a folder; nothing listens on it.
const PORT: u16 = 5432;

/// How a server ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// As `pg_ctl stop -m fast`: connections are cut, what was committed is written.
    Fast,
    /// As `pg_ctl stop -m immediate`: it drops dead, and recovers when it is started again.
    Immediate,
}

/// A server, and its folder. Ended and removed when dropped.
#[derive(Debug)]
pub struct Server {
    folder: TempDir,
    settings: Vec<String>,
    process: Option<Child>,
}

impl Server {
    /// A new one, running.
    pub async fn start(settings: &[&str]) -> Verdict<Self> {
        let server = Self::empty(settings)?;
        let mut initdb = server.command("initdb");
        initdb.args(["--username=postgres", "--auth=trust", "--encoding=UTF8", "--no-locale", "--no-sync"]);
        run(initdb.arg("--pgdata").arg(server.data()))?;
        server.up().await
    }

    /// A copy of a running one, which follows it as a standby.
    pub async fn standby_of(primary: &Self, settings: &[&str]) -> Verdict<Self> {
        let server = Self::empty(settings)?;
        let mut copy = server.command("pg_basebackup");
        copy.args(["--checkpoint=fast", "--wal-method=stream", "--write-recovery-conf", "--no-sync"]);
        copy.args(["--username=postgres", "--port", &PORT.to_string()]);
        run(copy.arg("--host").arg(primary.home()).arg("--pgdata").arg(server.data()))?;
        server.up().await
    }

    fn empty(settings: &[&str]) -> Verdict<Self> {
        // Always /tmp: a socket's path may be no longer than 107 bytes.
        let folder = tempfile::Builder::new().prefix("onceward-server.").tempdir_in("/tmp")?;
        if let Some((user, group)) = unprivileged()? {
            chown(folder.path(), Some(user), Some(group))?;
        }
        let settings = settings.iter().map(|&setting| setting.to_owned()).collect();
        Ok(Self { folder, settings, process: None })
    }

    /// The folder of its socket.
    pub fn home(&self) -> &Path {
        self.folder.path()
    }

    fn data(&self) -> PathBuf {
        self.home().join("data")
    }

    /// A database there.
    pub fn url(&self, database: &str) -> String {
        url_at(self.home(), database)
    }

    /// A connection to its database `postgres`.
    pub async fn admin(&self) -> Verdict<PgConnection> {
        Ok(PgConnection::connect(&self.url("postgres")).await?)
    }

    /// Runs a statement of the test's own in its database `postgres`.
    pub async fn execute(&self, text: &str) -> Verdict {
        let mut admin = self.admin().await?;
        sqlx::raw_sql(harness::leak(text.to_owned())).execute(&mut admin).await?;
        Ok(admin.close().await?)
    }

    async fn up(mut self) -> Verdict<Self> {
        self.rise().await?;
        Ok(self)
    }

    /// Starts it, and waits until it takes connections.
    pub async fn rise(&mut self) -> Verdict {
        let log = File::options().append(true).create(true).open(self.home().join("log"))?;
        // The kernel ends it when the test is killed outright.
        let mut postgres = self.command("setpriv");
        postgres.args(["--pdeathsig", "QUIT", "postgres", "-D"]).arg(self.data()).arg("-k").arg(self.home());
        postgres.args(["-p", &PORT.to_string(), "-c", "listen_addresses=", "-c", "fsync=off"]);
        for setting in &self.settings {
            postgres.args(["-c", setting]);
        }
        let output = postgres.stdin(Stdio::null()).stdout(log.try_clone()?).stderr(log);
        self.process = Some(output.spawn().map_err(|e| format!("postgres: {e}"))?);
        let answers = until("PostgreSQL answers", PATIENCE, async || {
            Ok(match self.admin().await {
                Ok(admin) => Some(admin.close().await?),
                Err(_) => None,
            })
        });
        answers.await.map_err(|e| format!("{e}\n{}", self.log()).into())
    }

    /// Ends it, and waits until it is gone.
    pub async fn fall(&mut self, end: End) -> Verdict {
        let Some(mut process) = self.process.take() else { return Ok(()) };
        let signal = if end == End::Fast { Signal::INT } else { Signal::QUIT };
        kill_process(Pid::from_raw(i32::try_from(process.id())?).ok_or("no process")?, signal)?;
        let gone = until("PostgreSQL ends", PATIENCE, async || Ok(process.try_wait()?)).await;
        gone.map(drop).map_err(|e| format!("{e}\n{}", self.log()).into())
    }

    /// Both, one after the other, as `pg_ctl restart` does.
    pub async fn restart(&mut self, end: End) -> Verdict {
        self.fall(end).await?;
        self.rise().await
    }

    /// The end of its log.
    pub fn log(&self) -> String {
        let log = std::fs::read_to_string(self.home().join("log")).unwrap_or_default();
        log[log.floor_char_boundary(log.len().saturating_sub(4000))..].to_owned()
    }

    /// PostgreSQL refuses root.
    fn command(&self, program: impl AsRef<OsStr>) -> Command {
        let mut command = Command::new(program);
        command.current_dir(self.home());
        if let Ok(Some((user, group))) = unprivileged() {
            command.uid(user).gid(group);
        }
        command
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let Some(mut process) = self.process.take() else { return };
        if let Some(pid) = i32::try_from(process.id()).ok().and_then(Pid::from_raw) {
            // It may have ended already.
            let _ = kill_process(pid, Signal::QUIT);
        }
        drop(process.wait());
    }
}

/// A database behind a socket in this folder.
pub fn url_at(folder: &Path, database: &str) -> String {
    let host = folder.display().to_string().replace('/', "%2F");
    format!("postgres://postgres@{host}:{PORT}/{database}")
}

/// Who runs a server when root runs the tests.
fn unprivileged() -> Verdict<Option<(u32, u32)>> {
    if !rustix::process::geteuid().is_root() {
        return Ok(None);
    }
    let number = |flag: &str| -> Verdict<u32> {
        let said = Command::new("id").args([flag, "nobody"]).output()?;
        Ok(String::from_utf8(said.stdout)?.trim().parse()?)
    };
    Ok(Some((number("-u")?, number("-g")?)))
}

fn run(command: &mut Command) -> Verdict {
    let done = command.stdin(Stdio::null()).output().map_err(|e| format!("{command:?}: {e}"))?;
    if done.status.success() {
        return Ok(());
    }
    Err(format!("{command:?}: {}\n{}", done.status, String::from_utf8_lossy(&done.stderr)).into())
}
