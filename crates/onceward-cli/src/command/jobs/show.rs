//! One job's whole life: a timeline from planned to proved.

mod life;

use onceward::{JobDetails, Time};

use super::table::shown;
use crate::command::Run;
use crate::exit::Exit;
use crate::output::{Output, one_line};
use crate::stop::Stop;
use crate::store::Store;

/// Shows it.
pub(in crate::command) async fn show(run: &Run, store: &Store, id: i64) -> Result<Exit, Stop> {
    let job = store.once.details(id).await?;
    run.output.answer(&job, || text(&job, Time::now(), &run.output))?;
    Ok(Exit::Fine)
}

fn text(details: &JobDetails, now: Time, output: &Output) -> String {
    let job = &details.job;
    let state = shown(job.state).map_or_else(String::new, |state| state.painted(output.color));
    let mut lines = vec![
        format!("job {}  {state}", job.id),
        one_line(&format!("{} in {}", job.kind, job.queue)),
        String::new(),
    ];
    lines.extend(life::lines(details, now, output));
    lines.push(String::new());
    lines.push(format!("payload  {}", one_line(&job.payload)));
    lines.join("\n")
}
