use std::time::Duration;

use onceward::circuit::{Circuit, CircuitPolicy, CircuitState, on_outage, on_probe};
use onceward::pace::{Gate, Room, further, room};

use crate::second;

const OPEN: Gate = Gate {
    paused: false,
    not_before: None,
    circuit: Circuit { state: CircuitState::Closed { failures: 0 }, last_success_at: None },
    concurrency: None,
    running: 0,
    rate: None,
    tat: None,
};

/// Opened at 0 s, to be probed at 30 s.
fn outage() -> Circuit {
    let policy = CircuitPolicy::default();
    (0..3).fold(Circuit::default(), |circuit, _| on_outage(circuit, &policy, second(0)).circuit)
}

fn nothing_until(seconds: i64) -> Room {
    Room { take: 0, probe: false, tat: None, wait_until: Some(second(seconds)) }
}

#[test]
fn a_queue_without_limits_gives_what_is_wanted() {
    assert_eq!(room(&OPEN, 500, second(0)), Room { take: 500, probe: false, tat: None, wait_until: None });
}

#[test]
fn a_paused_queue_gives_nothing_and_no_instant() {
    let gate = Gate { paused: true, not_before: Some(second(9)), tat: Some(second(1)), ..OPEN };
    assert_eq!(
        room(&gate, 5, second(0)),
        Room { take: 0, probe: false, tat: Some(second(1)), wait_until: None }
    );
}

#[test]
fn nothing_goes_before_not_before() {
    let gate = Gate { not_before: Some(second(60)), rate: "1/10m".parse().ok(), ..OPEN };
    assert_eq!(room(&gate, 5, second(59)), nothing_until(60));
    assert_eq!(room(&gate, 5, second(60)).take, 1);
}

#[test]
fn an_open_circuit_gives_nothing_and_then_one_probe() {
    let gate = Gate { circuit: outage(), ..OPEN };
    assert_eq!(room(&gate, 5, second(29)), nothing_until(30));
    assert_eq!(room(&gate, 5, second(30)), Room { take: 1, probe: true, tat: None, wait_until: None });
    let gate = Gate { circuit: on_probe(gate.circuit, second(30)), ..gate };
    assert_eq!(room(&gate, 5, second(31)), nothing_until(60));
}

#[test]
fn the_later_of_two_walls_is_waited_for() {
    let gate = Gate { circuit: outage(), not_before: Some(second(10)), ..OPEN };
    assert_eq!(room(&gate, 5, second(0)), nothing_until(30));
    let gate = Gate { not_before: Some(second(99)), ..gate };
    assert_eq!(room(&gate, 5, second(0)), nothing_until(99));
    assert_eq!(room(&gate, 5, second(40)), nothing_until(99));
}

#[test]
fn the_least_of_slots_and_rate_decides() {
    let gate = Gate { concurrency: Some(4), running: 2, rate: "10/s".parse().ok(), ..OPEN };
    assert_eq!(room(&gate, 5, second(0)).take, 2);
    assert_eq!(room(&Gate { concurrency: None, ..gate }, 50, second(0)).take, 10);
    assert_eq!(room(&gate, 1, second(0)).take, 1);
}

#[test]
fn full_slots_take_no_tokens_and_give_no_instant() {
    let gate = Gate { concurrency: Some(1), running: 1, rate: "1/10m".parse().ok(), ..OPEN };
    assert_eq!(room(&gate, 5, second(0)), Room { take: 0, probe: false, tat: None, wait_until: None });
}

#[test]
fn a_spent_rate_says_when_it_gives_again() {
    let gate = Gate { rate: "1/10m".parse().ok(), ..OPEN };
    let first = room(&gate, 5, second(0));
    assert_eq!(first, Room { take: 1, probe: false, tat: Some(second(600)), wait_until: Some(second(600)) });
    let again = room(&Gate { tat: first.tat, ..gate }, 5, second(1));
    assert_eq!(again, Room { take: 0, ..first });
}

#[test]
fn a_probe_is_not_one_when_the_rate_holds_it_back() {
    let gate = Gate { circuit: outage(), rate: "1/10m".parse().ok(), tat: Some(second(100)), ..OPEN };
    let held = room(&gate, 5, second(30));
    assert_eq!(held, Room { take: 0, probe: false, tat: gate.tat, wait_until: gate.tat });
    let later = gate.tat.map(|tat| tat.after(Duration::ZERO)).unwrap();
    assert!(room(&gate, 5, later).probe);
}

#[test]
fn a_job_that_runs_may_go_on_in_the_pace_of_its_queue() {
    assert_eq!(further(&OPEN, second(0)), Ok(None));
    let full = Gate { concurrency: Some(1), running: 1, ..OPEN };
    assert_eq!(further(&full, second(0)), Ok(None), "it has its place already");
    let paced = Gate { rate: "1/10m".parse().ok(), ..OPEN };
    let Ok(tat) = further(&paced, second(0)) else { panic!("the first of a rate is free") };
    let gate = Gate { tat, ..paced };
    assert_eq!(further(&gate, second(599)), Err(second(600)));
    assert!(further(&gate, second(600)).is_ok());
    let asked = Gate { not_before: Some(second(60)), ..OPEN };
    assert_eq!(further(&asked, second(59)), Err(second(60)));
    let paused = Gate { paused: true, ..OPEN };
    assert_eq!(
        further(&paused, second(5)),
        Err(second(5)),
        "handed back at once; the queue gives it to nobody"
    );
}
