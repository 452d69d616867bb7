//! Alerts: what needs a person is told, once, by a message to a queue of the owner's choice.
//!
//! ```text
//! store: what stands wrong now ─▶ findings ─▶ news: begun, or over ─▶ message = a job of kind `alert.message`
//!                                 (pure)      (pure, against what the rule told last)
//! ```
//!
//! A rule compares how things stand with what it told last, so nothing is lost with a process that dies, and what came
//! and went between two messages is not told. Whoever writes the message names the last one that he saw: of many
//! processes, one tells.
//!
//! Alerts are never about themselves: jobs of their kind are left out of every count, and a rule is silent about a
//! pause, an outage or a backlog of the queue that carries its messages, where it could not be heard.

mod finding;
mod message;
mod news;
mod standing;
mod watch;
mod words;

use std::time::Duration;

use serde::{Deserialize, Serialize};

use self::finding::findings;
pub(crate) use self::finding::{Due, Facts, Pile, PileOf, UNSEEN, YOUNG, waits_since};
pub use self::message::{AlertMessage, Notice};
pub(crate) use self::news::Told;
use self::news::news;
pub use self::standing::AlertStanding;
pub(crate) use self::watch::watch;
pub(crate) use self::words::DUE_LIMIT;
use crate::store::alerts::{self, Tell, Teller};
use crate::{Error, Job, JobId, NewJob, Onceward, job};

/// The number of a message that is only a test.
const TEST: i64 = 0;

/// Who is told of what, and how often.
///
/// ```
/// use onceward::{AlertRule, Topic};
/// let rule = AlertRule { on: vec![Topic::Dead, Topic::InDoubt], ..AlertRule::new("ops", "slack-ops") };
/// assert_eq!(rule.every.as_secs(), 600);
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AlertRule {
    /// Its name; what it told is kept under it.
    pub name: String,
    /// The queue of its messages: jobs of kind `alert.message`, for a worker that has a handler for them.
    pub queue: String,
    /// What it watches.
    pub on: Vec<Topic>,
    /// Only these queues; all when absent.
    pub only: Option<Vec<String>>,
    /// A job that is due for longer than this is a backlog.
    pub backlog: Duration,
    /// An outbox whose oldest row waits for longer than this lags.
    pub relay_lag: Duration,
    /// At most one message in this time.
    pub every: Duration,
}

/// What a rule can watch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Topic {
    /// Jobs that gave up.
    Dead,
    /// Jobs that may have happened, where only a person can tell.
    InDoubt,
    /// A queue whose peer does not answer.
    Circuit,
    /// A queue whose peer does not accept our credentials.
    AuthNeeded,
    /// Work that is due for too long.
    Backlog,
    /// A job, or workers, that crash again and again.
    CrashLoop,
    /// What was due while nobody was running.
    Missed,
    /// Rows of an outbox that wait for too long, or are refused.
    RelayLag,
    /// Too little room on the disk of a SQLite store. On PostgreSQL nothing is watched: the disk is its server's.
    Disk,
}

impl Topic {
    /// All of them.
    pub const ALL: [Self; 9] = [
        Self::Dead,
        Self::InDoubt,
        Self::Circuit,
        Self::AuthNeeded,
        Self::Backlog,
        Self::CrashLoop,
        Self::Missed,
        Self::RelayLag,
        Self::Disk,
    ];

    /// The word in configurations, messages and `--json`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Dead => "dead",
            Self::InDoubt => "in_doubt",
            Self::Circuit => "circuit",
            Self::AuthNeeded => "auth_needed",
            Self::Backlog => "backlog",
            Self::CrashLoop => "crash_loop",
            Self::Missed => "missed",
            Self::RelayLag => "relay_lag",
            Self::Disk => "disk",
        }
    }
}

impl AlertRule {
    /// A rule that tells everything of all queues: a backlog after 10 minutes, an outbox that
    /// lags after one, a message every 10 minutes at most.
    pub fn new(name: impl Into<String>, queue: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            queue: queue.into(),
            on: Topic::ALL.to_vec(),
            only: None,
            backlog: Duration::from_mins(10),
            relay_lag: Duration::from_mins(1),
            every: Duration::from_mins(10),
        }
    }
}

/// A message that was enqueued.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Alerted {
    /// The rule.
    pub rule: String,
    /// Its message, as it goes out.
    pub message: AlertMessage,
    /// The job that carries it.
    pub job: JobId,
}

