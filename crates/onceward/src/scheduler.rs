//! Schedules: rules that enqueue a job at each of their times.

use jiff::tz::TimeZone;
use serde::{Deserialize, Serialize};

use crate::schedule::{Cron, Missed, next_after};
use crate::store::plans::{Plan, Planned, Plans};
use crate::store::schedules;
use crate::time::zone;
use crate::{Error, JobId, NewJob, Onceward, Time, job};

/// The longest name of an owner, in bytes: a path fits.
const LONGEST_OWNER: usize = 4096;

/// A rule that enqueues a job at each of its times.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Schedule {
    /// Its name.
    pub name: String,
    /// When, in wall time: five fields, or `@daily` and the like.
    pub cron: String,
    /// The wall it is read from: an IANA name such as `Asia/Seoul`.
    pub timezone: String,
    /// The queue of its jobs.
    pub queue: String,
    /// The kind of its jobs.
    pub kind: String,
    /// The version of their payload.
    pub version: u32,
    /// Their payload: JSON.
    pub payload: String,
    /// What becomes of times that nobody was there for.
    pub missed: Missed,
}

/// A schedule as it stands.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct ScheduleView {
    /// The rule.
    #[serde(flatten)]
    pub schedule: Schedule,
    /// Whose it is, if it is one of a set ([`Onceward::own_schedules`]).
    pub owner: Option<String>,
    /// Set while it is paused.
    pub paused_at: Option<Time>,
    /// When it fires next; lies in the past while fires are being made up for.
    pub next_fire_at: Option<Time>,
    /// The last of its times that it fired for.
    pub last_fire_at: Option<Time>,
}

/// The times of a schedule, read.
#[derive(Debug, Clone)]
pub(crate) struct Times {
    pub cron: Cron,
    pub zone: TimeZone,
}

impl Times {
    pub(crate) fn of(schedule: &Schedule) -> Result<Self, Error> {
        let named = |text: String| format!("schedule {:?}: {text}", schedule.name);
        let cron = schedule.cron.parse::<Cron>();
        let zone = zone(&schedule.timezone);
        Ok(Self {
            cron: cron.map_err(|e| Error::invalid("bad_cron", named(e.to_string())))?,
            zone: zone.map_err(|e| Error::invalid("bad_timezone", named(e.to_string())))?,
        })
    }
}

impl Onceward {
    /// Registers a schedule, or changes the one of that name. While its cron and time zone stay the same, so does
    /// its next time: a restart loses no fire.
    ///
    /// # Errors
    /// `Invalid` for a name, cron, time zone or payload that cannot be, and for a cron that never fires.
    pub async fn schedule(&self, schedule: Schedule) -> Result<(), Error> {
        let times = self.fits(&schedule)?;
        self.plan(Plan::Put(Box::new(schedule), times)).await.map(drop)
    }

    /// Registers all schedules of an owner, such as a configuration by its path, and removes those that it had before and has no
    /// more; gives their names. The schedules of others stay, and so do the jobs that were made. A schedule belongs
    /// to whoever registered it last.
    ///
    /// # Errors
    /// As [`schedule`](Self::schedule), and `Invalid` for an owner without a name, or with one of over 4 KiB. Then nothing is changed.
    pub async fn own_schedules(&self, owner: &str, schedules: Vec<Schedule>) -> Result<Vec<String>, Error> {
        if owner.is_empty() || owner.len() > LONGEST_OWNER || owner.contains('\0') {
            let text = format!("owner {owner:?}: expected 1 to {LONGEST_OWNER} bytes, without U+0000");
            return Err(Error::invalid("bad_name", text));
        }
        let all = schedules.into_iter().map(|schedule| self.fits(&schedule).map(|times| (schedule, times)));
        let plan = Plan::Own(owner.to_owned(), all.collect::<Result<_, _>>()?);
        match self.db().fold::<Plans>(vec![plan]).await?.pop() {
            Some(Planned::Pruned(names)) => Ok(names),
            _ => Ok(Vec::new()),
        }
    }

    fn fits(&self, schedule: &Schedule) -> Result<Times, Error> {
        job::name("schedule", &schedule.name)?;
        let Schedule { queue, kind, payload, .. } = schedule;
        NewJob::untyped(queue, kind, payload).checked()?;
        let times = Times::of(schedule)?;
        if next_after(&times.cron, &times.zone, self.now()).is_none() {
            let text = format!(
                "schedule {:?}: {:?} never fires; is there such a day?",
                schedule.name, schedule.cron
            );
            return Err(Error::invalid("cron_never_fires", text));
        }
        Ok(times)
    }

    /// All schedules, by name.
    pub async fn schedules(&self) -> Result<Vec<ScheduleView>, Error> {
        Ok(schedules::list(&mut self.db().reader().await?.conn()).await?)
    }

    /// Pauses a schedule: its times pass until it is resumed. Says whether it was not paused before.
    pub async fn pause_schedule(&self, name: &str) -> Result<bool, Error> {
        Ok(self.plan(Plan::Pause(name.to_owned())).await? == Planned::Changed)
    }

    /// Lets a schedule go on with its next time; what passed during the pause is left out. Says whether it was paused.
    pub async fn resume_schedule(&self, name: &str) -> Result<bool, Error> {
        Ok(self.plan(Plan::Resume(name.to_owned())).await? == Planned::Changed)
    }

    /// Enqueues a schedule's job now, once more than its times say; also while it is paused.
    pub async fn run_schedule_now(&self, name: &str) -> Result<JobId, Error> {
        match self.plan(Plan::RunNow(name.to_owned())).await? {
            Planned::Ran(job) => Ok(job),
            other => Err(Error::not_now("not_run", format!("schedule {name:?} was not run: {other:?}"))),
        }
    }

    /// Removes a schedule. The jobs that it made stay.
    pub async fn remove_schedule(&self, name: &str) -> Result<(), Error> {
        self.plan(Plan::Remove(name.to_owned())).await.map(drop)
    }

    async fn plan(&self, plan: Plan) -> Result<Planned, Error> {
        let missing = match &plan {
            Plan::Put(schedule, _) => schedule.name.clone(),
            Plan::Own(owner, _) => owner.clone(),
            Plan::Pause(name) | Plan::Resume(name) | Plan::RunNow(name) | Plan::Remove(name) => name.clone(),
        };
        match self.db().fold::<Plans>(vec![plan]).await?.pop() {
            Some(Planned::Missing) | None => {
                Err(Error::NotFound(format!("there is no schedule {missing:?}; `schedules` lists them")))
            }
            Some(planned) => Ok(planned),
        }
    }
}
