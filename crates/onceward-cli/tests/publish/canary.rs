//! Dead posts come back: one of them first, the others at a chosen speed, or not at all while the first still fails.

use std::process::{Child, Stdio};

use onceward_sandbox::{Fault, Kind, Options, Sandbox};
use serde_json::{Value, json};

use crate::site::{Site, post};

const POSTS: usize = 12;

struct Scene {
    sandbox: Sandbox,
    site: Site,
}

/// A worker that goes when the test does.
struct Working(Child);

impl Drop for Working {
    fn drop(&mut self) {
        // Either may fail only when it is gone already.
        drop(self.0.kill());
        drop(self.0.wait());
    }
}

impl Scene {
    /// Twelve posts on two channels, each refused for good, for a reason of its channel's own.
    async fn of_dead_posts() -> Self {
        let mut options = Options::default();
        options.faults.limits = false;
        let sandbox = Sandbox::start(options).await.unwrap();
        let config = format!(
            "[channels.m]\ntype = \"mastodon\"\nserver = \"{}\"\ntoken = {{ env = \"TOKEN\" }}\n\
             [channels.s]\ntype = \"slack\"\ntoken = {{ env = \"TOKEN\" }}\nroom = \"C0000000001\"\napi = \"{}\"\n",
            sandbox.url("mastodon"),
            sandbox.url("slack")
        );
        let scene = Self { sandbox, site: Site::new(&config).with("TOKEN", "stand-in-token") };
        scene.refuses("mastodon", 422);
        scene.refuses("slack", 400);
        let files: Vec<_> = (0..POSTS).map(|n| format!("{n:02}.md")).collect();
        for file in &files {
            scene.site.write(file, post(&format!("title: {file}"), &format!("Text of {file}.")));
        }
        let files: Vec<_> = files.iter().map(String::as_str).collect();
        let said = scene.site.publish(&[&["--yes"], files.as_slice()].concat());
        assert_eq!((said.code, said.total("dead")), (3, 24), "{said:?}");
        scene
    }

    fn refuses(&self, platform: &str, status: u16) {
        self.sandbox.fault(Fault::new(Kind::Refuse(status)).on(platform).act("post"));
    }

    fn groups(&self) -> Vec<Value> {
        let said = self.site.run(&["dead", "groups", "--json"]).document();
        let group = |group: &Value| json!([group["queue"], group["code"], group["count"]]);
        said["groups"].as_array().unwrap().iter().map(group).collect()
    }

    /// Starts a worker, and waits until it is there.
    fn working(&self) -> Working {
        let worker = self.site.command(&["work"]).stdout(Stdio::null()).stderr(Stdio::null()).spawn();
        let worker = Working(worker.unwrap());
        while self.site.run(&["status", "--json"]).document()["workers"].as_array().unwrap().is_empty() {}
        worker
    }

    /// When each request arrived since then, in microseconds.
    fn arrivals(&self, platform: &str, since: i64) -> Vec<i64> {
        let ledger = self.sandbox.ledger();
        ledger.arrived(platform, "post").map(|it| it.at).filter(|at| *at > since).collect()
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_group_drains_behind_its_canary_at_the_given_speed() {
    let scene = Scene::of_dead_posts().await;
    assert_eq!(scene.groups(), [json!(["m", "http_422", 12]), json!(["s", "http_400", 12])]);
    scene.sandbox.clear_faults();
    let _working = scene.working();
    let before = scene.sandbox.now();
    let said = scene.site.run(&[
        "dead", "revive", "--error", "http_422", "--canary", "1", "--rate", "10/s", "--yes", "--json",
    ]);
    assert_eq!((said.code, said.document()["revived"].as_array().unwrap().len()), (0, POSTS), "{said:?}");
    let out = |ledger: &onceward_sandbox::Ledger| ledger.visible("mastodon").count() == POSTS;
    scene.sandbox.until(out).await;
    let arrivals = scene.arrivals("mastodon", before);
    assert_eq!(arrivals.len(), POSTS, "each once");
    // After the canary, one each tenth of a second at most: a late worker makes them later, nothing makes them earlier.
    for (n, at) in arrivals.iter().enumerate().skip(1) {
        let earliest = arrivals[0] + i64::try_from(n - 1).unwrap() * 100_000;
        assert!(*at >= earliest, "number {n} came {} ms early: {arrivals:?}", (earliest - at) / 1000);
    }
    assert_eq!(scene.groups(), [json!(["s", "http_400", 12])], "the other group is as it was");
    assert_eq!(scene.arrivals("slack", before), [] as [i64; 0]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_group_that_still_fails_stops_after_its_canary_and_says_so() {
    let scene = Scene::of_dead_posts().await;
    let _working = scene.working();
    let before = scene.sandbox.now();
    let said = scene.site.run(&[
        "dead", "revive", "--error", "http_422", "--canary", "1", "--rate", "10/s", "--yes", "--json",
    ]);
    assert_eq!((said.code, said.document()["revived"].as_array().unwrap().len()), (3, 1), "{said:?}");
    assert!(said.stderr.contains("failed again"), "{said:?}");
    assert_eq!(scene.arrivals("mastodon", before).len(), 1, "one was tried");
    assert_eq!(scene.groups(), [json!(["m", "http_422", 12]), json!(["s", "http_400", 12])]);
}
