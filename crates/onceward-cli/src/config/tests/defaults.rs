//! What holds when nothing is said, and what a whole file means.

use std::path::Path;
use std::time::Duration;

use onceward::circuit::CircuitPolicy;
use onceward::retry::RetryPolicy;

use super::config;
use crate::config::{Config, ConfigError, Env, Format, Hashtags, OnDoubt, Settings, find};

#[test]
fn an_empty_file_has_the_documented_defaults() {
    let config = config("");
    assert_eq!(config.queueing.lease, Duration::from_mins(1));
    assert_eq!(config.queueing.grace, Duration::from_secs(25));
    assert_eq!(config.queueing.retention, Duration::from_hours(90 * 24));
    assert_eq!(config.publish.hashtags, Hashtags::Append);
    assert_eq!(config.publish.burst, 50);
    assert_eq!(config.listen.to_string(), "127.0.0.1:8080");
    let store = config.store(None, Path::new("/elsewhere")).unwrap();
    assert_eq!(store.expose(), "sqlite:///srv/blog/onceward.db");
}

#[test]
fn a_channel_has_the_documented_defaults() {
    let config = config(
        "[channels.blog]\ntype = \"feed\"\npath = \"public/feed.xml\"\nlink = \"https://example.org/\"\n",
    );
    let channel = config.channel("blog").unwrap();
    assert_eq!((channel.concurrency, channel.timeout), (1, Duration::from_secs(30)));
    assert_eq!((channel.late_after, channel.on_doubt), (Duration::from_hours(6), OnDoubt::Park));
    assert_eq!(channel.pace.retry, RetryPolicy::CHANNEL);
    assert_eq!(channel.pace.circuit, Some(CircuitPolicy::default()));
    assert!(channel.publish && channel.pace.rate.is_none());
    let Settings::Feed(feed) = &channel.settings else { panic!("{channel:?}") };
    assert_eq!((feed.format, feed.items), (Format::Rss, 50));
    assert_eq!(feed.path, Path::new("/srv/blog/public/feed.xml"));
}

#[test]
fn fewer_tries_open_the_circuit_earlier_unless_it_is_written() {
    let failures = |attempts: u32| {
        let config = config(&format!("[queues.q]\nretry = {{ max_attempts = {attempts} }}\n"));
        config.queues[0].pace.circuit.map(|circuit| circuit.failures)
    };
    assert_eq!([1, 2, 3, 4, 9].map(failures), [None, Some(1), Some(2), Some(3), Some(3)]);
}

#[test]
fn the_format_of_a_feed_follows_its_suffix_unless_it_is_written() {
    let format = |lines: &str| {
        let config =
            config(&format!("[channels.f]\ntype = \"feed\"\nlink = \"https://example.org/\"\n{lines}\n"));
        let Settings::Feed(feed) = &config.channels[0].settings else { panic!("not a feed") };
        feed.format
    };
    assert_eq!(format("path = \"a.atom\""), Format::Atom);
    assert_eq!(format("path = \"a.JSON\""), Format::Json);
    assert_eq!(format("path = \"a.xml\"\nformat = \"atom\""), Format::Atom);
}

const THREE: &str = "[channels.b]\ntype = \"archive\"\npath = \"b\"\n[channels.a]\ntype = \"archive\"\npath = \"a\"\n\
                     [channels.ops]\ntype = \"archive\"\npath = \"o\"\n";

#[test]
fn contents_go_to_all_channels_that_no_alert_uses() {
    let alert = "[[alerts]]\nname = \"x\"\nchannel = \"ops\"\n";
    assert_eq!(config(&format!("{THREE}{alert}")).publish.channels, ["b", "a"]);
    assert_eq!(config(&format!("{THREE}publish = false\n")).publish.channels, ["b", "a"]);
    assert_eq!(config(THREE).publish.channels, ["b", "a", "ops"]);
}

