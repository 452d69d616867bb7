//! What actors were promised against what the store holds. Pure: facts in, flaws out.

use std::collections::{HashMap, HashSet};

use onceward::JobId;
use serde::Deserialize;

use crate::fact::Fact;

/// A job as it stands in the store.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Job {
    /// Its number.
    pub id: JobId,
    /// Its state.
    pub state: String,
    /// How often it was claimed and not handed out again.
    pub attempts: i64,
    /// Failed tries.
    pub tries: i64,
    /// Crashes while it ran alone.
    pub crashes: i64,
    /// How often it was claimed.
    pub claim_no: i64,
    /// The token of its lease.
    pub lease_token: Option<String>,
    /// Who holds its lease.
    pub lease_owner: Option<String>,
    /// The code of its last error.
    pub error_code: Option<String>,
}

/// How one attempt ended.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Attempt {
    /// The job.
    pub job_id: JobId,
    /// Its number.
    pub number: i64,
    /// How it ended.
    pub outcome: String,
    /// The boot id of the process.
    pub worker: Option<String>,
}

/// All that a store holds.
#[derive(Debug, Clone, Default)]
pub struct Held {
    /// Its jobs, finished or not.
    pub jobs: Vec<Job>,
    /// Their attempts.
    pub attempts: Vec<Attempt>,
}

impl Held {
    /// How many jobs are in this state.
    pub fn count(&self, state: &str) -> usize {
        self.jobs.iter().filter(|job| job.state == state).count()
    }
}

/// A broken promise.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Flaw {
    /// An acknowledged enqueue, and no such job.
    Lost(JobId),
    /// One number for two jobs.
    NumberTwice(JobId),
    /// Acknowledged as done, and in another state.
    Undone(JobId, String),
    /// Done more than once.
    DoneTwice(JobId),
    /// An attempt after it was done.
    AfterDone(JobId),
    /// Done, and no attempt did it.
    DoneByNobody(JobId),
    /// One claim was given to two handlers.
    ClaimedTwice(JobId, i64),
    /// A handler ran by a claim that the store knows nothing of.
    Unclaimed(JobId, i64),
    /// Running and nobody's, or somebody's and not running.
    NoOwner(JobId),
    /// Its claims and its attempts do not add up.
    Uncounted(JobId),
}

/// All broken promises, in order. `facts` are all that was said about this store, by whomever.
pub fn flaws<'a>(facts: impl IntoIterator<Item = &'a Fact>, held: &Held) -> Vec<Flaw> {
    let said = Said::of(facts);
    let jobs: HashMap<JobId, &Job> = held.jobs.iter().map(|job| (job.id, job)).collect();
    let mut attempts: HashMap<JobId, Vec<&Attempt>> = HashMap::new();
    held.attempts.iter().for_each(|attempt| attempts.entry(attempt.job_id).or_default().push(attempt));
    let mut flaws = said.flaws;
    flaws.extend(said.enqueued.iter().filter(|id| !jobs.contains_key(*id)).map(|id| Flaw::Lost(*id)));
    flaws.extend(said.done.iter().filter_map(|id| undone(*id, jobs.get(id).copied())));
    let known = |job: &JobId, claim_no: i64| jobs.get(job).is_some_and(|job| claim_no <= job.claim_no);
    let unclaimed = said.claims.iter().filter(|(job, claim_no)| !known(job, *claim_no));
    flaws.extend(unclaimed.map(|(job, claim_no)| Flaw::Unclaimed(*job, *claim_no)));
    for job in &held.jobs {
        flaws.extend(within(job, attempts.get(&job.id).map_or(&[], Vec::as_slice)));
    }
    flaws.sort();
    flaws
}

/// What was said, as sets.
#[derive(Default)]
struct Said {
    enqueued: HashSet<JobId>,
    done: HashSet<JobId>,
    claims: HashSet<(JobId, i64)>,
    /// What the facts alone contradict.
    flaws: Vec<Flaw>,
}

impl Said {
    fn of<'a>(facts: impl IntoIterator<Item = &'a Fact>) -> Self {
        let mut said = Self::default();
        let mut fresh = HashSet::new();
        for fact in facts {
            match fact {
                Fact::Enqueued { job, new } => {
                    said.enqueued.insert(*job);
                    if *new && !fresh.insert(*job) {
                        said.flaws.push(Flaw::NumberTwice(*job));
                    }
                }
                Fact::Started { job, claim_no, .. } if !said.claims.insert((*job, *claim_no)) => {
                    said.flaws.push(Flaw::ClaimedTwice(*job, *claim_no));
                }
                Fact::Done { job } => {
                    said.done.insert(*job);
                }
                _ => {}
            }
        }
        said
    }
}

fn undone(id: JobId, job: Option<&Job>) -> Option<Flaw> {
    let state = job.map_or("nowhere", |job| &job.state);
    (state != "done").then(|| Flaw::Undone(id, state.to_owned()))
}

/// What one job's row and its attempts contradict.
fn within(job: &Job, attempts: &[&Attempt]) -> Vec<Flaw> {
    let mut flaws = Vec::new();
    let done: Vec<i64> = attempts.iter().filter(|one| one.outcome == "done").map(|one| one.number).collect();
    match (done.as_slice(), job.state == "done") {
        ([], true) => flaws.push(Flaw::DoneByNobody(job.id)),
        ([_, _, ..], _) => flaws.push(Flaw::DoneTwice(job.id)),
        ([number], _) if attempts.iter().any(|one| one.number > *number) => {
            flaws.push(Flaw::AfterDone(job.id));
        }
        ([_], false) => flaws.push(Flaw::AfterDone(job.id)),
        _ => {}
    }
    let running = job.state == "running";
    // Who did a job stays with it when it is done.
    if job.lease_token.is_some() != running || (running && job.lease_owner.is_none()) {
        flaws.push(Flaw::NoOwner(job.id));
    }
    let ended = job.attempts - i64::from(running);
    if i64::try_from(attempts.len()) != Ok(ended) || job.attempts > job.claim_no {
        flaws.push(Flaw::Uncounted(job.id));
    }
    flaws
}
