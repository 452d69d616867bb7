//! The acts of the contract.

use std::time::Duration;

use onceward::{Class, Failure, Intent, Receipt, Seen, SendError, Time};
use onceward_http::{Client, SendFailure};
use secrecy::SecretString;
use serde::Deserialize;
use serde_json::Value as Json;

use super::api::Api;
use super::commit::{There, Write, is_clear};
use super::record::{self, Frozen, Mention};
use super::render;
use super::rkey::rkey;
use super::session::{Account, Session};
use crate::channel::{Channel, Checked, Doing, Limits, Part, Reason, Sending};
use crate::channels::answer;
use crate::dress::Dressed;
use crate::vault::Slot;

/// An account at a server of the AT Protocol.
#[derive(Debug)]
pub struct BlueskyChannel {
    api: Api,
    account: Account,
    languages: Vec<String>,
}

impl BlueskyChannel {
    /// The account of that handle at a server that the configuration names, by an app password. `languages` are those
    /// of its posts (BCP 47, at most three); `slot` keeps its session; `timeout` is for one act.
    ///
    /// # Errors
    /// When the address cannot be used.
    pub fn new(
        server: &str,
        handle: &str,
        password: SecretString,
        languages: Vec<String>,
        slot: Slot,
        client: Client,
        timeout: Duration,
    ) -> Result<Self, SendFailure> {
        let (api, account) = (Api::new(server, client, timeout)?, Account::new(handle, password, slot));
        Ok(Self { api, account, languages })
    }

    /// The write behind an intent, the same each time.
    fn write(&self, to: &Sending<'_>, intent: &Intent<Json>) -> Result<Write<'_>, Failure> {
        let frozen: Frozen = serde_json::from_value(intent.request.clone())?;
        let record = frozen.answering(to.before).ok_or_else(record::parent_unknown)?;
        let at: Time = record["createdAt"].as_str().unwrap_or_default().parse()?;
        Ok(Write { did: frozen.did, rkey: rkey(at, &intent.key), record, handle: &self.account.handle })
    }

    async fn put(&self, write: &Write<'_>) -> Result<Receipt, SendError> {
        let session = self.account.session(&self.api, Time::now()).await.map_err(SendError::Refused)?;
        write.put(&self.api, &self.account, &session).await
    }

    /// Whose handle it is; nobody's is no failure.
    async fn resolve(&self, mention: Mention) -> Result<Option<(Mention, String)>, Failure> {
        #[derive(Deserialize)]
        struct Resolved {
            did: String,
        }
        let request = self.api.query("com.atproto.identity.resolveHandle", &[("handle", &mention.handle)]);
        match self.api.ask::<Resolved>(request, self.api.timeout).await {
            Ok(resolved) => Ok(Some((mention, resolved.did))),
            Err(SendError::Refused(Failure::Permanent { .. })) => Ok(None),
            Err(error) => Err(answer::unseen(error)),
        }
    }

    /// Uploads the pictures: named by their content, so that the same bytes give the same blob.
    async fn upload(
        &self,
        to: &Sending<'_>,
        frozen: &Frozen,
        session: &Session,
    ) -> Result<Vec<Json>, Failure> {
        #[derive(Deserialize)]
        struct Uploaded {
            blob: Json,
        }
        let mut blobs = Vec::with_capacity(frozen.pictures.len());
        for picture in &frozen.pictures {
            let bytes = to.media(&picture.sha256).await?;
            let request = self.api.upload("com.atproto.repo.uploadBlob", &picture.mime, bytes);
            let request = request.and_then(|request| session.sign(request));
            let request = request.map_err(|failure| answer::unseen(answer::lost(&failure)))?;
            let said = self.api.ask::<Uploaded>(request, self.api.timeout).await;
            if said.as_ref().is_err_and(super::errors::expired) {
                self.account.end(session);
            }
            blobs.push(said.map_err(answer::unseen)?.blob);
        }
        Ok(blobs)
    }
}

impl Channel for BlueskyChannel {
    fn limits(&self, _server: &Json) -> Limits {
        render::limits()
    }

    fn render(&self, post: &Dressed<'_>) -> Result<Vec<Part>, Reason> {
        render::parts(post, &self.languages)
    }

    fn class(&self, _request: &Json) -> Class {
        Class::Deterministic
    }

    fn prepare<'a>(&'a self, to: &'a Sending<'a>, request: Json) -> Doing<'a, Result<Json, Failure>> {
        Box::pin(async move {
            let mut frozen: Frozen = serde_json::from_value(request)?;
            let session = self.account.session(&self.api, Time::now()).await?;
            // What was uploaded and never shown is dropped by the server some day, so each attempt uploads it.
            let blobs = self.upload(to, &frozen, &session).await?;
            if frozen.did.is_empty() {
                frozen.show(&blobs);
                let mut found = Vec::new();
                for mention in std::mem::take(&mut frozen.mentions) {
                    found.extend(self.resolve(mention).await?);
                }
                frozen.mention(&found);
                frozen.did = session.did;
            }
            Ok(serde_json::to_value(frozen)?)
        })
    }

    fn commit<'a>(
        &'a self,
        to: &'a Sending<'a>,
        intent: &'a Intent<Json>,
    ) -> Doing<'a, Result<Receipt, SendError>> {
        Box::pin(async move {
            let write = self.write(to, intent).map_err(SendError::Refused)?;
            match self.put(&write).await {
                // Of an earlier send only the record itself can tell, whatever this one is answered.
                said if said.is_ok() || (intent.sends == 0 && is_clear(&said)) => said,
                Err(error) => write.judge(error, write.look(&self.api).await),
                said => said,
            }
        })
    }

    fn verify<'a>(&'a self, to: &'a Sending<'a>, intent: &'a Intent<Json>) -> Doing<'a, Seen> {
        Box::pin(async move {
            let Ok(write) = self.write(to, intent) else { return Seen::CannotTell };
            match write.look(&self.api).await {
                There::Same(receipt) => Seen::Found(receipt),
                There::Nothing => Seen::Absent,
                There::Other | There::Unknown => Seen::CannotTell,
            }
        })
    }

    fn check(&self) -> Doing<'_, Result<Checked, Failure>> {
        Box::pin(async {
            #[derive(Deserialize)]
            struct Named {
                did: String,
                handle: String,
            }
            let session = self.account.session(&self.api, Time::now()).await?;
            let request = session.sign(self.api.query("com.atproto.server.getSession", &[]));
            let request = request.map_err(|failure| answer::unseen(answer::lost(&failure)))?;
            let account = self.api.ask::<Named>(request, self.api.timeout).await.map_err(answer::unseen)?;
            let text = format!("logged in as @{}", account.handle);
            Ok(Checked { account: Some(account.did), text })
        })
    }
}
