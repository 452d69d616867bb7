//! A schedule fires at each of its times: once, by the database's clock, whoever keeps house.

use std::time::Duration;

use onceward::schedule::Missed;
use onceward::{Error, Schedule, ScheduleView, Time};

use crate::harness::{Store, Verdict};

type Tried<T> = Result<T, Box<dyn std::error::Error>>;

fn digest(cron: &str, missed: Missed) -> Schedule {
    Schedule {
        name: "digest".to_owned(),
        cron: cron.to_owned(),
        timezone: "Asia/Seoul".to_owned(),
        queue: "mail".to_owned(),
        kind: "digest".to_owned(),
        version: 3,
        payload: r#"{"to": "all"}"#.to_owned(),
        missed,
    }
}

/// The clock in UTC, at the start of a minute.
fn at(text: &str) -> Tried<Time> {
    Ok(format!("{text}:00Z").parse()?)
}

/// Sets the clock, keeps house, and gives how many jobs were enqueued.
async fn fired(store: &Store, time: Time) -> Tried<u64> {
    store.once.set_clock(time);
    Ok(store.once.keep_house(Duration::from_hours(90 * 24)).await?.fired)
}

async fn only(store: &Store) -> Tried<ScheduleView> {
    Ok(store.once.schedules().await?.pop().ok_or("no schedule")?)
}

pub(crate) async fn a_schedule_enqueues_its_job_at_its_time(store: &Store) -> Verdict {
    store.once.set_clock(at("2026-12-01T00:00")?);
    store.once.schedule(digest("30 9 * * *", Missed::Once)).await?;
    assert_eq!(fired(store, at("2026-12-01T00:29")?).await?, 0);
    assert_eq!(fired(store, at("2026-12-01T00:30")?).await?, 1);
    assert_eq!(fired(store, at("2026-12-01T00:31")?).await?, 0);
    let made = "queue = 'mail' AND kind = 'digest' AND version = 3 AND state = 'pending' AND payload = '{\"to\": \"all\"}'";
    assert_eq!(store.count("job", made).await?, 1);
    let now = only(store).await?;
    assert_eq!(now.next_fire_at, Some(at("2026-12-02T00:30")?));
    assert_eq!(now.last_fire_at, Some(at("2026-12-01T00:30")?));
    Ok(())
}

pub(crate) async fn ten_keepers_fire_a_time_once(store: &Store) -> Verdict {
    store.once.set_clock(at("2026-12-01T00:00")?);
    store.once.schedule(digest("* * * * *", Missed::Skip)).await?;
    let mut keepers = tokio::task::JoinSet::new();
    for _ in 0..10 {
        keepers.spawn({
            let once = store.another().await?;
            async move {
                for minute in 1..=8 {
                    once.set_clock(Time::from_micros(1_796_083_200_000_000 + minute * 60_000_000));
                    once.keep_house(Duration::from_hours(90 * 24)).await?;
                }
                Ok::<_, Error>(())
            }
        });
    }
    // One at a time is a courtesy; that a time fires once must not hang on it.
    let mut left = 10;
    while left > 0 {
        store.execute("UPDATE @duty SET next_at = (SELECT min(next_fire_at) FROM @schedule) WHERE name = 'schedules'").await?;
        while let Some(kept) = keepers.try_join_next() {
            kept??;
            left -= 1;
        }
    }
    let keys = store.count("dedup", "true").await?;
    assert_eq!(store.count("job", "true").await?, keys);
    assert!((1..=8).contains(&keys), "{keys}");
    Ok(())
}

/// Fires, and times left out, after everybody was away from nine to half past nine in Seoul.
async fn away(store: &Store, missed: Missed) -> Tried<(u64, u64)> {
    store.once.set_clock(at("2026-12-01T00:00")?);
    store.once.schedule(digest("*/10 * * * *", missed)).await?;
    store.once.set_clock(at("2026-12-01T00:35")?);
    let kept = store.once.keep_house(Duration::from_hours(90 * 24)).await?;
    assert_eq!(only(store).await?.next_fire_at, Some(at("2026-12-01T00:40")?));
    Ok((kept.fired, kept.left_out))
}

