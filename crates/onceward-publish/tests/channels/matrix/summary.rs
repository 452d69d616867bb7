//! The matrix as docs/once.md shows it: what each kind of channel comes to, by what its platform does with a post.

use std::collections::BTreeSet;
use std::path::Path;

use onceward_sandbox::Kind;

use super::cell::Cell;
use super::cells;
use super::expect::End;
use super::places::{ALL, Role, Which};
use crate::page;
use crate::stage::Verdict;

const PAGE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/once.md");

/// What happens to the post, in words, and in the order of the page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum What {
    TakesSilently,
    TakesWithAnError,
    TakesAsDuplicate,
    TakesAndIsSlowToShow,
    TakesAndRejectsRepeats,
    LookFails,
    AllLooksFail,
    Silent,
    Errs,
    AnswersNothing,
    Refuses,
    KnowsNoAddress,
    CallsItDuplicate,
    AsksToWait,
    Credentials,
    Before,
}

impl What {
    fn of(cell: &Cell) -> Self {
        match (cell.role, cell.kind) {
            (Role::Look, _) => Self::LookFails,
            (Role::LookAlways, _) => Self::AllLooksFail,
            (Role::Before | Role::OnItsWay | Role::After, _) => Self::Before,
            (Role::Visible, kind) => Self::of_post(kind),
        }
    }

    fn of_post(kind: Kind) -> Self {
        match kind {
            Kind::AcceptThenHang
            | Kind::AcceptThenReset
            | Kind::AcceptThenCut(_)
            | Kind::AcceptThenStatus(200)
            | Kind::SlowLoris(_) => Self::TakesSilently,
            Kind::AcceptThenStatus(_) => Self::TakesWithAnError,
            Kind::Duplicate { accept: true } => Self::TakesAsDuplicate,
            Kind::Duplicate { accept: false } => Self::CallsItDuplicate,
            Kind::SlowLook(_) => Self::TakesAndIsSlowToShow,
            Kind::RepeatError => Self::TakesAndRejectsRepeats,
            Kind::Hang | Kind::Reset => Self::Silent,
            Kind::Refuse(200) => Self::AnswersNothing,
            Kind::Refuse(401 | 403) | Kind::ExpiredToken | Kind::RevokedToken => Self::Credentials,
            Kind::Refuse(404) => Self::KnowsNoAddress,
            Kind::Refuse(500..) => Self::Errs,
            Kind::Refuse(_) => Self::Refuses,
            Kind::RateLimit(..) => Self::AsksToWait,
        }
    }

    fn words(self) -> &'static str {
        match self {
            Self::TakesSilently => "takes it; no answer comes, or half of one",
            Self::TakesWithAnError => "takes it, and answers 408 or 5xx",
            Self::TakesAsDuplicate => "takes it, and says that it is a duplicate",
            Self::TakesAndIsSlowToShow => "takes it; no answer, and a look misses it for a while",
            Self::TakesAndRejectsRepeats => "takes it; no answer, and a repeat is an error",
            Self::LookFails => "takes it; no answer, and the first look fails",
            Self::AllLooksFail => "takes it; no answer, and every look fails",
            Self::Silent => "does not take it, and says nothing",
            Self::Errs => "does not take it, and answers 5xx",
            Self::AnswersNothing => "does not take it, and answers 200",
            Self::Refuses => "says no (400, 422)",
            Self::KnowsNoAddress => "says 404",
            Self::CallsItDuplicate => "says that it is a duplicate, and has nothing",
            Self::AsksToWait => "asks to wait",
            Self::Credentials => "refuses the credentials",
            Self::Before => "fails in any of these ways before the post (login, upload, draft …)",
        }
    }
}

fn word(end: End) -> Option<&'static str> {
    match end {
        End::Once => Some("once"),
        End::Asked { .. } => Some("asked"),
        End::OnceOrAsked => Some("once, asked"),
        End::Dead => Some("dead"),
        End::Waits => Some("waits"),
        End::Exempt(_) => None,
    }
}

/// All that a kind of channel comes to, of all samples.
fn ends(cells: &[Cell], what: What) -> String {
    let ends = cells.iter().filter(|cell| What::of(cell) == what).filter_map(|cell| word(cell.end()));
    let words: BTreeSet<&str> = ends.flat_map(|end| end.split(", ")).collect();
    // What goes well comes first.
    let order = ["once", "waits", "asked", "dead"].into_iter().filter(|word| words.contains(word));
    let said = order.collect::<Vec<_>>().join(", ");
    if said.is_empty() { "–".to_owned() } else { said }
}

fn name(which: Which) -> &'static str {
    match which {
        Which::SlackBot => "slack (bot)",
        Which::SlackWebhook => "slack (webhook)",
        other => other.platform(),
    }
}

#[test]
fn what_the_matrix_demands_is_what_the_page_says() -> Verdict {
    let columns = ALL.map(|which| (name(which), cells(which)));
    let whats: BTreeSet<What> = columns.iter().flat_map(|(_, cells)| cells).map(What::of).collect();
    let head: Vec<&str> = std::iter::once("the platform").chain(columns.iter().map(|it| it.0)).collect();
    let row = |what: &What| {
        let cells = columns.iter().map(|(_, cells)| ends(cells, *what));
        std::iter::once(what.words().to_owned()).chain(cells).collect()
    };
    let table = page::table(&head, &whats.iter().map(row).collect::<Vec<_>>());
    page::holds(Path::new(PAGE), "faults", &table)
}
