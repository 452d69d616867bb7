//! Tables for people.

use comfy_table::presets::NOTHING;
use comfy_table::{
    Attribute, Cell as TableCell, CellAlignment, ColumnConstraint, ContentArrangement, Table, Width,
};
use unicode_width::UnicodeWidthStr;

use super::Output;
use super::state::Shown;
use super::text::{cut, one_line};

/// Longer texts make a table unreadable; `show` and `--json` have them in full.
const WIDEST: usize = 60;

/// A cell of at most so many columns is not broken into lines, however narrow the terminal.
const UNBROKEN: usize = 12;

/// Rows under a header.
#[derive(Debug, Clone, Default)]
pub(crate) struct Grid {
    header: Vec<&'static str>,
    rows: Vec<Vec<Cell>>,
}

/// What stands in a cell. Texts may come from anyone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Cell {
    /// Cut on a terminal where it is very long.
    Text(String),
    /// Never cut: addresses and ids that people copy.
    Whole(String),
    Number(u64),
    State(Shown),
    Empty,
}

impl Grid {
    /// No rows yet.
    pub(crate) fn new(header: impl IntoIterator<Item = &'static str>) -> Self {
        Self { header: header.into_iter().collect(), rows: Vec::new() }
    }

    /// Adds a row.
    pub(crate) fn row(&mut self, cells: impl IntoIterator<Item = Cell>) {
        self.rows.push(cells.into_iter().collect());
    }

    /// The table as text: fitted to the terminal, or one line per row off it.
    pub(crate) fn show(&self, output: &Output) -> String {
        let mut table = Table::new();
        table.load_style(NOTHING);
        if output.color {
            table.enforce_styling();
        } else {
            table.force_no_tty();
        }
        match output.width {
            Some(width) => table.set_width(width).set_content_arrangement(ContentArrangement::Dynamic),
            None => table.set_content_arrangement(ContentArrangement::Disabled),
        };
        table.set_header(self.header.iter().map(|name| heading(name, output)));
        for row in &self.rows {
            table.add_row(row.iter().map(|cell| cell.show(output)));
        }
        let narrowest = self.narrowest();
        for (column, narrowest) in table.column_iter_mut().zip(narrowest) {
            column.set_constraint(ColumnConstraint::LowerBoundary(Width::Fixed(narrowest)));
        }
        // The style leaves a space at the left of each line.
        let lines = table.lines().map(|line| line.strip_prefix(' ').unwrap_or(&line).trim_end().to_owned());
        lines.collect::<Vec<_>>().join("\n")
    }

    /// How wide each column must be for its short cells.
    fn narrowest(&self) -> Vec<u16> {
        let cells = |at: usize| self.rows.iter().filter_map(move |row| row.get(at)).map(Cell::plain);
        let columns = self.header.iter().enumerate();
        columns.map(|(at, name)| as_wide(cells(at).chain([(*name).to_owned()]))).collect()
    }
}

fn as_wide(cells: impl Iterator<Item = String>) -> u16 {
    let widths = cells.map(|text| text.width()).filter(|width| *width <= UNBROKEN);
    // With the space at each side.
    u16::try_from(widths.max().unwrap_or(1) + 2).unwrap_or(u16::MAX)
}

fn heading(name: &str, output: &Output) -> TableCell {
    let cell = TableCell::new(name);
    if output.color { cell.add_attribute(Attribute::Bold) } else { cell }
}

impl Cell {
    /// A text, or nothing.
    pub(crate) fn maybe(text: Option<impl Into<String>>) -> Self {
        text.map_or(Self::Empty, |text| Self::Text(text.into()))
    }

    fn plain(&self) -> String {
        match self {
            Self::Text(text) | Self::Whole(text) => one_line(text),
            Self::Number(number) => number.to_string(),
            Self::State(state) => state.to_string(),
            Self::Empty => String::new(),
        }
    }

    fn show(&self, output: &Output) -> TableCell {
        match self {
            Self::Text(text) if output.width.is_some() => TableCell::new(cut(&one_line(text), WIDEST)),
            Self::Text(text) | Self::Whole(text) => TableCell::new(one_line(text)),
            Self::Number(number) => TableCell::new(number).set_alignment(CellAlignment::Right),
            Self::State(state) if output.color => TableCell::new(state).fg(state.color()),
            Self::State(state) => TableCell::new(state),
            Self::Empty => TableCell::new(""),
        }
    }
}

impl From<&str> for Cell {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

/// The columns of the terminal behind standard output. Some terminals do not say, and call it 0.
pub(super) fn terminal_width() -> Option<u16> {
    Table::new().width().filter(|width| *width > 0)
}

#[cfg(test)]
mod tests {
    use super::super::Stderr;
    use super::*;

    fn output(color: bool, width: Option<u16>) -> Output {
        Output { json: false, verbosity: 0, width, color, err: Stderr::default() }
    }

    fn grid() -> Grid {
        let mut grid = Grid::new(["channel", "state", "jobs"]);
        grid.row(["블로그".into(), Cell::State(Shown::Done), Cell::Number(12)]);
        grid.row(["mastodon".into(), Cell::State(Shown::Dead), Cell::Number(1)]);
        grid
    }

    #[test]
    fn columns_line_up_by_display_width() {
        let expected = "channel   state     jobs\n블로그    ● Done      12\nmastodon  ✕ Failed     1";
        assert_eq!(grid().show(&output(false, None)), expected);
    }

    #[test]
    fn short_cells_stay_whole_on_a_narrow_terminal() {
        let mut grid = grid();
        grid.row([
            "a-very-long-name/of-a-content/in-a-folder".into(),
            Cell::State(Shown::Pending),
            Cell::Empty,
        ]);
        let shown = grid.show(&output(false, Some(30)));
        for whole in ["● Done", "✕ Failed", "○ Waiting", "mastodon", "channel"] {
            assert!(shown.contains(whole), "{whole}:\n{shown}");
        }
        assert!(shown.lines().all(|line| line.width() <= 30), "{shown}");
    }

    #[test]
    fn colours_are_an_addition_and_nothing_is_lost_without_them() {
        assert!(!grid().show(&output(false, Some(80))).contains('\u{1b}'));
        assert!(grid().show(&output(true, Some(80))).contains('\u{1b}'));
    }

    #[test]
    fn a_strangers_text_stays_in_its_cell() {
        let mut grid = Grid::new(["error"]);
        grid.row([Cell::Text("line\nbreak \u{1b}[2J".into())]);
        assert_eq!(grid.show(&output(false, None)), "error\nline break \u{fffd}[2J");
    }

    #[test]
    fn a_long_text_is_cut_on_a_terminal_alone() {
        let mut grid = Grid::new(["error"]);
        grid.row([Cell::Text("글".repeat(100))]);
        assert!(grid.show(&output(false, Some(200))).ends_with(&format!("{}…", "글".repeat(29))));
        assert!(grid.show(&output(false, None)).ends_with(&"글".repeat(100)));
    }
}
