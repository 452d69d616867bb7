//! The story of posts that fail for a reason of their own, while others go out: tries, waits, death, groups.

use std::time::Duration;

use onceward::circuit::CircuitPolicy;
use onceward::retry::RetryPolicy;
use onceward::{JobId, QueueSettings, State, Time};
use onceward_sandbox::{Fault, Kind, Sandbox};

use crate::kinds;
use crate::stage::{NAME, Stage, Verdict, code};

const PNG: &[u8] = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01\0\0\0\x02\x08\0\0\0\0\x3a\x7e\x9b\x55";

struct Story {
    folder: tempfile::TempDir,
    sandbox: Sandbox,
    stage: Stage,
}

impl Story {
    async fn begins() -> Verdict<Self> {
        let (folder, sandbox) = (tempfile::tempdir()?, kinds::sandbox().await?);
        std::fs::write(folder.path().join("hill.png"), PNG)?;
        let stage = Stage::own(kinds::adapter("mastodon", &sandbox)?).await?;
        let settings = QueueSettings { circuit: Some(CircuitPolicy::default()), ..QueueSettings::default() };
        stage.store.define_queue(NAME, settings).await?;
        Ok(Self { folder, sandbox, stage })
    }

    async fn post(&self, name: &str) -> Verdict<JobId> {
        self.enqueue(name, "").await
    }

    /// Its picture is uploaded first.
    async fn picture(&self, name: &str) -> Verdict<JobId> {
        self.enqueue(name, "media: [{path: hill.png, alt: \"A hill\"}]\n").await
    }

    async fn enqueue(&self, name: &str, front: &str) -> Verdict<JobId> {
        let text = format!("---\nid: {name}\ntitle: {name}\n{front}---\nText of {name}.\n");
        self.stage.enqueue_at(&self.folder.path().join(format!("{name}.md")), &text).await
    }

    /// Lets a job fail until it is dead, and another post succeed after each time; gives the waits between.
    async fn dies(&self, job: JobId) -> Verdict<Vec<Duration>> {
        let mut waits = Vec::new();
        for n in 0..10 {
            let standing = self.stage.once(job).await?;
            if standing.state != State::Pending {
                assert_eq!(standing.state, State::Dead, "{standing:?}");
                return Ok(waits);
            }
            waits.push(standing.run_at.since(standing.now));
            let other = self.post(&format!("other-{job}-{n}")).await?;
            self.to(standing.now.after(Duration::from_secs(1)));
            assert_eq!(self.stage.once(other).await?.state, State::Done, "another post goes out");
            self.to(standing.run_at.before(Duration::from_secs(1)));
            let attempts = self.attempts(job).await?;
            self.stage.once(job).await?;
            assert_eq!(self.attempts(job).await?, attempts, "not before its time");
            self.to(standing.run_at);
        }
        Err("it never dies".into())
    }

    fn to(&self, time: Time) {
        self.stage.store.set_clock(time);
    }

    async fn attempts(&self, job: JobId) -> Verdict<u32> {
        Ok(self.stage.store.job(job).await?.attempt_count)
    }

    fn upload_fails(&self, status: u16) {
        self.sandbox.fault(Fault::new(Kind::Refuse(status)).on("mastodon").act("upload"));
    }
}

/// What a wait of so many minutes may be, give or take the policy's share.
fn about(wait: Duration, minutes: u64) -> bool {
    let (wait, curve) = (wait.as_secs_f64(), Duration::from_mins(minutes).as_secs_f64());
    (wait - curve).abs() <= curve * RetryPolicy::CHANNEL.jitter + 1e-3
}

#[tokio::test]
async fn a_post_that_fails_alone_is_tried_after_one_two_and_four_minutes_and_is_dead_the_fourth_time()
-> Verdict {
    let story = Story::begins().await?;
    story.upload_fails(408);
    let job = story.picture("hill").await?;
    let waits = story.dies(job).await?;
    assert_eq!(waits.len(), 3, "{waits:?}");
    let as_told = waits.iter().zip([1, 2, 4]).all(|(wait, minutes)| about(*wait, minutes));
    assert!(as_told, "{waits:?}");
    assert_eq!(story.attempts(job).await?, 4);
    assert_eq!(code(&story.stage.standing(job).await?), "http_408");
    Ok(())
}

/// Its first failure cannot be told from an outage of the platform, and spends nothing.
#[tokio::test]
async fn a_post_that_alone_gets_an_outage_is_dead_after_one_failure_more() -> Verdict {
    let story = Story::begins().await?;
    story.upload_fails(503);
    let job = story.picture("hill").await?;
    let waits = story.dies(job).await?;
    assert_eq!(waits.len(), 4, "{waits:?}");
    let as_told = waits.iter().zip([1, 1, 2, 4]).all(|(wait, minutes)| about(*wait, minutes));
    assert!(as_told, "{waits:?}");
    assert_eq!(story.stage.store.job(job).await?.tries, 4);
    Ok(())
}

#[tokio::test]
async fn the_dead_are_one_group_for_each_cause() -> Verdict {
    let story = Story::begins().await?;
    for n in 0..3 {
        // Refused for good, whatever is tried.
        story.sandbox.fault(Fault::new(Kind::Refuse(422)).on("mastodon").act("post").times(1));
        let refused = story.post(&format!("refused-{n}")).await?;
        assert_eq!(story.stage.once(refused).await?.state, State::Dead);
    }
    story.upload_fails(408);
    for n in 0..2 {
        let job = story.picture(&format!("hill-{n}")).await?;
        story.dies(job).await?;
    }
    let groups = story.stage.store.dead_groups().await?;
    let shown: Vec<_> = groups.iter().map(|group| (group.code.as_deref(), group.count)).collect();
    assert_eq!(shown, [(Some("http_422"), 3), (Some("http_408"), 2)]);
    Ok(())
}
