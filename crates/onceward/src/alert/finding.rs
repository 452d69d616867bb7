//! What stands wrong now, as one rule sees it. Pure: facts in, findings out.

use std::collections::BTreeMap;
use std::time::Duration;

use onceward_db::Room;
use serde::{Deserialize, Serialize};

use super::{AlertRule, Topic};
use crate::{JobError, JobId, QueueView, RelayView, Time};

/// Workers that ended young without a word, within the time that the store remembers them (10 minutes), are a loop from
/// this many on.
const LOOP: usize = 3;

/// Less room than this is too little, on a small disk a twentieth of it.
const ROOM: u64 = 1024 * MIB;
const ROOM_SHARE: u64 = 20;
const MIB: u64 = 1024 * 1024;

/// Something that stands wrong. The order is that of urgency.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum What {
    /// Too little room where the store is.
    Disk,
    /// The queue's peer refuses our credentials.
    Auth,
    /// Jobs in doubt that only a person can settle.
    Parked,
    /// Jobs that gave up.
    Dead,
    /// Rows of an outbox that no target takes.
    Refused,
    /// A job that crashes its worker although it runs alone.
    Crashing(JobId),
    /// Workers that end soon after their start.
    Workers,
    /// The queue's peer does not answer.
    Circuit,
    /// Work is due for too long.
    Backlog,
    /// Rows of an outbox wait for too long, or it cannot be read.
    Lag,
    /// Jobs that are held since their time had passed.
    Held,
    /// Times of a schedule that are left out for good.
    LeftOut,
}

impl What {
    pub(crate) const fn topic(self) -> Topic {
        match self {
            Self::Auth => Topic::AuthNeeded,
            Self::Parked => Topic::InDoubt,
            Self::Dead => Topic::Dead,
            Self::Crashing(_) | Self::Workers => Topic::CrashLoop,
            Self::Circuit => Topic::Circuit,
            Self::Backlog => Topic::Backlog,
            Self::Held | Self::LeftOut => Topic::Missed,
            Self::Refused | Self::Lag => Topic::RelayLag,
            Self::Disk => Topic::Disk,
        }
    }

    /// Whether it is over one day. What was left out stays so.
    pub(crate) const fn ends(self) -> bool {
        !matches!(self, Self::LeftOut)
    }

    /// Whether more of it is news, even if none is newer: a transaction that commits late brings an earlier time.
    pub(crate) const fn piles_up(self) -> bool {
        matches!(self, Self::Parked | Self::Dead | Self::Held | Self::Refused)
    }

    /// It keeps the queue itself back.
    const fn is_of_queue(self) -> bool {
        matches!(self, Self::Auth | Self::Circuit | Self::Backlog)
    }
}

/// One thing that stands wrong.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Finding {
    pub what: What,
    /// Of which queue, or which relay; none: of workers, or of the store.
    pub queue: Option<String>,
    /// How many jobs, rows, workers, times, or mebibytes that are left.
    pub count: u64,
    pub since: Time,
    /// What is newer than the mark that was told is news; the same again is not.
    pub mark: Time,
    /// Error codes, the most frequent first.
    pub codes: Vec<(String, u64)>,
    /// Words of others: an error, a reason. Data, never markup.
    pub said: Option<String>,
    /// The job that it was said of.
    pub job: Option<JobId>,
}

/// How things stand, whatever the rules.
#[derive(Debug, Clone)]
pub(crate) struct Facts {
    pub now: Time,
    pub queues: Vec<QueueView>,
    pub piles: Vec<Pile>,
    pub due: Vec<Due>,
    /// Id, queue, crashes, and when it crashed last.
    pub crashes: Vec<(JobId, String, u64, Time)>,
    /// The queues of each worker that ended young, and when it was last seen.
    pub workers: Vec<(Vec<String>, Time)>,
    /// Queue, when, and which schedule.
    pub left_out: Vec<(String, Time, String)>,
    pub relays: Vec<RelayView>,
    /// None on PostgreSQL.
    pub disk: Option<Room>,
}

