//! A hundred kills and cuts around the write of a post: afterwards the server holds each post once, and threads whole.

use std::collections::BTreeMap;

use crate::chance::Chance;
use crate::lane::{Lane, Trouble};
use crate::posts::{Post, flaws};
use crate::server::{Rates, Record, Server};
use crate::wire::Fault;

/// Another seed is another hundred; a run that failed names its own.
const SEED: u64 = 20_261_129;
/// Accounts at work at once, each with a store of its own.
const LANES: u64 = 10;
/// Times that the same command may be run again.
const AGAIN: usize = 8;

/// Troubles of each lane: a hundred in all, or a thousand in the long form.
fn each() -> u64 {
    if std::env::var_os("ONCEWARD_LONG").is_some() { 100 } else { 10 }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn after_a_hundred_kills_and_cuts_the_server_holds_each_post_once() {
    let server = std::sync::Arc::new(Server::start(Rates::Free));
    let lanes = (0..LANES).map(|lane| tokio::spawn(troubled(server.clone(), lane)));
    let mut met: BTreeMap<String, usize> = BTreeMap::new();
    for lane in lanes.collect::<Vec<_>>() {
        for (trouble, happened) in lane.await.unwrap() {
            let name = format!("{trouble:?}").split(['(', ' ']).next().unwrap_or_default().to_owned();
            let name = if let Trouble::Write(_, fault) = trouble { name + " " + &word(fault) } else { name };
            *met.entry(format!("{name}{}", if happened { "" } else { " (too late)" })).or_default() += 1;
        }
    }
    println!("{met:#?}");
    let late: usize = met.iter().filter(|(name, _)| name.ends_with("late)")).map(|(_, times)| times).sum();
    let all: usize = met.values().sum();
    assert!(late * 10 <= all, "too many troubles came too late to matter: {met:?}");
}

fn word(fault: Fault) -> String {
    format!("{fault:?}").split('(').next().unwrap_or_default().to_owned()
}

/// One account: a post, a trouble, and the same command again until it is out; over and over on one store.
async fn troubled(server: std::sync::Arc<Server>, number: u64) -> Vec<(Trouble, bool)> {
    let seed = SEED + number;
    let mut chance = Chance::of(seed);
    let mut lane = Lane::new(&server, &format!("lane{number}")).await;
    lane.keeps = !number.is_multiple_of(5);
    let (mut posts, mut met) = (Vec::new(), Vec::new());
    for case in 0..each() {
        let post = post(&format!("{number}-{case}"), &mut chance);
        lane.write(&format!("{}.md", post.name), post.file());
        let trouble = trouble(post.parts.len(), &mut chance);
        let files = [format!("{}.md", post.name)];
        let ran = lane.publish(&files, trouble).await;
        met.push((trouble, ran.troubled));
        let mut last = ran;
        for _ in 0..AGAIN {
            if last.code == Some(0) {
                break;
            }
            last = lane.publish(&files, Trouble::Nothing).await;
        }
        assert_eq!(last.code, Some(0), "seed {seed}, {trouble:?}, {post:?}: {last:?}");
        posts.push(post);
    }
    let held = server.posts(&lane.account.did).await;
    assert_eq!(flaws(&posts, &held), Vec::<String>::new(), "seed {seed}: {met:?}");
    for record in held.iter().filter(|record| record.value["embed"]["images"].is_array()) {
        let shown = server.blob(&lane.account.did, &record.value["embed"]["images"][0]["image"]).await;
        assert_eq!(shown, crate::posts::PICTURE);
    }
    nothing_more(&lane, &posts, &held).await;
    met
}

/// The whole set once more: all of it is known, each post where the server has it, and nothing is written.
async fn nothing_more(lane: &Lane, posts: &[Post], held: &[Record]) {
    let writes = lane.wire.writes();
    let files: Vec<String> = posts.iter().map(|post| format!("{}.md", post.name)).collect();
    let ran = lane.publish(&files, Trouble::Nothing).await;
    let document = ran.document();
    assert_eq!((ran.code, &document["totals"]["skipped"]), (Some(0), &posts.len().into()), "{ran:?}");
    for (post, content) in posts.iter().zip(document["contents"].as_array().unwrap()) {
        let record = held.iter().find(|record| record.value["text"] == post.parts[0].as_str()).unwrap();
        let rkey = record.uri.rsplit('/').next().unwrap();
        let url = format!("https://bsky.app/profile/{}/post/{rkey}", lane.account.handle);
        assert_eq!(content["jobs"][0]["url"], url, "{post:?}");
    }
    assert_eq!(lane.wire.writes(), writes, "a finished post was written again");
}

fn post(name: &str, chance: &mut Chance) -> Post {
    match chance.below(10) {
        0..4 => Post::new(name, 1, false),
        4..6 => Post::new(name, 1, true),
        6..9 => Post::new(name, 3, false),
        _ => Post::new(name, 5, true),
    }
}

fn trouble(parts: usize, chance: &mut Chance) -> Trouble {
    let skip = usize::try_from(chance.below(parts as u64)).unwrap_or(0);
    let byte = usize::try_from(chance.below(900)).unwrap_or(0);
    let fault = match chance.below(20) {
        0..3 => Fault::KilledUnheard,
        3..5 => Fault::KilledArrivesLate(chance.below(2500)),
        5..8 => Fault::KilledUnanswered,
        8..10 => Fault::KilledWithin(byte),
        10..13 => Fault::KilledAnswered(chance.below(30)),
        13 => Fault::RequestCut(byte),
        14..16 => Fault::AnswerCut(byte),
        16 => Fault::Failed,
        17 => Fault::Refused,
        18 => Fault::Silent,
        _ => return Trouble::KilledAfter(chance.below(1200)),
    };
    Trouble::Write(skip, fault)
}
