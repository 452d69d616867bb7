//! Threads of five parts, whose process dies at every step: the next process goes on at the right part with the right
//! parent, and no part is there twice. Where nobody can tell whether a part is there, a person is asked.

mod dying;

use std::sync::Arc;
use std::time::Duration;

use onceward::{JobId, Onceward, Resolution, State, Time};
use onceward_publish::Standing;
use onceward_sandbox::{Accepted, Sandbox};
use serde_json::{Value as Json, json};
use tempfile::TempDir;

use self::dying::{Dying, Moment};
use crate::kinds;
use crate::stage::{NAME, Stage, Verdict, code};

const PARTS: [&str; 5] = ["one", "two", "three", "four", "five"];
const THREAD: &str = "---\ntitle: Five\nthread: [one, two, three, four, five]\n---\n";
/// Longer than a lease and than any quiet period in these tests.
const LATER: Duration = Duration::from_mins(3);

/// One store on a disk, one stand-in, and the processes that come and go.
struct Scene {
    folder: TempDir,
    platform: &'static str,
    sandbox: Sandbox,
    begun: Time,
}

impl Scene {
    async fn at(platform: &'static str) -> Verdict<Self> {
        let (folder, sandbox) = (tempfile::tempdir()?, kinds::sandbox().await?);
        Ok(Self { folder, platform, sandbox, begun: Time::now() })
    }

    fn url(&self) -> String {
        format!("sqlite://{}", self.folder.path().join("onceward.db").display())
    }

    async fn process(&self, since: Duration) -> Verdict<Stage> {
        let store = Onceward::open(&self.url()).await?;
        store.set_clock(self.begun.after(since));
        Stage::on(store, &[(NAME, kinds::adapter(self.platform, &self.sandbox)?)]).await
    }

    /// A process sends the thread, and is gone at that moment with all that it had in its memory.
    fn killed(&self, job: JobId, at: Moment) -> Verdict {
        let (inner, url, begun) = (kinds::adapter(self.platform, &self.sandbox)?, self.url(), self.begun);
        let (dying, reached) = Dying::new(inner, at, PARTS.len());
        let process = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
        process.spawn(async move {
            let store = Onceward::open(&url).await.unwrap();
            store.set_clock(begun);
            let stage = Stage::on(store, &[(NAME, Arc::new(dying))]).await.unwrap();
            let ended = stage.once(job).await.unwrap();
            panic!("the moment never came: {ended:?}");
        });
        let reached = reached.recv();
        process.shutdown_background();
        Ok(reached?)
    }

    /// The next process, after the lease of the dead one and the quiet period of what it sent.
    async fn next(&self) -> Verdict<Stage> {
        self.sandbox.advance(LATER);
        let stage = self.process(LATER).await?;
        stage.store.keep_house(Duration::from_hours(24)).await?;
        Ok(stage)
    }

    async fn settle(&self, stage: &Stage, job: JobId) -> Verdict<Standing> {
        stage.settle_with(job, |moved| self.sandbox.advance(moved)).await
    }

    fn seen(&self) -> Vec<Accepted> {
        self.sandbox.ledger().visible(self.platform).cloned().collect()
    }

    fn requests(&self) -> usize {
        self.sandbox.ledger().arrived(self.platform, "post").count()
    }

    /// The first `count` parts are there, each once, in order, and each answers the one before it.
    fn hangs_together(&self, count: usize, when: Moment) {
        let seen = self.seen();
        let texts: Vec<_> = seen.iter().map(|it| it.text.as_str()).collect();
        assert_eq!(texts, PARTS[..count], "{} {when:?}", self.platform);
        for at in 0..count {
            assert_eq!(
                self.parent(&seen[at]),
                self.expected(&seen, at),
                "{} {when:?}: part {at}",
                self.platform
            );
        }
    }

    fn parent(&self, item: &Accepted) -> Json {
        let name = match self.platform {
            "bluesky" => return item.data["record"]["reply"].clone(),
            "slack" => "thread_ts",
            "telegram" => "reply_to",
            _ => "in_reply_to_id",
        };
        item.data[name].clone()
    }

