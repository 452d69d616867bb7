//! The loop that died: twenty posts to eight channels, killed at the fifteenth and then again and again, and the same
//! command run each time. The stand-ins alone say what was posted.
//!
//! Short form: two stores, each killed ten times more. The long form (`ONCEWARD_LONG=1`) has twenty: 200 kills, beside
//! the twenty at the fifteenth post.

#[path = "../../../../tests/src/chance.rs"]
#[allow(unreachable_pub, reason = "public in the package that it belongs to")]
mod chance;
mod config;
mod lane;
mod left;
mod verdict;

use std::collections::BTreeMap;
use std::time::Duration;

use chance::Chance;
use lane::{Kill, Lane};
use onceward_sandbox::Kind;

/// Kills of each store, after the one at the fifteenth post.
const KILLS: usize = 10;
/// Stores at work at once: more would only wait for one another.
const AT_ONCE: usize = 4;

/// What the kills met.
#[derive(Debug, Default)]
struct Met {
    /// Of each named point: how many kills, and how many of them left an intent without a receipt.
    points: BTreeMap<&'static str, (usize, usize)>,
    /// How many intents were left so, by channel.
    intents: BTreeMap<String, usize>,
    /// Posts in doubt at the end.
    doubts: usize,
    /// Posts that were taken for poison, and revived.
    revived: usize,
}

impl Met {
    fn add(&mut self, other: Self) {
        for (point, (kills, open)) in other.points {
            let met = self.points.entry(point).or_default();
            *met = (met.0 + kills, met.1 + open);
        }
        for (queue, count) in other.intents {
            *self.intents.entry(queue).or_default() += count;
        }
        self.doubts += other.doubts;
        self.revived += other.revived;
    }

    fn kills(&self) -> usize {
        self.points.values().map(|(kills, _)| kills).sum()
    }

    fn open(&self) -> usize {
        self.points.values().map(|(_, open)| open).sum()
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn each_post_is_there_once_whatever_dies() {
    let stores = if std::env::var_os("ONCEWARD_LONG").is_some() { 20 } else { 2 };
    let mut lanes = tokio::task::JoinSet::new();
    let mut met = Met::default();
    for seed in 0..stores {
        lanes.spawn(lane_of(seed));
        if lanes.len() == AT_ONCE {
            met.add(lanes.join_next().await.unwrap().unwrap());
        }
    }
    while let Some(ended) = lanes.join_next().await {
        met.add(ended.unwrap());
    }
    let (kills, open) = (met.kills(), met.open());
    println!(
        "{stores} stores, {kills} kills, {open} between intent and receipt; {} telegram posts in doubt, as computed; \
         {} posts revived; none lost, none twice\n{met:#?}",
        met.doubts, met.revived
    );
    assert!(open * 10 >= kills * 3, "only {open} of {kills} kills came between intent and receipt");
}

/// One store: killed at the fifteenth post as the loop was, then ten times more, then run to its end.
async fn lane_of(seed: u64) -> Met {
    let mut chance = Chance::of(seed + 1);
    let mut lane = Lane::start().await;
    let mut met = Met::default();
    for n in 0..=KILLS {
        let kill = if n == 0 {
            Kill::AfterAccepted { platform: "mastodon", count: 15 }
        } else {
            kill(&lane, &mut chance)
        };
        let open = lane.kill(kill).await;
        let point = met.points.entry(kill.name()).or_default();
        *point = (point.0 + 1, point.1 + usize::from(!open.is_empty()));
        for it in open {
            *met.intents.entry(it.queue).or_default() += 1;
        }
    }
    // The stand-ins answer on this runtime while its commands are waited for.
    tokio::task::block_in_place(|| {
        met.revived = lane.settle();
        met.doubts = lane.judge(seed);
    });
    met
}

/// A moment on a channel that has something left.
fn kill(lane: &Lane, chance: &mut Chance) -> Kill {
    let unfinished = lane.unfinished();
    let place = usize::try_from(chance.below(unfinished.len() as u64)).unwrap();
    let Some(platform) = unfinished.get(place).copied() else {
        return Kill::AfterTime(Duration::from_millis(chance.below(1200)));
    };
    let act = if platform == "devto" && chance.below(4) == 0 { "draft" } else { "post" };
    match chance.below(8) {
        0 | 1 => Kill::AfterTime(Duration::from_millis(chance.below(1200))),
        2 => {
            let count = lane.sandbox.ledger().visible(platform).count() + 1;
            Kill::AfterAccepted { platform, count }
        }
        3 | 4 => Kill::While { platform, act, kind: Kind::Hang },
        _ => Kill::While { platform, act, kind: Kind::AcceptThenHang },
    }
}