impl Onceward {
    /// Looks at everything once, and enqueues a message for each rule that has news and may speak: at most one in
    /// its period, and none while its last one is on its way. A worker that was given rules does this by itself.
    ///
    /// # Errors
    /// `Invalid` for a rule with a bad name or queue, and for two rules of one name.
    pub async fn alert(&self, rules: &[AlertRule]) -> Result<Vec<Alerted>, Error> {
        let mut alerted = Vec::new();
        for tell in self.alerts_due(rules).await? {
            alerted.extend(self.tell(tell).await?);
        }
        Ok(alerted)
    }

    /// How each rule stands.
    ///
    /// # Errors
    /// As [`Onceward::alert`].
    pub async fn alerts(&self, rules: &[AlertRule]) -> Result<Vec<AlertStanding>, Error> {
        check(rules)?;
        let now = self.db().clock().test_time();
        let mut reader = self.db().reader().await?;
        let facts = alerts::facts(&mut reader.conn(), self.db().room(), now).await?;
        let tellers = alerts::tellers(&mut reader.conn(), rules).await?;
        Ok(rules.iter().zip(&tellers).map(|(rule, teller)| AlertStanding::of(rule, teller, &facts)).collect())
    }

    /// Enqueues a message that only says that messages of this rule arrive. What the rule told stays as it is.
    ///
    /// # Errors
    /// As [`Onceward::alert`].
    pub async fn test_alert(&self, rule: &AlertRule) -> Result<JobId, Error> {
        check(std::slice::from_ref(rule))?;
        let message = AlertMessage::test(rule, self.now());
        Ok(self.enqueue(message.with().queue(&rule.queue)).await?.id())
    }

    /// What there is to tell now.
    pub(crate) async fn alerts_due(&self, rules: &[AlertRule]) -> Result<Vec<Tell>, Error> {
        check(rules)?;
        if rules.is_empty() {
            return Ok(Vec::new());
        }
        let now = self.db().clock().test_time();
        let mut reader = self.db().reader().await?;
        let facts = alerts::facts(&mut reader.conn(), self.db().room(), now).await?;
        let tellers = alerts::tellers(&mut reader.conn(), rules).await?;
        Ok(rules.iter().zip(tellers).filter_map(|(rule, teller)| tell(rule, &teller, &facts)).collect())
    }

    /// Writes it, unless another process has.
    pub(crate) async fn tell(&self, tell: Tell) -> Result<Option<Alerted>, Error> {
        let (rule, message) = (tell.rule.clone(), tell.message.clone());
        let job = self.db().fold::<Tell>(vec![tell]).await?.pop().flatten();
        Ok(job.map(|job| Alerted { rule, message, job }))
    }
}

/// A rule's message, if it has news and may speak.
fn tell(rule: &AlertRule, teller: &Teller, facts: &Facts) -> Option<Tell> {
    if !teller.may_speak(rule, facts.now) {
        return None;
    }
    let found = findings(rule, facts);
    let news = news(rule, &teller.told, &found);
    if news.is_empty() {
        return None;
    }
    let number = teller.number + 1;
    let message = AlertMessage::new(rule, number, &news, facts.now);
    let job = message.clone().with().queue(&rule.queue);
    let told = found.iter().map(Told::from).collect();
    Some(Tell { rule: rule.name.clone(), seen: teller.number, told, message, job })
}

/// Two rules of one name would each take what the other told for their own.
pub(crate) fn check(rules: &[AlertRule]) -> Result<(), Error> {
    for (at, rule) in rules.iter().enumerate() {
        job::name("alert", &rule.name)?;
        NewJob::untyped(&rule.queue, AlertMessage::KIND, "{}").check()?;
        if rules[..at].iter().any(|other| other.name == rule.name) {
            return Err(Error::invalid("alert_twice", format!("two alerts are called {:?}", rule.name)));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn who_saw_an_older_message_as_the_last_one_tells_nothing() {
        let once = crate::testing::store().await.unwrap();
        once.set_clock("2026-12-01T09:00:00Z".parse().unwrap());
        once.enqueue(NewJob::untyped("mail", "welcome", "1")).await.unwrap();
        once.set_clock("2026-12-01T10:00:00Z".parse().unwrap());
        let rules = [AlertRule::new("ops", "ops")];
        let [mut first, mut second] =
            [once.alerts_due(&rules).await.unwrap(), once.alerts_due(&rules).await.unwrap()];
        assert!(once.tell(first.pop().unwrap()).await.unwrap().is_some());
        assert_eq!(once.tell(second.pop().unwrap()).await.unwrap(), None);
        assert_eq!(once.queues().await.unwrap().iter().map(|queue| queue.figures.pending).sum::<u64>(), 2);
    }
}
