//! One queue's place in the loop: what runs, what is being asked for, when to ask again.

use std::time::Duration;

use tokio::time::Instant;

use super::super::QueuePlan;
use crate::store::queues::limits::Wait;

/// What a queue holds back for longer than this counts as not due, for a worker that runs until it is idle.
const PATIENCE: Duration = Duration::from_secs(1);
/// A queue that the clock holds back is asked again after this time, since a person may change its pace, and a clock may
/// be set.
const RECHECK: Duration = Duration::from_secs(10);
/// A claim beside another one is worth its turn from this share of the places up.
const WORTHWHILE: usize = 4;
/// Of so many places, a claim takes at most half: while one half is written, the other runs.
const MANY: usize = 64;

pub(super) struct Line {
    pub plan: QueuePlan,
    pub running: usize,
    /// Places that a claim on its way may fill.
    reserved: usize,
    /// Held back by its pace, its circuit or a person: not asked before then.
    held: Option<Held>,
    /// The last claim gave all that was asked for, so there is more: asked again without a look, until then.
    plenty_until: Option<Instant>,
    /// When something was last committed that may have made room.
    changed_at: Option<Instant>,
}

struct Held {
    until: Instant,
    /// Nothing that is committed somewhere can end it earlier.
    firm: bool,
    /// Too long to wait for.
    long: bool,
}

impl Line {
    pub(super) fn new(plan: QueuePlan) -> Self {
        Self { plan, running: 0, reserved: 0, held: None, plenty_until: None, changed_at: None }
    }

    /// How many jobs to ask for now; 0 when it is not worth a turn.
    pub(super) fn wanted(&self, beside_another: bool, now: Instant) -> usize {
        let free = self.plan.concurrency.saturating_sub(self.running + self.reserved);
        let worthwhile = if beside_another { self.plan.concurrency.div_ceil(WORTHWHILE) } else { 1 };
        let most =
            if self.plan.concurrency < MANY { free } else { free.min(self.plan.concurrency.div_ceil(2)) };
        if self.is_held(now) || free < worthwhile { 0 } else { most }
    }

    fn is_held(&self, now: Instant) -> bool {
        self.held.as_ref().is_some_and(|held| held.until > now)
    }

    /// Whether it is held back only for a moment.
    pub(super) fn soon(&self, now: Instant) -> bool {
        self.held.as_ref().is_some_and(|held| held.until > now && !held.long)
    }

    pub(super) fn has_plenty(&self, now: Instant) -> bool {
        self.plenty_until.is_some_and(|until| until > now)
    }

    pub(super) fn reserve(&mut self, places: usize) {
        self.reserved += places;
    }

    /// A claim came back: asked for so many, got so many, and the queue said how long to wait for room.
    pub(super) fn answered(
        &mut self,
        asked: usize,
        got: usize,
        wait: Option<Wait>,
        at: Instant,
        poll: Duration,
    ) {
        self.reserved = self.reserved.saturating_sub(asked);
        let plenty = got == asked && wait.is_none();
        let since = self.plenty_until.filter(|until| *until > at).unwrap_or(at + poll);
        self.plenty_until = plenty.then_some(since);
        self.held = match wait {
            // Asked for again all the same: a commit elsewhere may not have been heard of.
            Some(Wait { time, firm }) => Some(Held {
                until: at + if firm { time.min(RECHECK) } else { time.min(poll) },
                firm,
                long: time >= PATIENCE,
            }),
            None if got == 0 => Some(Held { until: at + poll, firm: false, long: true }),
            None => None,
        };
        // What made room while the claim was on its way may have come too late for it.
        if self.changed_at.is_some_and(|changed| changed >= at) {
            self.held = self.held.take().filter(|held| held.firm);
        }
    }

    /// Something was committed somewhere: what no clock decides may have changed.
    pub(super) fn changed(&mut self, now: Instant) {
        self.changed_at = Some(now);
        self.held = self.held.take().filter(|held| held.firm);
    }

    pub(super) fn wait(&self, now: Instant) -> Option<Duration> {
        self.held
            .as_ref()
            .map(|held| held.until.saturating_duration_since(now))
            .filter(|wait| !wait.is_zero())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::retry::RetryPolicy;

    const POLL: Duration = Duration::from_secs(1);

    fn line() -> Line {
        Line::new(QueuePlan { name: "mail".to_owned(), concurrency: 1, retry: RetryPolicy::GENERIC })
    }

    /// The last place of a fleet is freed by a settling that commits after the claim looked, and is told before it.
    #[test]
    fn a_place_that_was_freed_while_a_claim_was_on_its_way_is_asked_for_again() {
        let asked = Instant::now();
        let mut line = line();
        line.changed(asked + POLL / 4);
        line.answered(1, 0, None, asked, POLL);
        assert_eq!(line.wanted(false, asked + POLL / 2), 1);
    }

    #[test]
    fn an_empty_queue_is_not_asked_again_before_something_changes() {
        let asked = Instant::now();
        let mut line = line();
        line.changed(asked - POLL);
        line.answered(1, 0, None, asked, POLL);
        assert_eq!(line.wanted(false, asked + POLL / 2), 0);
        line.changed(asked + POLL / 2);
        assert_eq!(line.wanted(false, asked + POLL / 2), 1);
    }

    #[test]
    fn a_claim_takes_all_of_few_places_and_half_of_many() {
        for (places, wanted) in [(1, 1), (63, 63), (64, 32), (2000, 1000)] {
            let mut line = line();
            line.plan.concurrency = places;
            assert_eq!(line.wanted(false, Instant::now()), wanted, "{places} places");
            line.reserve(wanted);
            assert_eq!(line.wanted(true, Instant::now()), places - wanted, "beside the first");
        }
    }

    /// A peer that is back, or a person who resumes its queue, is told by a commit; a rate is the clock's for longer.
    #[test]
    fn what_others_can_end_is_asked_for_at_a_change_and_at_the_poll() {
        let (asked, hour) = (Instant::now(), Duration::from_hours(1));
        for (firm, at_a_change) in [(false, 1), (true, 0)] {
            let mut line = line();
            line.answered(1, 0, Some(Wait { time: hour, firm }), asked, POLL);
            assert_eq!(line.wanted(false, asked + POLL / 2), 0);
            assert!(!line.soon(asked + POLL / 2), "not for a worker that runs until it is idle");
            assert_eq!(line.wanted(false, asked + POLL), at_a_change, "firm: {firm}");
            line.changed(asked + POLL / 2);
            assert_eq!(line.wanted(false, asked + POLL / 2), at_a_change, "firm: {firm}");
        }
    }
}