pub(crate) async fn missed_times_are_left_out_by_skip(store: &Store) -> Verdict {
    assert_eq!(away(store, Missed::Skip).await?, (0, 3));
    assert_eq!(store.count("event", "queue = 'mail' AND what = 'missed'").await?, 1);
    assert_eq!(fired(store, at("2026-12-01T00:40")?).await?, 1);
    Ok(())
}

pub(crate) async fn missed_times_fire_once_by_once(store: &Store) -> Verdict {
    assert_eq!(away(store, Missed::Once).await?, (1, 2));
    Ok(())
}

pub(crate) async fn missed_times_all_fire_by_all(store: &Store) -> Verdict {
    assert_eq!(away(store, Missed::All).await?, (3, 0));
    assert_eq!(store.count("event", "what = 'missed'").await?, 0);
    Ok(())
}

pub(crate) async fn a_long_absence_is_made_up_for_a_hundred_a_round(store: &Store) -> Verdict {
    store.once.set_clock(at("2026-12-01T00:00")?);
    store.once.schedule(digest("* * * * *", Missed::All)).await?;
    let back = at("2026-12-01T04:10")?;
    let mut rounds = Vec::new();
    for second in 0..4 {
        rounds.push(fired(store, back.after(Duration::from_secs(second))).await?);
    }
    assert_eq!(rounds, [100, 100, 50, 0]);
    assert_eq!(store.count("job", "true").await?, 250);
    Ok(())
}

/// How often a schedule fires between two instants, with house kept every ten minutes.
async fn fires_between(store: &Store, cron: &str, from: &str, to: &str) -> Tried<u64> {
    let (mut now, end) = (at(from)?, at(to)?);
    store.once.set_clock(now);
    let schedule = Schedule { timezone: "America/New_York".to_owned(), ..digest(cron, Missed::Skip) };
    store.once.schedule(schedule).await?;
    let mut fires = 0;
    while now < end {
        now = now.after(Duration::from_mins(10));
        fires += fired(store, now).await?;
    }
    Ok(fires)
}

pub(crate) async fn the_hour_that_is_left_out_fires_once(store: &Store) -> Verdict {
    // 14 March 2027, New York: two o'clock does not come.
    assert_eq!(fires_between(store, "30 2 * * *", "2027-03-14T05:00", "2027-03-14T12:00").await?, 1);
    assert_eq!(only(store).await?.last_fire_at, Some(at("2027-03-14T07:30")?), "half past three by the wall");
    Ok(())
}

pub(crate) async fn the_hour_that_comes_twice_fires_once(store: &Store) -> Verdict {
    // 7 November 2027, New York: one o'clock comes twice.
    assert_eq!(fires_between(store, "30 1 * * *", "2027-11-07T04:00", "2027-11-07T12:00").await?, 1);
    assert_eq!(only(store).await?.last_fire_at, Some(at("2027-11-07T05:30")?), "the first of the two");
    Ok(())
}

pub(crate) async fn a_restart_loses_no_fire(store: &Store) -> Verdict {
    store.once.set_clock(at("2026-12-01T00:00")?);
    store.once.schedule(digest("30 9 * * *", Missed::Once)).await?;
    store.once.set_clock(at("2026-12-01T00:45")?);
    store.once.schedule(Schedule { payload: "[2]".to_owned(), ..digest("30 9 * * *", Missed::Once) }).await?;
    assert_eq!(fired(store, at("2026-12-01T00:45")?).await?, 1);
    assert_eq!(store.count("job", "payload = '[2]'").await?, 1);
    // Other times owe nothing of the old ones.
    store.once.schedule(digest("50 9 * * *", Missed::Once)).await?;
    assert_eq!(only(store).await?.next_fire_at, Some(at("2026-12-01T00:50")?));
    assert_eq!(store.count("schedule", "true").await?, 1);
    Ok(())
}

