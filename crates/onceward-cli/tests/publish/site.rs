//! A folder with a configuration and posts, and the binary run in it.

use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

use serde_json::Value;
use tempfile::TempDir;

pub(crate) struct Site {
    folder: TempDir,
    vars: Vec<(String, String)>,
}

/// Three feeds and an archive.
pub(crate) const FEEDS: &str = r#"
[publish]
timezone = "Asia/Seoul"
[channels.rss]
type = "feed"
path = "public/feed.xml"
title = "Notes"
link = "https://example.org/"
[channels.json]
type = "feed"
path = "public/feed.json"
title = "Notes"
link = "https://example.org/"
[channels.archive]
type = "archive"
path = "public/posts"
"#;

/// What one run said.
#[derive(Debug)]
pub(crate) struct Said {
    pub(crate) code: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Said {
    pub(crate) fn document(&self) -> Value {
        serde_json::from_str(&self.stdout).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }

    /// The job of a content on a channel.
    pub(crate) fn job(&self, content: &str, channel: &str) -> Value {
        let document = self.document();
        let contents = document["contents"].as_array().unwrap();
        let content = contents.iter().find(|it| it["id"] == content).unwrap_or_else(|| panic!("{self:?}"));
        let job = content["jobs"].as_array().unwrap().iter().find(|it| it["channel"] == channel);
        job.unwrap_or_else(|| panic!("{self:?}")).clone()
    }

    pub(crate) fn total(&self, what: &str) -> u64 {
        self.document()["totals"][what].as_u64().unwrap()
    }
}

impl Site {
    pub(crate) fn new(config: &str) -> Self {
        let site = Self { folder: tempfile::tempdir().unwrap(), vars: Vec::new() };
        site.write("onceward.toml", config);
        site
    }

    pub(crate) fn with(mut self, name: &str, value: &str) -> Self {
        self.vars.push((name.to_owned(), value.to_owned()));
        self
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub(crate) fn write(&self, name: &str, text: impl AsRef<[u8]>) {
        let path = self.path(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    pub(crate) fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    /// The binary in this folder, with these variables and no others.
    pub(crate) fn command(&self, args: &[&str]) -> Command {
        let vars = self.vars.iter().map(|(name, value)| (name, value));
        let mut command = Command::new(env!("CARGO_BIN_EXE_onceward"));
        command.args(args).current_dir(self.folder.path()).env_clear().envs(vars).stdin(Stdio::null());
        command
    }

    pub(crate) fn run(&self, args: &[&str]) -> Said {
        let output: Output = self.command(args).output().unwrap();
        Said {
            code: output.status.code().unwrap(),
            stdout: String::from_utf8(output.stdout).unwrap(),
            stderr: String::from_utf8(output.stderr).unwrap(),
        }
    }

    /// `onceward publish --json` and these.
    pub(crate) fn publish(&self, args: &[&str]) -> Said {
        self.run(&[&["publish", "--json"], args].concat())
    }

    /// What the queue holds, job by job.
    pub(crate) fn jobs(&self) -> Vec<Value> {
        let listed = self.run(&["jobs", "list", "--json", "--limit", "100"]);
        listed.document()["items"].as_array().unwrap().clone()
    }

    /// The payload of a job.
    pub(crate) fn payload(&self, job: &Value) -> Value {
        let shown = self.run(&["jobs", "show", &job["id"].to_string(), "--json"]);
        shown.document()["payload"].clone()
    }
}

/// A post with these lines of front matter.
pub(crate) fn post(front: &str, body: &str) -> String {
    format!("---\n{front}\n---\n{body}\n")
}
