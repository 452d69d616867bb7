//! The schedules of the configuration, as the store keeps them.

use onceward::Schedule;

use crate::command::Run;
use crate::config;
use crate::stop::Stop;
use crate::store::Store;

/// Whose schedules those of the configuration are.
const OWNER: &str = "configuration";

impl Store {
    /// Registers the schedules of the configuration, and removes those that it has no more. A restart loses no fire.
    pub(crate) async fn put_schedules(&self, run: &Run) -> Result<(), Stop> {
        for name in self.once.own_schedules(OWNER, self.configured_schedules()).await? {
            run.output.note(&format!("schedule {name} is not configured any more, and was removed"));
        }
        Ok(())
    }

    /// As the configuration has them.
    pub(crate) fn configured_schedules(&self) -> Vec<Schedule> {
        self.config.schedules.iter().map(from_config).collect()
    }
}

fn from_config(schedule: &config::Schedule) -> Schedule {
    Schedule {
        name: schedule.name.name.clone(),
        cron: schedule.cron.to_string(),
        timezone: schedule.timezone.iana_name().unwrap_or("UTC").to_owned(),
        queue: schedule.queue.name.clone(),
        kind: schedule.kind.clone(),
        version: 1,
        payload: schedule.payload.to_string(),
        missed: schedule.missed,
    }
}
