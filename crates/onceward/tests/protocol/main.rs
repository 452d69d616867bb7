//! The lease, intent and send protocol, explored exhaustively: every order of claim, stall, crash, heartbeat,
//! late delivery, lost answer, expiry, look-up and a person's word, for one job with one effect.
//!
//! It is a model of the rules, not of the code. Each rule is broken once below, and the checker must find what
//! that costs. A law that no broken rule can hurt would be worth nothing.
//!
//! Assumed: a person and a look-up say what can be seen at that moment; all clocks run at one speed (the margin
//! on the lease pays for drift); a platform accepts nothing after the request's deadline, and shows within its
//! lag what it accepted (one that works later than that has a longer lag).
//! Left out, because they are a person's risk by name: `--may-repeat` and `on_doubt = "resend"`.

mod laws;
mod model;
mod reach;
mod rules;
mod state;

use stateright::{Checker, HasDiscoveries, Model};

use laws::{CANCELLED, FENCED, FINAL, INTENT_FIRST, ONCE, TRUE_DONE};
use model::{Action, Step};
use reach::stranded;
use rules::{Bug, Class, Protocol, Times};
use state::{Job, World};

const TIMES: Times = Times { lease: 3, deadline: 2, lag: 1 };

fn protocol(class: Class, workers: usize) -> Protocol {
    Protocol { class, workers, times: TIMES, bug: None }
}

/// Explores everything; no law may break, and every `sometimes` must be reached.
fn holds(protocol: Protocol) {
    let checked = protocol.checker().threads(1).spawn_bfs().join();
    println!("{protocol:?}: {} states, depth {}", checked.unique_state_count(), checked.max_depth());
    checked.assert_properties();
}

/// Explores until the law breaks, and returns a way there.
fn breaks(class: Class, bug: Bug, law: &'static str) -> Vec<Action> {
    let protocol = Protocol { bug: Some(bug), ..protocol(class, 2) };
    let until = HasDiscoveries::AllOf([law].into());
    let checked = protocol.checker().threads(1).finish_when(until).spawn_bfs().join();
    let way = checked.assert_any_discovery(law).into_actions();
    println!("{bug:?}: {} states, found in {} steps: {way:?}", checked.unique_state_count(), way.len());
    way
}

#[test]
fn a_blind_effect_is_accepted_at_most_once_by_two_workers() {
    holds(protocol(Class::Blind, 2));
}

#[test]
fn a_blind_effect_is_accepted_at_most_once_by_three_workers() {
    holds(protocol(Class::Blind, 3));
}

#[test]
fn an_effect_that_can_be_looked_up_is_accepted_at_most_once_by_two_workers() {
    holds(protocol(Class::LookUp, 2));
}

#[test]
fn an_effect_that_can_be_looked_up_is_accepted_at_most_once_by_three_workers() {
    holds(protocol(Class::LookUp, 3));
}

/// The laws are no accident of one choice of times: tight and wide leases, short and long lags.
#[test]
fn the_laws_hold_for_other_leases_deadlines_and_lags() {
    for (lease, deadline, lag) in
        [(1, 1, 1), (2, 1, 1), (2, 2, 3), (4, 1, 2), (4, 2, 3), (4, 3, 1), (5, 4, 5)]
    {
        let times = Times { lease, deadline, lag };
        holds(Protocol { times, ..protocol(Class::Blind, 2) });
        holds(Protocol { times, ..protocol(Class::LookUp, 2) });
    }
}

#[test]
fn from_every_state_the_job_can_still_be_settled() {
    for class in [Class::Blind, Class::LookUp] {
        assert_eq!(stranded(protocol(class, 2), |_| true), []);
    }
}

#[test]
fn only_a_blind_doubt_needs_a_person() {
    let waiting = |class| {
        let stuck = stranded(protocol(class, 2), Action::is_automatic);
        stuck.into_iter().filter(|world| world.job != Job::Dead).collect::<Vec<_>>()
    };
    assert_eq!(waiting(Class::LookUp), []);
    let blind = waiting(Class::Blind);
    assert!(!blind.is_empty());
    assert!(blind.iter().all(World::is_open));
}

