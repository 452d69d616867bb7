//! Posts that look alike, on every channel whose lost answers are looked up: two jobs never share one post, and
//! yesterday's is not taken for today's.

use std::path::Path;
use std::time::Duration;

use onceward::{JobId, State, Time};
use onceward_sandbox::{Fault, Kind, Sandbox};

use crate::kinds;
use crate::stage::{Stage, Verdict};

const BODY: &str = "The same words, twice.";
/// Beyond the hour for which Mastodon knows a key: from then on it is looked up as well.
const LATER: Duration = Duration::from_hours(2);

struct Pair {
    platform: &'static str,
    sandbox: Sandbox,
}

impl Pair {
    async fn on(platform: &'static str) -> Verdict<Self> {
        Ok(Self { platform, sandbox: kinds::sandbox().await? })
    }

    /// A store of its own, at the stand-in's time.
    async fn stage(&self) -> Verdict<Stage> {
        let stage = Stage::own(kinds::adapter(self.platform, &self.sandbox)?).await?;
        stage.store.set_clock(Time::from_micros(self.sandbox.now()));
        Ok(stage)
    }

    fn loses(&self, kind: Kind, times: u64) {
        self.sandbox.fault(Fault::new(kind).on(self.platform).act("post").times(times));
    }

    /// Runs what is due, and settles what was lost long after.
    async fn settle(&self, stage: &Stage, job: JobId) -> Verdict<String> {
        let lost = stage.once(job).await?;
        if lost.state == State::InDoubt {
            stage.store.set_clock(lost.now.after(LATER));
            self.sandbox.advance(LATER);
        }
        let standing = stage.settle_with(job, |moved| self.sandbox.advance(moved)).await?;
        assert_eq!(standing.state, State::Done, "{}: {standing:?}", self.platform);
        let effect = stage.effects(job).await?.remove(0);
        Ok(effect.remote_id.ok_or("no id")?)
    }

    fn there(&self) -> usize {
        self.sandbox.ledger().visible(self.platform).count()
    }
}

async fn enqueue(stage: &Stage, name: &str) -> Verdict<JobId> {
    let text = format!("---\nid: {name}\ntitle: {name}\n---\n{BODY}\n");
    stage.enqueue_at(Path::new(&format!("{name}.md")), &text).await
}

/// Both are there, and the answers to both were lost.
async fn never_share(platform: &'static str) -> Verdict {
    let pair = Pair::on(platform).await?;
    let stage = pair.stage().await?;
    pair.loses(Kind::AcceptThenReset, 2);
    let (one, other) = (enqueue(&stage, "one").await?, enqueue(&stage, "other").await?);
    stage.once(one).await?;
    assert_eq!(pair.there(), 2, "{platform}: both arrived");
    let ids = (pair.settle(&stage, one).await?, pair.settle(&stage, other).await?);
    assert_ne!(ids.0, ids.1, "{platform}");
    let requests = pair.sandbox.ledger().arrived(platform, "post").count();
    assert_eq!((pair.there(), requests), (2, 2), "{platform}: nothing was sent again");
    Ok(())
}

/// Another store published it a day ago; today's never arrives at first.
async fn not_yesterdays(platform: &'static str) -> Verdict {
    let pair = Pair::on(platform).await?;
    let yesterday = pair.stage().await?;
    let job = enqueue(&yesterday, "launch").await?;
    let first = pair.settle(&yesterday, job).await?;
    pair.sandbox.advance(Duration::from_hours(24));
    let today = pair.stage().await?;
    let job = enqueue(&today, "launch").await?;
    pair.loses(Kind::Reset, 1);
    let second = pair.settle(&today, job).await?;
    assert_ne!(first, second, "{platform}");
    assert_eq!(pair.there(), 2, "{platform}: today's is there as well");
    Ok(())
}

#[tokio::test]
async fn two_jobs_never_share_a_post_on_mastodon_beyond_its_key() -> Verdict {
    never_share("mastodon").await
}

#[tokio::test]
async fn two_jobs_never_share_a_post_on_pleroma() -> Verdict {
    never_share("pleroma").await
}

#[tokio::test]
async fn two_jobs_never_share_a_post_on_gotosocial() -> Verdict {
    never_share("gotosocial").await
}

#[tokio::test]
async fn two_jobs_never_share_a_message_on_slack() -> Verdict {
    never_share("slack").await
}

#[tokio::test]
async fn two_jobs_never_share_an_article_on_devto() -> Verdict {
    never_share("devto").await
}

#[tokio::test]
async fn yesterdays_post_is_not_todays_on_mastodon_beyond_its_key() -> Verdict {
    not_yesterdays("mastodon").await
}

#[tokio::test]
async fn yesterdays_post_is_not_todays_on_pleroma() -> Verdict {
    not_yesterdays("pleroma").await
}

#[tokio::test]
async fn yesterdays_post_is_not_todays_on_gotosocial() -> Verdict {
    not_yesterdays("gotosocial").await
}

#[tokio::test]
async fn yesterdays_message_is_not_todays_on_slack() -> Verdict {
    not_yesterdays("slack").await
}

#[tokio::test]
async fn yesterdays_article_is_not_todays_on_devto() -> Verdict {
    not_yesterdays("devto").await
}
