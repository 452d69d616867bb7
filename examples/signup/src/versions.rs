//! The four versions of one story: an account is saved, and its welcome mail is to be sent.

pub(crate) mod four;
pub(crate) mod one;
pub(crate) mod three;
pub(crate) mod two;

use crate::Fallible;

/// What happens when a person signs up.
#[derive(Debug)]
pub(crate) enum Version {
    One(one::One),
    Two(two::Two),
    Three(three::Three),
    Four(four::Four),
}

impl Version {
    pub(crate) async fn sign_up(&self, email: &str) -> Fallible {
        match self {
            Self::One(version) => version.sign_up(email).await,
            Self::Two(version) => version.sign_up(email).await,
            Self::Three(version) => version.sign_up(email).await,
            Self::Four(version) => version.sign_up(email).await,
        }
    }

    /// What it does before a gentle end.
    pub(crate) async fn close(&self) {
        if let Self::Two(version) = self {
            version.drain().await;
        }
    }
}
