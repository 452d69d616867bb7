//! A folder with a configuration and a store, and jobs in every state.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use onceward::{
    Cause, Class, Context, Done, Failure, NewJob, Onceward, Outcome, Receipt, Seen, SendError, Worker,
};
use serde_json::Value;
use tempfile::TempDir;

/// A queue that the binary serves and cannot run a job of; the tests' own worker can.
pub(crate) const CONFIG: &str = "[queues.mail]\n";

/// What a command gave.
#[derive(Debug)]
pub(crate) struct Ran {
    pub(crate) code: i32,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl Ran {
    /// The one document on standard output.
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.out).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }
}

impl From<Output> for Ran {
    fn from(output: Output) -> Self {
        Self {
            code: output.status.code().unwrap_or(-1),
            out: String::from_utf8(output.stdout).unwrap(),
            err: String::from_utf8(output.stderr).unwrap(),
        }
    }
}

/// A folder of its own for one test.
#[derive(Debug)]
pub(crate) struct Place(TempDir);

impl Place {
    pub(crate) fn new(config: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("onceward.toml"), config).unwrap();
        Self(folder)
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub(crate) fn folder(&self) -> &Path {
        self.0.path()
    }

    /// The binary in this folder, with these variables and no others.
    pub(crate) fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_onceward"));
        command.args(args).current_dir(self.0.path()).env_clear();
        command
    }

    pub(crate) fn run(&self, args: &[&str]) -> Ran {
        self.command(args).stdin(Stdio::null()).output().unwrap().into()
    }

    /// Words apart by spaces.
    pub(crate) fn line(&self, line: &str) -> Ran {
        self.run(&line.split_whitespace().collect::<Vec<_>>())
    }

    pub(crate) fn fed(&self, args: &[&str], input: &str) -> Ran {
        let mut command = self.command(args);
        let mut child =
            command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
        child.wait_with_output().unwrap().into()
    }

    pub(crate) async fn once(&self) -> Onceward {
        let url = format!("sqlite://{}", self.path("onceward.db").display());
        Onceward::open(&url).await.unwrap()
    }

    /// Enqueues a job for each wish, in order, and runs each once, an hour ago by the clock.
    pub(crate) async fn with(&self, wishes: &[&str]) {
        let once = self.once().await;
        once.db().clock().set(onceward::Time::now().before(std::time::Duration::from_hours(1)));
        for wish in wishes {
            once.enqueue(NewJob::untyped("mail", "wish", wish_for(wish))).await.unwrap();
        }
        worker(&once).run_until_idle().await.unwrap();
        once.close().await;
    }
}

pub(crate) fn wish_for(wish: &str) -> String {
    serde_json::json!({ "wish": wish }).to_string()
}

/// Runs jobs of the kind `wish` as they wish.
pub(crate) fn worker(once: &Onceward) -> Worker {
    Worker::builder(once).register_fn("wish", 1, (), grant).queue("mail", 4).build().unwrap()
}

async fn grant(ctx: Context<()>) -> Outcome {
    let payload: Value = serde_json::from_str(&ctx.job().payload)?;
    match payload["wish"].as_str().unwrap_or_default() {
        "done" => Ok(Done::Receipt(Receipt::id(ctx.job().lease.job.to_string()).at("https://example.org/1"))),
        "retry" => Err(Failure::transient(Cause::new("http_503", "not now").status(503))),
        "doubt" => doubt(&ctx, false).await,
        "look" => doubt(&ctx, true).await,
        text => Err(Failure::permanent(Cause::new("http_422", text).status(422))),
    }
}

/// The answer is lost; only a look could tell.
async fn doubt(ctx: &Context<()>, looks: bool) -> Outcome {
    let lost = async |_: onceward::Intent<Value>| {
        Err(SendError::Unknown(Cause::new("reset", "the answer was lost")))
    };
    let effect = ctx.effect("publish", Value::from("hello"));
    let sent = if looks {
        effect.verify(async |_| Seen::CannotTell).closes().send(lost).await
    } else {
        effect.class(Class::Blind).closes().send(lost).await
    };
    sent.map(Done::Receipt)
}
