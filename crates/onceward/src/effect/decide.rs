//! What may be done about an effect now. Pure.

use std::time::Duration;

use super::{Class, EffectState, Entry, Fallback, Seen};
use crate::Time;

/// A key is trusted for this share of its window: clocks differ, and requests take time.
const WINDOW_SHARE: u32 = 10;
/// Looks that find nothing before the absence is believed.
const ABSENT_ENOUGH: u32 = 2;
/// Looks that cannot tell before a person is asked.
const LOOKS: u32 = 6;
/// The shortest time between two looks.
const LOOK_GAP: Duration = Duration::from_secs(5);
/// The longest time between two repeats of one request, unless its own deadline is longer.
const REPEAT_GAP: Duration = Duration::from_hours(1);

/// The next move.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Next {
    /// It happened; the receipt is in the ledger.
    Accepted,
    /// Send it: it was never sent, was refused, or a repeat is known to be harmless.
    Send,
    /// Ask the platform.
    Look,
    /// It certainly did not happen: say so in the ledger, then decide again.
    Gone,
    /// Not before then.
    Wait(Time),
    /// Nobody but a person can tell.
    Park,
}

/// When the quiet period of a send ends, and when to look again if nothing is heard of it. `entry` is from before it.
///
/// `leased_until` is that of the intent, not of a later heartbeat: the send starts only while this lease has room
/// for the whole request, so a request cannot be on its way any later.
pub(crate) fn schedule(entry: &Entry, now: Time, leased_until: Time) -> (Time, Option<Time>) {
    let terms = &entry.terms;
    let answered = now.after(terms.timeout);
    let quiet = leased_until.max(answered).after(terms.lag());
    let repeat = now.after(gap(terms.timeout, entry.sends));
    let check = match terms.class {
        Class::Deterministic => Some(repeat),
        Class::Keyed { window, fallback } => {
            // The last repeat that the key allows is made while it does.
            let end = entry.first_sent_at.unwrap_or(now).after(trusted(window));
            let at = repeat.min(end.before(terms.timeout)).max(answered);
            Some(if at < end || fallback == Fallback::Blind { at } else { quiet })
        }
        Class::TwoPhase | Class::LookUp { .. } => Some(quiet),
        Class::Blind => terms.resend.then_some(quiet),
    };
    (quiet, check)
}

/// Doubles with each send: a peer that is slow or down is not asked more and more.
fn gap(timeout: Duration, sends: u32) -> Duration {
    timeout.saturating_mul(1 << sends.min(20)).min(REPEAT_GAP.max(timeout))
}

/// Decides from the ledger. `can_look`: the handler gave a way to verify.
pub(crate) fn next(entry: &Entry, can_look: bool) -> Next {
    match entry.state {
        EffectState::Accepted => Next::Accepted,
        EffectState::Prepared | EffectState::Refused => Next::Send,
        EffectState::Sending | EffectState::Unknown => open(entry, can_look),
    }
}

fn open(entry: &Entry, can_look: bool) -> Next {
    match entry.terms.class {
        // A repeat of what was cancelled would be a send; a look is none.
        Class::Deterministic if entry.stop => look(entry, can_look),
        Class::Deterministic => Next::Send,
        Class::Keyed { window, fallback } => match fallback {
            _ if within(entry, window) && !entry.stop => Next::Send,
            Fallback::LookUp { .. } => look(entry, can_look),
            Fallback::Blind => blind(entry),
        },
        Class::TwoPhase | Class::LookUp { .. } => look(entry, can_look),
        Class::Blind => blind(entry),
    }
}

/// What a refusal, or a request that never left, makes of an effect.
///
/// A key may be repeated while its first send may have happened. What the repeat was answered says nothing of that
/// one, and the key is not known for ever: the doubt stays.
pub(crate) fn not_done(entry: &Entry, said: EffectState) -> EffectState {
    let open = matches!(entry.state, EffectState::Sending | EffectState::Unknown);
    match entry.terms.class {
        Class::Keyed { window, .. } if open && within(entry, window) => EffectState::Unknown,
        _ => said,
    }
}

/// Whether a repeat that had no clear answer is worth a look at once, `entry` being from before it. Some platforms fail
/// when they meet a key whose first send they carried out; to find that one is as good as an answer.
pub(crate) fn is_in_sight(entry: &Entry, can_look: bool) -> bool {
    let open = matches!(entry.state, EffectState::Sending | EffectState::Unknown);
    let looked_up = matches!(entry.terms.class, Class::Keyed { fallback: Fallback::LookUp { .. }, .. });
    can_look && open && looked_up
}

fn within(entry: &Entry, window: Duration) -> bool {
    entry.first_sent_at.is_some_and(|first| entry.now.since(first) < trusted(window))
}

fn trusted(window: Duration) -> Duration {
    window.saturating_sub(window / WINDOW_SHARE)
}

fn look(entry: &Entry, can_look: bool) -> Next {
    match entry.quiet_until {
        _ if !can_look => Next::Park,
        Some(quiet) if entry.now < quiet => Next::Wait(quiet),
        _ if entry.absent >= ABSENT_ENOUGH => Next::Gone,
        _ if entry.looks >= LOOKS => Next::Park,
        _ => Next::Look,
    }
}

fn blind(entry: &Entry) -> Next {
    match entry.quiet_until {
        _ if !entry.terms.resend || entry.sends > 1 => Next::Park,
        Some(quiet) if entry.now < quiet => Next::Wait(quiet),
        _ => Next::Send,
    }
}

/// After a look that did not find it: when to look again; `None`: a person decides.
pub(crate) fn look_again(entry: &Entry, seen: &Seen) -> Option<Time> {
    let looks = entry.looks + 1;
    let gap = entry.terms.lag().max(LOOK_GAP);
    match seen {
        Seen::Absent => Some(entry.now.after(gap)),
        _ if looks >= LOOKS => None,
        _ => Some(entry.now.after(gap.saturating_mul(1 << looks.min(10)))),
    }
}

#[cfg(test)]
mod tests;
