//! Many actors under one clock, which the test moves.

use std::time::Duration;

use onceward::Time;
use onceward_tests::Verdict;
use onceward_tests::actor::{Actor, Ended, STARTED};
use onceward_tests::fact::Fact;
use onceward_tests::orders::{Orders, Work};
use rustix::process::Signal;

const ACTOR: &str = env!("CARGO_BIN_EXE_actor");
/// How long one may take to hear of a new time, or to end.
const SOON: Duration = Duration::from_mins(1);

pub(crate) struct Fleet {
    url: String,
    now: Time,
    pub(crate) actors: Vec<Actor>,
    /// Those that have ended.
    pub(crate) ended: Vec<Ended>,
}

impl Fleet {
    pub(crate) async fn start(url: &str, size: usize, now: Time) -> Verdict<Self> {
        let url = format!("{url}?pool=4");
        let mut fleet = Self { url, now, actors: vec![], ended: vec![] };
        for _ in 0..size {
            fleet.join().await?;
        }
        Ok(fleet)
    }

    async fn join(&mut self) -> Verdict {
        let work = Work { lease: Duration::from_mins(1), whole: true, ..Work::default() };
        let orders = Orders { clock: Some(self.now.micros()), ..Orders::work(&self.url, work) };
        self.actors.push(Actor::ready(ACTOR, &orders).await?.0);
        Ok(())
    }

    /// Moves the clock of all, and waits until all have heard of it.
    pub(crate) async fn move_clock(&mut self, now: Time) -> Verdict {
        self.now = now;
        let at = now.micros();
        for actor in &mut self.actors {
            actor.set_clock(at)?;
        }
        for actor in &self.actors {
            let heard = |fact: &Fact| (*fact == Fact::Clock { at }).then_some(());
            actor.says("the clock is moved", SOON, heard).await?;
        }
        Ok(())
    }

    /// One goes, killed or told to, and another takes its place.
    pub(crate) async fn roll(&mut self, which: usize, kill: bool) -> Verdict {
        let actor = self.actors.remove(which);
        if kill {
            self.ended.push(actor.kill()?);
        } else {
            actor.signal(Signal::TERM)?;
            self.ended.push(succeeded(actor.ends(SOON).await?)?);
        }
        self.join().await
    }

    /// All are told to go; gives all that was ever said.
    pub(crate) async fn end(mut self) -> Verdict<Vec<Ended>> {
        for actor in &self.actors {
            actor.signal(Signal::TERM)?;
        }
        for actor in self.actors {
            self.ended.push(succeeded(actor.ends(SOON.max(STARTED)).await?)?);
        }
        Ok(self.ended)
    }
}

fn succeeded(ended: Ended) -> Verdict<Ended> {
    if ended.status.success() { Ok(ended) } else { Err(format!("{:?}\n{}", ended.status, ended.log).into()) }
}
