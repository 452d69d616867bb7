//! One account, one store, one proxy: the binary is run there and broken.

use std::process::Stdio;
use std::time::Duration;

use serde_json::Value;
use tempfile::TempDir;
use tokio::io::{AsyncRead, AsyncReadExt};
use tokio::process::{Child, Command};
use tokio::sync::mpsc;

use crate::posts::PICTURE;
use crate::server::{Account, Server};
use crate::wire::{Fault, Wire};

pub(crate) struct Lane {
    folder: TempDir,
    pub(crate) account: Account,
    pub(crate) wire: Wire,
    /// Whether the session outlives a process, in the store.
    pub(crate) keeps: bool,
}

/// How a run is disturbed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Trouble {
    /// Not at all.
    Nothing,
    /// It is killed after so many milliseconds.
    KilledAfter(u64),
    /// The write after so many others is broken.
    Write(usize, Fault),
}

/// How a run ended.
#[derive(Debug)]
pub(crate) struct Ran {
    /// None: it was killed.
    pub(crate) code: Option<i32>,
    pub(crate) out: String,
    /// What it logged: read in the message of a test that failed.
    #[expect(dead_code, reason = "read by Debug alone")]
    pub(crate) err: String,
    /// Whether what was to happen to it did.
    pub(crate) troubled: bool,
}

impl Ran {
    pub(crate) fn document(&self) -> Value {
        serde_json::from_str(&self.out).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }
}

impl Lane {
    pub(crate) async fn new(server: &Server, name: &str) -> Self {
        let (account, wire) = (server.account(name).await, Wire::before(&server.url).await);
        let lane = Self { folder: tempfile::tempdir().unwrap(), account, wire, keeps: false };
        // The times are short so that a lost answer is asked after soon.
        let config = format!(
            "[channels.bsky]\ntype = \"bluesky\"\nserver = \"{}\"\nhandle = \"{}\"\n\
             password = {{ env = \"BSKY\" }}\nlanguages = [\"ko\", \"en\"]\ntimeout = \"1500ms\"\n\
             retry = {{ base = \"100ms\", max = \"500ms\", max_attempts = 10 }}\n\
             circuit = {{ failures = 5, pause = \"200ms\", max = \"500ms\" }}\n",
            lane.wire.url, lane.account.handle
        );
        lane.write("onceward.toml", config);
        lane.write("point.png", PICTURE);
        lane
    }

    pub(crate) fn write(&self, name: &str, text: impl AsRef<[u8]>) {
        std::fs::write(self.folder.path().join(name), text).unwrap();
    }

    /// `onceward publish --json FILE…`, disturbed.
    pub(crate) async fn publish(&self, files: &[String], trouble: Trouble) -> Ran {
        let (killer, kills) = mpsc::channel(1);
        let after = match trouble {
            Trouble::KilledAfter(ms) => Duration::from_millis(ms),
            _ => Duration::MAX,
        };
        if let Trouble::Write(skip, fault) = trouble {
            self.wire.arm(skip, fault, killer);
        }
        let mut child = self
            .command(&["publish", "--json", "--patience", "20s"])
            .args(files)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .kill_on_drop(true)
            .spawn()
            .unwrap();
        let (out, err) = (all(child.stdout.take()), all(child.stderr.take()));
        let code = ends(&mut child, kills, after).await;
        let happened = !self.wire.disarm();
        let troubled = if matches!(trouble, Trouble::KilledAfter(_)) { code.is_none() } else { happened };
        Ran { code, out: out.await.unwrap(), err: err.await.unwrap(), troubled }
    }
}

impl Lane {
    /// `onceward channels check --json`: the one channel's answer.
    pub(crate) async fn check(&self) -> Value {
        let output = self.command(&["channels", "check", "--json"]).output().await.unwrap();
        let said: Value =
            serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {output:?}"));
        said["items"][0].clone()
    }

    fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_onceward"));
        command.args(args).current_dir(self.folder.path()).env_clear().env("BSKY", &self.account.password);
        if self.keeps {
            command.env("ONCEWARD_KEY", "0b".repeat(32));
        }
        command
    }
}

/// Waits for the end, which may be a death: asked for by the proxy, or due after some time.
async fn ends(
    child: &mut Child,
    mut kills: mpsc::Receiver<tokio::sync::oneshot::Sender<()>>,
    after: Duration,
) -> Option<i32> {
    let dead = tokio::select! {
        status = child.wait() => return status.unwrap().code(),
        Some(dead) = kills.recv() => Some(dead),
        () = tokio::time::sleep(after) => None, // sleeps: a kill at a random moment
    };
    let code = match child.kill().await {
        Ok(()) => child.wait().await.unwrap().code(),
        Err(error) => panic!("{error}"),
    };
    if let Some(dead) = dead {
        // The proxy may have given up meanwhile.
        dead.send(()).ok();
    }
    code
}

fn all(stream: Option<impl AsyncRead + Unpin + Send + 'static>) -> tokio::task::JoinHandle<String> {
    tokio::spawn(async move {
        let mut text = String::new();
        if let Some(mut stream) = stream {
            stream.read_to_string(&mut text).await.unwrap();
        }
        text
    })
}
