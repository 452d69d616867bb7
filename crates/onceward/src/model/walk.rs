//! Runs walks: always the same ones, each on an empty store, until one fails.

use std::cell::Cell;

use proptest::test_runner::{Config, RngSeed, TestError, TestRunner};
use tokio::runtime::Builder;

use super::command::Command;
use super::drive::World;
use super::generate::commands;
use super::store::Store;
use crate::planted::{Planted, plant};

const SEED: u64 = 817;
/// Steps towards a shortest failing walk.
const SHRINKS: u32 = 3000;
/// The same for a planted bug, which is known already.
const FEWER_SHRINKS: u32 = 150;

/// How the walks ended.
pub(super) struct Found {
    pub(super) error: Option<TestError<Vec<Command>>>,
    /// The walk that failed, from 1; or the last one.
    pub(super) at: u32,
}

/// Everything runs on this thread, since a planted bug is a matter of the thread.
pub(super) fn walks(open: impl AsyncFnOnce() -> Store, bug: Option<Planted>, count: u32) -> Found {
    let runtime = Builder::new_current_thread().enable_all().build().expect("a runtime");
    let store = runtime.block_on(open());
    plant(bug);
    let config = Config {
        cases: count,
        rng_seed: RngSeed::Fixed(SEED),
        failure_persistence: None,
        max_shrink_iters: if bug.is_some() { FEWER_SHRINKS } else { SHRINKS },
        ..Config::default()
    };
    let (at, failed) = (Cell::new(0), Cell::new(false));
    let result = TestRunner::new(config).run(&commands(), |commands| {
        at.set(at.get() + u32::from(!failed.get()));
        let verdict = runtime.block_on(World::walk(&store, commands));
        failed.set(failed.get() || verdict.is_err());
        verdict
    });
    plant(None);
    Found { error: result.err(), at: at.get() }
}
