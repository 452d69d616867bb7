//! One mailbox, one store: the binary is run there and broken.

use std::net::SocketAddr;
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use serde_json::Value;
use tempfile::TempDir;
use tokio::io::{AsyncRead, AsyncReadExt};
use tokio::process::{Child, Command};
use tokio::sync::mpsc;

use crate::wire::{Fault, Step, Wire};

pub(crate) struct Lane {
    folder: TempDir,
    pub(crate) to: String,
    certificate: Option<std::path::PathBuf>,
}

/// How a run is disturbed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Trouble {
    /// Not at all.
    Nothing,
    /// It is killed after so many milliseconds.
    KilledAfter(u64),
    /// The dialogue is broken at that step.
    At(Step, Fault),
}

/// How a run ended.
#[derive(Debug)]
pub(crate) struct Ran {
    /// None: it was killed.
    pub(crate) code: Option<i32>,
    pub(crate) out: String,
    pub(crate) err: String,
    /// Whether what was to happen to it did.
    pub(crate) troubled: bool,
}

impl Ran {
    pub(crate) fn document(&self) -> Value {
        serde_json::from_str(&self.out).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }

    /// The only job of a run with one file.
    pub(crate) fn job(&self) -> Value {
        self.document()["contents"][0]["jobs"][0].clone()
    }
}

impl Lane {
    /// Mail to `to` by the server of that address; the times are short, so that what is lost is tried again soon.
    pub(crate) fn new(smtp: &str, to: &str) -> Self {
        let lane = Self { folder: tempfile::tempdir().unwrap(), to: to.to_owned(), certificate: None };
        let password = if smtp.contains('@') { "password = { env = \"MAIL\" }\n" } else { "" };
        let config = format!(
            "[queue]\nlease = \"14s\"\n[channels.mail]\ntype = \"email\"\nsmtp = \"{smtp}\"\n{password}\
             from = \"News <news@a.example>\"\nto = [\"{to}\"]\ntimeout = \"3s\"\n\
             retry = {{ base = \"100ms\", max = \"500ms\", max_attempts = 10 }}\n\
             circuit = {{ failures = 5, pause = \"200ms\", max = \"500ms\" }}\n"
        );
        lane.write("onceward.toml", config);
        lane
    }

    /// A server without TLS.
    pub(crate) fn plain(server: SocketAddr, to: &str) -> Self {
        Self::new(&format!("smtp://{server}"), to)
    }

    /// Trusts this certificate beside no other.
    pub(crate) fn trusting(mut self, certificate: &Path) -> Self {
        self.certificate = Some(certificate.to_owned());
        self
    }

    pub(crate) fn write(&self, name: &str, text: impl AsRef<[u8]>) {
        std::fs::write(self.folder.path().join(name), text).unwrap();
    }

    /// A post of that name, whose title is the subject.
    pub(crate) fn post(&self, name: &str) -> String {
        let file = format!("{name}.md");
        self.write(&file, format!("---\ntitle: {name}\n---\nA mail about {name}.\n.\n..and dots\n"));
        file
    }

    /// `onceward publish --json FILE…`, disturbed.
    pub(crate) async fn publish(&self, files: &[String], trouble: Trouble, wire: Option<&Wire>) -> Ran {
        let (killer, kills) = mpsc::channel(1);
        let after = match trouble {
            Trouble::KilledAfter(ms) => Duration::from_millis(ms),
            _ => Duration::MAX,
        };
        if let (Trouble::At(step, fault), Some(wire)) = (trouble, wire) {
            wire.arm(step, fault, killer.clone());
        }
        let mut child =
            self.command(&["publish", "--json", "--patience", "20s"]).args(files).spawn().unwrap();
        let (out, err) = (all(child.stdout.take()), all(child.stderr.take()));
        let code = ends(&mut child, kills, after).await;
        drop(killer);
        let happened = wire.is_none_or(|wire| !wire.disarm());
        let troubled = if matches!(trouble, Trouble::KilledAfter(_)) { code.is_none() } else { happened };
        Ran { code, out: out.await.unwrap(), err: err.await.unwrap(), troubled }
    }

    /// Any other command, to its end.
    pub(crate) async fn run(&self, args: &[&str]) -> Ran {
        let ended = self.command(args).output().await.unwrap();
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        Ran { code: ended.status.code(), out: text(&ended.stdout), err: text(&ended.stderr), troubled: false }
    }

    fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_onceward"));
        command.args(args).current_dir(self.folder.path()).env_clear().env("MAIL", "s3cret-of-mail");
        if let Some(certificate) = &self.certificate {
            command.env("SSL_CERT_FILE", certificate);
        }
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).kill_on_drop(true);
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
    child.kill().await.unwrap();
    let code = child.wait().await.unwrap().code();
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
