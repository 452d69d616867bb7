//! Version 1: the mail is sent inside the request.
//!
//! The person waits for the mail server. When it is down, they are turned away, with an account that they do not know of.

use crate::Fallible;
use crate::mail::Mailer;
use crate::store::Store;

#[derive(Debug)]
pub(crate) struct One {
    pub(crate) store: Store,
    pub(crate) mailer: Mailer,
}

impl One {
    pub(crate) async fn sign_up(&self, email: &str) -> Fallible {
        self.store.save(email).await?;
        self.mailer.send(email).await?;
        Ok(())
    }
}
