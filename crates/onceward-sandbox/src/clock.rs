//! The sandbox's own clock: the machine's, moved forward as tests ask.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Microseconds since 1970, UTC.
pub(crate) type Micros = i64;

/// One second.
pub(crate) const SECOND: Micros = 1_000_000;

/// A clock that can be moved forward.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Clock {
    ahead: Micros,
}

impl Clock {
    pub(crate) fn now(self) -> Micros {
        Self::machine().saturating_add(self.ahead)
    }

    /// The machine's own time: what a sender's signature is dated by, however far this clock was moved.
    pub(crate) fn machine() -> Micros {
        micros(SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default())
    }

    pub(crate) fn advance(&mut self, by: Duration) {
        self.ahead = self.ahead.saturating_add(micros(by));
    }
}

/// A length of time, in microseconds.
pub(crate) fn micros(time: Duration) -> Micros {
    Micros::try_from(time.as_micros()).unwrap_or(Micros::MAX)
}
