//! Which jobs a verb means.

use std::collections::VecDeque;

use crate::store::jobs::{self, Order};
use crate::{Error, Filter, JobId, Onceward, State};

/// The jobs that a verb is applied to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Selection {
    /// These. Each gets an answer, whatever its state.
    Ids(Vec<JobId>),
    /// Those that match, among the states that the verb acts on.
    Matching(Filter),
    /// All in the states that the verb acts on.
    All,
}

impl From<JobId> for Selection {
    fn from(id: JobId) -> Self {
        Self::Ids(vec![id])
    }
}

impl From<Vec<JobId>> for Selection {
    fn from(ids: Vec<JobId>) -> Self {
        Self::Ids(ids)
    }
}

impl From<Filter> for Selection {
    fn from(filter: Filter) -> Self {
        Self::Matching(filter)
    }
}

impl Selection {
    /// The one job it names, if it names exactly one.
    pub(crate) fn one(&self) -> Option<JobId> {
        match self {
            Self::Ids(ids) if ids.len() == 1 => ids.first().copied(),
            _ => None,
        }
    }
}

/// A selection, some jobs at a time, oldest first, so that each transaction stays small.
pub(crate) struct Walk<'a> {
    once: &'a Onceward,
    source: Source,
}

enum Source {
    Named(VecDeque<JobId>),
    Found { filter: Filter, after: Option<JobId> },
}

impl<'a> Walk<'a> {
    pub(crate) fn new(once: &'a Onceward, selection: &Selection, among: &[State]) -> Result<Self, Error> {
        let found = |filter: &Filter| {
            let filter = filter.among(among);
            filter.map_or_else(Source::nothing, |filter| Source::Found { filter, after: None })
        };
        let source = match selection {
            Selection::Ids(ids) => {
                let mut seen = std::collections::HashSet::new();
                Source::Named(ids.iter().copied().filter(|id| seen.insert(*id)).collect())
            }
            Selection::Matching(filter) => {
                filter.check()?;
                found(filter)
            }
            Selection::All => found(&Filter::default()),
        };
        Ok(Self { once, source })
    }

    /// At most `most` more; empty when there are no more.
    pub(crate) async fn next(&mut self, most: usize) -> Result<Vec<JobId>, Error> {
        match &mut self.source {
            Source::Named(ids) => Ok(ids.drain(..most.min(ids.len())).collect()),
            Source::Found { filter, after } => {
                let mut reader = self.once.db().reader().await?;
                let ids = jobs::pick(&mut reader.conn(), filter, most, *after, Order::OldestFirst).await?;
                *after = ids.last().copied().or(*after);
                Ok(ids)
            }
        }
    }
}

impl Source {
    fn nothing() -> Self {
        Self::Named(VecDeque::new())
    }
}