    fn expected(&self, seen: &[Accepted], at: usize) -> Json {
        let Some(before) = at.checked_sub(1) else { return Json::Null };
        let strong = |at: usize| json!({ "uri": seen[at].remote_id, "cid": seen[at].data["cid"] });
        match self.platform {
            "bluesky" => json!({ "root": strong(0), "parent": strong(before) }),
            "slack" => json!(seen[0].remote_id),
            "telegram" => json!(seen[before].number),
            _ => json!(seen[before].remote_id),
        }
    }
}

/// Each step of each part. What is after the receipt of one part is before the intent of the next.
fn moments() -> Vec<Moment> {
    let steps = |part| [Moment::BeforeIntent(part), Moment::Intended(part), Moment::Accepted(part)];
    (0..PARTS.len()).flat_map(steps).chain([Moment::AllReceipts]).collect()
}

/// Kills at every step, and lets the next process go on by itself; `repeats`: a part that is there is asked for again,
/// under a key or a name that the platform knows.
async fn resumes_at_every_step(platform: &'static str, repeats: bool) -> Verdict {
    for at in moments() {
        let scene = Scene::at(platform).await?;
        let first = scene.process(Duration::ZERO).await?;
        let job = first.enqueue(THREAD).await?;
        tokio::task::block_in_place(|| scene.killed(job, at))?;
        let before = scene.seen().len();
        assert_eq!(before, at.there(PARTS.len()), "{platform} {at:?}");
        let stage = scene.next().await?;
        let standing = scene.settle(&stage, job).await?;
        assert_eq!(standing.state, State::Done, "{platform} {at:?}: {standing:?}");
        scene.hangs_together(PARTS.len(), at);
        let again = usize::from(repeats && matches!(at, Moment::Accepted(_)));
        assert_eq!(scene.requests(), PARTS.len() + again, "{platform} {at:?}");
    }
    Ok(())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_thread_by_keys_resumes_at_its_part_whenever_its_process_dies() -> Verdict {
    resumes_at_every_step("mastodon", true).await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_thread_of_records_with_names_resumes_at_its_part_whenever_its_process_dies() -> Verdict {
    resumes_at_every_step("bluesky", true).await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_thread_that_is_looked_up_by_its_keys_resumes_at_its_part_whenever_its_process_dies() -> Verdict {
    resumes_at_every_step("slack", false).await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_thread_that_is_looked_up_by_its_text_resumes_at_its_part_whenever_its_process_dies() -> Verdict {
    resumes_at_every_step("gotosocial", false).await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_thread_that_nobody_can_look_up_stops_where_its_process_died_and_a_person_lets_it_go_on() -> Verdict
{
    for at in moments() {
        let scene = Scene::at("telegram").await?;
        let first = scene.process(Duration::ZERO).await?;
        let job = first.enqueue(THREAD).await?;
        tokio::task::block_in_place(|| scene.killed(job, at))?;
        let stage = scene.next().await?;
        let standing = scene.settle(&stage, job).await?;
        if let Moment::Intended(_) | Moment::Accepted(_) = at {
            assert_eq!((standing.state, standing.check_at), (State::InDoubt, None), "{at:?}: {standing:?}");
            scene.hangs_together(at.there(PARTS.len()), at);
            a_person_tells(&scene, &stage, job, at).await?;
        } else {
            assert_eq!(standing.state, State::Done, "{at:?}: {standing:?}");
            scene.hangs_together(PARTS.len(), at);
        }
        assert_eq!(scene.requests(), scene.seen().len(), "{at:?}: nothing was asked for twice");
    }
    Ok(())
}

/// With a part that is not there the thread goes on. One that is there has no id that the next could answer: the thread
/// ends with it, by a word.
async fn a_person_tells(scene: &Scene, stage: &Stage, job: JobId, at: Moment) -> Verdict {
    let (word, end, parts) = match at {
        Moment::Accepted(4) => (Resolution::Happened { url: None }, State::Done, 5),
        Moment::Accepted(part) => (Resolution::Happened { url: None }, State::Dead, part + 1),
        _ => (Resolution::DidNotHappen, State::Done, 5),
    };
    stage.store.resolve(job, word).await?;
    let standing = scene.settle(stage, job).await?;
    assert_eq!(standing.state, end, "{at:?}: {standing:?}");
    if end == State::Dead {
        assert_eq!(code(&standing), "parent_unknown", "{at:?}");
    }
    scene.hangs_together(parts, at);
    Ok(())
}
