//! Mistakes that show only when the parts of a configuration meet.

use std::collections::BTreeMap;
use std::time::Duration;

use onceward::time::duration;

use super::draft::Draft;
use super::env::Env;
use super::problem::{Report, advice};
use super::text::is_name;
use super::value::Named;

/// A lease must outlast each request by this much, so that a job is not taken while its request may still succeed.
const MARGIN: Duration = Duration::from_secs(10);

/// Notes every such mistake.
pub(super) fn check(draft: &Draft, report: &Report<'_>, env: &Env) {
    names(draft, report);
    references(draft, report);
    lease(draft, report);
    former_names(draft, report);
    quiet(draft, report);
    outboxes(draft, report, env);
}

/// Group, channel and queue names may not collide: `--to social` and `--queues social` must mean one thing.
fn names(draft: &Draft, report: &Report<'_>) {
    let mut first: BTreeMap<&str, (&str, usize)> = BTreeMap::new();
    let channels = draft.channel_names.iter().map(|named| ("channel", named));
    let queues = draft.queue_names.iter().map(|named| ("queue", named));
    let groups = draft.groups.iter().map(|(named, _)| ("group", named));
    for (what, named) in channels.chain(queues).chain(groups) {
        well_formed(what, named, report);
        if let Some((other, at)) = first.insert(&named.name, (what, named.at)) {
            let text = format!(
                "the {what} `{}` has the name of a {other} in line {}; each name may stand once",
                named.name,
                report.line(at)
            );
            report.refuse(named.at, text);
        }
    }
    unique("alert", draft.alerts.iter().map(|alert| &alert.name), report);
    unique("schedule", draft.schedules.iter().map(|schedule| &schedule.name), report);
    unique("relay", draft.relays.iter().map(|relay| &relay.name), report);
    unique("source", draft.sources.iter().map(|source| &source.name), report);
}

fn unique<'d>(what: &str, names: impl Iterator<Item = &'d Named>, report: &Report<'_>) {
    let mut seen: BTreeMap<&str, usize> = BTreeMap::new();
    for named in names {
        well_formed(what, named, report);
        let first = *seen.entry(&named.name).or_insert(named.at);
        if first != named.at {
            let line = report.line(first);
            report.refuse(
                named.at,
                format!("two {what}s are called `{}`; the other is in line {line}", named.name),
            );
        }
    }
}

fn well_formed(what: &str, named: &Named, report: &Report<'_>) {
    if !is_name(&named.name) {
        let text = format!(
            "a {what}'s name has lower-case letters, digits, - and _, begins with a letter or digit, \
             and has at most 64 of them"
        );
        report.refuse(named.at, text);
    }
}

/// Whatever names a channel, group or queue must name one that is there.
fn references(draft: &Draft, report: &Report<'_>) {
    let channels: Vec<&str> = draft.channel_names.iter().map(|named| named.name.as_str()).collect();
    let groups = draft.groups.iter().map(|(named, _)| named.name.as_str());
    let either: Vec<&str> = channels.iter().copied().chain(groups).collect();
    let queues: Vec<&str> = draft.queue_names.iter().map(|named| named.name.as_str()).collect();

    exist(draft.wanted.iter().flatten(), "channel or group", &either, report);
    exist(draft.groups.iter().flat_map(|(_, members)| members), "channel", &channels, report);
    exist(draft.alerts.iter().map(|alert| &alert.channel), "channel", &channels, report);
    exist(draft.alerts.iter().flat_map(|alert| alert.only.iter().flatten()), "channel", &channels, report);
    exist(draft.schedules.iter().map(|schedule| &schedule.queue), "queue", &queues, report);
    exist(draft.sources.iter().map(|source| &source.queue), "queue", &queues, report);
}

fn exist<'d>(names: impl Iterator<Item = &'d Named>, what: &str, known: &[&str], report: &Report<'_>) {
    for Named { name, at } in names.filter(|named| !known.contains(&named.name.as_str())) {
        let advice = match known {
            [] => "none is configured".to_owned(),
            _ => advice(name, known.iter().copied()),
        };
        report.refuse(*at, format!("no {what} is called `{name}`; {advice}"));
    }
}

/// The place is the channel's `timeout` where that is written, else the lease, else the channel.
fn lease(draft: &Draft, report: &Report<'_>) {
    let lease = draft.queueing.lease;
    for (channel, spots) in
        draft.channels.iter().filter(|(channel, _)| channel.timeout.saturating_add(MARGIN) >= lease)
    {
        let text = format!(
            "`lease` in [queue] is {}, and must be longer than the timeout of channel `{}`, which is {}, and {} more: \
             else another worker takes a job whose request still runs",
            duration::format(lease),
            channel.name,
            duration::format(channel.timeout),
            duration::format(MARGIN),
        );
        report.refuse(spots.timeout.or(draft.lease).unwrap_or(spots.name), text);
    }
}

/// A former name belongs to nobody else, and not to the present.
fn former_names(draft: &Draft, report: &Report<'_>) {
    let mut taken: BTreeMap<&str, &str> =
        draft.channel_names.iter().map(|named| (named.name.as_str(), named.name.as_str())).collect();
    for (channel, spots) in &draft.channels {
        let Some(was) = &channel.was else { continue };
        if let Some(owner) = taken.insert(was, &channel.name) {
            let text = format!("`was` names `{was}`, which is a present or former name of channel `{owner}`");
            report.refuse(spots.was.unwrap_or(spots.name), text);
        }
    }
}

/// Times of day mean nothing without a zone.
fn quiet(draft: &Draft, report: &Report<'_>) {
    for (_, spots) in draft.channels.iter().filter(|_| draft.publish.timezone.is_none()) {
        if let Some(at) = spots.quiet {
            report.refuse(at, "`quiet` needs a zone: set `timezone` in [publish], such as \"Asia/Seoul\"");
        }
    }
}

/// Relays of one outbox share its rows: each row goes to one of them, and chance says to which.
fn outboxes(draft: &Draft, report: &Report<'_>, env: &Env) {
    for (n, relay) in draft.relays.iter().enumerate() {
        let Some(first) =
            draft.relays[..n].iter().find(|first| first.from.is_same(&relay.from, env, report.folder()))
        else {
            continue;
        };
        let text = format!(
            "the relays `{}` (line {}) and `{}` have one outbox, and chance would say which of them gets a row; keep one. \
             Several processes may run it and share the work",
            first.name.name,
            report.line(first.name.at),
            relay.name.name,
        );
        report.refuse(relay.name.at, text);
    }
}
