//! One store, one sandbox, and the command that is killed.

use std::path::PathBuf;
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use onceward_sandbox::{Fault, Kind, Ledger, Options, Sandbox};
use serde_json::Value;
use tempfile::TempDir;

pub(crate) const POSTS: usize = 20;
/// How long a kill waits for its moment; a channel that has nothing left never comes to it.
const PATIENCE: Duration = Duration::from_secs(4);

/// A folder with twenty posts, and the stand-ins that they go to.
pub(crate) struct Lane {
    folder: TempDir,
    pub(crate) sandbox: Sandbox,
}

/// When a process is killed.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Kill {
    /// So many posts were accepted there.
    AfterAccepted { platform: &'static str, count: usize },
    /// So long after its start.
    AfterTime(Duration),
    /// A request is there, and its answer is held back: nothing was accepted (`Hang`), or the post is live.
    While { platform: &'static str, kind: Kind },
}

/// What a kill met.
pub(crate) struct Killed {
    /// A request was on its way: between intent and receipt.
    pub(crate) open: bool,
}

impl Lane {
    pub(crate) async fn start() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let mut options = Options::default();
        // dev.to lets one change a second through, which would be all that is seen here.
        options.faults.limits = false;
        let sandbox = Sandbox::start(options).await.unwrap();
        std::fs::write(folder.path().join("onceward.toml"), config(&sandbox)).unwrap();
        std::fs::create_dir(folder.path().join("posts")).unwrap();
        for n in 0..POSTS {
            let text =
                format!("---\ntitle: Post {n:02}\ntags: [rust, 큐]\n---\nThis is post-{n:02} of the day.\n");
            std::fs::write(folder.path().join(format!("posts/{n:02}.md")), text).unwrap();
        }
        Self { folder, sandbox }
    }

    /// Starts the one command, and kills it at its moment.
    pub(crate) async fn kill(&self, kill: Kill) -> Killed {
        if let Kill::While { platform, kind } = kill {
            self.sandbox.fault(Fault::new(kind).on(platform).act("post").times(1));
        }
        let mut child = self
            .command(&["publish", "--quiet"])
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let reached = self.moment(kill, &mut child).await;
        child.kill().unwrap();
        child.wait().unwrap();
        self.sandbox.clear_faults();
        Killed { open: reached && matches!(kill, Kill::While { .. }) }
    }

    /// Waits for the moment; false when it cannot come.
    async fn moment(&self, kill: Kill, child: &mut Child) -> bool {
        let held = |ledger: &Ledger| ledger.arrivals.iter().filter(|it| is_held(it.fault.as_deref())).count();
        let before = held(&self.sandbox.ledger());
        let there = |ledger: &Ledger| match kill {
            Kill::AfterAccepted { platform, count } => ledger.visible(platform).count() >= count,
            Kill::AfterTime(_) => false,
            Kill::While { .. } => held(ledger) > before,
        };
        let wait = if let Kill::AfterTime(time) = kill { time } else { PATIENCE };
        let until = Instant::now() + wait;
        while Instant::now() < until {
            if there(&self.sandbox.ledger()) {
                return true;
            }
            if child.try_wait().unwrap().is_some() {
                return false;
            }
            tokio::time::sleep(Duration::from_millis(2)).await; // sleeps: between two looks at another process
        }
        false
    }

    /// Runs the same command until all but what only a person can settle is settled.
    pub(crate) fn settle(&self) {
        for _ in 0..20 {
            let (document, code) = self.publish();
            let totals = &document["totals"];
            if matches!(code, 0 | 4) && totals["pending"] == 0 && to_be_looked_at(&document) == 0 {
                return;
            }
        }
        panic!("not settled: {}", self.publish().0);
    }

    /// `onceward publish --json`: its document and its exit code.
    pub(crate) fn publish(&self) -> (Value, i32) {
        let output: Output = self.command(&["publish", "--json", "--patience", "60s"]).output().unwrap();
        let document = serde_json::from_slice(&output.stdout)
            .unwrap_or_else(|error| panic!("{error}: {}", String::from_utf8_lossy(&output.stderr)));
        (document, output.status.code().unwrap())
    }

    fn command(&self, args: &[&str]) -> Command {
        let posts = (0..POSTS).map(|n| format!("posts/{n:02}.md"));
        let mut command = Command::new(env!("CARGO_BIN_EXE_onceward"));
        command.args(args).args(posts).current_dir(self.folder.path()).env_clear().stdin(Stdio::null());
        command.env("TELEGRAM_TOKEN", "123456:AAstand-in");
        for name in ["MASTODON", "SLACK", "DEVTO", "BLUESKY"] {
            command.env(format!("{name}_TOKEN"), "stand-in-token");
        }
        command.env("WEBHOOK_SECRET", onceward_sandbox::WEBHOOK_SECRET);
        command
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }
}

/// Every job of a run's document, with its content's id.
pub(crate) fn jobs(document: &Value) -> Vec<(String, Value)> {
    let contents = document["contents"].as_array().unwrap();
    let jobs = contents.iter().flat_map(|content| {
        let id = content["id"].as_str().unwrap().to_owned();
        content["jobs"].as_array().unwrap().iter().map(move |job| (id.clone(), job.clone()))
    });
    jobs.collect()
}

/// Jobs in doubt that will be found out without a person.
fn to_be_looked_at(document: &Value) -> usize {
    jobs(document)
        .iter()
        .filter(|(_, job)| job["state"] == "in_doubt" && job["channel"] != "telegram")
        .count()
}

fn is_held(fault: Option<&str>) -> bool {
    matches!(fault, Some("hang" | "accept_then_hang"))
}

/// Eight channels. The rate keeps work open for longer than a kill takes, and short deadlines make a lost answer
/// known soon.
fn config(sandbox: &Sandbox) -> String {
    let url = |platform| sandbox.url(platform);
    let pace = "rate = \"5/1s\"\ntimeout = \"2s\"\ncircuit = { failures = 3, pause = \"1s\", max = \"2s\" }";
    format!(
        r#"
[queue]
lease = "13s"
[channels.mastodon]
type = "mastodon"
server = "{}"
token = {{ env = "MASTODON_TOKEN" }}
{pace}
[channels.bluesky]
type = "bluesky"
server = "{}"
handle = "onceward.example"
password = {{ env = "BLUESKY_TOKEN" }}
{pace}
[channels.slack]
type = "slack"
token = {{ env = "SLACK_TOKEN" }}
room = "C0000000001"
api = "{}"
{pace}
[channels.devto]
type = "devto"
key = {{ env = "DEVTO_TOKEN" }}
api = "{}/api"
{pace}
[channels.telegram]
type = "telegram"
token = {{ env = "TELEGRAM_TOKEN" }}
chat = "@onceward"
api = "{}"
{pace}
[channels.webhook]
type = "webhook"
url = "{}"
secret = {{ env = "WEBHOOK_SECRET" }}
{pace}
[channels.rss]
type = "feed"
path = "public/feed.xml"
title = "Notes"
link = "https://example.org/"
rate = "5/1s"
timeout = "2s"
[channels.atom]
type = "feed"
path = "public/feed.atom"
title = "Notes"
link = "https://example.org/"
rate = "5/1s"
timeout = "2s"
"#,
        url("mastodon"),
        url("bluesky"),
        url("slack"),
        url("devto"),
        url("telegram"),
        url("webhook"),
    )
}
