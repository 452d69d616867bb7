//! The rules: what the store writes, and on which condition. A planted bug breaks exactly one of them.

use crate::state::{Answer, Effect, Job, Phase, Request, Ticks, Token, Worker, World};

/// What the platform offers for telling whether something happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Class {
    /// Nothing: a person decides.
    Blind,
    /// A look at what is visible, by a worker.
    LookUp,
}

/// How long things last. A deadline longer than the lease is refused at start.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Times {
    /// A lease as it is granted and extended.
    pub(crate) lease: Ticks,
    /// How long a request may still arrive after it left.
    pub(crate) deadline: Ticks,
    /// How long the platform may hide what it accepted.
    pub(crate) lag: Ticks,
}

/// One rule broken; for the last three, an assumption, or a hole that no rule closes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Bug {
    NoQuietPeriod,
    QuietPeriodIgnoresTheLease,
    QuietPeriodIgnoresTheLag,
    QuietPeriodIgnoresHeartbeats,
    RetryOnExpiry,
    RetryOnLostAnswer,
    RetryOnBookkeepingError,
    NoFence,
    IntentAfterSend,
    ReviveOverDoubt,
    CancelForgotten,
    ResolveIgnoresTheState,
    LeaseNotChecked,
    RequestMayOutliveTheLease,
    ReaperLeavesDoubts,
    FreezeBetweenCheckAndSend,
    AnswerOlderThanItsLook,
    PersonGuesses,
}

/// The protocol under check: one job, one effect, any number of tries.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Protocol {
    pub(crate) class: Class,
    pub(crate) workers: usize,
    pub(crate) times: Times,
    pub(crate) bug: Option<Bug>,
}

impl Protocol {
    pub(crate) fn has(&self, bug: Bug) -> bool {
        self.bug == Some(bug)
    }

    /// The fence: a write to a leased job names its token.
    fn holds(&self, world: &World, token: Token) -> bool {
        match world.job {
            Job::Running { token: current, .. } => current == token || self.has(Bug::NoFence),
            _ => false,
        }
    }

    fn quiet_period(&self, lease: Ticks) -> Ticks {
        let Times { deadline, lag, .. } = self.times;
        match self.bug {
            Some(Bug::NoQuietPeriod) => 0,
            Some(Bug::QuietPeriodIgnoresTheLease) => deadline + lag,
            Some(Bug::QuietPeriodIgnoresTheLag) => lease.max(deadline),
            _ => lease.max(deadline) + lag,
        }
    }

    /// The request must be over before the lease is. Then the check and the first byte are one step.
    pub(crate) fn may_send(&self, lease: Ticks) -> bool {
        match self.bug {
            Some(Bug::LeaseNotChecked) => true,
            Some(Bug::RequestMayOutliveTheLease) => lease > 0,
            _ => lease >= self.times.deadline,
        }
    }

    /// A claim to send, or, of a job in doubt, to look.
    pub(crate) fn claim(&self, world: &mut World, worker: usize) {
        let token = world.fresh_token();
        let phase = if world.job == Job::InDoubt { Phase::Verifying } else { Phase::Claimed };
        world.job = Job::Running { token, lease: self.times.lease };
        world.workers[worker] = Worker::Busy { token, lease: self.times.lease, phase };
    }

    pub(crate) fn extend(&self, world: &mut World, worker: usize, token: Token) {
        let Job::Running { lease, .. } = &mut world.job else { return };
        *lease = self.times.lease;
        if let Worker::Busy { lease, .. } = &mut world.workers[worker] {
            *lease = self.times.lease;
        }
        match &mut world.effect {
            Effect::Open { writer, quiet }
                if *writer == token && !self.has(Bug::QuietPeriodIgnoresHeartbeats) =>
            {
                *quiet = (*quiet).max(self.quiet_period(self.times.lease));
            }
            _ => {}
        }
    }

    /// Writes `sending`, or finds that there is nothing left to send.
    pub(crate) fn intend(&self, world: &mut World, worker: usize, token: Token) {
        let Job::Running { lease, .. } = world.job else { return world.idle(worker) };
        if !self.holds(world, token) || world.is_open() {
            return world.idle(worker);
        }
        if world.effect == Effect::Accepted || world.stop {
            world.settle_by_ledger();
            return world.idle(worker);
        }
        world.effect = Effect::Open { writer: token, quiet: self.quiet_period(lease) };
        match world.phase(worker) {
            Some(Phase::Unrecorded(answer)) => world.enter(worker, Phase::Sent(answer)),
            _ => world.enter(worker, Phase::Intended),
        }
    }

    pub(crate) fn send(&self, world: &mut World, worker: usize, token: Token) {
        world.wire.push(Request { token, left: self.times.deadline });
        let unrecorded = self.has(Bug::IntentAfterSend);
        world.enter(worker, if unrecorded { Phase::Unrecorded(None) } else { Phase::Sent(None) });
    }

