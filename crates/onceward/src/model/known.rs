//! Walks that failed once, in their shortest form.

use super::command::{Ask, Command, Deed, Door, End, Fate, Kind};
use super::drive::{Verdict, World};
use super::store::Store;

const JOB: Command = Command::Enqueue(Ask {
    key: None,
    payload: 0,
    update: false,
    held: false,
    later: false,
    door: Door::Enqueue,
});
const CLAIM: Command = Command::Claim { worker: 0, most: 1, lone: false };
const UNHEARD: Command = Command::Answer { request: 0, heard: false };
const HEARD: Command = Command::Answer { request: 0, heard: true };

fn send(class: Kind, fate: Fate) -> Command {
    Command::Send { hand: 0, step: 0, class, fate, blurred: false }
}

fn settle(end: End) -> Command {
    Command::Settle { hand: 0, end }
}

async fn walk(commands: Vec<Command>) -> Verdict {
    World::walk(&Store::sqlite().await, commands).await
}

#[tokio::test]
async fn a_verify_that_finds_nothing_out_looks_again() -> Verdict {
    let first = [JOB, CLAIM, send(Kind::LookUp, Fate::Accepts), settle(End::Receipt)];
    let second = [Command::Wait(301), CLAIM, settle(End::Receipt)];
    walk([first.to_vec(), second.to_vec()].concat()).await
}

/// The first request of a key may have been accepted, whatever its repeat is answered, and a key is known for a time only.
async fn a_repeat_keeps_the_doubt(repeat: Fate) -> Verdict {
    let first = [JOB, CLAIM, send(Kind::Keyed, Fate::Accepts), UNHEARD, settle(End::Transient)];
    let second = [Command::Wait(61), CLAIM, send(Kind::Keyed, repeat), HEARD, settle(End::Transient)];
    let third = [Command::Wait(3601), CLAIM, send(Kind::Keyed, Fate::Accepts), HEARD];
    walk([first.to_vec(), second.to_vec(), third.to_vec()].concat()).await
}

#[tokio::test]
async fn a_refused_repeat_does_not_undo_the_first_send() -> Verdict {
    a_repeat_keeps_the_doubt(Fate::Refuses).await
}

#[tokio::test]
async fn a_repeat_that_was_not_sent_does_not_undo_the_first_send() -> Verdict {
    a_repeat_keeps_the_doubt(Fate::Unreached).await
}

/// What was seen twice of the first send says nothing of the second.
#[tokio::test]
async fn an_absence_is_believed_of_the_send_that_was_looked_for() -> Verdict {
    let look = [Command::Wait(301), CLAIM, send(Kind::LookUp, Fate::Accepts)];
    let lost = [UNHEARD, settle(End::Transient)];
    let first = [JOB, CLAIM, send(Kind::LookUp, Fate::Unreached)];
    let again = [look.to_vec(), lost.to_vec()].concat();
    let at_end = vec![Command::Wait(301)];
    walk([first.to_vec(), lost.to_vec(), again.clone(), again.clone(), again, at_end].concat()).await
}

#[tokio::test]
async fn a_job_that_is_done_in_spite_of_its_cancel_is_done() -> Verdict {
    let cancel = Command::Person { job: 0, does: Deed::Cancel };
    walk(vec![JOB, CLAIM, cancel, settle(End::Nothing)]).await
}
