//! Whether the clock that leases are judged by can be trusted right now. Pure.
//!
//! After a suspend or a step of the clock every lease looks expired at once, while the workers that hold them are
//! alive and about to extend them. So, when the database's clock and this process's monotonic one have drifted
//! apart, reaping by time waits one lease: long enough for whoever is alive to extend.

use std::time::Duration;

use crate::Time;

/// How far the clocks may drift apart between two looks.
const TOLERANCE: Duration = Duration::from_secs(1);

/// One look at both clocks: what the database said, and the monotonic time before and after it was asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Look {
    pub database: Time,
    pub before: Duration,
    pub after: Duration,
}

/// What is remembered from look to look.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Guard {
    last: Option<Look>,
    /// By the monotonic clock.
    wait_until: Option<Duration>,
}

impl Guard {
    /// The guard after one more look.
    #[must_use]
    pub(crate) fn seen(self, look: Look, lease: Duration) -> Self {
        let drifted = self.last.is_some_and(|last| drift(last, look) > TOLERANCE);
        let wait_until = if drifted { Some(look.after + lease) } else { self.wait_until };
        Self { last: Some(look), wait_until: wait_until.filter(|until| *until > look.after) }
    }

    /// Whether a lease that ran out may be taken back for that alone.
    pub(crate) fn trusts_time(&self) -> bool {
        self.wait_until.is_none()
    }
}

/// By how much the clocks disagree on the time between two looks, at the least: an answer that took long may have
/// been given at any moment meanwhile.
fn drift(last: Look, now: Look) -> Duration {
    let micros = |time: Duration| i64::try_from(time.as_micros()).unwrap_or(i64::MAX);
    let passed = now.database.micros().saturating_sub(last.database.micros());
    let shortest = micros(now.before).saturating_sub(micros(last.after));
    let longest = micros(now.after).saturating_sub(micros(last.before));
    Duration::from_micros((shortest - passed).max(passed - longest).max(0).unsigned_abs())
}

#[cfg(test)]
mod tests {
    use super::{Guard, Look};
    use crate::Time;
    use std::time::Duration;

    const LEASE: Duration = Duration::from_mins(1);

    /// Seconds of the database's clock, and the monotonic seconds around the question.
    fn look(database: f64, before: f64, after: f64) -> Look {
        #[expect(clippy::cast_possible_truncation, reason = "a few thousand seconds")]
        let database = Time::from_micros((database * 1e6) as i64);
        Look { database, before: Duration::from_secs_f64(before), after: Duration::from_secs_f64(after) }
    }

    fn after(looks: &[Look]) -> Guard {
        looks.iter().fold(Guard::default(), |guard, look| guard.seen(*look, LEASE))
    }

    #[test]
    fn clocks_that_agree_are_trusted() {
        assert!(after(&[]).trusts_time());
        assert!(
            after(&[look(100.0, 1.0, 1.0), look(101.0, 2.0, 2.0), look(161.9, 62.0, 62.0)]).trusts_time()
        );
    }

    #[test]
    fn a_suspend_or_a_step_either_way_holds_reaping_for_one_lease() {
        for database in [8.0 * 3600.0, -3600.0, 103.1] {
            let first = [look(100.0, 1.0, 1.0), look(database, 2.0, 2.0)];
            assert!(!after(&first).trusts_time(), "{database}");
            let almost = [first[0], first[1], look(database + 59.9, 61.9, 61.9)];
            assert!(!after(&almost).trusts_time(), "{database}");
            let then = [first[0], first[1], look(database + 60.0, 62.0, 62.0)];
            assert!(after(&then).trusts_time(), "{database}");
        }
    }

    #[test]
    fn a_second_step_begins_the_wait_anew() {
        let looks = [look(0.0, 0.0, 0.0), look(90.0, 1.0, 1.0), look(300.0, 50.0, 50.0)];
        assert!(!after(&[&looks[..], &[look(359.0, 109.0, 109.0)]].concat()).trusts_time());
        assert!(after(&[&looks[..], &[look(360.0, 110.0, 110.0)]].concat()).trusts_time());
    }

    #[test]
    fn an_answer_that_took_long_is_no_drift() {
        // The question took five seconds; the database may have looked at its clock at the start or at the end.
        for database in [101.0, 106.0] {
            assert!(after(&[look(100.0, 1.0, 1.0), look(database, 2.0, 7.0)]).trusts_time(), "{database}");
        }
        assert!(!after(&[look(100.0, 1.0, 1.0), look(107.1, 2.0, 7.0)]).trusts_time());
    }
}
