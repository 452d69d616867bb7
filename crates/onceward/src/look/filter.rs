//! Which jobs to look at.

use serde::{Deserialize, Serialize};

use crate::{Error, JobId, State, Time};

/// How long a text of a filter may be, in bytes.
const TEXT_LIMIT: usize = 1024;
/// How many ids a filter may name.
const ID_LIMIT: usize = 10_000;

/// Conditions that a job must meet, all of them. The empty filter means every job.
///
/// Every text is compared as it is: `%`, `_` and quotes mean themselves.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Filter {
    /// In one of these states; empty: in any.
    pub states: Vec<State>,
    /// In this queue.
    pub queue: Option<String>,
    /// Of this kind.
    pub kind: Option<String>,
    /// Whose last error has this code.
    pub error: Option<String>,
    /// Enqueued or ended at or after this instant.
    pub since: Option<Time>,
    /// With this text, case and all, in its payload (as JSON) or its last error.
    pub search: Option<String>,
    /// Held, or not held.
    pub held: Option<bool>,
    /// Held for this reason.
    pub held_reason: Option<String>,
    /// Dead and discarded, or not.
    pub discarded: Option<bool>,
    /// One of these.
    pub ids: Option<Vec<JobId>>,
}

impl Filter {
    /// Jobs in one state.
    pub fn state(state: State) -> Self {
        Self { states: vec![state], ..Self::default() }
    }

    /// Some jobs by their ids.
    pub fn ids(ids: impl IntoIterator<Item = JobId>) -> Self {
        Self { ids: Some(ids.into_iter().collect()), ..Self::default() }
    }

    pub(crate) fn check(&self) -> Result<(), Error> {
        let texts = [
            ("queue", &self.queue),
            ("kind", &self.kind),
            ("error", &self.error),
            ("search", &self.search),
            ("held_reason", &self.held_reason),
        ];
        for (name, text) in texts.into_iter().filter_map(|(name, text)| Some((name, text.as_ref()?))) {
            if text.len() > TEXT_LIMIT || text.contains('\0') {
                let why = format!("filter {name}: expected at most {TEXT_LIMIT} bytes without U+0000");
                return Err(Error::invalid("bad_filter", why));
            }
        }
        if self.ids.as_ref().is_some_and(|ids| ids.len() > ID_LIMIT) {
            let why = format!("filter ids: at most {ID_LIMIT} ids fit; ask for the others separately");
            return Err(Error::invalid("bad_filter", why));
        }
        Ok(())
    }

    /// The states that can match at all; empty: any. Only pending jobs are held, only dead ones discarded.
    pub(crate) fn wanted(&self) -> Vec<State> {
        let held = self.held == Some(true) || self.held_reason.is_some();
        match self.states.as_slice() {
            [] if held => vec![State::Pending],
            [] if self.discarded == Some(true) => vec![State::Dead],
            states => states.to_vec(),
        }
    }

    /// The same filter over the states in `among` alone; `None` when it can match none of them.
    pub(crate) fn among(&self, among: &[State]) -> Option<Self> {
        let wanted = self.wanted();
        let states: Vec<State> =
            among.iter().copied().filter(|state| wanted.is_empty() || wanted.contains(state)).collect();
        (!states.is_empty()).then(|| Self { states, ..self.clone() })
    }
}
