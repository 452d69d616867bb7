//! Each mistake is named with its line, its column, and what was probably meant.

use super::mistakes;

/// `table` holds (the file, the only mistake in it).
fn each(table: &[(&str, &str)]) {
    for (text, expected) in table {
        assert_eq!(mistakes(text), [(*expected).to_owned()], "in\n{text}");
    }
}

const BLOG: &str = "[channels.blog]\ntype = \"archive\"\npath = \"public\"\n";

#[test]
fn an_unknown_key_is_refused_with_the_nearest() {
    each(&[
        ("[publsh]\n", "1:2: unknown key `publsh` in the file's top level; did you mean `publish`?"),
        (
            "[publish]\n\n  chanels = []\n",
            "3:3: unknown key `chanels` in [publish]; did you mean `channels`?",
        ),
        ("[queue]\nleese = \"1m\"\n", "2:1: unknown key `leese` in [queue]; did you mean `lease`?"),
        ("[queue]\ncolour = 1\n", "2:1: unknown key `colour` in [queue]; known: lease, grace, retention"),
        (
            "[queues.mail]\nconcurency = 2\n",
            "2:1: unknown key `concurency` in [queues.mail]; did you mean `concurrency`?",
        ),
        ("[server]\n\"큐\" = 1\n", "2:1: unknown key `큐` in [server]; known: listen"),
        (
            "[store]\nurl = \"sqlite://a.db\"\nURL = 1\n",
            "3:1: unknown key `URL` in [store]; did you mean `url`?",
        ),
    ]);
    let blog = |line: &str| format!("{BLOG}{line}\n");
    each(&[
        (&blog("tiitle = 1"), "4:1: unknown key `tiitle` in [channels.blog]; did you mean `title`?"),
        (
            &blog("late-after = \"1h\""),
            "4:1: unknown key `late-after` in [channels.blog]; did you mean `late_after`?",
        ),
        (
            &blog("retry = { atempts = 3 }"),
            "4:11: unknown key `atempts` in [channels.blog.retry]; known: max_attempts, base, factor, max, jitter",
        ),
        (
            &blog("circuit = { failurs = 3 }"),
            "4:13: unknown key `failurs` in [channels.blog.circuit]; did you mean `failures`?",
        ),
    ]);
}

#[test]
fn a_value_of_the_wrong_shape_is_refused_without_being_shown() {
    each(&[
        (
            "[queue]\nlease = 60\n",
            "2:9: `lease` in [queue]: expected a duration longer than nothing, such as \"30s\", \"5m\", \"1h30m\" or \"90d\", found a whole number",
        ),
        (
            "[queue]\nlease = \"60\"\n",
            "2:9: `lease` in [queue]: expected a duration longer than nothing, such as \"30s\", \"5m\", \"1h30m\" or \"90d\"",
        ),
        (
            "[queue]\ngrace = \"0s\"\n",
            "2:9: `grace` in [queue]: expected a duration longer than nothing, such as \"30s\", \"5m\", \"1h30m\" or \"90d\"",
        ),
        (
            "[queues.a]\nconcurrency = 0\n",
            "2:15: `concurrency` in [queues.a]: expected a whole number from 1 to 4294967295",
        ),
        (
            "[queues.a]\nrate = \"30 per 5m\"\n",
            "2:8: `rate` in [queues.a]: expected a rate, such as \"30/5m\" or \"1/10m\"",
        ),
        (
            "[publish]\ntimezone = \"Seoul\"\n",
            "2:12: `timezone` in [publish]: expected a time zone by its IANA name, such as \"Asia/Seoul\" or \"UTC\"",
        ),
        (
            "[publish]\nhashtags = \"apend\"\n",
            "2:12: `hashtags` in [publish]: unknown word; did you mean `append`?",
        ),
        (
            "[publish]\nchannels = [1]\n",
            "2:13: `channels` in [publish]: expected a text, found a whole number",
        ),
        (
            "[publish]\nlink_query = \"a={chanel}\"\n",
            "2:14: `link_query` in [publish]: the only placeholder is {channel}",
        ),
        ("publish = 1\n", "1:11: `publish`: expected a table, found a whole number"),
        ("[alerts]\n", "1:1: `alerts` is a list of tables: write [[alerts]]"),
        (
            "[network]\nallow = [\"10.0.0.0/33\"]\n",
            "2:10: `allow` in [network]: expected a range of addresses that is not almost everything, such as \"10.0.0.0/8\"",
        ),
        (
            "[queues.a.retry]\nfactor = 0.5\n",
            "2:10: `factor` in [queues.a.retry]: retry.factor is 0.5; expected a number of at least 1",
        ),
    ]);
}

