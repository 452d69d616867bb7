//! What must hold in every state, and what must be reachable for that to mean anything.

use stateright::Property;

use crate::model::{Action, Step};
use crate::rules::Protocol;
use crate::state::{Effect, Job, Worker, World};

pub(crate) const ONCE: &str = "the platform accepts at most once";
pub(crate) const TRUE_DONE: &str = "a done job was accepted exactly once";
pub(crate) const FENCED: &str = "a stale token changes nothing";
pub(crate) const FINAL: &str = "done and cancelled are final, and dead is left by a revive alone";
pub(crate) const INTENT_FIRST: &str = "what is on the wire has an open intent of its own";
pub(crate) const CANCELLED: &str = "no intent is written after a cancel";

pub(crate) fn laws() -> Vec<Property<Protocol>> {
    vec![
        Property::always(ONCE, |_, world: &World| world.platform.acceptances <= 1),
        Property::always(TRUE_DONE, |_, world: &World| {
            world.job != Job::Done || world.platform.acceptances == 1
        }),
        Property::always(FENCED, |_, world: &World| !world.past.stale_write),
        Property::always(FINAL, |_, world: &World| !world.past.undone),
        Property::always(INTENT_FIRST, |_, world: &World| {
            let has_intent = |token| matches!(world.effect, Effect::Open { writer, .. } if writer == token);
            world.wire.iter().all(|request| has_intent(request.token))
        }),
        Property::always(CANCELLED, |_, world: &World| !world.past.intent_after_cancel),
    ]
}

pub(crate) fn examples() -> Vec<Property<Protocol>> {
    vec![
        Property::sometimes("a job is done", |_, world: &World| world.job == Job::Done),
        Property::sometimes("a job is in doubt", |_, world: &World| world.job == Job::InDoubt),
        Property::sometimes("a job is dead over an open effect", |_, world: &World| {
            world.job == Job::Dead && world.is_open()
        }),
        Property::sometimes("what did not happen is sent again and done", |_, world: &World| {
            world.past.sent_again && world.job == Job::Done
        }),
        Property::sometimes("a late receipt ends a doubt", |_, world: &World| {
            world.past.late_receipt && world.job == Job::Done
        }),
        Property::sometimes("a request outlives its worker's lease", |_, world: &World| {
            !matches!(world.job, Job::Running { .. }) && !world.wire.is_empty()
        }),
        Property::sometimes("a cancel comes in time", |_, world: &World| {
            world.job == Job::Cancelled && world.platform.acceptances == 0
        }),
        Property::sometimes("a cancel comes too late, and the job is done", |_, world: &World| {
            world.past.cancelled && world.job == Job::Done
        }),
    ]
}

/// Notes what a later look at the state alone could not tell. Knows nothing of the rules.
pub(crate) fn witness(before: &World, action: Action, after: &mut World) {
    let changed = (before.job, before.effect) != (after.job, after.effect);
    if let Action::By(place, step) = action
        && let Worker::Busy { token, .. } = before.workers[place]
    {
        let holds = matches!(before.job, Job::Running { token: held, .. } if held == token);
        let wrote = matches!(before.effect, Effect::Open { writer, .. } if writer == token);
        after.past.stale_write |= changed && !holds && !(step == Step::Record && wrote);
        after.past.intent_after_cancel |=
            before.past.cancelled && changed && step == Step::Intend && after.is_open();
    }
    after.past.cancelled |= action == Action::Cancel;
    after.past.undone |= match before.job {
        Job::Done | Job::Cancelled => after.job != before.job,
        Job::Dead => after.job != Job::Dead && action != Action::Revive,
        _ => false,
    };
}
