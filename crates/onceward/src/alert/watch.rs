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
/// The next look is at least this many times as long off as the last one took: a store with very many dead jobs is
/// not kept busy by being looked at.
const REST: u32 = 100;

/// Tells what there is to tell, until it is dropped. The rules were checked.
pub(crate) async fn watch(once: &Onceward, rules: &[AlertRule]) {
    let mut noticed = HashMap::new();
    while !rules.is_empty() {
        let began = Instant::now();
        if let Err(error) = look(once, rules, &mut noticed).await {
            tracing::error!(%error, "alerts cannot look at the store; tried again");
        }
        sleep(LOOK.max(began.elapsed().saturating_mul(REST))).await;
    }
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
