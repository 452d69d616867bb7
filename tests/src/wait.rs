//! The only place where a test waits: it asks again until the answer is there, or a deadline has passed.

use std::time::{Duration, Instant};

use crate::Verdict;

/// Between two questions.
const GAP: Duration = Duration::from_millis(10);

/// Asks until there is an answer.
///
/// # Errors
/// What was waited for, when it did not come within that time.
pub async fn until<T>(
    what: &str,
    within: Duration,
    mut ask: impl AsyncFnMut() -> Verdict<Option<T>>,
) -> Verdict<T> {
    let deadline = Instant::now() + within;
    loop {
        if let Some(answer) = ask().await? {
            return Ok(answer);
        }
        if Instant::now() >= deadline {
            return Err(format!("{what}: did not happen within {within:?}").into());
        }
        tokio::time::sleep(GAP).await; // sleeps: between two questions
    }
}

/// Lets that much time pass where time itself is what is tested: a stalled process, the random moment of a power cut.
pub async fn pass(time: Duration) {
    tokio::time::sleep(time).await; // sleeps: time itself is what is tested
}
