//! Housekeeping.

use std::sync::Arc;
use std::time::Duration;

use crate::{Error, Onceward};

pub(crate) async fn keep(
    once: Onceward,
    queues: Arc<[String]>,
    lease: Duration,
    retention: Duration,
    mut stop: tokio::sync::watch::Receiver<bool>,
) {
    let _ = (once, queues, lease, retention);
    drop(stop.wait_for(|stop| *stop).await);
}

pub(crate) async fn keep_once(once: &Onceward, lease: Duration, retention: Duration) -> Result<(), Error> {
    let _ = (once, lease, retention);
    Ok(())
}