/// Jobs of one queue that wait for a person for one reason.
#[derive(Debug, Clone)]
pub(crate) struct Pile {
    pub of: PileOf,
    pub queue: String,
    pub code: Option<String>,
    pub count: u64,
    pub first: Time,
    pub last: Time,
    /// The newest of them, and its error.
    pub newest: JobId,
    pub error: Option<JobError>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PileOf {
    Dead,
    Parked,
    Held,
}

/// What is due in one queue that nothing holds back.
#[derive(Debug, Clone)]
pub(crate) struct Due {
    pub queue: String,
    /// The oldest since when, counted from when the queue was let go at the earliest.
    pub since: Time,
    /// Counted up to a limit.
    pub count: u64,
}

/// All that a rule watches, the most urgent first.
pub(crate) fn findings(rule: &AlertRule, facts: &Facts) -> Vec<Finding> {
    let mut found: Vec<Finding> = piles(&facts.piles)
        .into_iter()
        .chain(facts.queues.iter().flat_map(held_back))
        .chain(facts.due.iter().filter(|due| facts.now.since(due.since) > rule.backlog).map(backlog))
        .chain(facts.crashes.iter().map(crashing))
        .chain(left_out(&facts.left_out))
        .chain(facts.disk.as_ref().and_then(|room| disk(room, facts.now)))
        .chain(facts.relays.iter().flat_map(|relay| relayed(rule, relay, facts.now)))
        .filter(|finding| watches(rule, finding.what, finding.queue.as_deref()))
        .chain(workers(rule, &facts.workers))
        .collect();
    found.sort_by(|a, b| (a.what, &a.queue).cmp(&(b.what, &b.queue)));
    found
}

/// Whether a rule tells such a thing of such a queue.
pub(crate) fn watches(rule: &AlertRule, what: What, queue: Option<&str>) -> bool {
    let wanted = |queue: &str| rule.only.as_ref().is_none_or(|only| only.iter().any(|it| it == queue));
    let own = queue == Some(rule.queue.as_str()) && what.is_of_queue();
    let of_others = what == What::Disk && rule.only.is_some();
    rule.on.contains(&what.topic()) && queue.is_none_or(wanted) && !own && !of_others
}

/// The piles of one queue are one finding, with a count for each code.
fn piles(piles: &[Pile]) -> Vec<Finding> {
    let mut found: BTreeMap<(What, &str), Finding> = BTreeMap::new();
    for pile in piles {
        let what = match pile.of {
            PileOf::Dead => What::Dead,
            PileOf::Parked => What::Parked,
            PileOf::Held => What::Held,
        };
        let finding = found.entry((what, &pile.queue)).or_insert_with(|| Finding {
            count: 0,
            job: Some(pile.newest),
            said: pile.error.as_ref().map(|error| error.text.clone()).filter(|_| pile.of != PileOf::Held),
            ..Finding::new(what, &pile.queue, pile.first)
        });
        finding.count += pile.count;
        finding.since = finding.since.min(pile.first);
        finding.mark = finding.mark.max(pile.last);
        finding.codes.extend(pile.code.clone().map(|code| (code, pile.count)));
    }
    found.into_values().collect()
}

/// A pause for lack of credentials, and an open circuit. A person's own pause is no news to people.
fn held_back(queue: &QueueView) -> Vec<Finding> {
    let waiting = queue.figures.pending.saturating_sub(queue.figures.held);
    let refused =
        queue.paused.as_ref().and_then(|pause| Some((pause, pause.reason.strip_prefix("auth_needed: ")?)));
    let auth = refused.map(|(pause, why)| Finding {
        count: waiting,
        said: Some(why.to_owned()),
        ..Finding::new(What::Auth, &queue.name, pause.since)
    });
    let since = queue.circuit.and_then(|circuit| circuit.since);
    let circuit =
        since.map(|since| Finding { count: waiting, ..Finding::new(What::Circuit, &queue.name, since) });
    auth.into_iter().chain(circuit).collect()
}

/// Told once, however long it lasts.
fn backlog(due: &Due) -> Finding {
    let finding = Finding::new(What::Backlog, &due.queue, due.since);
    Finding { count: due.count, mark: Time::from_micros(0), ..finding }
}

/// Each job is told once.
fn crashing((job, queue, crashes, at): &(JobId, String, u64, Time)) -> Finding {
    let finding = Finding::new(What::Crashing(*job), queue, *at);
    Finding { count: *crashes, mark: Time::from_micros(0), job: Some(*job), ..finding }
}

/// Told once, as long as they go on.
fn workers(rule: &AlertRule, ended: &[(Vec<String>, Time)]) -> Option<Finding> {
    let of_rule = |queues: &[String]| {
        rule.only.as_ref().is_none_or(|only| queues.iter().any(|queue| only.contains(queue)))
    };
    let ended: Vec<Time> = ended.iter().filter(|(queues, _)| of_rule(queues)).map(|(_, at)| *at).collect();
    let first = ended.iter().min().filter(|_| ended.len() >= LOOP)?;
    let finding = Finding {
        queue: None,
        count: u64::try_from(ended.len()).unwrap_or(u64::MAX),
        mark: Time::from_micros(0),
        ..Finding::new(What::Workers, "", *first)
    };
    rule.on.contains(&Topic::CrashLoop).then_some(finding)
}

/// Told once, as long as it lasts.
fn disk(room: &Room, now: Time) -> Option<Finding> {
    let finding = Finding {
        queue: None,
        count: room.free / MIB,
        mark: Time::from_micros(0),
        said: Some(format!("{} MiB in all, at {}", room.total / MIB, room.folder.display())),
        ..Finding::new(What::Disk, "", now)
    };
    (room.free < ROOM.min(room.total / ROOM_SHARE)).then_some(finding)
}

/// Each told once, and rows that are refused again when there are more.
fn relayed(rule: &AlertRule, relay: &RelayView, now: Time) -> Vec<Finding> {
    let finding = |what, count, since| Finding {
        count,
        mark: Time::from_micros(0),
        said: relay.error.clone(),
        ..Finding::new(what, &relay.name, since)
    };
    let lag = relay.lags_since().filter(|since| now.since(*since) > rule.relay_lag);
    let refused = relay.refused_at.map(|since| finding(What::Refused, relay.refused, since));
    lag.map(|since| finding(What::Lag, relay.waiting, since)).into_iter().chain(refused).collect()
}

fn left_out(missed: &[(String, Time, String)]) -> Vec<Finding> {
    let mut found: BTreeMap<&str, Finding> = BTreeMap::new();
    for (queue, at, detail) in missed {
        let finding = found.entry(queue).or_insert_with(|| Finding {
            count: 0,
            said: Some(detail.clone()),
            ..Finding::new(What::LeftOut, queue, *at)
        });
        finding.count += 1;
        finding.since = finding.since.min(*at);
        finding.mark = finding.mark.max(*at);
    }
    found.into_values().collect()
}

impl Finding {
    fn new(what: What, queue: &str, since: Time) -> Self {
        let queue = Some(queue.to_owned());
        Self { what, queue, count: 1, since, mark: since, codes: Vec::new(), said: None, job: None }
    }
}

/// From when the wait of a job counts: what a pause or an outage took before is told as such.
pub(crate) fn waits_since(due: Time, free: Option<Time>, not_before: Option<Time>) -> Time {
    due.max(free.unwrap_or(due)).max(not_before.unwrap_or(due))
}

/// How long a sign of life may be old: three of them.
pub(crate) const UNSEEN: Duration = Duration::from_secs(30);
/// A worker that ended before this age ended young.
pub(crate) const YOUNG: Duration = Duration::from_mins(10);

#[cfg(test)]
mod tests {
    use super::*;

