//! Why a job was left as it is.

use serde::Serialize;

use crate::{Error, JobId, State};

/// Why a verb left a job as it is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Left {
    /// A stable machine code: `not_found`, `not_pending`, `not_dead`, `not_in_doubt`, `held`, `not_held`,
    /// `discarded`, `effect_open`, `effect_accepted`, `quiet_period`, `key_taken`, `too_late`, `cannot_look`.
    pub code: &'static str,
    /// Why, and what to do instead.
    pub text: String,
}

impl Left {
    pub(crate) fn new(code: &'static str, text: impl Into<String>) -> Self {
        Self { code, text: text.into() }
    }

    pub(crate) fn not_found(id: JobId) -> Self {
        Self::new("not_found", super::none(id).to_string())
    }

    /// The job is in another state than the verb acts on.
    pub(crate) fn state(id: JobId, wanted: State, is: State) -> Self {
        let code = match wanted {
            State::Pending => "not_pending",
            State::Dead => "not_dead",
            State::InDoubt => "not_in_doubt",
            _ => "not_now",
        };
        Self::new(code, format!("job {id} is {is}, not {wanted}; nothing was changed"))
    }
}

impl From<Left> for Error {
    fn from(left: Left) -> Self {
        match left.code {
            "not_found" => Self::NotFound(left.text),
            code => Self::NotNow { code, text: left.text },
        }
    }
}
