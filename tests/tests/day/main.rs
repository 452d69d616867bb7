//! A day of many processes on PostgreSQL, under a clock that the test moves: schedules, a rate and alerts, while backends
//! are killed, the server is restarted, and workers come and go. Each schedule fires once at each of its instants through
//! both changes of the clock, the rate holds, nothing is lost, and nobody is stuck.
//!
//! The long form (`ONCEWARD_LONG=1`, or `tests/long/run --long`) has twenty processes, two days of 25 hours, 200 killed
//! backends and 20 restarts.

mod almanac;
mod fleet;
mod weather;

use std::collections::HashSet;
use std::time::{Duration, Instant};

use onceward::{Dedup, Enqueued, QueueSettings, Time};
use onceward_tests::Verdict;
use onceward_tests::actor::Ended;
use onceward_tests::fact::Fact;
use onceward_tests::history::flaws;
use onceward_tests::orders::{Act, OPS, PACED};
use onceward_tests::server::Server;
use onceward_tests::store::Store;
use onceward_tests::wait::until;
use serde::Deserialize;

use self::almanac::{SEASONS, Season};
use self::fleet::Fleet;
use self::weather::{Forecast, Weather};

/// How soon a duty that failed is tried again.
const MOMENT: Duration = Duration::from_secs(1);
/// How far the clock moves at once.
const STEP: Duration = Duration::from_mins(10);
/// "6/1h": six at once, then one in ten minutes.
const RATE: (u32, Duration) = (6, Duration::from_hours(1));
/// Jobs at each step; each takes some milliseconds.
const JOBS: usize = 12;
/// What runs for longer than this, nobody runs.
const LONG_GONE: Duration = Duration::from_secs(3);
/// How long all that is due may take, a restart of the server in the midst of it.
const CALM: Duration = Duration::from_mins(2);

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn each_instant_fires_once_and_nobody_is_stuck_while_backends_and_the_server_die() -> Verdict {
    let long = std::env::var_os("ONCEWARD_LONG").is_some();
    let (processes, hours, kills, restarts) = if long { (20, 25, 200, 20) } else { (6, 3, 20, 2) };
    let steps = usize::try_from(hours * 3600 / STEP.as_secs())?;
    let server = Server::start(&["max_connections=300"]).await?;
    let store = Store::on(&server, "day").await?;
    let begins = SEASONS[0].begins()?;
    store.once().set_clock(begins);
    let pace =
        QueueSettings { rate: Some(onceward::pace::Rate::new(RATE.0, RATE.1)?), ..QueueSettings::default() };
    store.once().define_queue(PACED, pace).await?;
    let fleet = Fleet::start(store.url(), processes, begins).await?;
    let weather = Weather::new(Forecast { steps: 2 * steps, kills, restarts });
    let mut day = Day { server, store, fleet, weather, now: begins, said: Vec::new(), dying: 0 };
    // Nearly as many as the rate lets through, so that it is what they wait for.
    day.enqueue("paced", vec![Act::Nothing; 2 * steps], Some(PACED)).await?;
    for season in &SEASONS {
        day.pass(season, steps).await?;
    }
    day.end().await
}

struct Day {
    server: Server,
    store: Store,
    fleet: Fleet,
    weather: Weather,
    now: Time,
    /// What the test itself was promised.
    said: Vec<Fact>,
    /// Jobs that are to be dead.
    dying: usize,
}

impl Day {
    /// One span of time, step by step.
    async fn pass(&mut self, season: &Season, steps: usize) -> Verdict {
        self.turn(season.begins()?).await?;
        self.calm().await?;
        for schedule in season.schedules() {
            self.store.once().schedule(schedule).await?;
        }
        for step in 0..steps {
            self.turn(self.now.after(STEP)).await?;
            let mut acts = vec![Act::Take { ms: 20 }; JOBS];
            if step.is_multiple_of(12) {
                acts.push(Act::Die);
                self.dying += 1;
            }
            self.enqueue(&format!("{}-{step}", season.name), acts, None).await?;
            self.weather.strike(&mut self.server, &mut self.fleet).await?;
            self.calm().await?;
        }
        for at in 0..season.rules.len() {
            let schedule = season.schedule(at);
            let due: Vec<i64> = season.instants(at, self.now)?.into_iter().map(noticed).collect();
            assert_eq!(self.fired(&schedule).await?, due, "{schedule}");
            self.store.once().remove_schedule(&schedule).await?;
        }
        Ok(())
    }

    async fn turn(&mut self, now: Time) -> Verdict {
        self.now = now;
        self.store.once().set_clock(now);
        self.fleet.move_clock(now).await
    }

