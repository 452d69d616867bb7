//! Files that channels write: each belongs to one channel, and none of them is a file that holds something else.

use std::path::{Path, PathBuf};

use super::channel::{Channel, Spots};
use super::draft::Draft;
use super::env::Env;
use super::kind::Settings;
use super::place::{beside, one_name};
use super::problem::Report;
use super::relay::To;
use super::store::StoreAt;

/// What a channel writes over.
#[derive(Debug, PartialEq, Eq)]
enum Written {
    /// A feed's file.
    File(PathBuf),
    /// An archive's folder, with each page in it.
    Pages(PathBuf),
}

/// Notes every channel that would write over the store, this file, or what another channel writes.
pub(super) fn check(draft: &Draft, report: &Report<'_>, env: &Env, file: &Path) {
    let kept = kept(draft, report, env, file);
    let mut before: Vec<(Written, &Channel, usize)> = Vec::new();
    for (channel, spots) in &draft.channels {
        let Some(written) = written(&channel.settings) else { continue };
        let refuse = |text: &str| report.refuse(place(spots), text);
        if let Some((what, path)) = kept.iter().find(|(_, path)| written.covers(path)) {
            refuse(&format!(
                "the channel `{}` would write over {what}, {}; choose another `path`",
                channel.name,
                path.display()
            ));
        } else if let Some((_, first, at)) = before.iter().find(|(other, _, _)| written.meets(other)) {
            refuse(&format!(
                "the channels `{}` (line {}) and `{}` write one file, and each would replace what the other wrote; give \
                 each a `path` of its own",
                first.name,
                report.line(*at),
                channel.name,
            ));
        }
        before.push((written, channel, place(spots)));
    }
}

fn place(spots: &Spots) -> usize {
    spots.path.unwrap_or(spots.name)
}

fn written(settings: &Settings) -> Option<Written> {
    match settings {
        Settings::Feed(feed) => Some(Written::File(one_name(&feed.path))),
        Settings::Archive(archive) => Some(Written::Pages(one_name(&archive.path))),
        _ => None,
    }
}

/// The files that must outlive every post, by what they are. Where a database is kept secret, its file is not known.
fn kept(draft: &Draft, report: &Report<'_>, env: &Env, file: &Path) -> Vec<(String, PathBuf)> {
    let mut kept = vec![
        ("this configuration".to_owned(), one_name(file)),
        ("the file of its variables".to_owned(), one_name(&report.folder().join(".env"))),
    ];
    let mut database = |what: String, at: &StoreAt| {
        let Ok(url) = at.resolve("", env, report.folder()) else { return };
        let Some(path) = url.file().map(one_name) else { return };
        // SQLite keeps what is committed in the companions, until it carries it over.
        let companions = ["-wal", "-shm", "-journal"].map(|ending| beside(&path, ending));
        kept.extend(companions.map(|path| (format!("a part of {what}"), path)));
        kept.push((what, path));
    };
    database("the store".to_owned(), &draft.store);
    for relay in &draft.relays {
        database(format!("the outbox of relay `{}`", relay.name.name), &relay.from);
        if let To::Other(store) = &relay.to {
            database(format!("the target of relay `{}`", relay.name.name), store);
        }
    }
    kept
}

impl Written {
    /// Whether a file of that name may be written.
    fn covers(&self, file: &Path) -> bool {
        match self {
            Self::File(path) => path == file,
            Self::Pages(folder) => {
                folder == file || (file.parent() == Some(folder) && file.extension().is_some_and(is_page))
            }
        }
    }

    fn meets(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::File(path), any) | (any, Self::File(path)) => any.covers(path),
            (Self::Pages(one), Self::Pages(two)) => one == two,
        }
    }
}

/// File systems differ in whether they tell `a.HTML` from `a.html`.
fn is_page(extension: &std::ffi::OsStr) -> bool {
    extension.eq_ignore_ascii_case("html")
}

#[cfg(test)]
mod tests {
    use crate::config::tests::{config, mistakes};

    fn feed(name: &str, path: &str) -> String {
        format!(
            "[channels.{name}]\ntype = \"feed\"\nformat = \"rss\"\npath = \"{path}\"\nlink = \"https://a.example\"\n"
        )
    }

    fn archive(name: &str, path: &str) -> String {
        format!("[channels.{name}]\ntype = \"archive\"\npath = \"{path}\"\n")
    }

    fn one(text: &str) -> String {
        let mut found = mistakes(text);
        assert_eq!(found.len(), 1, "{text}: {found:?}");
        found.remove(0)
    }

    #[test]
    fn no_channel_writes_over_the_store_or_its_configuration() {
        for (path, what) in [
            ("onceward.db", "the store"),
            ("./onceward.db", "the store"),
            ("public/../onceward.db", "the store"),
            ("/srv/blog/onceward.db", "the store"),
            ("onceward.db-wal", "a part of the store"),
            ("onceward.db-shm", "a part of the store"),
            ("onceward.toml", "this configuration"),
            (".env", "the file of its variables"),
        ] {
            let text = one(&feed("rss", path));
            assert!(text.starts_with("4:8: the channel `rss` would write over "), "{path}: {text}");
            assert!(
                text.contains(&format!("over {what}, ")) && text.ends_with("choose another `path`"),
                "{text}"
            );
        }
        let named = format!("[store]\nurl = \"sqlite://data/q.db\"\n{}", feed("rss", "data/./q.db"));
        assert!(
            one(&named).starts_with("6:8: the channel `rss` would write over the store, /srv/blog/data/q.db")
        );
        assert!(one(&archive("pages", "onceward.db")).contains("would write over the store"));
        config(&feed("rss", "public/onceward.db"));
    }

    #[test]
    fn no_channel_writes_over_the_database_of_a_relay() {
        let relay = "[[relays]]\nname = \"shop\"\nfrom = \"sqlite://shop.db\"\nto = \"sqlite://jobs.db\"\n";
        for (path, what) in
            [("shop.db", "the outbox of relay `shop`"), ("jobs.db", "the target of relay `shop`")]
        {
            let text = one(&format!("{relay}{}", feed("rss", path)));
            assert!(text.starts_with("8:8: ") && text.contains(what), "{text}");
        }
    }

    #[test]
    fn two_channels_never_write_one_file() {
        for (first, second, at) in [
            (feed("rss", "public/feed.xml"), feed("atom", "public/feed.xml"), "9:8"),
            (feed("rss", "public/feed.xml"), feed("atom", "./public/new/../feed.xml"), "9:8"),
            (archive("rss", "public/posts"), archive("atom", "public/posts/"), "6:8"),
            (archive("rss", "public/posts"), feed("atom", "public/posts/index.html"), "7:8"),
            (feed("rss", "public/posts/a.HTML"), archive("atom", "public/./posts"), "8:8"),
        ] {
            let text = one(&format!("{first}{second}"));
            assert!(text.starts_with(at) && text.contains("and `atom` write one file"), "{text}");
        }
        config(&format!(
            "{}{}{}",
            feed("rss", "public/feed.xml"),
            feed("inside", "public/posts/feed.xml"),
            archive("pages", "public/posts")
        ));
    }
}