#[test]
fn what_is_not_toml_is_refused_at_its_place() {
    let found = mistakes("[queue]\nlease = \"1m\n");
    assert!(found[0].starts_with("2:12: not TOML: "), "{found:?}");
    assert_eq!(mistakes("[queue]\n[queue]\n").len(), 1);
}

#[test]
fn all_mistakes_are_told_at_once_in_the_files_order() {
    let found = mistakes("[queue]\nlease = 1\n[publish]\nburst = \"x\"\ncolour = 1\n");
    let lines: Vec<_> = found.iter().map(|text| &text[..2]).collect();
    assert_eq!(lines, ["2:", "4:", "5:"]);
}

#[test]
fn a_type_is_built_or_named_as_what_it_is() {
    each(&[
        ("[channels.a]\n", "1:1: [channels.a] needs `type`"),
        (
            "[channels.a]\ntype = \"fead\"\n",
            "2:8: `type` in [channels.a]: unknown type; did you mean `feed`?",
        ),
        (
            "[channels.a]\ntype = \"medium\"\n",
            "2:8: `type` in [channels.a]: Medium closed its API, so nothing can post there; use `feed` or `archive` instead",
        ),
        (
            "[channels.a]\ntype = \"naver-blog\"\n",
            "2:8: `type` in [channels.a]: Naver Blog closed its API, so nothing can post there; use `feed` or `archive` instead",
        ),
        (
            "[channels.a]\ntype = \"tistory\"\n",
            "2:8: `type` in [channels.a]: Tistory closed its API, so nothing can post there; use `feed` or `archive` instead",
        ),
    ]);
}

#[test]
fn what_is_not_built_names_what_is() {
    for (name, begins) in [
        ("carrier-pigeon", "unknown type; built in this version: feed, archive, webhook, "),
        ("x", "`x` is not built in this version yet; built: feed, archive, webhook, "),
    ] {
        let found = mistakes(&format!("[channels.a]\ntype = \"{name}\"\n"));
        let begins = format!("2:8: `type` in [channels.a]: {begins}");
        assert!(found[0].starts_with(&begins), "{found:?}");
    }
}

#[test]
fn every_type_of_the_documentation_is_known() {
    let types = "email bluesky matrix nostr discord slack telegram ntfy x linkedin threads instagram wordpress ghost devto";
    for name in types.split(' ') {
        let found = mistakes(&format!("[channels.a]\ntype = \"{name}\"\n"));
        assert!(!found[0].contains("unknown type"), "{found:?}");
    }
}

#[test]
fn a_type_asks_for_what_it_needs() {
    each(&[
        ("[channels.a]\ntype = \"feed\"\npath = \"f.xml\"\n", "1:1: [channels.a] needs `link`"),
        ("[channels.a]\ntype = \"archive\"\n", "1:1: [channels.a] needs `path`"),
        (
            "[channels.a]\ntype = \"feed\"\npath = \"feed\"\nlink = \"https://example.org\"\n",
            "3:8: `path` in [channels.a]: the suffix names no format; end it in .xml, .atom or .json, or set `format`",
        ),
        (
            "[channels.a]\ntype = \"bluesky\"\nhandle = \"a.example\"\npassword = { env = \"P\" }\nlanguages = [\"korean!\"]\n",
            "5:13: `languages` in [channels.a]: expected at most 3 language tags, such as [\"ko\", \"en\"]",
        ),
        (
            "[channels.a]\ntype = \"webhook\"\nurl = \"ftp://h\"\nsecret = { env = \"S\" }\n",
            "3:7: `url` in [channels.a]: expected an address that begins with https:// or http://",
        ),
        (
            "[channels.a]\ntype = \"webhook\"\nurl = \"https://me:pw@h/\"\nsecret = { env = \"S\" }\n",
            "3:7: `url` in [channels.a]: a user name or password in an address would be a secret in this file; leave it out",
        ),
    ]);
}

