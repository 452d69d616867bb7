//! How a rule stands, for people.

use serde::Serialize;

use super::finding::{Facts, findings};
use super::{AlertRule, news, words};
use crate::store::alerts::Teller;
use crate::{JobId, Time};

/// How a rule of alerts stands.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct AlertStanding {
    /// The rule.
    pub name: String,
    /// How many messages it has sent.
    pub messages: i64,
    /// When it enqueued the last one.
    pub told_at: Option<Time>,
    /// The job of the last one.
    pub job: Option<JobId>,
    /// That job has not ended: until then the rule says nothing more.
    pub on_its_way: bool,
    /// What stands wrong now, as it would tell it, one line each.
    pub open: Vec<String>,
    /// How much of it, or of what is over, it has not told.
    pub news: usize,
}

impl AlertStanding {
    pub(super) fn of(rule: &AlertRule, teller: &Teller, facts: &Facts) -> Self {
        let found = findings(rule, facts);
        let news = news(rule, &teller.told, &found);
        Self {
            name: rule.name.clone(),
            messages: teller.number,
            told_at: teller.told_at,
            job: teller.job,
            on_its_way: teller.on_its_way,
            open: found.iter().map(words::headline).collect(),
            news: news.begun.len() + news.over.len(),
        }
    }
}