pub(crate) async fn a_paused_schedule_lets_its_times_pass(store: &Store) -> Verdict {
    store.once.set_clock(at("2026-12-01T00:00")?);
    store.once.schedule(digest("0 * * * *", Missed::All)).await?;
    assert!(store.once.pause_schedule("digest").await?);
    assert!(!store.once.pause_schedule("digest").await?, "it was paused already");
    assert_eq!(fired(store, at("2026-12-01T03:30")?).await?, 0);
    assert!(store.once.resume_schedule("digest").await?);
    assert!(!store.once.resume_schedule("digest").await?);
    assert_eq!(fired(store, at("2026-12-01T03:31")?).await?, 0);
    assert_eq!(fired(store, at("2026-12-01T04:00")?).await?, 1);
    Ok(())
}

pub(crate) async fn a_schedule_is_run_now_on_request_and_ends_when_removed(store: &Store) -> Verdict {
    store.once.set_clock(at("2026-12-01T00:00")?);
    store.once.schedule(digest("30 9 * * *", Missed::Once)).await?;
    store.once.pause_schedule("digest").await?;
    let (first, second) =
        (store.once.run_schedule_now("digest").await?, store.once.run_schedule_now("digest").await?);
    assert_ne!(first, second);
    assert_eq!(only(store).await?.next_fire_at, Some(at("2026-12-01T00:30")?));
    store.once.resume_schedule("digest").await?;
    store.once.remove_schedule("digest").await?;
    assert_eq!(fired(store, at("2026-12-02T00:30")?).await?, 0);
    assert_eq!(store.count("job", "state = 'pending'").await?, 2);
    let again = store.once.remove_schedule("digest").await;
    assert!(matches!(again, Err(Error::NotFound(text)) if text.contains("digest")));
    Ok(())
}

pub(crate) async fn a_schedule_that_cannot_be_is_refused(store: &Store) -> Verdict {
    let good = digest("0 9 * * *", Missed::Once);
    let bad = [
        ("bad_cron", Schedule { cron: "0 25 * * *".to_owned(), ..good.clone() }),
        ("cron_never_fires", Schedule { cron: "0 0 30 2 *".to_owned(), ..good.clone() }),
        ("bad_timezone", Schedule { timezone: "Asia/Atlantis".to_owned(), ..good.clone() }),
        ("payload_not_json", Schedule { payload: "{".to_owned(), ..good.clone() }),
        ("bad_name", Schedule { name: "a b".to_owned(), ..good.clone() }),
        ("bad_name", Schedule { queue: String::new(), ..good }),
    ];
    for (code, schedule) in bad {
        let refused = store.once.schedule(schedule).await.err().ok_or(code)?;
        assert_eq!(refused.code(), code, "{refused}");
    }
    assert_eq!(store.count("schedule", "true").await?, 0);
    Ok(())
}

pub(crate) async fn what_an_owner_has_no_more_goes_and_what_others_registered_stays(store: &Store) -> Verdict {
    store.once.set_clock(at("2026-12-01T00:00")?);
    let named = |name: &str| Schedule { name: name.to_owned(), ..digest("30 9 * * *", Missed::Once) };
    let known = async || -> Tried<Vec<String>> {
        Ok(store.once.schedules().await?.into_iter().map(|it| it.schedule.name).collect())
    };
    store.once.schedule(named("ours")).await?;
    assert_eq!(store.once.own_schedules("file", vec![named("a"), named("b")]).await?, [""; 0]);
    store.once.own_schedules("other", vec![named("c")]).await?;
    store.once.pause_schedule("b").await?;
    assert_eq!(store.once.own_schedules("file", vec![named("b")]).await?, ["a"]);
    assert_eq!(known().await?, ["b", "c", "ours"]);
    assert!(store.once.schedules().await?[0].paused_at.is_some(), "what stays keeps its pause");
    let mut wrong = named("d");
    "no cron".clone_into(&mut wrong.cron);
    assert!(store.once.own_schedules("file", vec![wrong]).await.is_err());
    assert_eq!(known().await?, ["b", "c", "ours"]);
    assert_eq!(store.once.own_schedules("file", vec![]).await?, ["b"]);
    assert_eq!(known().await?, ["c", "ours"]);
    Ok(())
}
