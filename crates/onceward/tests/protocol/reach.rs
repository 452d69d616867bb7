//! Liveness, as reachability: is there still a way out? (An `eventually` of the checker looks only at the
//! ends of paths, and a protocol that may retry for ever has none.)

use std::collections::HashMap;

use stateright::Model;

use crate::model::Action;
use crate::rules::Protocol;
use crate::state::{Job, World};

/// Every reachable state from which the chosen actions no longer lead to an end.
pub(crate) fn stranded(protocol: Protocol, chosen: fn(Action) -> bool) -> Vec<World> {
    let (states, before) = explore(protocol, chosen);
    let mut saved: Vec<bool> = states.iter().map(is_settled).collect();
    let mut news: Vec<usize> = (0..states.len()).filter(|&state| saved[state]).collect();
    while let Some(state) = news.pop() {
        for &earlier in &before[state] {
            if !saved[earlier] {
                saved[earlier] = true;
                news.push(earlier);
            }
        }
    }
    let stranded: Vec<World> =
        states.into_iter().zip(&saved).filter_map(|(state, saved)| (!saved).then_some(state)).collect();
    println!("{protocol:?}: {} of {} states stranded", stranded.len(), saved.len());
    stranded
}

fn is_settled(world: &World) -> bool {
    matches!(world.job, Job::Done | Job::Cancelled)
}

/// All states by any action, and for each the states that lead to it by a chosen one.
fn explore(protocol: Protocol, chosen: fn(Action) -> bool) -> (Vec<World>, Vec<Vec<usize>>) {
    let mut states = protocol.init_states();
    let mut numbers: HashMap<World, usize> = states.iter().cloned().zip(0..).collect();
    let mut before = vec![Vec::new(); states.len()];
    let mut from = 0;
    while from < states.len() {
        for (action, next) in protocol.next_steps(&states[from]) {
            let number = *numbers.entry(next.clone()).or_insert(states.len());
            if number == states.len() {
                states.push(next);
                before.push(Vec::new());
            }
            if chosen(action) {
                before[number].push(from);
            }
        }
        from += 1;
    }
    (states, before)
}
