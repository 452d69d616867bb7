//! The loop that died: twenty posts to eight channels, killed at the fifteenth and then again and again, and the same
//! command run each time. The stand-ins alone say what was posted.
//!
//! Short form: two stores, each killed ten times. The long form (`ONCEWARD_LONG=1`) has twenty.

#[path = "../../../../tests/src/chance.rs"]
#[allow(unreachable_pub, reason = "public in the package that it belongs to")]
mod chance;
mod lane;
mod verdict;

use std::time::Duration;

use chance::Chance;
use lane::{Kill, Lane};
use onceward_sandbox::Kind;

/// Kills of each store.
const KILLS: usize = 10;
/// The channels whose stand-in can hold a request while its sender is killed.
const HELD: [&str; 6] = ["mastodon", "bluesky", "slack", "devto", "telegram", "webhook"];

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn each_post_is_there_once_whatever_dies() {
    let stores = if std::env::var_os("ONCEWARD_LONG").is_some() { 20 } else { 2 };
    let mut lanes = tokio::task::JoinSet::new();
    let (mut open, mut in_doubt) = (0, 0);
    for seed in 0..stores {
        lanes.spawn(lane_of(seed));
        // Four at a time: more would only wait for one another.
        if lanes.len() == 4 {
            let ended = lanes.join_next().await.unwrap().unwrap();
            (open, in_doubt) = (open + ended.0, in_doubt + ended.1);
        }
    }
    while let Some(ended) = lanes.join_next().await {
        let ended = ended.unwrap();
        (open, in_doubt) = (open + ended.0, in_doubt + ended.1);
    }
    let kills = usize::try_from(stores).unwrap() * (KILLS + 1);
    println!(
        "{kills} kills, {open} between intent and receipt, {in_doubt} telegram posts parked, none lost, none twice"
    );
    assert!(open * 10 >= kills * 3, "only {open} of {kills} kills came between intent and receipt");
}

/// Gives how many kills came between intent and receipt, and how many jobs ended in doubt.
async fn lane_of(seed: u64) -> (usize, usize) {
    let mut chance = Chance::of(seed + 1);
    let lane = Lane::start().await;
    // The loop that died: at the fifteenth post on a channel.
    let first = lane.kill(Kill::AfterAccepted { platform: "mastodon", count: 15 }).await;
    let mut open = usize::from(first.open);
    for _ in 0..KILLS {
        let platform = HELD[usize::try_from(chance.below(HELD.len() as u64)).unwrap()];
        let kill = match chance.below(4) {
            0 => Kill::AfterTime(Duration::from_millis(chance.below(1200))),
            1 => Kill::While { platform, kind: Kind::Hang },
            _ => Kill::While { platform, kind: Kind::AcceptThenHang },
        };
        open += usize::from(lane.kill(kill).await.open);
    }
    // The stand-ins answer on this runtime while its commands are waited for.
    tokio::task::block_in_place(|| {
        lane.settle();
        (open, lane.judge(seed))
    })
}