#[test]
fn names_are_plain_and_stand_once() {
    let with = |rest: &str| format!("{BLOG}{rest}");
    each(&[
        (
            &with("[queues.blog]\n"),
            "4:9: the queue `blog` has the name of a channel in line 1; each name may stand once",
        ),
        (
            &with("[groups]\nblog = [\"blog\"]\n"),
            "5:1: the group `blog` has the name of a channel in line 1; each name may stand once",
        ),
        (
            "[queues.Mail]\n",
            "1:9: a queue's name has lower-case letters, digits, - and _, begins with a letter or digit, and has at most 64 of them",
        ),
        (
            "[queues.q]\n[groups]\nq = []\n",
            "3:1: the group `q` has the name of a queue in line 1; each name may stand once",
        ),
    ]);
}

#[test]
fn two_of_a_list_have_two_names() {
    let relay = "[[relays]]\nname = \"app\"\nfrom = \"sqlite://app.db\"\n";
    let source = "[[sources]]\nname = \"app\"\nfrom = \"nats://127.0.0.1/JOBS/onceward\"\nqueue = \"mail\"\n";
    let schedule = "[[schedules]]\nname = \"app\"\ncron = \"0 9 * * *\"\nqueue = \"mail\"\nkind = \"k\"\n";
    let alert = "[[alerts]]\nname = \"app\"\nchannel = \"blog\"\n";
    // One of each may have the name: they are different things.
    super::config(&format!("{BLOG}{alert}[queues.mail]\n{relay}{source}{schedule}"));
    let mail = |list: &str| format!("[queues.mail]\n{list}{list}");
    each(&[
        (
            &format!("{relay}{}", relay.replace("app.db", "b.db")),
            "5:8: two relays are called `app`; the other is in line 2",
        ),
        (&mail(source), "7:8: two sources are called `app`; the other is in line 3"),
        (&mail(schedule), "8:8: two schedules are called `app`; the other is in line 3"),
        (&format!("{BLOG}{alert}{alert}"), "8:8: two alerts are called `app`; the other is in line 5"),
    ]);
}

#[test]
fn two_relays_of_one_outbox_are_refused_however_it_is_spelt() {
    let relay = |name: &str, from: &str| format!("[[relays]]\nname = \"{name}\"\nfrom = {from}\n");
    let same = "5:8: the relays `a` (line 2) and `b` have one outbox, and chance would say which of them gets a row; keep \
                one. Several processes may run it and share the work";
    for (one, two) in [
        ("\"sqlite://app.db\"", "\"sqlite://./app.db\""),
        ("\"postgres://h/app\"", "\"postgres://me@h:5432/app\""),
        ("{ env = \"NOT_SET\" }", "{ env = \"NOT_SET\" }"),
    ] {
        let to = "to = \"nats://127.0.0.1/jobs\"\n";
        each(&[(&format!("{}{}{to}", relay("a", one), relay("b", two)), same)]);
    }
    let one = "{ env = \"ONE\" }";
    super::config(&format!("{}{}", relay("a", one), relay("b", &one.replace("ONE", "OTHER"))));
}

