//! What can happen next, in every order.

use stateright::{Model, Property};

use crate::laws::{examples, laws, witness};
use crate::rules::{Bug, Class, Protocol};
use crate::state::{Answer, Job, Phase, Ticks, Worker, World};

/// What the world around the workers does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Action {
    Tick,
    /// A step of the worker at this place in the list.
    By(usize, Step),
    Deliver(usize, Answer),
    Reap,
    Cancel,
    PersonSeesNothing,
    DidNotHappen,
    Happened,
    GiveUp,
    Revive,
}

/// What a worker does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    Claim,
    Extend,
    Intend,
    Check,
    Send,
    HandBack,
    Record,
    RefusedForNow,
    RefusedForGood,
    AnswerLost,
    Settle,
    Look { found: bool },
    Conclude { found: bool },
    Crash,
}

impl Action {
    pub(crate) fn is_automatic(self) -> bool {
        matches!(self, Action::Tick | Action::By(..) | Action::Deliver(..) | Action::Reap)
    }
}

impl Model for Protocol {
    type State = World;
    type Action = Action;

    fn init_states(&self) -> Vec<World> {
        vec![World::new(self.workers)]
    }

    fn actions(&self, world: &World, actions: &mut Vec<Action>) {
        let mut later = world.clone();
        later.tick();
        if later != *world {
            actions.push(Action::Tick);
        }
        for (place, worker) in world.workers.iter().enumerate() {
            // Equal workers are interchangeable, and sorted side by side.
            if place == 0 || world.workers[place - 1] != *worker {
                actions.extend(self.steps(world, *worker).into_iter().map(|step| Action::By(place, step)));
            }
        }
        for request in 0..world.wire.len() {
            actions.push(Action::Deliver(request, Answer::Accepted));
            actions.push(Action::Deliver(request, Answer::Refused));
        }
        self.around(world, actions);
    }

    fn next_state(&self, before: &World, action: Action) -> Option<World> {
        let mut world = before.clone();
        match action {
            Action::Tick => world.tick(),
            Action::By(place, step) => self.act(&mut world, place, step),
            Action::Deliver(request, answer) => self.deliver(&mut world, request, answer),
            Action::Reap => self.reap(&mut world),
            Action::Cancel => self.cancel(&mut world),
            Action::PersonSeesNothing => world.past.missed_by_person = true,
            Action::DidNotHappen => Protocol::did_not_happen(&mut world),
            Action::Happened => Protocol::happened(&mut world),
            Action::GiveUp => world.job = Job::Dead,
            Action::Revive => self.revive(&mut world),
        }
        witness(before, action, &mut world);
        Some(world.canonical())
    }

    fn properties(&self) -> Vec<Property<Self>> {
        laws().into_iter().chain(examples()).collect()
    }

    /// Two acceptances are the end of the promise; what follows them teaches nothing.
    fn within_boundary(&self, world: &World) -> bool {
        world.platform.acceptances <= 2 && world.wire.len() <= 2
    }
}

impl Protocol {
    fn steps(&self, world: &World, worker: Worker) -> Vec<Step> {
        let Worker::Busy { token, lease, phase } = worker else {
            let can_look = self.class == Class::LookUp && world.is_quiet();
            let due = world.job == Job::Pending || (world.job == Job::InDoubt && can_look);
            return due.then_some(Step::Claim).into_iter().collect();
        };
        let mut steps = self.next_of(world, phase, lease);
        steps.push(Step::Crash);
        if matches!(world.job, Job::Running { token: held, .. } if held == token) {
            steps.push(Step::Extend);
        }
        steps
    }

    fn next_of(&self, world: &World, phase: Phase, lease: Ticks) -> Vec<Step> {
        match phase {
            Phase::Claimed if self.has(Bug::IntentAfterSend) => vec![Step::Send],
            Phase::Claimed => vec![Step::Intend, Step::HandBack],
            Phase::Intended if !self.may_send(lease) => vec![Step::HandBack],
            Phase::Intended if self.has(Bug::FreezeBetweenCheckAndSend) => vec![Step::HandBack, Step::Check],
            Phase::Intended => vec![Step::HandBack, Step::Send],
            Phase::Checked => vec![Step::Send],
            Phase::Unrecorded(_) => vec![Step::Intend],
            Phase::Sent(None) => vec![Step::AnswerLost],
            Phase::Sent(Some(Answer::Accepted)) => vec![Step::AnswerLost, Step::Record],
            Phase::Sent(Some(Answer::Refused)) => {
                vec![Step::AnswerLost, Step::RefusedForNow, Step::RefusedForGood]
            }
            Phase::Recorded => vec![Step::Settle],
            Phase::Verifying => [(true, world.can_be_seen()), (false, world.can_be_missed())]
                .into_iter()
                .filter_map(|(found, possible)| possible.then_some(Step::Look { found }))
                .collect(),
            Phase::Looked { found } => vec![Step::Conclude { found }],
        }
    }

    fn act(&self, world: &mut World, place: usize, step: Step) {
        let Worker::Busy { token, .. } = world.workers[place] else { return self.claim(world, place) };
        match step {
            Step::Claim => {}
            Step::Extend => self.extend(world, place, token),
            Step::Intend => self.intend(world, place, token),
            Step::Check => world.enter(place, Phase::Checked),
            Step::Send => self.send(world, place, token),
            Step::HandBack => self.hand_back(world, place, token),
            Step::Record => Protocol::record(world, place, token),
            Step::RefusedForNow => self.refused(world, place, token, false),
            Step::RefusedForGood => self.refused(world, place, token, true),
            Step::AnswerLost => self.answer_lost(world, place, token),
            Step::Settle => self.settle(world, place, token),
            Step::Look { found } => world.enter(place, Phase::Looked { found }),
            Step::Conclude { found } => self.conclude(world, place, token, found),
            Step::Crash => world.workers[place] = Worker::Idle,
        }
    }

    /// The keeper, and people.
    fn around(&self, world: &World, actions: &mut Vec<Action>) {
        if matches!(world.job, Job::Pending | Job::Running { .. } | Job::InDoubt) && !world.past.cancelled {
            actions.push(Action::Cancel);
        }
        match world.job {
            Job::Running { lease: 0, .. } if !(self.has(Bug::ReaperLeavesDoubts) && world.is_open()) => {
                actions.push(Action::Reap);
            }
            Job::InDoubt => self.person(world, actions),
            Job::Done if self.has(Bug::ResolveIgnoresTheState) => actions.push(Action::GiveUp),
            Job::Dead => actions.push(Action::Revive),
            _ => {}
        }
    }

    /// A person says of a doubt only what is true as far as it can be seen.
    fn person(&self, world: &World, actions: &mut Vec<Action>) {
        actions.push(Action::GiveUp);
        let looked_before = self.has(Bug::AnswerOlderThanItsLook);
        if looked_before && world.can_be_missed() && !world.past.missed_by_person {
            actions.push(Action::PersonSeesNothing);
        }
        let missed = if looked_before { world.past.missed_by_person } else { world.can_be_missed() };
        if missed && world.is_quiet() {
            actions.push(Action::DidNotHappen);
        }
        if world.can_be_seen() || self.has(Bug::PersonGuesses) {
            actions.push(Action::Happened);
        }
    }
}