#[test]
fn a_reaper_that_leaves_doubts_alone_strands_the_job() {
    let buggy = Protocol { bug: Some(Bug::ReaperLeavesDoubts), ..protocol(Class::LookUp, 2) };
    assert!(!stranded(buggy, |_| true).is_empty());
}

#[test]
fn sending_again_without_a_quiet_period_posts_twice() {
    breaks(Class::Blind, Bug::NoQuietPeriod, ONCE);
    breaks(Class::LookUp, Bug::NoQuietPeriod, ONCE);
}

/// A worker may send late in its lease, long after it wrote the intent.
#[test]
fn a_quiet_period_that_ignores_the_lease_posts_twice() {
    breaks(Class::Blind, Bug::QuietPeriodIgnoresTheLease, ONCE);
}

#[test]
fn a_quiet_period_that_ignores_the_visibility_lag_posts_twice() {
    breaks(Class::LookUp, Bug::QuietPeriodIgnoresTheLag, ONCE);
}

/// The end of the quiet period is stored with the intent, so a heartbeat between intent and send must move it.
#[test]
fn a_quiet_period_that_ignores_heartbeats_posts_twice() {
    breaks(Class::Blind, Bug::QuietPeriodIgnoresHeartbeats, ONCE);
}

#[test]
fn a_retry_on_lease_expiry_over_an_open_effect_posts_twice() {
    breaks(Class::Blind, Bug::RetryOnExpiry, ONCE);
}

#[test]
fn a_retry_on_a_lost_answer_posts_twice() {
    breaks(Class::Blind, Bug::RetryOnLostAnswer, ONCE);
}

#[test]
fn a_retry_on_a_book_keeping_error_posts_twice() {
    breaks(Class::Blind, Bug::RetryOnBookkeepingError, ONCE);
}

#[test]
fn without_the_fence_a_stale_worker_posts_twice() {
    breaks(Class::Blind, Bug::NoFence, FENCED);
    breaks(Class::Blind, Bug::NoFence, ONCE);
    breaks(Class::LookUp, Bug::NoFence, ONCE);
}

#[test]
fn an_intent_after_the_send_posts_twice() {
    breaks(Class::Blind, Bug::IntentAfterSend, INTENT_FIRST);
    breaks(Class::Blind, Bug::IntentAfterSend, ONCE);
}

#[test]
fn a_revive_over_an_open_effect_posts_twice() {
    breaks(Class::Blind, Bug::ReviveOverDoubt, ONCE);
}

#[test]
fn a_cancel_that_a_running_job_forgets_is_followed_by_a_send() {
    breaks(Class::Blind, Bug::CancelForgotten, CANCELLED);
}

/// A page that still shows the doubt, while a late receipt has ended it.
#[test]
fn a_resolve_that_ignores_the_state_undoes_a_done_job() {
    breaks(Class::Blind, Bug::ResolveIgnoresTheState, FINAL);
}

/// The quiet period does not help here: a stall may outlast it.
#[test]
fn a_send_without_a_look_at_the_lease_posts_twice() {
    breaks(Class::Blind, Bug::LeaseNotChecked, ONCE);
}

/// "Not yet expired" is too weak a check: what is left must cover the request's own deadline.
#[test]
fn a_send_at_the_end_of_the_lease_posts_twice() {
    breaks(Class::Blind, Bug::RequestMayOutliveTheLease, ONCE);
}

/// The hole no code closes: a process frozen after the check sends whenever it thaws.
#[test]
fn a_freeze_between_check_and_send_can_post_twice() {
    let way = breaks(Class::Blind, Bug::FreezeBetweenCheckAndSend, ONCE);
    assert!(way.iter().any(|action| matches!(action, Action::By(_, Step::Check))));
}

/// The hole a tool can only warn of: a person answers after the quiet period, but looked before its end.
#[test]
fn an_answer_older_than_its_look_can_post_twice() {
    breaks(Class::Blind, Bug::AnswerOlderThanItsLook, ONCE);
}

/// What the laws assume of people: a guess makes `done` untrue, whatever the code does.
#[test]
fn a_person_who_guesses_makes_done_untrue() {
    breaks(Class::Blind, Bug::PersonGuesses, TRUE_DONE);
}
