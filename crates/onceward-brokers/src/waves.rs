//! Messages of one ordering key never overtake each other, and all others go side by side. Pure.

use std::collections::BTreeSet;
use std::future::Future;

use onceward::{Handover, Message, Order};

/// Hands messages over in waves: each holds at most one message of a key, the next one goes when it was taken.
///
/// `send` gives what became of those that it was given, in their order. Once a target is away the rest is not tried.
pub(crate) async fn hand_over<'m, F, A>(messages: &'m [Message], send: F) -> Vec<Handover>
where
    F: Fn(Vec<&'m Message>) -> A,
    A: Future<Output = Vec<Handover>>,
{
    let mut said: Vec<Option<Handover>> = vec![None; messages.len()];
    let mut order = Order::default();
    let mut away = None;
    while away.is_none() {
        let wave = next(messages, &mut said, &order);
        if wave.is_empty() {
            break;
        }
        let became = send(wave.iter().map(|at| &messages[*at]).collect()).await;
        for (at, became) in wave.into_iter().zip(became) {
            order.note(&messages[at], &became);
            away = away.or_else(|| outage(&became));
            said[at] = Some(became);
        }
    }
    // What was not tried waits for the same reason as what was.
    let untried = away.unwrap_or(Handover::Behind);
    said.into_iter().map(|said| said.unwrap_or_else(|| untried.clone())).collect()
}

fn outage(became: &Handover) -> Option<Handover> {
    matches!(became, Handover::Later(cause) if cause.outage).then(|| became.clone())
}

/// The places of those that may go now; those that can no more are settled.
fn next(messages: &[Message], said: &mut [Option<Handover>], order: &Order<'_>) -> Vec<usize> {
    let (mut keys, mut wave) = (BTreeSet::new(), Vec::new());
    for (at, message) in messages.iter().enumerate() {
        if said[at].is_some() {
            continue;
        }
        if order.is_behind(message) {
            said[at] = Some(Handover::Behind);
        } else if message.ordering_key.as_deref().is_none_or(|key| keys.insert(key)) {
            wave.push(at);
        }
    }
    wave
}
