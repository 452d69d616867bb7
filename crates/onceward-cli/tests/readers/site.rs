//! A site with a feed in each format, and the binary that writes them.

use std::path::PathBuf;
use std::process::Stdio;
use std::time::Duration;

use tempfile::TempDir;
use tokio::process::Command;

pub(crate) const FEEDS: [&str; 2] = ["feed.atom", "feed.xml"];

pub(crate) struct Site {
    pub(crate) folder: TempDir,
}

impl Site {
    pub(crate) fn new() -> Self {
        let site = Self { folder: tempfile::tempdir().unwrap() };
        let channel = |name: &str, file: &str| {
            format!(
                "[channels.{name}]\ntype = \"feed\"\npath = \"{file}\"\ntitle = \"Our blog\"\nlink = \"https://example.org/\"\nitems = 1000\n"
            )
        };
        site.write("onceward.toml", &(channel("rss", "feed.xml") + &channel("atom", "feed.atom")));
        site
    }

    pub(crate) fn feeds(&self) -> Vec<PathBuf> {
        FEEDS.iter().map(|feed| self.folder.path().join(feed)).collect()
    }

    pub(crate) fn write(&self, name: &str, text: &str) {
        std::fs::write(self.folder.path().join(name), text).unwrap();
    }

    /// A post with what feeds have to escape.
    pub(crate) fn post(&self, name: &str) -> String {
        let file = format!("{name}.md");
        let text = format!(
            "---\ntitle: \"{name} <&> ]]> 한글 🙂\"\nlink: https://example.org/{name}?a=1&b=2\n---\nText *of* {name} ]]> & more.\n"
        );
        self.write(&file, &text);
        file
    }

    /// `onceward publish FILE`; killed after a while, if it still runs then. Gives its code; none: it was killed.
    pub(crate) async fn publish(&self, file: &str, kill: Option<Duration>) -> Option<i32> {
        let mut command = Command::new(env!("CARGO_BIN_EXE_onceward"));
        command.args(["publish", "--json", file]).current_dir(self.folder.path()).env_clear();
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        let mut child = command.kill_on_drop(true).spawn().unwrap();
        tokio::select! {
            status = child.wait() => return status.unwrap().code(),
            () = tokio::time::sleep(kill.unwrap_or(Duration::MAX)) => {} // sleeps: a kill at a random moment
        }
        child.kill().await.unwrap();
        child.wait().await.unwrap().code()
    }
}
