//! What both sides hold, in one shape: kept by the model, and read from the store by SQL of the model's own.

use std::collections::BTreeMap;

use onceward_db::{Conn, Result, Row, Sql, Time};

use crate::{JobId, State};

const JOBS: Sql = Sql {
    name: "model_jobs",
    sqlite: "SELECT * FROM onceward_job",
    postgres: "SELECT * FROM onceward.job_all",
};
const EFFECTS: Sql = Sql {
    name: "model_effects",
    sqlite: "SELECT * FROM onceward_effect ORDER BY job_id, step, generation",
    postgres: "SELECT * FROM onceward.effect ORDER BY job_id, step, generation",
};
const KEYS: Sql = Sql {
    name: "model_keys",
    sqlite: "SELECT key, job_id, payload_hash, expires_at FROM onceward_dedup",
    postgres: "SELECT key, job_id, payload_hash, expires_at FROM onceward.dedup",
};
const FIGURES: Sql = Sql {
    name: "model_figures",
    sqlite: "SELECT what, sum(n) AS n FROM (SELECT what, n FROM onceward_counter UNION ALL \
             SELECT what, n FROM onceward_counter_delta) GROUP BY what",
    postgres: "SELECT what, CAST(sum(n) AS bigint) AS n FROM (SELECT what, n FROM onceward.counter UNION ALL \
               SELECT what, n FROM onceward.counter_delta) AS every GROUP BY what",
};

/// All of it.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Rows {
    pub(super) jobs: BTreeMap<JobId, JobRow>,
    pub(super) effects: BTreeMap<JobId, Vec<EffectRow>>,
    /// By the key's hash.
    pub(super) keys: BTreeMap<String, KeyRow>,
    /// Those that are not zero.
    pub(super) figures: BTreeMap<String, i64>,
}

#[derive(Debug, Clone, PartialEq)]
pub(super) struct JobRow {
    pub(super) state: State,
    pub(super) payload: String,
    pub(super) held: bool,
    pub(super) run_at: Time,
    pub(super) attempts: i64,
    pub(super) tries: i64,
    pub(super) crashes: i64,
    pub(super) lone: bool,
    pub(super) open: i64,
    pub(super) stop: bool,
    pub(super) checks: i64,
    pub(super) check_at: Option<Time>,
    pub(super) purpose: Option<String>,
    pub(super) token: Option<String>,
    pub(super) owner: Option<String>,
    pub(super) leased_until: Option<Time>,
    pub(super) settled: Option<String>,
    pub(super) discard_at: Option<Time>,
    pub(super) finished_at: Option<Time>,
}

#[derive(Debug, Clone, PartialEq)]
pub(super) struct EffectRow {
    pub(super) step: String,
    pub(super) generation: i64,
    pub(super) request: String,
    pub(super) closes: bool,
    pub(super) state: String,
    pub(super) token: Option<String>,
    pub(super) sends: i64,
    pub(super) looks: i64,
    pub(super) absent: i64,
    pub(super) first_sent_at: Option<Time>,
    pub(super) last_sent_at: Option<Time>,
    pub(super) quiet_until: Option<Time>,
    pub(super) check_at: Option<Time>,
}

#[derive(Debug, Clone, PartialEq)]
pub(super) struct KeyRow {
    pub(super) job: JobId,
    pub(super) payload_hash: String,
    pub(super) expires_at: Option<Time>,
}

impl JobRow {
    /// What is kept of a job that is over; PostgreSQL's history leaves the rest out.
    fn kept(mut self) -> Self {
        if matches!(self.state, State::Done | State::Cancelled) {
            (self.held, self.lone, self.open, self.checks) = (false, false, 0, 0);
            (self.check_at, self.discard_at, self.purpose, self.owner) = (None, None, None, None);
        }
        self
    }

    fn read(row: &Row) -> Result<Self> {
        let read = Self {
            state: crate::store::state(row)?,
            payload: row.text("payload")?,
            held: row.opt_text("held_reason")?.is_some(),
            run_at: row.time("run_at")?,
            attempts: row.int("attempts")?,
            tries: row.int("tries")?,
            crashes: row.int("crashes")?,
            lone: row.flag("lone")?,
            open: row.int("open")?,
            stop: row.flag("stop")?,
            checks: row.int("checks")?,
            check_at: row.opt_time("check_at")?,
            purpose: row.opt_text("purpose")?,
            token: row.opt_text("lease_token")?,
            owner: row.opt_text("lease_owner")?,
            leased_until: row.opt_time("leased_until")?,
            settled: row.opt_text("settled_token")?,
            discard_at: row.opt_time("discard_at")?,
            finished_at: row.opt_time("finished_at")?,
        };
        Ok(read)
    }
}

impl EffectRow {
    pub(super) fn is_open(&self) -> bool {
        matches!(self.state.as_str(), "sending" | "unknown")
    }

    fn read(row: &Row) -> Result<Self> {
        Ok(Self {
            step: row.text("step")?,
            generation: row.int("generation")?,
            request: row.text("request")?,
            closes: row.flag("closes")?,
            state: row.text("state")?,
            token: row.opt_text("token")?,
            sends: row.int("sends")?,
            looks: row.int("looks")?,
            absent: row.int("absent")?,
            first_sent_at: row.opt_time("first_sent_at")?,
            last_sent_at: row.opt_time("last_sent_at")?,
            quiet_until: row.opt_time("quiet_until")?,
            check_at: row.opt_time("check_at")?,
        })
    }
}

impl Rows {
    pub(super) async fn read(conn: &mut Conn<'_>) -> Result<Self> {
        let mut all = Self::default();
        for row in conn.rows(&JOBS, vec![]).await? {
            all.jobs.insert(row.int("id")?, JobRow::read(&row)?);
        }
        for row in conn.rows(&EFFECTS, vec![]).await? {
            all.effects.entry(row.int("job_id")?).or_default().push(EffectRow::read(&row)?);
        }
        for row in conn.rows(&KEYS, vec![]).await? {
            let (job, expires_at) = (row.int("job_id")?, row.opt_time("expires_at")?);
            let held = KeyRow { job, payload_hash: row.text("payload_hash")?, expires_at };
            all.keys.insert(row.text("key")?, held);
        }
        for row in conn.rows(&FIGURES, vec![]).await? {
            all.figures.insert(row.text("what")?, row.int("n")?);
        }
        all.figures.retain(|_, n| *n != 0);
        Ok(all)
    }

    /// The same, without what a store may forget.
    pub(super) fn kept(mut self) -> Self {
        self.jobs = self.jobs.into_iter().map(|(id, job)| (id, job.kept())).collect();
        self
    }
}
