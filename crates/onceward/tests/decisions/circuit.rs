use std::time::Duration;

use onceward::Time;
use onceward::circuit::{
    Allowance, Circuit, CircuitEvent, CircuitPolicy, CircuitState, gave_up, on_answer, on_outage, on_probe,
    on_success, on_unclear, probes, spends_try,
};
use proptest::prelude::*;

use crate::second;

const POLICY: CircuitPolicy =
    CircuitPolicy { failures: 3, pause: Duration::from_secs(30), max: Duration::from_mins(15) };

fn outages(count: u32, now: Time) -> Circuit {
    (0..count).fold(Circuit::default(), |circuit, _| on_outage(circuit, &POLICY, now).circuit)
}

#[test]
fn the_third_outage_in_a_row_opens() {
    assert_eq!(CircuitPolicy::default(), POLICY);
    let two = outages(2, second(0));
    assert_eq!(two.state, CircuitState::Closed { failures: 2 });
    assert_eq!(probes(&two, second(0)), Allowance::All);
    let step = on_outage(two, &POLICY, second(5));
    assert_eq!(step.event, Some(CircuitEvent::Opened { until: second(35) }));
    assert_eq!(probes(&step.circuit, second(34)), Allowance::None { until: second(35) });
    assert_eq!(probes(&step.circuit, second(35)), Allowance::One);
}

#[test]
fn an_answer_between_outages_starts_the_count_anew() {
    for answered in [on_answer(outages(2, second(0))), on_success(outages(2, second(0)), second(1))] {
        assert_eq!(answered.event, None);
        assert_eq!(answered.circuit.state, CircuitState::Closed { failures: 0 });
    }
}

#[test]
fn exactly_one_probe_goes() {
    let probing = on_probe(outages(3, second(0)), second(30));
    assert_eq!(probes(&probing, second(31)), Allowance::None { until: second(60) });
}

#[test]
fn a_probe_that_is_never_heard_of_makes_way_for_another() {
    let probing = on_probe(outages(3, second(0)), second(30));
    assert_eq!(probes(&probing, second(60)), Allowance::One);
    let again = on_probe(probing, second(60));
    assert_eq!(probes(&again, second(89)), Allowance::None { until: second(90) });
}

#[test]
fn a_probe_that_told_nothing_makes_way_for_another_at_once() {
    let probing = on_probe(outages(3, second(0)), second(30));
    let step = on_unclear(probing, second(31));
    assert_eq!((probes(&step.circuit, second(31)), step.event), (Allowance::One, None));
    let failed = on_outage(on_probe(step.circuit, second(31)), &POLICY, second(32)).circuit;
    assert_eq!(probes(&failed, second(91)), Allowance::None { until: second(92) }, "the pause doubled once");
    for other in [outages(2, second(0)), outages(3, second(0))] {
        assert_eq!(on_unclear(other, second(1)).circuit, other, "only a probe makes way");
    }
}

#[test]
fn each_failed_probe_doubles_the_pause_up_to_the_longest() {
    let (mut circuit, mut pauses) = (outages(3, second(0)), Vec::new());
    for _ in 0..7 {
        let Allowance::None { until } = probes(&circuit, second(0)) else { panic!("it is open") };
        let step = on_outage(on_probe(circuit, until), &POLICY, until);
        let Some(CircuitEvent::StillOpen { until: next, since }) = step.event else { panic!("no event") };
        assert_eq!(since, second(0));
        pauses.push(next.since(until).as_secs());
        circuit = step.circuit;
    }
    assert_eq!(pauses, [60, 120, 240, 480, 900, 900, 900]);
}

#[test]
fn late_outages_of_jobs_that_went_before_do_not_prolong_the_pause() {
    let open = outages(3, second(0));
    let late = on_outage(open, &POLICY, second(10));
    assert_eq!((late.circuit, late.event), (open, None));
}

#[test]
fn success_closes_and_says_since_when_it_was_open() {
    let step = on_success(on_probe(outages(3, second(0)), second(30)), second(31));
    assert_eq!(step.event, Some(CircuitEvent::Closed { since: second(0) }));
    let closed = Circuit { state: CircuitState::Closed { failures: 0 }, last_success_at: Some(second(31)) };
    assert_eq!(step.circuit, closed);
    let reopened = (0..3).fold(closed, |circuit, _| on_outage(circuit, &POLICY, second(40)).circuit);
    assert_eq!(probes(&reopened, second(40)), Allowance::None { until: second(70) }, "the first pause again");
}

#[test]
fn a_refusal_closes_without_being_a_success() {
    let step = on_answer(on_probe(outages(3, second(0)), second(30)));
    assert_eq!(step.event, Some(CircuitEvent::Closed { since: second(0) }));
    assert_eq!(step.circuit, Circuit::default());
}

#[test]
fn the_last_success_never_moves_back() {
    let circuit = on_success(Circuit::default(), second(9)).circuit;
    assert_eq!(on_success(circuit, second(3)).circuit.last_success_at, Some(second(9)));
}

