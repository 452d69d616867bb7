//! Brokers: read, and refused with what was expected.

use super::{config, mistakes, read};
use crate::config::{BrokerAt, Secret, To};

const SOURCE: &str = "[queues.mail]\n[[sources]]\nname = \"signup\"\nqueue = \"mail\"\n";

#[test]
fn a_source_has_its_defaults() {
    let config = config(&format!("{SOURCE}from = \"nats://127.0.0.1:4222/JOBS/onceward\"\n"));
    let [source] = config.sources.as_slice() else { panic!("{:?}", config.sources) };
    let rules = &source.rules;
    assert_eq!((source.name.name.as_str(), rules.defaults.queue.as_str()), ("signup", "mail"));
    assert_eq!((rules.defaults.kind.as_deref(), rules.backlog, rules.reject), (None, 10_000, false));
    assert_eq!(rules.horizon, std::time::Duration::from_hours(8 * 24));
}

#[test]
fn all_keys_of_a_source_count() {
    let keys = "kind = \"welcome\"\nbacklog = 5\nremember = \"2d\"\non_unreadable = \"reject\"\n";
    let config = config(&format!("{SOURCE}{keys}from = {{ env = \"BROKER\" }}\n"));
    let source = &config.sources[0];
    assert_eq!(source.from, BrokerAt::Secret(Secret::Env("BROKER".to_owned())));
    assert_eq!((source.rules.defaults.kind.as_deref(), source.rules.backlog), (Some("welcome"), 5));
    assert_eq!((source.rules.horizon.as_secs(), source.rules.reject), (2 * 24 * 3600, true));
}

#[test]
fn a_relay_goes_to_a_broker() {
    let relay = |to: &str| format!("[[relays]]\nname = \"signup\"\nfrom = \"sqlite://app.db\"\nto = {to}\n");
    for to in [
        "\"nats://h/jobs.{queue}\"",
        "\"amqps://h/v?queue=jobs\"",
        "\"sqs://sqs.eu-west-1.amazonaws.com/1/q\"",
    ] {
        assert!(matches!(config(&relay(to)).relays[0].to, To::Broker(_)), "{to}");
    }
    // What a secret names is seen when it is used.
    let found = read(&relay("{ env = \"BROKER\" }"), &[("BROKER", "nats://me:s3cr3t@h/jobs")]).unwrap();
    let To::Other(at) = &found.relays[0].to else { panic!("{:?}", found.relays) };
    let at = BrokerAt::Secret(at.secret().unwrap().clone());
    assert!(at.is_broker(&found.env, &found.folder));
    at.target("to", &found.env, &found.folder).unwrap();
}

#[test]
fn a_mistake_is_named_with_its_place() {
    let source = |line: &str| format!("{SOURCE}{line}\n");
    let first = |text: &str| mistakes(text).into_iter().next().unwrap_or_default();
    for (text, expected) in [
        (source("from = \"nats://h/JOBS/c\"\nbacklogg = 1"), "6:1: unknown key `backlogg` in [[sources]]"),
        (source("from = \"kafka://h/JOBS\""), "5:8: `from` in [[sources]]: expected one of nats://"),
        (
            source("from = \"nats://h\""),
            "5:8: `from` in [[sources]]: expected nats://HOST:PORT/STREAM/CONSUMER",
        ),
        (
            source("from = \"nats://a:s3cr3t@h/J/c\""),
            "5:8: `from` in [[sources]]: the password or token would be a secret",
        ),
        (
            source("from = \"nats://s3cr3t@h/J/c\""),
            "5:8: `from` in [[sources]]: the password or token would be a secret",
        ),
        (
            source("from = \"nats://h/J/c\"\non_unreadable = \"drop\""),
            "6:17: `on_unreadable` in [[sources]]: unknown word",
        ),
        (
            source("from = \"nats://h/J/c\"").replace("queue = \"mail\"", "queue = \"male\""),
            "4:9: no queue is called `male`",
        ),
        (
            "[[relays]]\nname = \"a\"\nfrom = \"sqlite://a.db\"\nto = \"amqp://h\"\n".to_owned(),
            "4:6: `to` in [[relays]]: expected ?queue=QUEUE",
        ),
    ] {
        let found = first(&text);
        assert!(found.starts_with(expected), "{found}\nexpected {expected}");
        assert!(!found.contains("s3cr3t"), "{found}");
    }
}
