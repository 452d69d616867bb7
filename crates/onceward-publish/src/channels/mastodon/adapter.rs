//! The acts of the contract.

use std::time::Duration;

use onceward::{Class, Failure, Fallback, Intent, Receipt, Seen, SendError};
use onceward_http::{Client, SendFailure};
use secrecy::SecretString;
use serde::Deserialize;
use serde_json::{Value as Json, json};
use tokio::time::Instant;

use super::api::{Api, read};
use super::render::{self, Frozen, Manner, Visibility};
use super::server::{self, Server};
use super::{look, media};
use crate::channel::{Channel, Checked, Doing, Limits, Part, Reason, Sending};
use crate::channels::answer::unseen;
use crate::dress::Dressed;

/// Mastodon keeps a key for an hour, by its source: `PostStatusService`.
const WINDOW: Duration = Duration::from_hours(1);
/// How long a fresh post may be missing from the account's own list: servers may read from a copy of their database.
const LAG: Duration = Duration::from_secs(10);

/// An account on a server.
#[derive(Debug, Clone)]
pub struct MastodonChannel {
    api: Api,
    usual: Manner,
}

#[derive(Deserialize)]
struct Posted {
    id: String,
    url: Option<String>,
}

impl MastodonChannel {
    /// An account by its token, on a server by its address (`https://mastodon.example`); `timeout` is for one request.
    ///
    /// # Errors
    /// When the address cannot be used.
    pub fn new(
        server: &str,
        token: SecretString,
        visibility: Option<Visibility>,
        language: Option<String>,
        client: Client,
        timeout: Duration,
    ) -> Result<Self, SendFailure> {
        let usual = Manner { visibility, language, ..Manner::default() };
        Ok(Self { api: Api::new(server, token, client, timeout)?, usual })
    }

    async fn prepared(&self, to: &Sending<'_>, request: Json) -> Result<Json, Failure> {
        let mut frozen: Frozen = serde_json::from_value(request)?;
        if frozen.keyed.is_none() {
            frozen.keyed = Some(server::ask(&self.api).await.map_err(unseen)?.knows_keys());
        }
        media::upload(&self.api, to, &mut frozen.pictures).await?;
        Ok(json!(frozen))
    }

    async fn posted(&self, to: &Sending<'_>, intent: &Intent<Json>) -> Result<Receipt, SendError> {
        let frozen: Frozen = serde_json::from_value(intent.request.clone())?;
        let (keyed, begun) = (frozen.keyed == Some(true), Instant::now());
        // A server that keeps whole answers would give an earlier refusal again: there each send has its own key.
        let key = if keyed { intent.key.clone() } else { format!("{}-{}", intent.key, intent.sends) };
        match self.api.post(&key, &frozen.body(look::parent(to)), !keyed).await {
            Ok(answer) => {
                let posted: Posted = read(&answer)?;
                Ok(look::receipt(posted.id, posted.url))
            }
            Err(SendError::Refused(Failure::Permanent { cause })) if cause.status == Some(422) => {
                let left = self.api.timeout().saturating_sub(begun.elapsed());
                let early = media::too_early(&self.api, &frozen.pictures, left).await;
                Err(SendError::Refused(if early {
                    Failure::transient(cause)
                } else {
                    Failure::permanent(cause)
                }))
            }
            Err(error) => Err(error),
        }
    }

    async fn checked(&self) -> Result<Checked, SendError> {
        let account = look::account(&self.api).await?;
        // What a doubt would ask for must be allowed as well.
        let own = format!("api/v1/accounts/{}/statuses", account.id);
        self.api.get(&own, &[("limit", "1")]).await?;
        let server = server::ask(&self.api).await?;
        let host = self.api.host();
        let text = format!(
            "@{}@{host} may be read; the server is {}, and takes {} characters and {} media",
            account.username,
            if server.version.is_empty() { "of no version" } else { &server.version },
            server.characters,
            server.media
        );
        Ok(Checked { account: Some(format!("{host}/{}", account.id)), text })
    }
}

impl Channel for MastodonChannel {
    fn limits(&self, server: &Json) -> Limits {
        Server::known(server).limits()
    }

    fn render(&self, post: &Dressed<'_>) -> Result<Vec<Part>, Reason> {
        render::parts(post, &self.usual)
    }

    fn class(&self, request: &Json) -> Class {
        if request["keyed"] == json!(true) {
            Class::Keyed { window: WINDOW, fallback: Fallback::LookUp { lag: LAG } }
        } else {
            Class::LookUp { lag: LAG }
        }
    }

    fn prepare<'a>(&'a self, to: &'a Sending<'a>, request: Json) -> Doing<'a, Result<Json, Failure>> {
        Box::pin(self.prepared(to, request))
    }

    fn commit<'a>(
        &'a self,
        to: &'a Sending<'a>,
        intent: &'a Intent<Json>,
    ) -> Doing<'a, Result<Receipt, SendError>> {
        Box::pin(self.posted(to, intent))
    }

    fn verify<'a>(&'a self, to: &'a Sending<'a>, intent: &'a Intent<Json>) -> Doing<'a, Seen> {
        Box::pin(look::look(&self.api, to, intent))
    }

    fn learn(&self) -> Option<Doing<'_, Result<Json, Failure>>> {
        Some(Box::pin(async { Ok(json!(server::ask(&self.api).await.map_err(unseen)?)) }))
    }

    fn check(&self) -> Doing<'_, Result<Checked, Failure>> {
        Box::pin(async { self.checked().await.map_err(unseen) })
    }
}
