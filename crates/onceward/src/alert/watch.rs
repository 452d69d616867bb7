//! Looks again and again, as long as a worker runs.

use std::collections::HashMap;
use std::time::Duration;

use tokio::time::{Instant, sleep};

use super::AlertRule;
use crate::{Error, Onceward};

/// How often to look.
const LOOK: Duration = Duration::from_secs(5);
/// News is told once it is this old, so that one message tells of all that went wrong at once.
const GATHER: Duration = Duration::from_secs(10);
/// The next look is this many times as long off as the last one took: a store with very many dead jobs is not kept busy by
/// being looked at.
const REST: u32 = 100;
/// The longest rest. A look that failed, or that waited for a store under load, must not silence alerts for an hour.
const LONGEST: Duration = Duration::from_mins(1);

/// Tells what there is to tell, until it is dropped. The rules were checked.
pub(crate) async fn watch(once: &Onceward, rules: &[AlertRule]) {
    let mut noticed = HashMap::new();
    while !rules.is_empty() {
        let began = Instant::now();
        if let Err(error) = look(once, rules, &mut noticed).await {
            tracing::error!(%error, "alerts cannot look at the store; tried again");
        }
        let oldest = noticed.values().map(Instant::elapsed).max();
        sleep(rest(began.elapsed(), oldest)).await;
    }
}

/// How long until the next look, by how long the last one took and since when news waits. However long it took, news waits
/// for no more than it gathers.
fn rest(took: Duration, oldest: Option<Duration>) -> Duration {
    let rest = took.saturating_mul(REST).clamp(LOOK, LONGEST);
    // News that is old enough and could not be told is tried again, and not without a rest.
    oldest.map_or(rest, |age| rest.min(GATHER.checked_sub(age).unwrap_or(LOOK)))
}

/// What has news, with when that was noticed here.
type Noticed = HashMap<String, Instant>;

async fn look(once: &Onceward, rules: &[AlertRule], noticed: &mut Noticed) -> Result<(), Error> {
    let due = once.alerts_due(rules).await?;
    noticed.retain(|rule, _| due.iter().any(|tell| tell.rule == *rule));
    for tell in due {
        let since = *noticed.entry(tell.rule.clone()).or_insert_with(Instant::now);
        if since.elapsed() < GATHER {
            continue;
        }
        noticed.remove(&tell.rule);
        if let Some(alerted) = once.tell(tell).await? {
            tracing::warn!(rule = alerted.rule, job = alerted.job, "{}", alerted.message.title);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    #[test]
    fn a_look_that_took_long_keeps_no_news_back() {
        for took in [Duration::ZERO, SECOND / 10, SECOND, SECOND * 30] {
            for age in [Duration::ZERO, SECOND * 7, SECOND * 9] {
                assert!(age + rest(took, Some(age)) <= GATHER, "{took:?}, {age:?}");
            }
        }
        assert_eq!(rest(SECOND, Some(SECOND * 3600)), LOOK);
    }

    #[test]
    fn a_store_that_is_slow_is_looked_at_less_and_each_minute_all_the_same() {
        let rests = [Duration::ZERO, SECOND / 10, SECOND / 2, SECOND * 30].map(|took| rest(took, None));
        assert_eq!(rests, [LOOK, SECOND * 10, SECOND * 50, LONGEST]);
    }
}
