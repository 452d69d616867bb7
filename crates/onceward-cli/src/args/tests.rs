//! What may be typed, and what may not.

use clap::{CommandFactory, Parser};

use super::*;

fn parse(line: &str) -> Result<Cli, clap::Error> {
    Cli::try_parse_from(std::iter::once("onceward").chain(line.split_whitespace()))
}

#[test]
fn the_command_line_is_consistent() {
    Cli::command().debug_assert();
}

#[test]
fn every_documented_command_is_understood() {
    let lines = "init\ninit my-blog\npublish a.md b.md\npublish a.md --to x,y --at 2026-12-01 --hold --skip-refused --revive --yes\n\
        publish a.md --enqueue-only\npublish a.md --dry-run --patience 10s\npublish a.md --as-new a2\npublish a.md --sandbox --faults f.toml\n\
        sandbox\nsandbox --platforms a,b --faults f --port 7070 --state s\n\
        work\nwork --queues a,b --until-idle\nenqueue --queue q --kind k --payload {}\n\
        enqueue --queue q --kind k --payload - --dedup-key a --dedup-for 30d --run-at 2026-12-01T09:00:00Z\n\
        enqueue --batch\nenqueue --batch --queue q --kind k\nstatus\nstatus --watch\njobs list --state pending,in_doubt --queue q --kind k --content c --error e --since 2h --search s --limit 5 --after 9\n\
        jobs show 1\njobs cancel 1 2\njobs run-now --all --yes\njobs release --content c --dry-run\n\
        dead list --discarded --queue q\ndead groups\ndead show 1\ndead revive 1 2 --limit 5 --rate 5/s --canary 1\n\
        dead revive 1 --set-payload {} --may-repeat\ndead discard --all\ndead undiscard 1\ndead groups --queue q --error e\ndoubt list\ndoubt groups --queue q\ndoubt show 1\n\
        doubt verify --all\ndoubt resolve 1 --happened --url https://x\ndoubt resolve 1 2 --did-not-happen\ndoubt resolve 1 --give-up\n\
        queues list\nqueues pause a b\nqueues resume --all\nchannels list\nchannels check\nchannels check a\nchannels pause a\n\
        channels resume a\nchannels login a\nchannels login a --key token\nchannels logout a\ndb migrate\ndb migrate --print\ndb check\ndb backup f.db\ncompletions bash\n\
        outbox status\noutbox status a b\noutbox status --relay a --relay b\noutbox relay a --until-idle\noutbox relay --relay a --retry 1,2\n\
        outbox replay --since 1h --yes\noutbox replay a --since 2026-12-01 --dry-run\noutbox replay --relay a --since 2026-12-01T09:00:00Z\n\
        outbox migrate\noutbox migrate a --print\noutbox migrate --relay a\noutbox skip 1 2 --relay a\noutbox forget a";
    for line in lines.lines().map(str::trim) {
        for global in ["", " --config f --store sqlite://x --json -vv --color never", " -q"] {
            let line = format!("{line}{global}");
            assert!(parse(&line).is_ok(), "{line}\n{}", parse(&line).unwrap_err());
        }
    }
}

#[test]
fn what_contradicts_itself_is_refused() {
    for line in [
        "",
        "publish",
        "publish a.md --patience soon",
        "publish a.md --faults f.toml",
        "sandbox --port high",
        "publish a.md --enqueue-only --patience 1m",
        "-q -v status",
        "enqueue --queue q --kind k",
        "enqueue --queue q --kind k --payload {} --dedup-key a",
        "enqueue --batch --payload {}",
        "jobs show 0",
        "jobs show x",
        "jobs list --state sleeping",
        "jobs list --limit 0",
        "jobs cancel 1 --all",
        "dead revive 1 --rate fast",
        "doubt resolve 1",
        "doubt resolve --happened",
        "doubt resolve 1 --happened --give-up",
        "doubt resolve 1 --give-up --url https://x",
        "queues pause",
        "queues pause a --all",
        "outbox migrate a --relay a",
        "outbox replay --yes",
        "outbox replay --since soon",
        "serve",
        "completions csh",
    ] {
        assert!(parse(line).is_err(), "{line}");
    }
}

#[test]
fn a_bulk_command_needs_exactly_one_way_to_say_which() {
    let bulk = |line: &str| match parse(line).unwrap().command {
        Command::Jobs(JobsVerb::Cancel(bulk)) => bulk,
        other => panic!("{other:?}"),
    };
    assert_eq!(bulk("jobs cancel 1 2").target(), Ok(Target::Ids(&[1, 2])));
    assert_eq!(bulk("jobs cancel --all").target(), Ok(Target::All));
    let by_queue = bulk("jobs cancel --queue mail");
    assert_eq!(by_queue.target(), Ok(Target::Matching(&by_queue.filter)));
    for line in [
        "jobs cancel",
        "jobs cancel --dry-run",
        "jobs cancel --all --queue mail",
        "jobs cancel 1 --queue mail",
    ] {
        assert!(bulk(line).target().is_err(), "{line}");
    }
}

