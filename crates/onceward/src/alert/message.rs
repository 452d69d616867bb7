//! The message of an alert: a job like any other, which carries its words ready made.

use serde::{Deserialize, Serialize};

use super::finding::Finding;
use super::news::{News, Told};
use super::{AlertRule, TEST, Topic, words};
use crate::{Job, Time};

/// How many things one message tells at length.
const LONGEST: usize = 20;

/// What an alert says. Its text is for people, line by line, without markup; words of others are in it (errors), so
/// whoever shows it must show it as it is.
///
/// A worker delivers it if it registers a handler for the kind [`AlertMessage::KIND`](Job::KIND).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AlertMessage {
    /// The rule that speaks.
    pub rule: String,
    /// Counts the messages of the rule; 0 for a test.
    pub number: i64,
    /// When it looked.
    pub at: Time,
    /// The most urgent in one line.
    pub title: String,
    /// All of it: what happened, how many, since when, which command to run.
    pub text: String,
    /// The same for programs.
    pub notices: Vec<Notice>,
}

/// One thing that a message tells.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Notice {
    /// What it is about.
    pub topic: Topic,
    /// It is over.
    pub resolved: bool,
    /// Of which queue, or which relay (`relay_lag`); none: of workers, or of the store.
    pub queue: Option<String>,
    /// How many jobs, rows, workers, times, or mebibytes that are left (`disk`); when it is over, how many there were.
    pub count: u64,
    /// Since when.
    pub since: Time,
    /// Error codes and how many jobs have each, the most frequent first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub codes: Vec<(String, u64)>,
}

impl Job for AlertMessage {
    const KIND: &'static str = "alert.message";
    const QUEUE: &'static str = "alerts";
}

impl AlertMessage {
    pub(super) fn new(rule: &AlertRule, number: i64, news: &News<'_>, at: Time) -> Self {
        let begun = news.begun.iter().map(|it| (words::headline(it), words::paragraph(it, at)));
        let over = news.over.iter().map(|it| (words::over(it), words::over(it)));
        let (heads, mut paragraphs): (Vec<String>, Vec<String>) = begun.chain(over).unzip();
        let left = paragraphs.len().saturating_sub(LONGEST);
        if left > 0 {
            paragraphs.truncate(LONGEST);
            paragraphs.push(format!("And {left} more: onceward status"));
        }
        paragraphs.push(format!("(rule {}, message {number}, {})", rule.name, words::instant(at)));
        let title = match heads.as_slice() {
            [] => String::new(),
            [only] => only.clone(),
            [first, others @ ..] => format!("{first}, and {} more", others.len()),
        };
        let notices =
            news.begun.iter().map(|it| Notice::from(*it)).chain(news.over.iter().map(|it| Notice::from(*it)));
        let notices = notices.take(LONGEST).collect();
        Self { rule: rule.name.clone(), number, at, title, text: paragraphs.join("\n\n"), notices }
    }

    pub(super) fn test(rule: &AlertRule, at: Time) -> Self {
        let name = &rule.name;
        let text = format!(
            "Nothing is wrong: someone wanted to see that messages of this rule arrive.\n\n(rule {name}, a test, {})",
            words::instant(at)
        );
        let (rule, title) = (name.clone(), format!("A test of alert {name}"));
        Self { rule, number: TEST, at, title, text, notices: Vec::new() }
    }
}

impl From<&Finding> for Notice {
    fn from(it: &Finding) -> Self {
        let codes = it.codes.iter().take(LONGEST).cloned().collect();
        let topic = it.what.topic();
        Self { topic, resolved: false, queue: it.queue.clone(), count: it.count, since: it.since, codes }
    }
}

impl From<&Told> for Notice {
    fn from(it: &Told) -> Self {
        let topic = it.what.topic();
        let codes = Vec::new();
        Self { topic, resolved: true, queue: it.queue.clone(), count: it.count, since: it.since, codes }
    }
}
