//! How often things happen: single commands, and attempts from claim to settle.

use proptest::prelude::*;

use super::command::{Ask, Command, Deed, Door, End, Fate, Kind, Mode};

const KEYS: u8 = 3;

pub(super) fn commands() -> impl Strategy<Value = Vec<Command>> {
    let one = command().prop_map(|command| vec![command]);
    let scene = prop_oneof![6 => one, 5 => attempt(), 1 => takeover(), 1 => rivals(), 1 => word()];
    prop::collection::vec(scene, 1..=40).prop_map(|scenes| scenes.concat())
}

/// A claim and what mostly goes before and after it. Where a part is missing, a later command or the lease ends it.
fn attempt() -> impl Strategy<Value = Vec<Command>> {
    let part = |often, command: BoxedStrategy<Command>| prop::option::weighted(often, command);
    let newest = || Just(0).boxed();
    let parts = (
        part(0.3, ask().prop_map(Command::Enqueue).boxed()),
        part(0.4, wait()),
        part(0.95, claim()),
        part(0.85, send(newest())),
        part(0.15, few(3).prop_map(|job| Command::Person { job, does: Deed::Cancel }).boxed()),
        part(0.85, answer(newest())),
        part(0.85, settle(newest())),
    );
    parts.prop_map(|(ask, wait, claim, send, cancel, answer, settle)| {
        [ask, wait, claim, send, cancel, answer, settle].into_iter().flatten().collect()
    })
}

/// A worker falls silent for longer than its lease, another one has the job, and the first one comes back.
fn takeover() -> impl Strategy<Value = Vec<Command>> {
    let part = |command: BoxedStrategy<Command>| prop::option::weighted(0.85, command);
    let claim = |lone| Just(Command::Claim { worker: u8::from(lone), most: 1, lone }).boxed();
    let older = || few(2).prop_map(|hand| 1 - hand).boxed();
    let parts = (
        part(claim(false)),
        part(send(Just(0).boxed())),
        part(Just(Command::SlowReaperLooks).boxed()),
        part(Just(Command::Wait(61)).boxed()),
        part(prop::sample::select(vec![Command::Reap, Command::SlowReaperLooks]).boxed()),
        part(claim(true)),
        part(prop_oneof![settle(older()), answer(older()), Just(Command::SlowReaperTakes)].boxed()),
    );
    parts.prop_map(|(claim, send, look, wait, reap, again, late)| {
        [claim, send, look, wait, reap, again, late].into_iter().flatten().collect()
    })
}

/// A doubt, a person's word on it, and perhaps another budget for what was given up.
fn word() -> impl Strategy<Value = Vec<Command>> {
    use Deed::{Cancel, GivesUp, SaysItDidNot, SaysItHappened, Verify};
    let part = |command: BoxedStrategy<Command>| prop::option::weighted(0.85, command);
    let first = |does| Command::Person { job: 0, does };
    let deeds = prop::sample::select(vec![Cancel, Verify, SaysItHappened, SaysItDidNot, GivesUp, GivesUp]);
    let parts = (
        part(claim()),
        part(send(Just(0).boxed())),
        part(settle(Just(0).boxed())),
        part(wait()),
        part(deeds.prop_map(first).boxed()),
        part(prop_oneof![3 => revive().prop_map(first), 1 => Just(Command::ReviveAll)].boxed()),
    );
    parts.prop_map(|(claim, send, settle, wait, word, revive)| {
        [claim, send, settle, wait, word, revive].into_iter().flatten().collect()
    })
}

/// Two callers want one key.
fn rivals() -> impl Strategy<Value = Vec<Command>> {
    let part = |command: BoxedStrategy<Command>| prop::option::weighted(0.85, command);
    (0..KEYS).prop_flat_map(move |key| {
        let parts = (
            part(Just(Command::LookAtKey(key)).boxed()),
            part(ask_for(key).prop_map(Command::Enqueue).boxed()),
            part(ask_for(key).prop_map(Command::Enqueue).boxed()),
        );
        parts.prop_map(|(look, one, other)| [look, one, other].into_iter().flatten().collect())
    })
}

fn wait() -> BoxedStrategy<Command> {
    prop::sample::select(vec![1, 11, 11, 61, 61, 301, 3601, 90_000]).prop_map(Command::Wait).boxed()
}

