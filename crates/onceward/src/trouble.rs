//! A store that fails again and again is told of when that begins, now and then while it lasts, and when it is over.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

/// How often it is told that it lasts.
const AGAIN: Duration = Duration::from_secs(10);

/// What one loop knows of its failures.
#[derive(Debug, Default)]
pub(crate) struct Trouble(Mutex<Option<Lasting>>);

#[derive(Debug, Clone, Copy)]
struct Lasting {
    began: Instant,
    told: Instant,
}

impl Trouble {
    /// Notes a failure; gives whether to tell of it.
    pub(crate) fn is_news(&self) -> bool {
        let mut lasting = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let (next, news) = failed(*lasting, Instant::now());
        *lasting = Some(next);
        news
    }

    /// Notes a success, and tells of it when it ends a trouble.
    pub(crate) fn over(&self, what: &str) {
        let lasting = self.0.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(Lasting { began, .. }) = lasting {
            tracing::warn!(seconds = began.elapsed().as_secs(), "{what} works again");
        }
    }
}

fn failed(lasting: Option<Lasting>, now: Instant) -> (Lasting, bool) {
    match lasting {
        Some(lasting) if now < lasting.told + AGAIN => (lasting, false),
        Some(lasting) => (Lasting { told: now, ..lasting }, true),
        None => (Lasting { began: now, told: now }, true),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_trouble_is_told_when_it_begins_and_every_ten_seconds() {
        let start = Instant::now();
        let (mut lasting, mut told) = (None, Vec::new());
        for second in 0..25 {
            let (next, news) = failed(lasting, start + Duration::from_secs(second));
            lasting = Some(next);
            told.extend(news.then_some(second));
        }
        assert_eq!(told, [0, 10, 20]);
    }

    #[test]
    fn what_begins_anew_after_its_end_is_news() {
        let trouble = Trouble::default();
        assert_eq!([trouble.is_news(), trouble.is_news()], [true, false]);
        trouble.over("the store");
        assert!(trouble.is_news());
    }
}