#[test]
fn a_group_stands_for_its_channels_each_once() {
    let config =
        config(&format!("{THREE}[groups]\nboth = [\"a\", \"b\"]\n[publish]\nchannels = [\"b\", \"both\"]\n"));
    assert_eq!(config.publish.channels, ["b", "a"]);
    assert_eq!(config.resolve(["both", "ops"]).unwrap(), ["a", "b", "ops"]);
    let unknown = config.resolve(["a", "bosh"]).unwrap_err();
    assert_eq!(unknown.text, "no channel or group is called `bosh`; did you mean `both`?");
}

#[test]
fn the_example_of_the_documentation_is_understood() {
    let config = config(
        r#"
        [publish]
        channels = ["social"]
        timezone = "Asia/Seoul"
        hashtags = "off"
        link_query = "utm_source={channel}"
        static = "static"
        [queues.mail]
        concurrency = 20
        rate = "10/s"
        [channels.hook]
        type = "webhook"
        url = "https://example.org/hook"
        secret = { env = "HOOK_SECRET" }
        rate = "30/5m"
        quiet = "22:00-07:00"
        on_doubt = "resend"
        [groups]
        social = ["hook"]
        [[alerts]]
        name = "ops"
        channel = "hook"
        on = ["dead", "in_doubt"]
        limits = { backlog = "10m", relay_lag = "1m" }
        every = "10m"
        [[schedules]]
        name = "digest"
        cron = "0 9 * * 1-5"
        queue = "mail"
        kind = "digest"
        missed = "skip"
        payload = { to = ["a@example.org"], limit = 0x10 }
        [network]
        allow = ["10.0.0.0/8", "fd00::/8"]
        "#,
    );
    assert_eq!(config.schedules[0].payload.to_string(), r#"{"limit":16,"to":["a@example.org"]}"#);
    assert_eq!(config.schedules[0].timezone.iana_name(), Some("Asia/Seoul"));
    assert_eq!(config.publish.static_folder.as_deref(), Some(Path::new("/srv/blog/static")));
}

#[test]
fn the_nearest_file_above_is_found_and_a_named_one_wins() {
    let folder = tempfile::tempdir().unwrap();
    let below = folder.path().join("a/b");
    std::fs::create_dir_all(&below).unwrap();
    std::fs::write(folder.path().join("onceward.toml"), "").unwrap();
    let none = Env::default();
    assert_eq!(find(None, &none, &below).unwrap(), folder.path().join("onceward.toml"));
    let env = Env::of([("ONCEWARD_CONFIG".to_owned(), "other.toml".to_owned())]);
    assert_eq!(find(None, &env, &below).unwrap(), below.join("other.toml"));
    assert_eq!(find(Some(Path::new("x.toml")), &env, &below).unwrap(), below.join("x.toml"));
}

#[test]
fn a_named_store_wins_and_lies_where_the_command_runs() {
    let env = Env::of([("ONCEWARD_STORE".to_owned(), "sqlite://env.db".to_owned())]);
    let config = Config::parse("", Path::new("/srv/blog/onceward.toml"), env).unwrap();
    let here = Path::new("/tmp/here");
    assert_eq!(config.store(None, here).unwrap().expose(), "sqlite:///tmp/here/env.db");
    assert_eq!(config.store(Some("sqlite://flag.db"), here).unwrap().expose(), "sqlite:///tmp/here/flag.db");
    assert!(config.store(Some("mysql://me:s3cret@host"), here).is_err_and(|text| !text.contains("s3cret")));
}

#[test]
fn without_a_file_a_store_is_enough() {
    let folder = tempfile::tempdir().unwrap();
    let open = |has_store| Config::open(None, has_store, Env::default(), folder.path());
    assert!(open(true).is_ok_and(|config| config.channels.is_empty()));
    assert!(matches!(open(false), Err(ConfigError::Missing { .. })));
    let gone = Config::open(Some(Path::new("gone.toml")), true, Env::default(), folder.path());
    assert!(matches!(gone, Err(ConfigError::Unreadable { .. })), "a named file must be there");
}
