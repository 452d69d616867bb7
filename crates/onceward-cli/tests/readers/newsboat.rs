//! The reader.

use std::path::{Path, PathBuf};
use std::process::Stdio;

use sqlx::{Connection, Row, SqliteConnection};
use tokio::process::Command;

const MISSING: &str =
    "newsboat reads the feeds here; `./dev test` installs it, or: sudo apt-get install newsboat";

/// A reader with a cache of its own.
pub(crate) struct Newsboat {
    folder: PathBuf,
}

/// An item as the reader keeps it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Item {
    pub(crate) feed: String,
    pub(crate) guid: String,
    pub(crate) title: String,
    pub(crate) link: String,
    pub(crate) text: String,
}

impl Newsboat {
    /// Subscribed to these files.
    pub(crate) fn subscribed(folder: &Path, feeds: &[PathBuf]) -> Self {
        let urls: Vec<_> = feeds.iter().map(|feed| format!("file://{}\n", feed.display())).collect();
        std::fs::write(folder.join("urls"), urls.concat()).unwrap();
        Self { folder: folder.to_owned() }
    }

    /// Looks for news.
    pub(crate) async fn reload(&self) {
        let mut command = Command::new("newsboat");
        command.args(["-u", "urls", "-c", "cache.db", "-C", "/dev/null", "-x", "reload"]);
        command.current_dir(&self.folder).env("HOME", &self.folder).stdin(Stdio::null());
        let ended = command.output().await.expect(MISSING);
        assert!(ended.status.success(), "{ended:?}");
    }

    /// All that it ever saw, in order.
    pub(crate) async fn seen(&self) -> Vec<Item> {
        let url = format!("sqlite://{}/cache.db?mode=ro", self.folder.display());
        let mut cache = SqliteConnection::connect(&url).await.unwrap();
        let rows = sqlx::query("SELECT feedurl, guid, title, url, content FROM rss_item WHERE deleted = 0");
        let rows = rows.fetch_all(&mut cache).await.unwrap();
        let text = |row: &sqlx::sqlite::SqliteRow, name| row.get::<String, &str>(name);
        let item = |row: &sqlx::sqlite::SqliteRow| Item {
            feed: text(row, "feedurl").rsplit('/').next().unwrap_or_default().to_owned(),
            guid: text(row, "guid"),
            title: text(row, "title"),
            link: text(row, "url"),
            text: text(row, "content"),
        };
        let mut items: Vec<Item> = rows.iter().map(item).collect();
        items.sort();
        items
    }
}