#[test]
fn jobs_give_up_by_the_time_they_waited_behind_the_outage() {
    let hour = Duration::from_hours(1);
    let open = outages(3, second(0));
    assert!(!gave_up(&open, hour, second(-9_000), second(3_600)), "not longer than an hour yet");
    assert!(gave_up(&open, hour, second(-9_000), second(3_601)), "waiting before the outage does not count");
    assert!(!gave_up(&open, hour, second(1_800), second(5_400)));
    assert!(gave_up(&open, hour, second(1_800), second(5_401)));
    assert!(gave_up(&on_probe(open, second(30)), hour, second(0), second(3_601)), "a probe changes nothing");
    assert!(
        !gave_up(&Circuit::default(), hour, second(0), second(99_999)),
        "a closed circuit holds nobody up"
    );
}

#[test]
fn a_try_is_spent_only_if_another_job_succeeded_since() {
    assert!(spends_try(Some(second(2)), Some(second(1))));
    assert!(!spends_try(Some(second(1)), Some(second(2))));
    assert!(!spends_try(Some(second(1)), Some(second(1))));
    assert!(!spends_try(None, Some(second(1))));
    assert!(!spends_try(Some(second(1)), None), "the first outage is only the mark");
    assert!(!spends_try(None, None));
}

#[test]
fn a_circuit_survives_its_storage() {
    let open = on_success(Circuit::default(), second(0)).circuit;
    let open = (0..3).fold(open, |circuit, _| on_outage(circuit, &POLICY, second(1)).circuit);
    for circuit in [Circuit::default(), open, on_probe(open, second(60))] {
        let json = serde_json::to_string(&circuit).unwrap();
        assert_eq!(serde_json::from_str::<Circuit>(&json).unwrap(), circuit, "{json}");
    }
    let json = serde_json::to_string(&Circuit::default()).unwrap();
    assert_eq!(json, r#"{"state":{"closed":{"failures":0}},"last_success_at":null}"#);
}

#[test]
fn a_policy_takes_single_keys_and_names_the_wrong_one() {
    let policy: CircuitPolicy = serde_json::from_str(r#"{"failures":2}"#).unwrap();
    assert_eq!(policy, CircuitPolicy { failures: 2, ..POLICY });
    assert_eq!(policy.validate(4), Ok(()));
    for (key, bad) in [
        ("failures", CircuitPolicy { failures: 0, ..POLICY }),
        ("failures", CircuitPolicy { failures: 4, ..POLICY }),
        ("pause", CircuitPolicy { pause: Duration::ZERO, ..POLICY }),
        ("max", CircuitPolicy { max: Duration::from_secs(29), ..POLICY }),
    ] {
        let error = bad.validate(4).unwrap_err().to_string();
        assert!(error.starts_with(&format!("circuit.{key} is ")), "{error}");
    }
}

#[derive(Debug, Clone, Copy)]
enum Act {
    Claim,
    Outage,
    Success,
    Answer,
}

proptest! {
    /// Whatever happens in whatever order: it opens only by an outage, closes only by an answer, and the events
    /// tell each change and nothing else.
    #[test]
    fn every_change_of_state_has_its_cause_and_its_event(
        acts in prop::collection::vec((0..60_i64, prop_oneof![
            Just(Act::Claim), Just(Act::Outage), Just(Act::Outage), Just(Act::Success), Just(Act::Answer)
        ]), 0..60),
    ) {
        let (mut now, mut circuit) = (0, Circuit::default());
        for (wait, act) in acts {
            now += wait;
            let was = circuit.state.open_since();
            let event = match act {
                Act::Claim => {
                    if probes(&circuit, second(now)) == Allowance::One {
                        circuit = on_probe(circuit, second(now));
                        let held = matches!(probes(&circuit, second(now)), Allowance::None { .. });
                        prop_assert!(held, "a second probe went");
                    }
                    None
                }
                Act::Outage => step(&mut circuit, |circuit| on_outage(circuit, &POLICY, second(now))),
                Act::Success => step(&mut circuit, |circuit| on_success(circuit, second(now))),
                Act::Answer => step(&mut circuit, on_answer),
            };
            let is = circuit.state.open_since();
            let opened = matches!((act, event), (Act::Outage, Some(CircuitEvent::Opened { .. })));
            let stayed = matches!(event, None | Some(CircuitEvent::StillOpen { .. }));
            match (was, is) {
                (None, Some(_)) => prop_assert!(opened),
                (Some(since), None) => {
                    prop_assert!(matches!(act, Act::Success | Act::Answer));
                    prop_assert_eq!(event, Some(CircuitEvent::Closed { since }));
                }
                (None, None) => prop_assert_eq!(event, None),
                (Some(before), Some(after)) => prop_assert!(before == after && stayed),
            }
        }
    }
}

fn step(circuit: &mut Circuit, act: impl FnOnce(Circuit) -> onceward::circuit::Step) -> Option<CircuitEvent> {
    let step = act(*circuit);
    *circuit = step.circuit;
    step.event
}
