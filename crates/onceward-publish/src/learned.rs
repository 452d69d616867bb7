//! What the channels' servers say they take: asked for now and then, and kept for when they cannot be asked.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use onceward::{Error, Onceward};
use serde_json::Value as Json;
use tokio::task::JoinSet;

use crate::channel::Channel;
use crate::store::learned::{self, Learned};

/// What was learned is asked for again after this time.
const FRESH: Duration = Duration::from_hours(24);
/// A server that does not answer within this time is asked another day.
const PATIENCE: Duration = Duration::from_secs(5);

/// What is known of each channel's server, by the channel's stable id. Cheap to clone.
#[derive(Debug, Clone, Default)]
pub(crate) struct Servers(Arc<Mutex<BTreeMap<String, Learned>>>);

impl Servers {
    pub(crate) async fn open(once: &Onceward) -> Result<Self, Error> {
        Ok(Self(Arc::new(Mutex::new(learned::list(once.db()).await?))))
    }

    /// What the server of a channel said; null when it never did.
    pub(crate) fn said(&self, channel: &str) -> Json {
        let known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        known.get(channel).map(|learned| learned.said.clone()).unwrap_or_default()
    }

    /// Asks the servers of these channels, all at once, unless they were asked within a day. A server that cannot be
    /// asked is no failure: what it said before holds, or the platform's usual limits.
    pub(crate) async fn ask(
        &self,
        once: &Onceward,
        channels: Vec<(String, Arc<dyn Channel>)>,
    ) -> Result<(), Error> {
        let mut asked = JoinSet::new();
        for (id, adapter) in channels.into_iter().filter(|(id, _)| !self.is_fresh(id)) {
            asked.spawn(async move {
                let said = tokio::time::timeout(PATIENCE, adapter.learn()?).await;
                match said {
                    Ok(Ok(said)) => Some((id, said)),
                    Ok(Err(failure)) => {
                        tracing::info!(
                            channel = id,
                            why = failure.cause().text,
                            "its limits cannot be asked for"
                        );
                        None
                    }
                    Err(_) => {
                        tracing::info!(channel = id, "its limits cannot be asked for: no answer");
                        None
                    }
                }
            });
        }
        let said: Vec<_> = asked.join_all().await.into_iter().flatten().collect();
        for (id, said) in &said {
            let learned = Learned { said: said.clone(), age: Duration::ZERO };
            self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(id.clone(), learned);
        }
        Ok(learned::put(once.db(), said).await?)
    }

    fn is_fresh(&self, id: &str) -> bool {
        let known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        known.get(id).is_some_and(|learned| learned.age < FRESH)
    }
}