    /// Enqueues them all. A connection that broke says nothing of the commit, so they are enqueued again by their keys.
    async fn enqueue(&mut self, name: &str, acts: Vec<Act>, queue: Option<&str>) -> Verdict {
        let job = |(at, act): (usize, &Act)| {
            let job = act.job().dedup(format!("{name}-{at}"), Dedup::Forever);
            if let Some(queue) = queue { job.queue(queue) } else { job }
        };
        let answers = until("all are enqueued", CALM, async || {
            Ok(self.store.once().enqueue_each(acts.iter().enumerate().map(job).collect()).await.ok())
        });
        for answer in answers.await? {
            let enqueued = answer?;
            self.said.push(Fact::Enqueued { job: enqueued.id(), new: matches!(enqueued, Enqueued::New(_)) });
        }
        Ok(())
    }

    /// Waits until all that is due has been done, but for what nobody knows that he has: jobs of a worker that was killed, or
    /// whose claim was committed as its connection broke. Their leases run out as the clock moves. A duty that failed with
    /// its connection is due again a moment later, so the clock goes on by moments while anything is due.
    async fn calm(&mut self) -> Verdict {
        let at = format!("timestamptz '{}'", self.now);
        let due = format!(
            "(SELECT coalesce(json_agg(what), '[]') FROM (
                SELECT json_build_object('job', id, 'queue', queue, 'lone', lone, 'claims', claim_no) AS what FROM onceward.job
                    WHERE queue <> '{PACED}' AND state = 'pending' AND run_at <= {at}
                UNION ALL
                SELECT json_build_object('schedule', name, 'at', next_fire_at) FROM onceward.schedule
                    WHERE next_fire_at <= {at}) AS due)"
        );
        let running =
            "(SELECT coalesce(string_agg(id || ':' || claim_no, ' ' ORDER BY id), '') FROM onceward.job
            WHERE state = 'running')";
        let (mut last, mut since, mut open) = (String::new(), Instant::now(), Vec::new());
        let (mut clock, mut moved) = (self.now, Instant::now());
        let calm = until("all that is due is done", CALM, async || {
            let row: Vec<(Vec<serde_json::Value>, String)> = self
                .store
                .rows(&format!("json_build_array({due}, {running})::text"), "(SELECT 1) AS one")
                .await?;
            let (due, running) = row.into_iter().next().ok_or("no row")?;
            open = due;
            if running != last {
                (last, since) = (running, Instant::now());
            }
            if !open.is_empty() && moved.elapsed() > LONG_GONE {
                (clock, moved) = (clock.after(MOMENT), Instant::now());
                self.store.once().set_clock(clock);
                self.fleet.move_clock(clock).await?;
            }
            Ok((open.is_empty() && (last.is_empty() || since.elapsed() > LONG_GONE)).then_some(()))
        });
        calm.await.map_err(|e| format!("{e}; these are due: {open:?}, and these run: {last}").into())
    }

    /// The steps of the clock at which the jobs of a schedule were made that are done now.
    async fn fired(&self, schedule: &str) -> Verdict<Vec<i64>> {
        let which = format!("payload LIKE '%\"{schedule}\"%' AND state = 'done'");
        let from = format!("onceward.job_all WHERE {which} ORDER BY created_at");
        let made: Vec<i64> = self.store.rows("onceward.micros(created_at)::text", &from).await?;
        let step = i64::try_from(STEP.as_micros())?;
        Ok(made.into_iter().map(|at| at.div_euclid(step) * step).collect())
    }

    /// Lets what waits for the rate run, looks that everyone still works, and compares.
    async fn end(mut self) -> Verdict {
        let waiting = format!("onceward.job WHERE queue = '{PACED}'");
        while self.store.number("count(*)", &waiting).await? > 0 {
            self.turn(self.now.after(RATE.1)).await?;
            let due = until("what the rate lets through runs", CALM, async || {
                let started = "onceward.attempt_all JOIN onceward.job_all AS job ON job.id = job_id";
                let since = format!(
                    "{started} WHERE job.queue = '{PACED}' AND started_at > timestamptz '{}'",
                    self.now.before(RATE.1)
                );
                let left = self.store.number("count(*)", &waiting).await? == 0;
                Ok((left || self.store.number("count(*)", &since).await? > 0).then_some(()))
            });
            due.await?;
            self.calm().await?;
        }
        self.nobody_is_stuck().await?;
        self.all_is_told().await?;
        while self.store.number("count(*)", "onceward.job WHERE state = 'running'").await? > 0 {
            self.turn(self.now.after(STEP)).await?;
            self.calm().await?;
        }
        let held = self.store.held().await?;
        let crew = self.fleet.end().await?;
        let dead = held.count("dead");
        assert_eq!((dead, held.count("done") + dead), (self.dying, held.jobs.len()));
        let facts = crew.iter().flat_map(Ended::facts).chain(&self.said);
        assert_eq!(flaws(facts, &held), []);
        let starts = starts(&self.store).await?;
        assert!(holds(&starts), "more than the rate allows: {starts:?}");
        let Weather { kills, amidst, restarts, .. } = self.weather;
        assert!(3 * amidst >= kills, "of {kills} kills only {amidst} fell while jobs were running");
        println!(
            "{} jobs of {} processes; {kills} backends killed, {amidst} of them while jobs ran, and {restarts} restarts; \
             {} starts under the rate",
            held.jobs.len(),
            crew.len(),
            starts.len(),
        );
        Ok(())
    }

    /// More and more jobs, until every process has claimed one of them.
    async fn nobody_is_stuck(&mut self) -> Verdict {
        let counted =
            |fleet: &Fleet| fleet.actors.iter().map(|actor| actor.count(is_start)).collect::<Vec<_>>();
        let before = counted(&self.fleet);
        let mut idle: HashSet<usize> = (0..before.len()).collect();
        let deadline = Instant::now() + CALM;
        for round in 0.. {
            self.enqueue(&format!("last-{round}"), vec![Act::Take { ms: 100 }; 8 * before.len()], None)
                .await?;
            self.calm().await?;
            let now = counted(&self.fleet);
            idle.retain(|&one| now[one] == before[one]);
            if idle.is_empty() || Instant::now() > deadline {
                break;
            }
        }
        assert!(idle.is_empty(), "{} of {} processes claim nothing any more", idle.len(), before.len());
        Ok(())
    }

    /// Each message of the rule was told once, and the last of them tells of all that is dead.
    async fn all_is_told(&mut self) -> Verdict {
        let told = async |day: &Self| -> Verdict<Vec<Message>> {
            let from = format!("onceward.job_all WHERE queue = '{OPS}' ORDER BY id");
            day.store.rows("payload", &from).await
        };
        loop {
            let messages = told(self).await?;
            let dead: u64 =
                messages.last().map_or(0, |last| last.notices.iter().map(|notice| notice.count).sum());
            if usize::try_from(dead)? == self.dying {
                let numbers: Vec<i64> = messages.iter().map(|message| message.number).collect();
                assert_eq!(numbers, (1..).take(numbers.len()).collect::<Vec<_>>(), "each is told once");
                let soon = |pair: &[Message]| pair[1].at.since(pair[0].at) < Duration::from_mins(10);
                assert!(!messages.windows(2).any(soon), "a rule speaks once in its period");
                return Ok(());
            }
            self.turn(self.now.after(STEP)).await?;
            let known = messages.len();
            until("the rule speaks", CALM, async || Ok((told(self).await?.len() > known).then_some(())))
                .await?;
            self.calm().await?;
        }
    }
}

