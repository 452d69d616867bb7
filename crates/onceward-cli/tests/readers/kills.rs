//! A hundred kills of the process that writes the feeds: a reader sees each item once, under one name for ever.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use crate::chance::Chance;
use crate::newsboat::{Item, Newsboat};
use crate::site::{FEEDS, Site};

/// Another seed is another hundred; a run that failed names its own.
const SEED: u64 = 20_261_201;
/// Sites at work at once.
const LANES: u64 = 10;
/// Times that the same command may be run again.
const AGAIN: usize = 5;

/// Kills on each site: a hundred in all, or a thousand in the long form.
fn each() -> u64 {
    if std::env::var_os("ONCEWARD_LONG").is_some() { 100 } else { 10 }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_reader_sees_each_item_once_whatever_is_killed() {
    let lanes = (0..LANES).map(|lane| tokio::spawn(killed(lane)));
    let mut posts = 0;
    for lane in lanes.collect::<Vec<_>>() {
        posts += lane.await.unwrap();
    }
    println!("{} kills while {posts} posts were published to {} feeds each", LANES * each(), FEEDS.len());
}

/// One site: a post, a kill, a look, the same command again; until enough kills came in time. Gives how many posts.
async fn killed(number: u64) -> usize {
    let seed = SEED + number;
    let mut chance = Chance::of(seed);
    let site = Site::new();
    let reader = Newsboat::subscribed(site.folder.path(), &site.feeds());
    assert_eq!(site.publish(&site.post("first"), None).await, Some(0));
    // How long a run takes: what came to its end says so.
    let mut usual = 200;
    let (mut names, mut kills) = (vec!["first".to_owned()], 0);
    while kills < each() {
        let name = format!("post-{}", names.len());
        let file = site.post(&name);
        let (after, began) = (chance.below(usual), Instant::now());
        let mut ended = site.publish(&file, Some(Duration::from_millis(after))).await;
        match ended {
            None => kills += 1,
            Some(_) => usual = usual.min(u64::try_from(began.elapsed().as_millis()).unwrap().max(20)),
        }
        // What a kill left must be whole, whether it is the old or the new.
        reader.reload().await;
        for _ in 0..AGAIN {
            if ended == Some(0) {
                break;
            }
            ended = site.publish(&file, None).await;
        }
        assert_eq!(ended, Some(0), "seed {seed}, {name}, killed after {after} ms");
        names.push(name);
    }
    reader.reload().await;
    assert_eq!(flaws(&names, &reader.seen().await), Vec::<String>::new(), "seed {seed}");
    names.len()
}

/// Everything that a reader sees wrong: what is missing, double, or not as it was written.
fn flaws(names: &[String], seen: &[Item]) -> Vec<String> {
    let mut flaws = Vec::new();
    let mut guids: BTreeMap<&str, Vec<&Item>> = BTreeMap::new();
    for item in seen {
        guids.entry(&item.guid).or_default().push(item);
    }
    for feed in FEEDS {
        for name in names {
            let title = format!("{name} <&> ]]> 한글 🙂");
            let found: Vec<_> = seen.iter().filter(|it| it.feed == feed && it.title == title).collect();
            let [item] = found[..] else {
                flaws.push(format!("{feed}: {name} is there {} times: {found:?}", found.len()));
                continue;
            };
            if item.link != format!("https://example.org/{name}?a=1&b=2") {
                flaws.push(format!("{feed}: {name} leads to {}", item.link));
            }
            if !item.text.contains(&format!("Text <em>of</em> {name} ]]&gt; &amp; more.")) {
                flaws.push(format!("{feed}: {name} says {}", item.text));
            }
        }
    }
    let many = FEEDS.len() * names.len();
    if seen.len() != many {
        flaws.push(format!("{} items in all, not {many}", seen.len()));
    }
    flaws.extend(
        guids
            .iter()
            .filter(|(_, items)| items.len() > FEEDS.len())
            .map(|(guid, items)| format!("{guid} names {items:?}")),
    );
    flaws
}
