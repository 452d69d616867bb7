//! How relays stand: whoever runs one writes it into the queue's store, for `status` and alerts of every process.

use serde::Serialize;

use crate::store::relays::{self as store, Note};
use crate::{Error, Onceward, Outbox, Time};

/// How a relay stands, as whoever runs it saw it last.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct RelayView {
    /// Its name.
    pub name: String,
    /// Rows that were not handed over yet.
    pub waiting: u64,
    /// When the oldest of them was written.
    pub oldest_at: Option<Time>,
    /// Rows that the target will never take as they are.
    pub refused: u64,
    /// When the oldest of them was written.
    pub refused_at: Option<Time>,
    /// Since when the outbox cannot be read.
    pub away_since: Option<Time>,
    /// What went wrong last: at the target, or with the outbox.
    pub error: Option<String>,
}

impl RelayView {
    /// Since when something waits.
    pub(crate) fn lags_since(&self) -> Option<Time> {
        self.oldest_at.into_iter().chain(self.away_since).min()
    }
}

impl Outbox {
    /// How the relay of this name stands that carries its rows.
    pub async fn standing(&self, name: &str) -> Result<RelayView, Error> {
        let (lag, targets) = (self.lag().await?, self.targets().await?);
        let error = targets.into_iter().find(|target| target.name == name).and_then(|target| target.error);
        Ok(RelayView {
            name: name.to_owned(),
            waiting: lag.waiting,
            oldest_at: lag.oldest_at,
            refused: lag.refused,
            refused_at: lag.refused_at,
            away_since: None,
            error: error.map(|cause| cause.text),
        })
    }
}

impl Onceward {
    /// How relays stand, as whoever runs them saw them last.
    pub async fn relays(&self) -> Result<Vec<RelayView>, Error> {
        Ok(store::list(&mut self.db().reader().await?.conn()).await?)
    }

    /// Looks at a relay's outbox and writes down how it stands, if that has changed. For whoever runs a relay, every
    /// few seconds: alerts and `status` see no outboxes, since those are in databases of applications.
    ///
    /// # Errors
    /// When this store cannot be read or written. An outbox that cannot be read is written down as such.
    pub async fn note_relay(&self, name: &str, outbox: &Outbox) -> Result<(), Error> {
        let view = match outbox.standing(name).await {
            Ok(view) => view,
            Err(error) => return self.note_relay_away(name, &error.to_string()).await,
        };
        let known = self.relays().await?.into_iter().find(|known| known.name == name);
        self.note(known, view).await
    }

    /// Writes down that the outbox of a relay cannot be read.
    ///
    /// # Errors
    /// When this store cannot be read or written.
    pub async fn note_relay_away(&self, name: &str, why: &str) -> Result<(), Error> {
        let known = self.relays().await?.into_iter().find(|known| known.name == name);
        let mut view =
            known.clone().unwrap_or_else(|| RelayView { name: name.to_owned(), ..RelayView::default() });
        view.away_since = view.away_since.or_else(|| Some(self.now()));
        view.error = Some(why.to_owned());
        self.note(known, view).await
    }

    /// Forgets how a relay stands, for one that nobody runs any more; gives whether anything was known of it. Only a
    /// person knows that: other configurations may have relays of their own in this store.
    pub async fn forget_relay(&self, name: &str) -> Result<bool, Error> {
        let known = self.relays().await?.iter().any(|known| known.name == name);
        if known {
            self.db().fold::<Note>(vec![Note::Forget(name.to_owned())]).await?;
        }
        Ok(known)
    }

    /// An idle store is not written to.
    async fn note(&self, known: Option<RelayView>, view: RelayView) -> Result<(), Error> {
        if known.as_ref() != Some(&view) {
            self.db().fold::<Note>(vec![Note::Put(view)]).await?;
        }
        Ok(())
    }
}
