//! The schedules of the configuration, as the store keeps them.

use std::path::Path;

use onceward::{Schedule, ScheduleView};

use crate::command::Run;
use crate::config;
use crate::output::plain;
use crate::stop::Stop;
use crate::store::Store;

impl Store {
    /// Registers the schedules of the configuration, and removes those that it has no more. A restart loses no fire.
    /// Those of another file that uses this store stay; files are told apart by their paths.
    pub(crate) async fn put_schedules(&self, run: &Run) -> Result<(), Stop> {
        let owner = self.config.file.to_string_lossy();
        for name in self.once.own_schedules(&owner, self.configured_schedules()).await? {
            run.output.note(&format!("schedule {name} is not configured any more, and was removed"));
        }
        for ScheduleView { schedule: Schedule { name, .. }, owner, .. } in self.once.schedules().await? {
            // A configuration that moved away left it, or it is another machine's.
            if let Some(owner) = owner.filter(|owner| !Path::new(owner).exists()) {
                let way = format!("if nobody has it any more: onceward schedules remove {name}");
                run.output.note(&plain(&format!("schedule {name} is of {owner}, which is not here; {way}")));
            }
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
