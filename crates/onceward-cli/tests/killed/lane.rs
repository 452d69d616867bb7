//! One store, one sandbox, and the command that is killed.

use std::path::PathBuf;
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use onceward_sandbox::{Fault, Kind, Ledger, Options, Sandbox};
use serde_json::Value;
use tempfile::TempDir;

use crate::config::config;
use crate::left::{Left, Open};

pub(crate) const POSTS: usize = 20;
/// How long a kill waits for its moment: far longer than a process takes to start on a machine that has much to do.
const PATIENCE: Duration = Duration::from_secs(20);

/// A folder with twenty posts, and the stand-ins that they go to.
pub(crate) struct Lane {
    folder: TempDir,
    pub(crate) sandbox: Sandbox,
    /// What the dead processes left.
    pub(crate) left: Left,
}

/// When a process is killed.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Kill {
    /// So many posts were accepted there: right at the answer, whether it was heard or not.
    AfterAccepted { platform: &'static str, count: usize },
    /// So long after its start.
    AfterTime(Duration),
    /// A request is there, and its answer is held back: nothing was accepted (`Hang`), or the post is live.
    While { platform: &'static str, act: &'static str, kind: Kind },
}

impl Kill {
    /// The point's name.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::AfterAccepted { .. } => "at an answer",
            Self::AfterTime(_) => "at random",
            Self::While { act: "draft", .. } => "while a draft is made",
            Self::While { kind: Kind::Hang, .. } => "before a post is taken",
            Self::While { .. } => "after a post was taken",
        }
    }
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
        let left = Left::in_store(&folder.path().join("onceward.db"));
        Self { folder, sandbox, left }
    }

    /// Starts the one command, and kills it at its moment. Gives the intents that it left without a receipt.
    pub(crate) async fn kill(&mut self, kill: Kill) -> Vec<Open> {
        if let Kill::While { platform, act, kind } = kill {
            self.sandbox.fault(Fault::new(kind).on(platform).act(act).times(1));
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
        let open = self.left.look().await;
        if let Kill::While { platform, act: "post", .. } = kill
            && reached
        {
            assert!(open.iter().any(|it| it.queue == platform), "{kill:?} left {open:?}");
        }
        open
    }

    /// The channels whose stand-in can hold a request while its sender is killed, and that have something left.
    pub(crate) fn unfinished(&self) -> Vec<&'static str> {
        const HELD: [&str; 6] = ["mastodon", "bluesky", "slack", "devto", "telegram", "webhook"];
        let ledger = self.sandbox.ledger();
        let left = |platform: &&str| match *platform {
            // Each is asked for at most once, and may be in doubt.
            "telegram" => ledger.arrived("telegram", "post").count() < POSTS,
            platform => ledger.visible(platform).count() < POSTS,
        };
        HELD.into_iter().filter(left).collect()
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

    /// Runs the same command until all but what only a person can settle is settled. Gives how many posts had to be
    /// revived: killed three times while it was prepared alone, a job looks like one that kills its worker.
    pub(crate) fn settle(&self) -> usize {
        let mut revived = 0;
        for _ in 0..20 {
            let (document, code) = self.publish(&[]);
            let totals = &document["totals"];
            let dead: Vec<_> =
                jobs(&document).into_iter().filter(|(_, job)| job["state"] == "dead").collect();
            assert!(dead.iter().all(|(_, job)| job["error"]["code"] == "crashed"), "{dead:?}");
            if !dead.is_empty() {
                revived += dead.len();
                self.publish(&["--revive"]);
            } else if matches!(code, 0 | 4) && totals["pending"] == 0 && to_be_looked_at(&document) == 0 {
                return revived;
            }
        }
        panic!("not settled: {}", self.publish(&[]).0);
    }

    /// `onceward publish --json`: its document and its exit code.
    pub(crate) fn publish(&self, more: &[&str]) -> (Value, i32) {
        let args = [&["publish", "--json", "--patience", "60s"], more].concat();
        let output: Output = self.command(&args).output().unwrap();
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
