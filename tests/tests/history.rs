//! The history checker: a sound history has no flaw, and each planted one is found.

use onceward_tests::fact::Fact;
use onceward_tests::history::{Attempt, Flaw, Held, Job, flaws};

fn job(id: i64, state: &str, attempts: i64) -> Job {
    let leased = (state == "running").then(|| "x".to_owned());
    Job {
        id,
        state: state.to_owned(),
        attempts,
        tries: 0,
        crashes: 0,
        claim_no: attempts,
        lease_token: leased.clone(),
        lease_owner: leased,
        error_code: None,
    }
}

fn attempt(job_id: i64, number: i64, outcome: &str) -> Attempt {
    Attempt { job_id, number, outcome: outcome.to_owned(), worker: None }
}

fn enqueued(job: i64) -> Fact {
    Fact::Enqueued { job, new: true }
}

fn started(job: i64, claim_no: i64) -> Fact {
    Fact::Started { job, claim_no, token: format!("t{claim_no}"), lone: false }
}

/// Three jobs: done at the second attempt, running, pending.
fn sound() -> (Vec<Fact>, Held) {
    let facts = vec![
        enqueued(1),
        enqueued(2),
        enqueued(3),
        Fact::Enqueued { job: 1, new: false },
        started(1, 1),
        started(1, 2),
        Fact::Done { job: 1 },
        started(2, 1),
    ];
    let attempts = vec![attempt(1, 1, "crashed"), attempt(1, 2, "done")];
    (facts, Held { jobs: vec![job(1, "done", 2), job(2, "running", 1), job(3, "pending", 0)], attempts })
}

/// The flaws of the sound history with one thing changed.
fn planted(change: impl FnOnce(&mut Vec<Fact>, &mut Held)) -> Vec<Flaw> {
    let (mut facts, mut held) = sound();
    change(&mut facts, &mut held);
    flaws(&facts, &held)
}

#[test]
fn a_sound_history_has_no_flaw() {
    assert_eq!(planted(|_, _| {}), []);
    assert_eq!(flaws(&[], &Held::default()), []);
}

#[test]
fn an_acknowledged_job_that_is_gone_is_lost() {
    assert_eq!(planted(|_, held| drop(held.jobs.remove(2))), [Flaw::Lost(3)]);
}

#[test]
fn an_acknowledged_end_that_is_gone_is_undone() {
    let undone = planted(|_, held| {
        held.jobs[0] = job(1, "pending", 1);
        held.jobs[0].claim_no = 2;
        held.attempts.pop();
    });
    assert_eq!(undone, [Flaw::Undone(1, "pending".to_owned())]);
    assert_eq!(
        planted(|facts, _| facts.push(Fact::Done { job: 9 })),
        [Flaw::Undone(9, "nowhere".to_owned())]
    );
}

#[test]
fn a_number_or_a_claim_given_twice_is_found() {
    assert_eq!(planted(|facts, _| facts.push(enqueued(3))), [Flaw::NumberTwice(3)]);
    assert_eq!(planted(|facts, _| facts.push(started(1, 2))), [Flaw::ClaimedTwice(1, 2)]);
}

#[test]
fn a_run_that_the_store_knows_nothing_of_is_found() {
    assert_eq!(planted(|facts, _| facts.push(started(3, 1))), [Flaw::Unclaimed(3, 1)]);
    assert_eq!(planted(|facts, _| facts.push(started(9, 1))), [Flaw::Unclaimed(9, 1)]);
}

#[test]
fn an_end_that_did_not_stay_the_end_is_found() {
    assert_eq!(planted(|_, held| held.attempts[0].outcome = "done".to_owned()), [Flaw::DoneTwice(1)]);
    let again = planted(|_, held| {
        held.attempts[0].outcome = "done".to_owned();
        held.attempts[1].outcome = "failed".to_owned();
    });
    assert_eq!(again, [Flaw::AfterDone(1)]);
    assert_eq!(
        planted(|facts, held| {
            facts.retain(|fact| *fact != Fact::Done { job: 1 });
            held.jobs[0].state = "pending".to_owned();
        }),
        [Flaw::AfterDone(1)]
    );
    assert_eq!(planted(|_, held| held.attempts[1].outcome = "failed".to_owned()), [Flaw::DoneByNobody(1)]);
}

#[test]
fn a_state_without_an_owner_is_found() {
    assert_eq!(planted(|_, held| held.jobs[1].lease_owner = None), [Flaw::NoOwner(2)]);
    assert_eq!(planted(|_, held| held.jobs[1].lease_token = None), [Flaw::NoOwner(2)]);
    assert_eq!(planted(|_, held| held.jobs[2].lease_token = Some("x".to_owned())), [Flaw::NoOwner(3)]);
}

#[test]
fn an_attempt_that_was_not_counted_is_found() {
    assert_eq!(planted(|_, held| drop(held.attempts.remove(0))), [Flaw::Uncounted(1)]);
    assert_eq!(planted(|_, held| held.attempts.push(attempt(2, 1, "failed"))), [Flaw::Uncounted(2)]);
    assert_eq!(planted(|_, held| held.jobs[0].claim_no = 1), [Flaw::Unclaimed(1, 2), Flaw::Uncounted(1)]);
}