fn command() -> BoxedStrategy<Command> {
    prop_oneof![
        9 => ask().prop_map(Command::Enqueue),
        1 => (0..KEYS).prop_map(Command::LookAtKey),
        3 => claim(),
        1 => few(4).prop_map(|hand| Command::Extend { hand }),
        6 => wait(),
        3 => send(few(4)),
        2 => answer(few(4)),
        3 => settle(few(4)),
        1 => (few(4), end()).prop_map(|(hand, end)| Command::SettleAgain { hand, end }),
        2 => Just(Command::Reap),
        1 => Just(Command::SlowReaperLooks),
        1 => Just(Command::SlowReaperTakes),
        1 => (0..2_u8, any::<bool>()).prop_map(|(worker, noticed)| Command::Kill { worker, noticed }),
        9 => (few(6), deed()).prop_map(|(job, does)| Command::Person { job, does }),
        1 => Just(Command::ReviveAll),
        1 => Just(Command::CarryOutDiscards),
        1 => Just(Command::FoldFigures),
        4 => Just(Command::ResumeQueue),
    ]
    .boxed()
}

fn claim() -> BoxedStrategy<Command> {
    let claim = (0..2_u8, 1..=2_u32, prop::bool::weighted(0.2));
    claim.prop_map(|(worker, most, lone)| Command::Claim { worker, most, lone }).boxed()
}

fn send(hand: BoxedStrategy<usize>) -> BoxedStrategy<Command> {
    let step = prop_oneof![3 => Just(0), 1 => Just(1)];
    (hand, step, kind(), fate(), any::<bool>())
        .prop_map(|(hand, step, class, fate, blurred)| Command::Send { hand, step, class, fate, blurred })
        .boxed()
}

fn answer(request: BoxedStrategy<usize>) -> BoxedStrategy<Command> {
    (request, any::<bool>()).prop_map(|(request, heard)| Command::Answer { request, heard }).boxed()
}

fn settle(hand: BoxedStrategy<usize>) -> BoxedStrategy<Command> {
    (hand, end()).prop_map(|(hand, end)| Command::Settle { hand, end }).boxed()
}

/// Mostly the first.
fn few(count: usize) -> BoxedStrategy<usize> {
    prop_oneof![2 => Just(0), 1 => 0..count].boxed()
}

fn ask() -> impl Strategy<Value = Ask> {
    let unkeyed = ask_for(0).prop_map(|ask| Ask { key: None, ..ask });
    prop_oneof![1 => unkeyed, 1 => (0..KEYS).prop_flat_map(ask_for)]
}

fn ask_for(key: u8) -> impl Strategy<Value = Ask> {
    let mode = prop::sample::select(vec![Mode::Forever, Mode::UntilSettled, Mode::ForAnHour]);
    let door = prop_oneof![
        1 => Just(Door::Enqueue),
        1 => prop::bool::weighted(0.7).prop_map(|commits| Door::InTransaction { commits }),
    ];
    let rarely = || prop::bool::weighted(0.15);
    (mode, 0..2_u8, any::<bool>(), rarely(), rarely(), door).prop_map(
        move |(mode, payload, update, held, later, door)| {
            let key = Some((key, mode));
            Ask { key, payload, update, held, later, door }
        },
    )
}

fn kind() -> impl Strategy<Value = Kind> {
    prop::sample::select(vec![Kind::Blind, Kind::LookUp, Kind::Keyed, Kind::KeyedThenLookUp])
}

fn fate() -> impl Strategy<Value = Fate> {
    prop::sample::select(vec![Fate::Accepts, Fate::Accepts, Fate::Refuses, Fate::Unreached])
}

fn end() -> impl Strategy<Value = End> {
    use End::{
        AuthNeeded, InDoubt, Interrupted, NotCommitted, Nothing, Permanent, RateLimited, Receipt, Snooze,
        Transient,
    };
    prop_oneof![
        16 => prop::sample::select(vec![Receipt, Transient, Transient, Interrupted]),
        8 => prop::sample::select(vec![Nothing, Snooze, NotCommitted, Permanent, InDoubt, RateLimited]),
        1 => Just(AuthNeeded),
    ]
}

fn deed() -> impl Strategy<Value = Deed> {
    use Deed::{Cancel, Discard, GivesUp, Hold, Release, SaysItDidNot, SaysItHappened, Undiscard, Verify};
    prop_oneof![
        4 => prop::sample::select(vec![Cancel, Hold, Discard, Undiscard]),
        6 => prop::sample::select(vec![Release, Verify, SaysItHappened, SaysItDidNot, GivesUp]),
        4 => revive(),
    ]
}

fn revive() -> impl Strategy<Value = Deed> {
    let payload = prop::option::weighted(0.2, 0..2_u8);
    (payload, prop::bool::weighted(0.2))
        .prop_map(|(payload, may_repeat)| Deed::Revive { payload, may_repeat })
}
