//! When schedules are to fire, found without our cron: every minute of a wall is looked at, one by one.

use std::collections::BTreeSet;

use jiff::civil::DateTime;
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};
use onceward::schedule::Missed;
use onceward::{Schedule, Time};
use onceward_tests::Verdict;
use onceward_tests::orders::{KIND, QUEUE};

/// A span of time in which some wall clock is changed.
pub(crate) struct Season {
    pub(crate) name: &'static str,
    /// An hour before the change, so that a short run sees it too.
    pub(crate) from: &'static str,
    pub(crate) rules: [Rule; 5],
}

/// A schedule, and what it means for one minute on the wall.
pub(crate) struct Rule {
    cron: &'static str,
    zone: &'static str,
    fits: fn(DateTime) -> bool,
}

const fn rule(cron: &'static str, zone: &'static str, fits: fn(DateTime) -> bool) -> Rule {
    Rule { cron, zone, fits }
}

/// In Berlin and London an hour is left out; a week later Auckland has one twice, and Lord Howe half of one.
pub(crate) const SEASONS: [Season; 2] = [
    Season {
        name: "gap",
        from: "2027-03-28T00:00:00Z",
        rules: [
            rule("*/10 * * * *", "Europe/Berlin", |wall| wall.minute() % 10 == 0),
            rule("30 2 * * *", "Europe/Berlin", |wall| (wall.hour(), wall.minute()) == (2, 30)),
            rule("0 * * * *", "Europe/London", |wall| wall.minute() == 0),
            rule("15 1 * * 0", "Europe/London", |wall| {
                (wall.hour(), wall.minute()) == (1, 15) && is_sunday(wall)
            }),
            rule("5 */2 * * *", "UTC", |wall| wall.minute() == 5 && wall.hour() % 2 == 0),
        ],
    },
    Season {
        name: "fold",
        from: "2027-04-03T13:00:00Z",
        rules: [
            rule("*/10 * * * *", "Pacific/Auckland", |wall| wall.minute() % 10 == 0),
            rule("30 2 * * *", "Pacific/Auckland", |wall| (wall.hour(), wall.minute()) == (2, 30)),
            rule("0 * * * *", "Australia/Lord_Howe", |wall| wall.minute() == 0),
            rule("45 1 * * 0", "Australia/Lord_Howe", |wall| {
                (wall.hour(), wall.minute()) == (1, 45) && is_sunday(wall)
            }),
            rule("5 */2 * * *", "UTC", |wall| wall.minute() == 5 && wall.hour() % 2 == 0),
        ],
    },
];

fn is_sunday(wall: DateTime) -> bool {
    wall.weekday() == jiff::civil::Weekday::Sunday
}

impl Season {
    /// Its beginning.
    pub(crate) fn begins(&self) -> Verdict<Time> {
        Ok(self.from.parse().map_err(|_| "a bad instant")?)
    }

    /// The schedules; each time that nobody was there for is made up for.
    pub(crate) fn schedules(&self) -> Vec<Schedule> {
        let schedule = |(at, rule): (usize, &Rule)| Schedule {
            name: self.schedule(at),
            cron: rule.cron.to_owned(),
            timezone: rule.zone.to_owned(),
            queue: QUEUE.to_owned(),
            kind: KIND.to_owned(),
            version: 1,
            // Says whose job it is; the act looks at the rest.
            payload: format!(r#"{{"do":"nothing","schedule":"{}"}}"#, self.schedule(at)),
            missed: Missed::All,
        };
        self.rules.iter().enumerate().map(schedule).collect()
    }

    /// The name of one of them.
    pub(crate) fn schedule(&self, at: usize) -> String {
        format!("{}-{at}", self.name)
    }

    /// All instants (microseconds) at which one of them fires after the beginning, up to `end`.
    pub(crate) fn instants(&self, at: usize, end: Time) -> Verdict<Vec<i64>> {
        let (rule, begin) = (&self.rules[at], self.begins()?);
        let zone = TimeZone::get(rule.zone)?;
        let wall = |time: Time, days: i64| -> Verdict<DateTime> {
            Ok(zone
                .to_datetime(Timestamp::from_microsecond(time.micros())?)
                .checked_add(SignedDuration::from_hours(24 * days))?)
        };
        let (mut minute, last) = (wall(begin, -1)?.date().at(0, 0, 0, 0), wall(end, 1)?);
        let mut instants = BTreeSet::new();
        while minute <= last {
            if (rule.fits)(minute) {
                // A time that is left out counts from before the gap, one that comes twice is the first of the two.
                instants.insert(zone.to_ambiguous_timestamp(minute).compatible()?.as_microsecond());
            }
            minute = minute.checked_add(SignedDuration::from_mins(1))?;
        }
        Ok(instants.into_iter().filter(|at| *at > begin.micros() && *at <= end.micros()).collect())
    }
}