    /// Interrupted, or certainly not sent: this try leaves nothing open.
    pub(crate) fn hand_back(&self, world: &mut World, worker: usize, token: Token) {
        if self.holds(world, token) {
            if world.phase(worker) != Some(Phase::Claimed) {
                world.effect = Effect::Shut;
            }
            world.settle_by_ledger();
        }
        world.idle(worker);
    }

    /// A receipt counts by the token that wrote the intent, lease or no lease.
    pub(crate) fn record(world: &mut World, worker: usize, token: Token) {
        if !matches!(world.effect, Effect::Open { writer, .. } if writer == token) {
            return world.idle(worker);
        }
        world.effect = Effect::Accepted;
        if matches!(world.job, Job::Running { token: current, .. } if current == token) {
            return world.enter(worker, Phase::Recorded);
        }
        world.past.late_receipt = true;
        if world.job == Job::InDoubt {
            world.job = Job::Done;
        }
        world.idle(worker);
    }

    pub(crate) fn refused(&self, world: &mut World, worker: usize, token: Token, for_good: bool) {
        if self.holds(world, token) {
            world.effect = Effect::Shut;
            world.settle_by_ledger();
            if for_good && world.job == Job::Pending {
                world.job = Job::Dead;
            }
        }
        world.idle(worker);
    }

    /// The answer never came. The handler may well propose "try again": the ledger knows better.
    pub(crate) fn answer_lost(&self, world: &mut World, worker: usize, token: Token) {
        if self.holds(world, token) {
            if self.has(Bug::RetryOnLostAnswer) {
                world.effect = Effect::Shut;
            }
            world.settle_by_ledger();
        }
        world.idle(worker);
    }

    /// After the receipt, good or bad book-keeping (permalink, alert) changes nothing.
    pub(crate) fn settle(&self, world: &mut World, worker: usize, token: Token) {
        if self.holds(world, token) {
            if self.has(Bug::RetryOnBookkeepingError) {
                world.effect = Effect::Shut;
            }
            world.settle_by_ledger();
        }
        world.idle(worker);
    }

    pub(crate) fn conclude(&self, world: &mut World, worker: usize, token: Token, found: bool) {
        if self.holds(world, token) {
            if world.is_open() {
                world.effect = if found { Effect::Accepted } else { Effect::Shut };
                world.past.sent_again |= !found;
            }
            world.settle_by_ledger();
        }
        world.idle(worker);
    }

    pub(crate) fn reap(&self, world: &mut World) {
        if self.has(Bug::RetryOnExpiry) {
            world.effect = Effect::Shut;
        }
        world.settle_without_a_holder();
    }

    pub(crate) fn cancel(&self, world: &mut World) {
        world.stop = true;
        if world.job == Job::Pending {
            world.settle_by_ledger();
        }
        world.stop &= !self.has(Bug::CancelForgotten);
    }

    pub(crate) fn did_not_happen(world: &mut World) {
        world.effect = Effect::Shut;
        world.settle_by_ledger();
        world.past.sent_again = true;
        world.past.missed_by_person = false;
    }

    pub(crate) fn happened(world: &mut World) {
        world.effect = Effect::Accepted;
        world.job = Job::Done;
    }

    pub(crate) fn revive(&self, world: &mut World) {
        if self.has(Bug::ReviveOverDoubt) {
            world.effect = Effect::Shut;
        }
        world.settle_without_a_holder();
    }

    /// The platform takes or refuses a request; whoever still waits for it may hear so, now or much later.
    pub(crate) fn deliver(&self, world: &mut World, request: usize, answer: Answer) {
        let Request { token, .. } = world.wire.remove(request);
        if answer == Answer::Accepted {
            world.platform.acceptances += 1;
            world.platform.hidden = self.times.lag;
        }
        for worker in &mut world.workers {
            let Worker::Busy { token: mine, phase: Phase::Sent(heard) | Phase::Unrecorded(heard), .. } =
                worker
            else {
                continue;
            };
            if *mine == token {
                *heard = Some(answer);
            }
        }
    }
}

impl World {
    /// Whatever a handler proposes, the ledger decides.
    fn settle_by_ledger(&mut self) {
        self.job = match self.effect {
            Effect::Shut if self.stop => Job::Cancelled,
            Effect::Shut => Job::Pending,
            Effect::Open { .. } => Job::InDoubt,
            Effect::Accepted => Job::Done,
        };
    }

    /// The same where nobody runs the handler: what is accepted still needs a claim to finish the job.
    fn settle_without_a_holder(&mut self) {
        self.settle_by_ledger();
        if self.job == Job::Done {
            self.job = Job::Pending;
        }
    }

    fn idle(&mut self, worker: usize) {
        self.workers[worker] = Worker::Idle;
    }

    pub(crate) fn enter(&mut self, worker: usize, next: Phase) {
        if let Worker::Busy { phase, .. } = &mut self.workers[worker] {
            *phase = next;
        }
    }

    fn phase(&self, worker: usize) -> Option<Phase> {
        match self.workers[worker] {
            Worker::Busy { phase, .. } => Some(phase),
            Worker::Idle => None,
        }
    }
}
