//! Jobs by what went wrong.

use onceward::{Group, Time};
use serde::Serialize;

use crate::args::Kin;
use crate::command::Run;
use crate::exit::Exit;
use crate::output::{Cell, Grid, relative};
use crate::stop::Stop;

#[derive(Debug, Serialize)]
struct Document {
    groups: Vec<Group>,
}

/// Says those groups that are asked for; `none` when there are none.
pub(in crate::command) fn say(
    run: &Run,
    mut groups: Vec<Group>,
    kin: &Kin,
    none: &str,
) -> Result<Exit, Stop> {
    groups.retain(|group| kin.queue.as_ref().is_none_or(|queue| *queue == group.queue));
    groups.retain(|group| kin.error.is_none() || kin.error == group.code);
    let document = Document { groups };
    run.output.answer(&document, || match document.groups.as_slice() {
        [] => none.to_owned(),
        groups => table(groups, Time::now()).show(&run.output),
    })?;
    Ok(Exit::Fine)
}

fn table(groups: &[Group], now: Time) -> Grid {
    let mut grid = Grid::new(["jobs", "queue", "code", "platform", "first", "last", "such as"]);
    for group in groups {
        grid.row([
            Cell::Number(u64::try_from(group.count).unwrap_or(0)),
            Cell::Whole(group.queue.clone()),
            group.code.clone().map_or(Cell::Empty, Cell::Whole),
            Cell::maybe(group.platform_code.clone()),
            Cell::Text(relative(group.first, now)),
            Cell::Text(relative(group.last, now)),
            Cell::maybe(group.sample.clone()),
        ]);
    }
    grid
}
