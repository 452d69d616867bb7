//! What the stand-ins hold, against what was to be there.

use std::collections::{BTreeMap, BTreeSet};

use onceward_sandbox::Ledger;
use serde_json::Value;

use crate::lane::{Lane, POSTS, jobs};

/// Channels whose platform offers something by which a lost answer is found out.
const SURE: [&str; 5] = ["mastodon", "bluesky", "slack", "devto", "webhook"];

impl Lane {
    /// Each post once where there is a primitive, at most once and named where there is none; a last run changes
    /// nothing. Gives how many posts are in doubt.
    pub(crate) fn judge(&self, seed: u64) -> usize {
        let ledger = self.sandbox.ledger();
        for platform in SURE {
            let there = seen(&ledger, platform);
            let wrong: Vec<_> =
                (0..POSTS).filter(|n| there.get(n) != Some(&1)).map(|n| (n, there.get(&n))).collect();
            assert!(wrong.is_empty(), "seed {seed}: {platform} has {wrong:?}");
        }
        for (feed, entry) in [("feed.xml", "<item>"), ("feed.atom", "<entry>")] {
            let text = std::fs::read_to_string(self.path("public").join(feed)).unwrap();
            assert_eq!(text.matches(entry).count(), POSTS, "seed {seed}: {feed}");
            for n in 0..POSTS {
                let title = format!("<title>Post {n:02}</title>");
                assert_eq!(text.matches(&title).count(), 1, "seed {seed}: {feed}: {title}");
            }
        }
        let changes = changes(&ledger);
        let (document, code) = self.publish(&[]);
        assert_eq!(document["totals"]["skipped"], POSTS * 8, "seed {seed}: {document}");
        assert_eq!(
            changes,
            self::changes(&self.sandbox.ledger()),
            "seed {seed}: the last run changed something"
        );
        let in_doubt = self.telegram(seed, &seen(&ledger, "telegram"), &document);
        assert_eq!(code, if in_doubt > 0 { 4 } else { 0 }, "seed {seed}");
        in_doubt
    }

    /// On a blind channel nothing is there twice, and what is not there is in doubt, by name. In doubt is exactly what a
    /// dead process left without a receipt: fewer would be guesses, more would be laziness.
    fn telegram(&self, seed: u64, there: &BTreeMap<usize, usize>, document: &Value) -> usize {
        assert!(there.values().all(|count| *count == 1), "seed {seed}: telegram has {there:?}");
        let mut doubted = BTreeSet::new();
        for (content, job) in jobs(document).iter().filter(|(_, job)| job["channel"] == "telegram") {
            let number: usize = content.trim_start_matches("posts/").parse().unwrap();
            if job["state"] == "in_doubt" {
                doubted.insert(job["id"].as_i64().unwrap());
            } else {
                assert_eq!(
                    (&job["state"], there.get(&number)),
                    (&"done".into(), Some(&1)),
                    "seed {seed}: {job}"
                );
            }
        }
        assert_eq!(doubted, self.left.ever("telegram"), "seed {seed}: {document}");
        doubted.len()
    }
}

/// How often each post is there. Readers of dev.to see its title, all others its text.
fn seen(ledger: &Ledger, platform: &str) -> BTreeMap<usize, usize> {
    let mut counts = BTreeMap::new();
    for item in ledger.visible(platform) {
        let text = item.text.to_lowercase().replace("post ", "post-");
        let number = text.split("post-").nth(1).and_then(|rest| rest.get(..2)?.parse().ok());
        *counts.entry(number.unwrap_or_else(|| panic!("{platform}: {item:?}"))).or_default() += 1;
    }
    counts
}

/// The requests that could change something.
fn changes(ledger: &Ledger) -> usize {
    ledger
        .arrivals
        .iter()
        .filter(|it| matches!(it.act.as_str(), "post" | "draft" | "edit" | "upload"))
        .count()
}
