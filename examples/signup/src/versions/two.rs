//! Version 2: the account is saved, the mail goes into a queue in memory, and the answer does not wait for it.
//!
//! Whoever kills the process, kills the queue.

use std::time::Duration;

use tokio::sync::{Mutex, mpsc};
use tokio::task::JoinHandle;

use crate::Fallible;
use crate::mail::{MailError, Mailer};
use crate::store::Store;

/// Between two tries.
const PAUSE: Duration = Duration::from_millis(100);

#[derive(Debug)]
pub(crate) struct Two {
    store: Store,
    queue: Mutex<Option<mpsc::UnboundedSender<String>>>,
    sending: Mutex<Option<JoinHandle<()>>>,
}

impl Two {
    pub(crate) fn start(store: Store, mailer: Mailer) -> Self {
        let (queue, waiting) = mpsc::unbounded_channel();
        let sending = tokio::spawn(send(mailer, waiting));
        Self { store, queue: Mutex::new(Some(queue)), sending: Mutex::new(Some(sending)) }
    }

    pub(crate) async fn sign_up(&self, email: &str) -> Fallible {
        self.store.save(email).await?;
        // Here somebody pulls the plug.
        let queue = self.queue.lock().await;
        queue.as_ref().ok_or("the application stops")?.send(email.to_owned())?;
        Ok(())
    }

    /// Whoever stops it gently waits for what is queued.
    pub(crate) async fn drain(&self) {
        self.queue.lock().await.take();
        if let Some(sending) = self.sending.lock().await.take() {
            drop(sending.await);
        }
    }
}

async fn send(mailer: Mailer, mut waiting: mpsc::UnboundedReceiver<String>) {
    while let Some(email) = waiting.recv().await {
        while let Err(error) = mailer.send(&email).await {
            eprintln!("{email}: {error}");
            if matches!(error, MailError::Refused(_)) {
                break;
            }
            tokio::time::sleep(PAUSE).await;
        }
    }
}
