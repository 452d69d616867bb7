//! Random walks: each command is done to a small model in memory and to the real store, and both must agree after it.
//!
//! The clock moves only by command, so a seed gives the same walk every time. A walk that fails is shrunk to a
//! shortest one. That the walks can fail is shown by bugs planted on purpose (`planted.rs`): each must be found
//! within the same number of walks.

mod callers;
mod claims;
mod command;
mod drive;
mod endings;
mod enqueues;
mod generate;
mod handlers;
mod known;
mod laws;
mod ledger;
mod people;
mod platform;
mod rows;
mod state;
mod store;
mod verbs;
mod walk;

use proptest::test_runner::TestError;

use self::command::Command;
use self::store::Store;
use self::walk::{Found, walks};
use crate::planted::Planted;

/// How many walks each test takes.
const WALKS: u32 = 100;

/// How many on PostgreSQL, where a step takes longer.
const FEWER: u32 = 25;

#[test]
fn the_store_agrees_with_the_model_on_every_walk() {
    agrees(walks(Store::sqlite, None, WALKS));
}

#[test]
fn postgres_agrees_with_the_model_on_every_walk() {
    agrees(walks(Store::postgres, None, FEWER));
}

fn agrees(Found { error, at }: Found) {
    assert!(error.is_none(), "walk {at}: {}", error.map(shown).unwrap_or_default());
}

#[test]
fn a_settle_without_its_fence_is_found() {
    is_found(Planted::NoFence);
}

#[test]
fn a_reaper_that_does_not_name_the_token_is_found() {
    is_found(Planted::ReapWithoutToken);
}

#[test]
fn a_revive_over_an_open_effect_is_found() {
    is_found(Planted::ReviveOverOpenEffect);
}

#[test]
fn a_dedup_that_looks_before_its_transaction_is_found() {
    is_found(Planted::DedupSelectThenInsert);
}

fn is_found(bug: Planted) {
    let Found { error, at } = walks(Store::sqlite, Some(bug), WALKS);
    let error = error.map(shown);
    assert!(error.is_some(), "{bug:?} was not found in {WALKS} walks");
    println!("{bug:?}: found by walk {at}\n{}", error.unwrap_or_default());
}

fn shown(error: TestError<Vec<Command>>) -> String {
    match error {
        TestError::Fail(reason, commands) => {
            let lines: Vec<String> = commands.iter().map(|command| format!("    {command:?}")).collect();
            format!("{reason}\n  after\n{}", lines.join("\n"))
        }
        TestError::Abort(reason) => format!("aborted: {reason}"),
    }
}
