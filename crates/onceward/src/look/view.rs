//! A job as people see it.

use serde::{Deserialize, Serialize, Serializer};
use serde_json::value::RawValue;

use super::EffectView;
use crate::{Attempt, JobId, Receipt, State, Time};

/// A job as it stands.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct JobView {
    /// Its number.
    pub id: JobId,
    /// Its queue.
    pub queue: String,
    /// Its kind.
    pub kind: String,
    /// The version of its payload.
    pub version: u32,
    /// JSON, byte for byte as it was given; in `--json` as that JSON, numbers as written.
    #[serde(serialize_with = "json")]
    pub payload: String,
    /// Where it is in its life.
    pub state: State,
    /// Why it waits for a release, if it does.
    pub held_reason: Option<String>,
    /// Not before then.
    pub run_at: Time,
    /// When it was enqueued.
    pub created_at: Time,
    /// How often it was claimed; grows for ever.
    pub attempt_count: u32,
    /// Failed tries in the present budget.
    pub tries: u32,
    /// Crashes in the present budget that nothing else can have caused.
    pub crashes: u32,
    /// Effects of it that may have happened.
    pub open: u32,
    /// Cancelled after its intent: it is settled, never sent again.
    pub stop: bool,
    /// From before the store lost its last commits: it may have been sent in them.
    pub restored: bool,
    /// In doubt: when it is looked at again; `None`: a person decides.
    pub check_at: Option<Time>,
    /// Where its effect can be seen.
    pub url: Option<String>,
    /// What proves that it is done.
    pub result: Option<Receipt>,
    /// Its last error.
    pub error: Option<JobError>,
    /// Dead and discarded: cancelled then.
    pub discard_at: Option<Time>,
    /// When it was done, dead or cancelled.
    pub finished_at: Option<Time>,
    /// Running: until when its worker has it.
    pub leased_until: Option<Time>,
    /// Running: the worker that has it.
    pub worker: Option<String>,
}

/// A job with all that happened to it.
#[derive(Debug, Clone, Serialize)]
pub struct JobDetails {
    /// The job.
    #[serde(flatten)]
    pub job: JobView,
    /// Its newest attempts, the first of them first.
    pub attempts: Vec<Attempt>,
    /// Its steps that change the world.
    pub effects: Vec<EffectView>,
}

/// Why an attempt did not succeed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct JobError {
    /// The kind of failure: `transient`, `permanent`, `in_doubt`, `rate_limited`, `auth_needed`, `crashed`.
    #[serde(default)]
    pub class: String,
    /// A stable machine code.
    #[serde(default)]
    pub code: String,
    /// The other system's own code.
    #[serde(default)]
    pub platform_code: Option<String>,
    /// The HTTP status.
    #[serde(default)]
    pub status: Option<u16>,
    /// What happened, in plain words.
    #[serde(default)]
    pub text: String,
}

impl JobError {
    /// What the store kept; text that is no longer readable is shown as it is, since an error must not hide a job.
    pub(crate) fn stored(json: Option<String>) -> Option<Self> {
        json.map(|json| {
            serde_json::from_str(&json).unwrap_or_else(|_| Self {
                class: String::new(),
                code: "error_unreadable".to_owned(),
                platform_code: None,
                status: None,
                text: json,
            })
        })
    }
}

/// JSON as JSON. A line break in it can only stand between values; as a space it keeps a document on one line.
pub(crate) fn json<S: Serializer>(text: &str, to: S) -> Result<S::Ok, S::Error> {
    match RawValue::from_string(text.replace(['\n', '\r'], " ")) {
        Ok(raw) => raw.serialize(to),
        Err(_) => text.serialize(to),
    }
}

#[expect(clippy::ref_option, reason = "serde hands over the field as it is")]
pub(crate) fn opt_json<S: Serializer>(text: &Option<String>, to: S) -> Result<S::Ok, S::Error> {
    match text {
        Some(text) => json(text, to),
        None => to.serialize_none(),
    }
}
