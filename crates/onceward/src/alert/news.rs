//! What a rule has not told yet. Pure.

use serde::{Deserialize, Serialize};

use super::AlertRule;
use super::finding::{Finding, What, watches};
use crate::Time;

/// What stood wrong when a rule last spoke.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Told {
    pub what: What,
    pub queue: Option<String>,
    pub count: u64,
    pub since: Time,
    pub mark: Time,
}

impl From<&Finding> for Told {
    fn from(it: &Finding) -> Self {
        Self { what: it.what, queue: it.queue.clone(), count: it.count, since: it.since, mark: it.mark }
    }
}

/// What is to be told.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct News<'a> {
    pub begun: Vec<&'a Finding>,
    pub over: Vec<&'a Told>,
}

impl News<'_> {
    pub(crate) fn is_empty(&self) -> bool {
        self.begun.is_empty() && self.over.is_empty()
    }
}

/// What began, or went on, and what is over since the rule last spoke. What the rule no longer watches is not over.
pub(crate) fn news<'a>(rule: &AlertRule, told: &'a [Told], found: &'a [Finding]) -> News<'a> {
    let same = |told: &Told, it: &Finding| told.what == it.what && told.queue == it.queue;
    let grew =
        |told: &Told, it: &Finding| it.mark > told.mark || (it.what.piles_up() && it.count > told.count);
    let is_news = |it: &&Finding| told.iter().find(|told| same(told, it)).is_none_or(|told| grew(told, it));
    let is_over = |told: &&Told| {
        told.what.ends()
            && watches(rule, told.what, told.queue.as_deref())
            && !found.iter().any(|it| same(told, it))
    };
    News { begun: found.iter().filter(is_news).collect(), over: told.iter().filter(is_over).collect() }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::Topic;

    fn at(minute: u64) -> Time {
        let nine: Time = "2026-12-01T09:00:00Z".parse().unwrap();
        nine.after(Duration::from_mins(minute))
    }

    fn finding(what: What, count: u64, since: u64, mark: u64) -> Finding {
        let queue = Some("mail".to_owned());
        let (since, mark) = (at(since), at(mark));
        Finding { what, queue, count, since, mark, codes: Vec::new(), said: None, job: None }
    }

    /// What of `before` is told, seen again as `now`, is news or over.
    fn told(before: Option<&Finding>, now: Option<&Finding>) -> &'static str {
        let rule = AlertRule::new("ops", "ops");
        let (told, found): (Vec<Told>, Vec<Finding>) =
            (before.into_iter().map(Told::from).collect(), now.into_iter().cloned().collect());
        match news(&rule, &told, &found) {
            News { begun, over } if begun.len() == 1 && over.is_empty() => "news",
            News { begun, over } if begun.is_empty() && over.len() == 1 => "over",
            News { begun, over } if begun.is_empty() && over.is_empty() => "nothing",
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn what_was_told_is_news_again_only_if_there_is_more_of_it() {
        use What::{Auth, Backlog, Circuit, Crashing, Dead, Disk, Held, LeftOut, Parked, Workers};
        let it = |what, count, since, mark| Some(finding(what, count, since, mark));
        let table = [
            (None, it(Dead, 1, 0, 0), "news"),
            (it(Dead, 1, 0, 0), it(Dead, 1, 0, 0), "nothing"),
            (it(Dead, 2, 0, 3), it(Dead, 1, 0, 0), "nothing"),
            // One was revived, another one died.
            (it(Dead, 2, 0, 3), it(Dead, 2, 0, 4), "news"),
            // One that died earlier is seen only now.
            (it(Dead, 2, 0, 3), it(Dead, 3, 0, 3), "news"),
            (it(Dead, 2, 0, 3), None, "over"),
            (it(Parked, 1, 0, 0), it(Parked, 2, 0, 0), "news"),
            (it(Held, 1, 0, 0), it(Held, 2, 0, 0), "news"),
            // More jobs wait behind the same outage.
            (it(Circuit, 1, 0, 0), it(Circuit, 90, 0, 0), "nothing"),
            // It closed and opened again in between.
            (it(Circuit, 1, 0, 0), it(Circuit, 1, 5, 5), "news"),
            (it(Auth, 1, 0, 0), it(Auth, 2, 0, 0), "nothing"),
            (it(Auth, 1, 0, 0), None, "over"),
            (it(Backlog, 10, 0, 0), it(Backlog, 99, 7, 0), "nothing"),
            (it(Backlog, 10, 0, 0), None, "over"),
            (it(Crashing(7), 1, 0, 0), it(Crashing(7), 2, 5, 0), "nothing"),
            (it(Workers, 3, 0, 0), it(Workers, 9, 0, 0), "nothing"),
            (None, it(Disk, 900, 0, 0), "news"),
            (it(Disk, 900, 0, 0), it(Disk, 400, 7, 0), "nothing"),
            (it(Disk, 900, 0, 0), None, "over"),
            (it(LeftOut, 1, 0, 0), it(LeftOut, 2, 0, 5), "news"),
            // What was left out is never made up for.
            (it(LeftOut, 1, 0, 0), None, "nothing"),
        ];
        for (before, now, expected) in table {
            assert_eq!(told(before.as_ref(), now.as_ref()), expected, "{before:?} → {now:?}");
        }
    }

    #[test]
    fn another_queue_and_another_job_are_other_things() {
        let rule = AlertRule::new("ops", "ops");
        let known = Told::from(&finding(What::Crashing(7), 1, 0, 0));
        let elsewhere = Finding { queue: Some("news".to_owned()), ..finding(What::Crashing(7), 1, 0, 0) };
        let other = finding(What::Crashing(8), 1, 0, 0);
        let (told, found) = ([known], [elsewhere, other]);
        let news = news(&rule, &told, &found);
        assert_eq!((news.begun.len(), news.over.len()), (2, 1));
    }

    #[test]
    fn what_is_no_longer_watched_is_not_over() {
        let told = [Told::from(&finding(What::Dead, 1, 0, 0))];
        let all = AlertRule::new("ops", "ops");
        let doubts = AlertRule { on: vec![Topic::InDoubt], ..all.clone() };
        let elsewhere = AlertRule { only: Some(vec!["news".to_owned()]), ..all.clone() };
        assert_eq!([all, doubts, elsewhere].map(|rule| news(&rule, &told, &[]).over.len()), [1, 0, 0]);
    }
}
