//! A row of the ledger as people see it.

use serde::Serialize;

use super::view::{json, opt_json};
use crate::{Class, Time};

/// One step of a job that changes the world.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct EffectView {
    /// Its name: `publish`, `part:0` …
    pub step: String,
    /// Raised when a refused step was edited.
    pub generation: i64,
    /// What the platform offers for sending once.
    pub class: Class,
    /// The key that goes with every send of it.
    pub key: String,
    /// What goes with every send of it: JSON, byte for byte as it was frozen when the step was first prepared.
    #[serde(serialize_with = "json")]
    pub request: String,
    /// `prepared`, `sending`, `accepted`, `refused` or `unknown`.
    pub state: &'static str,
    /// With this step accepted the job is done.
    pub closes: bool,
    /// How often it was sent.
    pub sends: u32,
    /// How often it was looked for.
    pub looks: u32,
    /// When it was first sent.
    pub first_sent_at: Option<Time>,
    /// When it was last sent.
    pub last_sent_at: Option<Time>,
    /// Until then nobody can say that it did not happen.
    pub quiet_until: Option<Time>,
    /// When it is looked for again; `None`: a person decides.
    pub check_at: Option<Time>,
    /// The other system's id.
    pub remote_id: Option<String>,
    /// Where it can be seen.
    pub remote_url: Option<String>,
    /// JSON: what proves it, or why it was refused.
    #[serde(serialize_with = "opt_json")]
    pub response: Option<String>,
}