#[test]
fn whatever_is_named_must_be_there() {
    let with = |rest: &str| format!("{BLOG}{rest}");
    each(&[
        (
            &with("[publish]\nchannels = [\"blog\", \"blgo\"]\n"),
            "5:21: no channel or group is called `blgo`; did you mean `blog`?",
        ),
        (&with("[groups]\nall = [\"blog\", \"other\"]\n"), "5:16: no channel is called `other`; known: blog"),
        (
            &with("[[alerts]]\nname = \"ops\"\nchannel = \"slack-ops\"\n"),
            "6:11: no channel is called `slack-ops`; known: blog",
        ),
        (
            &with("[[alerts]]\nname = \"ops\"\nchannel = \"blog\"\nonly = { channels = [\"bolg\"] }\n"),
            "7:22: no channel is called `bolg`; did you mean `blog`?",
        ),
        (
            &with("[[alerts]]\nname = \"ops\"\nchannel = \"blog\"\non = [\"deed\"]\n"),
            "7:7: `on` in [[alerts]]: unknown word; did you mean `dead`?",
        ),
        (
            &with("[[alerts]]\nname = \"ops\"\nchannel = \"blog\"\non = []\n"),
            "7:6: `on` in [[alerts]]: `on` names nothing: leave it out to be told everything, or name a topic, such as \"dead\"",
        ),
        (
            "[[schedules]]\nname = \"d\"\ncron = \"0 9 * * *\"\nqueue = \"mail\"\nkind = \"digest\"\n",
            "4:9: no queue is called `mail`; none is configured",
        ),
        (
            "[queues.mail]\n[[schedules]]\nname = \"d\"\ncron = \"0 9 * *\"\nqueue = \"mail\"\nkind = \"digest\"\n",
            "4:8: `cron` in [[schedules]]: expected minute, hour, day, month and weekday, such as \"0 9 * * 1-5\"",
        ),
        (
            "[queues.mail]\n[[schedules]]\nname = \"d\"\ncron = \"0 9 30 2 *\"\nqueue = \"mail\"\nkind = \"digest\"\n",
            "4:8: `cron` in [[schedules]]: never fires; is there such a day?",
        ),
    ]);
}

#[test]
fn a_lease_outlasts_every_request_with_a_margin() {
    let text = "`lease` in [queue] is 1m, and must be longer than the timeout of channel `blog`, which is 50s, and 10s more: \
                else another worker takes a job whose request still runs";
    each(&[(&format!("{BLOG}timeout = \"50s\"\n"), &format!("4:11: {text}"))]);
    each(&[(
        &format!("{BLOG}[queue]\nlease = \"40s\"\n"),
        &format!("5:9: {}", text.replace("is 1m", "is 40s").replace("50s", "30s")),
    )]);
    super::config(&format!("{BLOG}timeout = \"49s\"\n"));
}

#[test]
fn a_circuit_opens_before_the_tries_are_spent() {
    let with = |rest: &str| format!("{BLOG}{rest}");
    each(&[
        (
            &with("circuit = { failures = 4 }\n"),
            "4:24: `failures` in [channels.blog.circuit]: circuit.failures is 4; expected fewer than retry.max_attempts, which is 4",
        ),
        (
            &with("retry = { max_attempts = 3 }\ncircuit = { failures = 3 }\n"),
            "5:24: `failures` in [channels.blog.circuit]: circuit.failures is 3; expected fewer than retry.max_attempts, which is 3",
        ),
        (
            &with("circuit = { pause = \"1h\" }\n"),
            "4:11: `max` in [channels.blog.circuit]: circuit.max is 15m; expected at least circuit.pause, which is 1h",
        ),
    ]);
}

#[test]
fn a_former_name_belongs_to_nobody_else() {
    let text = format!("{BLOG}[channels.news]\ntype = \"archive\"\npath = \"n\"\nwas = \"blog\"\n");
    each(&[(&text, "7:7: `was` names `blog`, which is a present or former name of channel `blog`")]);
}

#[test]
fn quiet_times_need_a_zone() {
    let text = format!("{BLOG}quiet = \"22:00-07:00\"\n");
    each(&[(&text, "4:9: `quiet` needs a zone: set `timezone` in [publish], such as \"Asia/Seoul\"")]);
    super::config(&format!("{text}[publish]\ntimezone = \"Asia/Seoul\"\n"));
}

#[test]
fn the_error_names_the_file() {
    let error = super::read("[publsh]\n", &[]).unwrap_err();
    assert_eq!(error.code(), "config_invalid");
    assert!(error.to_string().starts_with("/srv/blog/onceward.toml:1:2: unknown key `publsh`"), "{error}");
}
