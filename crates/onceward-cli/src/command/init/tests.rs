//! What `init` writes must work, and must say the truth about the defaults.

use std::path::Path;

use super::*;
use crate::config::{Config, Env};

fn parse(text: &str) -> Config {
    Config::parse(text, Path::new("/srv/blog/onceward.toml"), Env::default())
        .unwrap_or_else(|error| panic!("{error}"))
}

#[test]
fn the_written_configuration_needs_no_account() {
    let config = parse(CONFIG);
    let kinds: Vec<_> = config.channels.iter().map(|channel| (channel.name.as_str(), channel.kind)).collect();
    assert_eq!(kinds, [("rss", "feed"), ("atom", "feed"), ("json", "feed"), ("archive", "archive")]);
    assert!(config.channels.iter().all(|channel| channel.lacking(&config).is_empty()));
    assert_eq!(config.publish.channels, ["rss", "atom", "json", "archive"]);
}

#[test]
fn every_default_that_it_writes_is_the_default() {
    let (written, usual) = (parse(CONFIG), parse(""));
    assert_eq!(written.queueing, usual.queueing);
    assert_eq!((written.listen, &written.allow), (usual.listen, &usual.allow));
    assert_eq!(
        (written.publish.hashtags, written.publish.burst),
        (usual.publish.hashtags, usual.publish.burst)
    );
    assert_eq!(written.store(None, Path::new("/")), usual.store(None, Path::new("/")));
    let bare = "[channels.rss]\ntype = \"feed\"\npath = \"public/feed.xml\"\ntitle = \"My blog\"\nlink = \"https://example.org/\"\n";
    assert_eq!(written.channel("rss"), parse(bare).channel("rss"));
}

const HOOK: &str =
    "[channels.hook]\ntype = \"webhook\"\nurl = \"https://example.org/hook\"\nsecret = { env = \"HOOK\" }\n";

/// The lines that are commented out, a `#` and then no space, must fit too.
#[test]
fn what_is_commented_out_is_right_as_well() {
    let open =
        |line: &str| line.strip_prefix('#').filter(|rest| !rest.starts_with(' ')).unwrap_or(line).to_owned();
    let text: Vec<String> = CONFIG.lines().map(open).collect();
    let config = parse(&text.join("\n"));
    assert_eq!(config.queues[0].pace, parse("[queues.mail]\nrate = \"10/s\"\n").queues[0].pace);
    let bare = parse(&format!("{HOOK}[[alerts]]\nname = \"ops\"\nchannel = \"hook\"\n"));
    let (written, usual) = (&config.alerts[0], &bare.alerts[0]);
    assert_eq!((&written.on, written.backlog, written.every), (&usual.on, usual.backlog, usual.every));
    let on = CONFIG.lines().find(|line| line.starts_with("#on = ")).unwrap();
    assert_eq!(
        on.split_once("# ").unwrap().1.split(", ").collect::<Vec<_>>(),
        usual.on.iter().map(|it| it.as_str()).collect::<Vec<_>>()
    );
    assert!(config.channel("hook").is_some() && config.channel("rss").unwrap().quiet.is_some());
}

#[test]
fn the_example_of_the_repository_writes_below_public() {
    let text = include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/onceward.toml"));
    let config = parse(text);
    let names: Vec<_> = config.channels.iter().map(|channel| channel.name.as_str()).collect();
    assert_eq!(names, ["rss", "atom", "json", "archive"]);
    assert_eq!(config.publish.timezone.as_ref().and_then(|zone| zone.iana_name()), Some("Asia/Seoul"));
    assert_eq!(config.publish.channels, names);
}

#[test]
fn nothing_is_overwritten_and_nothing_is_half_done() {
    for taken in [NAME, POST.0] {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir_all(folder.path().join("posts")).unwrap();
        fs::write(folder.path().join(taken), "mine").unwrap();
        let stop = write(folder.path()).unwrap_err();
        assert!(stop.code == "exists" && stop.text.contains(taken), "{stop:?}");
        assert_eq!(fs::read_to_string(folder.path().join(taken)).unwrap(), "mine");
        let others = [NAME, POST.0, IGNORE.0].into_iter().filter(|name| *name != taken);
        assert!(others.into_iter().all(|name| !folder.path().join(name).exists()));
    }
}

#[test]
fn a_gitignore_that_is_there_is_kept_and_named() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join(".gitignore"), "target\n").unwrap();
    let written = write(folder.path()).unwrap();
    assert_eq!(written, [POST.0, NAME]);
    assert_eq!(fs::read_to_string(folder.path().join(".gitignore")).unwrap(), "target\n");
    assert!(next_steps(Path::new("blog"), &written).contains("kept the .gitignore"));
}

#[test]
fn a_new_folder_gets_all_files_and_a_way_on() {
    let folder = tempfile::tempdir().unwrap();
    let written = write(&folder.path().join("a/b")).unwrap();
    assert!(written.iter().all(|name| folder.path().join("a/b").join(name).exists()) && written.len() == 3);
    let text = next_steps(Path::new("a/b"), &written);
    assert!(text.contains("cd a/b") && text.contains("onceward publish posts/*.md"), "{text}");
    assert!(!next_steps(Path::new("."), &written).contains("cd "));
}
