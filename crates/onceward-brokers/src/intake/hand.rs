//! What becomes of messages in hand: they stay ours while they are kept, then the broker is told.

use std::time::Duration;

use onceward::{Cause, Error};
use tokio::sync::watch;

use super::{Intake, PAUSE, Taken, rest};
use crate::source::{Delivery, Source};

/// What the store has.
#[derive(Debug)]
struct Kept {
    taken: Taken,
    /// Places of messages that are left to the engine.
    left: Vec<usize>,
}

impl<S: Source> Intake<S> {
    /// Keeps all of them, says meanwhile that they are worked on, and acknowledges them.
    pub(super) async fn take(
        &self,
        messages: &[Delivery<S::Tag>],
        stopped: &mut watch::Receiver<bool>,
    ) -> Result<Taken, Cause> {
        let tags: Vec<&S::Tag> = messages.iter().map(|delivery| &delivery.tag).collect();
        let kept = {
            let keeping = self.keep_at_last(messages, stopped);
            tokio::pin!(keeping);
            loop {
                tokio::select! {
                    kept = &mut keeping => break kept,
                    () = next_extension(self.source.extend_every()) => self.extend(&tags).await,
                }
            }
        };
        let Some(kept) = kept else {
            self.source.give_back(&tags).await?;
            return Ok(Taken::default());
        };
        self.answer(tags, &kept.left).await;
        Ok(kept.taken)
    }

    async fn extend(&self, tags: &[&S::Tag]) {
        let extended = self.source.extend(tags).await;
        self.said("messages could not be extended", extended);
    }

    /// Says what became of them. One answer that fails holds up no other.
    async fn answer(&self, tags: Vec<&S::Tag>, left: &[usize]) {
        let (left, ours): (Vec<_>, Vec<_>) =
            tags.into_iter().enumerate().partition(|(at, _)| left.contains(at));
        let tags = |some: Vec<(usize, _)>| some.into_iter().map(|(_, tag)| tag).collect::<Vec<_>>();
        let (left, ours) = (tags(left), tags(ours));
        if !ours.is_empty() {
            self.said("messages could not be acknowledged", self.source.acknowledge(&ours).await);
        }
        if !left.is_empty() {
            self.said("messages could not be rejected", self.source.reject(&left).await);
        }
    }

    /// Those that the broker was not told about come again, and their ids are known then.
    fn said(&self, failed: &str, answer: Result<(), Cause>) {
        if let Err(cause) = answer {
            tracing::warn!(source = self.source.name(), cause = cause.text, "{failed}; they come again");
        }
    }

    /// Tries until the store has them, or `None` when told to stop.
    ///
    /// They are not given back meanwhile: engines count deliveries, and some drop a message that came too often.
    async fn keep_at_last(
        &self,
        messages: &[Delivery<S::Tag>],
        stopped: &mut watch::Receiver<bool>,
    ) -> Option<Kept> {
        let mut failures = 0;
        loop {
            match self.keep(messages).await {
                Ok(kept) => return Some(kept),
                Err(error) => tracing::warn!(
                    source = self.source.name(), %error, messages = messages.len(),
                    "messages could not be written; they are kept, and it is tried again"
                ),
            }
            rest(stopped, PAUSE.after(failures)).await;
            if *stopped.borrow() {
                return None;
            }
            failures = failures.saturating_add(1);
        }
    }

    async fn keep(&self, messages: &[Delivery<S::Tag>]) -> Result<Kept, Error> {
        let (mut taken, wrong) = self.make_jobs(messages).await?;
        taken.unreadable = u64::try_from(wrong.len()).unwrap_or(u64::MAX);
        if !wrong.is_empty() && self.may_leave().await {
            return Ok(Kept { taken, left: wrong.into_iter().map(|(at, _)| at).collect() });
        }
        self.keep_dead(messages, &wrong).await?;
        Ok(Kept { taken, left: Vec::new() })
    }

    /// Whether what can be no job may be left to the engine: where that would end nothing, or nobody can tell, it is kept.
    async fn may_leave(&self) -> bool {
        if !self.rules.reject {
            return false;
        }
        let why = match self.source.can_reject().await {
            Ok(true) => return true,
            Ok(false) => "the broker has no dead letters for them".to_owned(),
            Err(cause) => cause.text,
        };
        tracing::warn!(
            source = self.source.name(),
            why,
            "messages that can be no job are kept as dead jobs, not rejected"
        );
        false
    }
}

async fn next_extension(every: Option<Duration>) {
    match every {
        Some(every) => tokio::time::sleep(every).await,
        None => std::future::pending().await,
    }
}