/// What an alert says, as far as it is looked at.
#[derive(Debug, Deserialize)]
struct Message {
    number: i64,
    at: Time,
    notices: Vec<Count>,
}

#[derive(Debug, Deserialize)]
struct Count {
    count: u64,
}

/// The first step of the clock that is not before an instant.
fn noticed(instant: i64) -> i64 {
    let step = i64::try_from(STEP.as_micros()).unwrap_or(i64::MAX);
    instant.div_euclid(step) * step + if instant.rem_euclid(step) > 0 { step } else { 0 }
}

fn is_start(fact: &Fact) -> bool {
    matches!(fact, Fact::Started { .. })
}

/// When jobs of the queue with the rate were started, in order (microseconds).
async fn starts(store: &Store) -> Verdict<Vec<i64>> {
    let from = format!(
        "onceward.attempt_all JOIN onceward.job_all AS job ON job.id = job_id WHERE job.queue = '{PACED}' ORDER BY started_at"
    );
    store.rows("onceward.micros(started_at)::text", &from).await
}

/// Whether in each span of time no more were started than at once may be, and one more for each interval of it.
fn holds(starts: &[i64]) -> bool {
    let interval = i64::try_from(RATE.1.as_micros()).unwrap_or(i64::MAX) / i64::from(RATE.0);
    let within = |(first, from): (usize, &i64)| {
        let later = starts[first..].iter().zip(1..);
        later.into_iter().all(|(to, count)| count <= i64::from(RATE.0) + (to - from) / interval)
    };
    starts.iter().enumerate().all(within)
}
