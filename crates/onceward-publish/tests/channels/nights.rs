//! A bad night: a platform answers 503 for eight hours while a hundred posts wait. Nothing is spent on it, one request
//! at a time asks whether it is back, and then all goes out by itself. On a blind channel the few posts that met the
//! outage are a person's, and no other is.

use std::path::Path;
use std::time::Duration;

use onceward::circuit::CircuitPolicy;
use onceward::{Filter, JobView, QueueSettings, State, Worker};
use onceward_sandbox::{Fault, Kind, Sandbox};

use crate::kinds;
use crate::stage::{NAME, Stage, Verdict};

const POSTS: usize = 100;
const CONCURRENCY: u32 = 4;
/// That open the circuit.
const FAILURES: u64 = 3;
const MINUTE: Duration = Duration::from_mins(1);
/// Eight hours, minute by minute.
const NIGHT: usize = 8 * 60;
/// Longer than the longest pause of a circuit, and than all looks at what is in doubt.
const MORNING: usize = 60;

struct Night {
    platform: &'static str,
    sandbox: Sandbox,
    stage: Stage,
    worker: Worker,
}

impl Night {
    /// A hundred posts, and a platform that is down.
    async fn falls(kind: &'static str) -> Verdict<Self> {
        let sandbox = kinds::sandbox().await?;
        let stage = Stage::own(kinds::adapter(kind, &sandbox)?).await?;
        let settings = QueueSettings {
            circuit: Some(CircuitPolicy::default()),
            concurrency: Some(CONCURRENCY),
            rate: None,
        };
        stage.store.define_queue(NAME, settings).await?;
        for n in 0..POSTS {
            let text = format!("---\ntitle: Post {n}\n---\nText of post {n}.\n");
            stage.enqueue_at(Path::new(&format!("{n}.md")), &text).await?;
        }
        let builder = stage.publisher.register(Worker::builder(&stage.store));
        let worker = builder.queue(NAME, usize::try_from(CONCURRENCY)?).build()?;
        let platform = kind.split(' ').next().unwrap_or(kind);
        sandbox.fault(Fault::new(Kind::Refuse(503)).on(platform));
        Ok(Self { platform, sandbox, stage, worker })
    }

    /// Does what is due; then a minute goes by. Gives how many attempts there were.
    async fn minute(&self) -> Verdict<u64> {
        let report = self.worker.run_until_idle().await?;
        let now = self.stage.store.db().clock().test_time().ok_or("no clock")?;
        self.stage.store.set_clock(now.after(MINUTE));
        self.sandbox.advance(MINUTE);
        Ok(report.done + report.again + report.dead + report.in_doubt)
    }

    /// Gives how many attempts there were before the circuit opened, and the most that one minute saw after that.
    async fn passes(&self) -> Verdict<(u64, u64, u64)> {
        let opened = self.minute().await?;
        let (mut most, mut all) = (0, 0);
        for _ in 1..NIGHT {
            let attempts = self.minute().await?;
            (most, all) = (most.max(attempts), all + attempts);
        }
        Ok((opened, most, all))
    }

    async fn ends(&self) -> Verdict {
        self.sandbox.clear_faults();
        for _ in 0..MORNING {
            self.minute().await?;
        }
        Ok(())
    }

    async fn jobs(&self) -> Verdict<Vec<JobView>> {
        Ok(self.stage.store.jobs(&Filter::default(), 2 * POSTS, None).await?.items)
    }

    fn texts(&self) -> Vec<String> {
        let mut texts: Vec<_> =
            self.sandbox.ledger().visible(self.platform).map(|it| it.text.clone()).collect();
        texts.sort_unstable();
        texts
    }
}

/// What may meet the outage before the circuit is open.
const FEW: u64 = FAILURES + CONCURRENCY as u64;

async fn everything_goes_out_in_the_morning(platform: &'static str) -> Verdict {
    let night = Night::falls(platform).await?;
    let (opened, most, probes) = night.passes().await?;
    assert!(opened <= FEW, "{platform}: {opened} attempts before the circuit opened");
    assert!(most <= 1, "{platform}: {most} at once, though the platform was down");
    // 30 seconds, doubling to a quarter of an hour, for eight hours.
    assert!((20..45).contains(&probes), "{platform}: {probes} probes");
    let jobs = night.jobs().await?;
    let waits = |job: &JobView| job.state == State::Pending || job.check_at.is_some();
    let troubled: Vec<_> = jobs.iter().filter(|job| job.tries > 0 || !waits(job)).collect();
    assert!(jobs.len() == POSTS && troubled.is_empty(), "{platform}: {troubled:?}");
    night.ends().await?;
    let jobs = night.jobs().await?;
    let left: Vec<_> = jobs.iter().filter(|job| job.state != State::Done || job.tries > 0).collect();
    assert!(jobs.len() == POSTS && left.is_empty(), "{platform}: {left:?}");
    let mut texts = night.texts();
    texts.dedup();
    assert_eq!((texts.len(), night.texts().len()), (POSTS, POSTS), "{platform}: each once");
    println!(
        "{platform}: {opened} attempts met the outage, then {probes} probes in eight hours, none two at once"
    );
    Ok(())
}

#[tokio::test]
async fn a_night_without_mastodon_spends_nothing_and_needs_nobody() -> Verdict {
    everything_goes_out_in_the_morning("mastodon").await
}

#[tokio::test]
async fn a_night_without_slack_spends_nothing_and_needs_nobody() -> Verdict {
    everything_goes_out_in_the_morning("slack").await
}

#[tokio::test]
async fn a_night_without_bluesky_spends_nothing_and_needs_nobody() -> Verdict {
    everything_goes_out_in_the_morning("bluesky").await
}

async fn only_what_met_the_outage_is_a_persons(kind: &'static str) -> Verdict {
    let night = Night::falls(kind).await?;
    let (opened, most, probes) = night.passes().await?;
    assert!(opened <= FEW && most <= 1, "{kind}: {opened} attempts at first, then {most} at once");
    night.ends().await?;
    let (parked, out): (Vec<_>, Vec<_>) =
        night.jobs().await?.into_iter().partition(|job| job.state == State::InDoubt);
    assert!(parked.iter().all(|job| job.check_at.is_none()), "{parked:?}");
    assert!(out.iter().all(|job| job.state == State::Done), "{out:?}");
    assert_eq!((u64::try_from(parked.len())?, parked.len() + out.len()), (opened, POSTS));
    let mut texts = night.texts();
    texts.dedup();
    assert_eq!((texts.len(), night.texts().len()), (out.len(), out.len()), "each at most once");
    println!("{kind}: {} of {POSTS} parked, {probes} probes that sent nothing, the rest out", parked.len());
    Ok(())
}

#[tokio::test]
async fn a_night_without_telegram_leaves_to_a_person_only_what_met_the_outage() -> Verdict {
    only_what_met_the_outage_is_a_persons("telegram").await
}

#[tokio::test]
async fn a_night_without_a_webhook_of_slack_leaves_to_a_person_only_what_met_the_outage() -> Verdict {
    only_what_met_the_outage_is_a_persons("slack webhook").await
}
