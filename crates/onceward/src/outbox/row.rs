//! A row of the outbox: as an application writes it, and as a target is given it.

use std::collections::BTreeMap;
use std::time::Duration;

use crate::job::{Dedup, Job, NewJob, check_time};
use crate::payload::{key_hash, message_hash};
use crate::{Error, Time};

/// A row about to be written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewRow {
    pub(crate) message_id: Option<String>,
    pub(crate) queue: String,
    pub(crate) kind: String,
    pub(crate) version: u32,
    pub(crate) payload: String,
    pub(crate) dedup_key: Option<String>,
    pub(crate) dedup_for: Option<Duration>,
    pub(crate) ordering_key: Option<String>,
    pub(crate) headers: BTreeMap<String, String>,
    pub(crate) run_at: Option<Time>,
    wrong: Option<String>,
}

impl<J: Job> From<J> for NewRow {
    fn from(job: J) -> Self {
        let row = Self::untyped(J::QUEUE, J::KIND, "").version(J::VERSION);
        match serde_json::to_string(&job) {
            Ok(payload) => Self { payload, ..row },
            Err(error) => Self { wrong: Some(error.to_string()), ..row },
        }
    }
}

impl NewRow {
    /// A row by the job's kind and payload (JSON text, kept byte for byte).
    pub fn untyped(queue: impl Into<String>, kind: impl Into<String>, payload: impl Into<String>) -> Self {
        Self {
            message_id: None,
            queue: queue.into(),
            kind: kind.into(),
            version: 1,
            payload: payload.into(),
            dedup_key: None,
            dedup_for: None,
            ordering_key: None,
            headers: BTreeMap::new(),
            run_at: None,
            wrong: None,
        }
    }

    /// The id by which targets know a repeat, a UUID; without it one is made.
    #[must_use]
    pub fn message_id(mut self, id: impl Into<String>) -> Self {
        self.message_id = Some(id.into());
        self
    }

    /// Puts it in another queue.
    #[must_use]
    pub fn queue(mut self, queue: impl Into<String>) -> Self {
        self.queue = queue.into();
        self
    }

    /// The version of its payload.
    #[must_use]
    pub fn version(mut self, version: u32) -> Self {
        self.version = version;
        self
    }

    /// One job per key: for ever, or for this long.
    #[must_use]
    pub fn dedup(mut self, key: impl Into<String>, held_for: Option<Duration>) -> Self {
        (self.dedup_key, self.dedup_for) = (Some(key.into()), held_for);
        self
    }

    /// Rows of one key are handed over in the order in which they were written, as long as each transaction began to
    /// write after the one before it had committed.
    #[must_use]
    pub fn ordered(mut self, key: impl Into<String>) -> Self {
        self.ordering_key = Some(key.into());
        self
    }

    /// A header, for targets that have them.
    #[must_use]
    pub fn header(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.headers.insert(name.into(), value.into());
        self
    }

    /// Not before this instant.
    #[must_use]
    pub fn run_at(mut self, at: Time) -> Self {
        self.run_at = Some(at);
        self
    }

    /// Fails as a queue would, before anything is written.
    pub fn check(&self) -> Result<(), Error> {
        match &self.wrong {
            Some(wrong) => Err(Error::invalid("payload_not_json", wrong.clone())),
            None => self.checked(),
        }
    }

    fn checked(&self) -> Result<(), Error> {
        let mut job = NewJob::untyped(&self.queue, &self.kind, &self.payload);
        if let Some(key) = &self.dedup_key {
            job = job.dedup(key, self.dedup_for.map_or(Dedup::Forever, Dedup::For));
        }
        if let Some(id) = &self.message_id {
            job = job.message(id, Duration::ZERO);
        }
        if self.ordering_key.as_deref() == Some("") {
            let text = "the ordering key is empty: name what is to stay in order, or leave it out";
            return Err(Error::invalid("bad_ordering_key", text));
        }
        job.check()
    }
}

/// A row as a target is given it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Message {
    /// Its number in the outbox.
    pub id: i64,
    /// The same for every hand-over of this row: by it a target knows a repeat.
    pub message_id: String,
    /// The queue it is for.
    pub queue: String,
    /// The kind of job.
    pub kind: String,
    /// The version of the payload.
    pub version: u32,
    /// JSON, if the application kept to the contract.
    pub payload: String,
    /// One job per key.
    pub dedup_key: Option<String>,
    /// For how long the key keeps others out; `None`: for ever.
    pub dedup_for: Option<Duration>,
    /// Rows of one key go in their order.
    pub ordering_key: Option<String>,
    /// A JSON object of texts.
    pub headers: Option<String>,
    /// Not before this instant.
    pub run_at: Option<Time>,
    /// When it was written.
    pub created_at: Time,
    /// How often its hand-over failed.
    pub tries: u32,
}

impl Message {
    /// The job that it asks for, which knows a repeat of the same message for `horizon`.
    ///
    /// # Errors
    /// `Invalid` when no queue takes it: its text says what is wrong.
    pub fn job(&self, horizon: Duration) -> Result<NewJob, Error> {
        let mut job = NewJob::untyped(&self.queue, &self.kind, &self.payload).version(self.version);
        if let Some(at) = self.run_at {
            job = job.run_at(at);
        }
        if let Some(key) = &self.dedup_key {
            job = job.dedup(key, self.dedup_for.map_or(Dedup::Forever, Dedup::For));
        }
        let job = job.message(&self.message_id, horizon).standing_for(self.created_at);
        job.check()?;
        check_time("created_at", self.created_at)?;
        Ok(job)
    }

    /// Its id and what it carries, in 64 hex digits: by this an engine may know a repeat that knows ids alone. A row of
    /// another outbox with the same id is another message.
    pub fn repeat_id(&self) -> String {
        let hash = message_hash(&self.queue, &self.kind, self.payload.as_bytes());
        key_hash(&format!("{} {hash}", self.message_id))
    }

    /// The headers, if they are an object of texts.
    ///
    /// # Errors
    /// `Invalid` when they are something else.
    pub fn header_map(&self) -> Result<BTreeMap<String, String>, Error> {
        let Some(headers) = &self.headers else { return Ok(BTreeMap::new()) };
        serde_json::from_str(headers).map_err(|error| {
            Error::invalid("bad_headers", format!("headers: expected a JSON object of texts: {error}"))
        })
    }
}

/// A random UUID (version 4, RFC 9562).
pub(super) fn fresh_id() -> Result<String, Error> {
    let mut hex = onceward_db::random_id()?;
    hex.replace_range(12..13, "4");
    hex.replace_range(16..17, "a");
    Ok([&hex[..8], &hex[8..12], &hex[12..16], &hex[16..20], &hex[20..]].join("-"))
}