#[test]
fn what_fits_one_job_needs_one_id() {
    let revive = |line: &str| match parse(line).unwrap().command {
        Command::Dead(DeadVerb::Revive(revive)) => revive.check(),
        other => panic!("{other:?}"),
    };
    assert!(revive("dead revive 1 --may-repeat").is_ok());
    assert!(revive("dead revive 1 2 --may-repeat").is_err());
    assert!(revive("dead revive --all --set-payload {}").is_err());
    let verdict = |line: &str| match parse(line).unwrap().command {
        Command::Doubt(DoubtVerb::Resolve(resolve)) => resolve.verdict(),
        other => panic!("{other:?}"),
    };
    assert_eq!(
        verdict("doubt resolve 1 --happened --url u"),
        Ok(Verdict::Happened { url: Some("u".into()) })
    );
    assert_eq!(verdict("doubt resolve 1 2 --did-not-happen"), Ok(Verdict::DidNotHappen));
    assert!(verdict("doubt resolve 1 2 --happened --url u").is_err());
}

#[test]
fn payloads_and_scopes_mean_what_they_say() {
    assert_eq!("@a.json".parse(), Ok(Payload::File("a.json".into())));
    assert_eq!("-".parse(), Ok(Payload::Stdin));
    assert_eq!("\"-\"".parse(), Ok(Payload::Json("\"-\"".into())));
    assert_eq!("until-settled".parse(), Ok(DedupFor::UntilSettled));
    assert_eq!("30d".parse(), Ok(DedupFor::For(std::time::Duration::from_hours(720))));
    assert!("0s".parse::<DedupFor>().is_err() && "ever".parse::<DedupFor>().is_err());
}

/// The words of an example as a shell reads them: up to a redirection, or a remark after two spaces.
fn words(example: &str) -> Vec<String> {
    let (mut words, mut word, mut quoted, mut blanks) = (Vec::new(), None::<String>, false, 0);
    for c in example.chars() {
        match c {
            '\'' => {
                quoted = !quoted;
                word.get_or_insert_default();
            }
            ' ' if !quoted => {
                words.extend(word.take());
                blanks += 1;
            }
            '<' | '>' | '|' if !quoted => break,
            _ if blanks > 1 => break,
            c => word.get_or_insert_default().push(c),
        }
        blanks = if c == ' ' { blanks } else { 0 };
    }
    words.extend(word);
    words
}

#[test]
fn every_example_in_a_help_is_understood() {
    fn walk(command: &clap::Command, seen: &mut usize) {
        let help = command.get_after_help().map(ToString::to_string).unwrap_or_default();
        let joined = help.replace("\\\n      ", "");
        for example in joined.lines().filter_map(|line| line.strip_prefix("  onceward ")) {
            let parsed = Cli::try_parse_from(std::iter::once("onceward".to_owned()).chain(words(example)));
            assert!(parsed.is_ok(), "{}: {example}\n{}", command.get_name(), parsed.unwrap_err());
            *seen += 1;
        }
        command.get_subcommands().for_each(|inner| walk(inner, seen));
    }
    let mut seen = 0;
    walk(&Cli::command(), &mut seen);
    assert!(seen > 20, "{seen}");
}

#[test]
fn what_holds_for_a_whole_run_is_said_once() {
    let flag = |line: &str| twice(line.split_whitespace());
    for line in ["--store a status --store b", "status --store=a --store b"] {
        assert_eq!(flag(line), Some("--store"), "{line}");
    }
    assert_eq!(flag("--config a status --config=b"), Some("--config"));
    for line in ["--config a status --store b", "status --stored a --store b", "status --store a -- --store"]
    {
        assert_eq!(flag(line), None, "{line}");
    }
}

#[test]
fn help_is_a_command_too_and_tables_words_are_states() {
    let help = Cli::try_parse_from(["onceward", "help", "publish"]).unwrap_err();
    assert_eq!(help.kind(), clap::error::ErrorKind::DisplayHelp);
    for word in ["failed", "unsure", "waiting", "sending"] {
        assert!(Cli::try_parse_from(["onceward", "jobs", "list", "--state", word]).is_ok(), "{word}");
    }
}

#[test]
fn help_fits_a_terminal_and_explains_each_flag() {
    fn walk(command: &clap::Command) {
        for arg in command.get_arguments().filter(|arg| !arg.is_hide_set()) {
            assert!(arg.get_help().is_some(), "{} {}", command.get_name(), arg.get_id());
        }
        assert!(command.get_about().is_some(), "{}", command.get_name());
        let after = command.get_after_help().map(ToString::to_string).unwrap_or_default();
        assert!(after.lines().all(|line| line.chars().count() <= 100), "{after}");
        command.get_subcommands().for_each(walk);
    }
    walk(&Cli::command());
}