    fn left(free: u64, total: u64) -> Vec<Finding> {
        let now: Time = "2026-12-01T09:00:00Z".parse().unwrap();
        let disk = Some(Room { folder: "/srv".into(), free: free * MIB, total: total * MIB });
        let facts = Facts {
            now,
            queues: Vec::new(),
            piles: Vec::new(),
            due: Vec::new(),
            crashes: Vec::new(),
            workers: Vec::new(),
            left_out: Vec::new(),
            relays: Vec::new(),
            disk,
        };
        let of_mail = AlertRule { only: Some(vec!["mail".to_owned()]), ..AlertRule::new("mail", "ops") };
        assert!(findings(&of_mail, &facts).is_empty(), "the disk belongs to no queue");
        findings(&AlertRule::new("ops", "ops"), &facts)
    }

    #[test]
    fn a_disk_is_told_of_below_a_gibibyte_and_a_small_one_below_a_twentieth() {
        let table = [
            (1023, 100_000, true),
            (1024, 100_000, false),
            (49, 1000, true),
            (50, 1000, false),
            (0, 0, false),
        ];
        for (free, total, told) in table {
            let found = left(free, total);
            assert_eq!(
                found.iter().any(|it| (it.what, it.count) == (What::Disk, free)),
                told,
                "{free} of {total}"
            );
        }
    }
}
