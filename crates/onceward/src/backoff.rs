//! Waits between tries that double, up to the longest. Pure.

use std::time::Duration;

/// Waits between tries that double, for whoever waits until something is back: a store, a broker.
///
/// ```
/// use std::time::Duration;
///
/// let pause = onceward::Backoff { first: Duration::from_secs(1), longest: Duration::from_secs(5) };
/// assert_eq!((0..4).map(|failures| pause.after(failures).as_secs()).collect::<Vec<_>>(), [1, 2, 4, 5]);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Backoff {
    /// The wait after the first failure.
    pub first: Duration,
    /// No wait is longer.
    pub longest: Duration,
}

impl Backoff {
    /// Between tries to write what the store did not take.
    pub(crate) const STORE: Self =
        Self { first: Duration::from_millis(100), longest: Duration::from_secs(2) };

    /// How long to wait when so many tries in a row have failed before the last one did.
    #[must_use]
    pub fn after(self, failures: u32) -> Duration {
        let times = 1_u32.checked_shl(failures).unwrap_or(u32::MAX);
        self.first.saturating_mul(times).min(self.longest)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_double_up_to_the_longest() {
        let waits: Vec<u128> = (0..6).map(|n| Backoff::STORE.after(n).as_millis()).collect();
        assert_eq!(waits, [100, 200, 400, 800, 1600, 2000]);
        for failures in [31, 32, 33, 64, u32::MAX] {
            assert_eq!(Backoff::STORE.after(failures), Backoff::STORE.longest, "{failures}");
        }
    }
}
