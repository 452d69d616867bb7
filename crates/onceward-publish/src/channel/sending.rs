//! Where a post goes, in the hands of an adapter.

use onceward::{Cause, Failure, Onceward, Receipt, Time};

use crate::store::media;

/// Where a post goes, in the hands of [`Channel::prepare`](super::Channel::prepare) and
/// [`Channel::commit`](super::Channel::commit).
#[derive(Debug, Clone, Copy)]
pub struct Sending<'a> {
    /// The store: media, and what the channel published before.
    pub once: &'a Onceward,
    /// The channel's stable id.
    pub channel: &'a str,
    /// The content's id.
    pub content: &'a str,
    /// When the attempt began, by the database's clock.
    pub at: Time,
    /// Which part this is, counted from 0.
    pub part: usize,
    /// The receipts of the parts before, in a thread: the first is the root, the last the parent.
    pub before: &'a [Receipt],
}

impl Sending<'_> {
    /// The bytes of a picture or film of the post, by its SHA-256.
    ///
    /// # Errors
    /// `media_missing` when the store has lost them.
    pub async fn media(&self, sha256: &str) -> Result<Vec<u8>, Failure> {
        let bytes = media::get(self.once.db(), sha256).await?;
        bytes.ok_or_else(|| {
            let text = format!("the bytes with SHA-256 {sha256} are not in the store");
            Failure::permanent(Cause::new("media_missing", text))
        })
    }
}
