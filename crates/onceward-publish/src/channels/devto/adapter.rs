//! Drafts, the request that publishes, and looks.

use std::time::Duration;

use onceward::{Cause, Class, Failure, Intent, Receipt, Seen, SendError, Time};
use onceward_http::{Client, Method, Request, Response, SendFailure, StatusClass, Target};
use secrecy::{ExposeSecret, SecretString};
use serde::Deserialize;
use serde_json::{Value as Json, json};

use super::article::{self, Article, Frozen};
use crate::channel::{Channel, Checked, Doing, Limits, Part, Reason, Sending};
use crate::channels::answer::{self, Means, Row, Said};
use crate::dress::Dressed;

/// Forem turns away clients that do not name themselves.
const AGENT: &str =
    concat!("onceward/", env!("CARGO_PKG_VERSION"), " (+https://github.com/onceward/onceward)");
const ACCEPT: &str = "application/vnd.forem.api-v1+json";
/// Drafts on one page of a look, and pages that are looked through. Newer ones come first.
const PAGE: usize = 30;
const PAGES: usize = 10;
/// How long after a draft the next change may come.
const BETWEEN_CHANGES: Duration = Duration::from_millis(1100);
/// The longest answer of a look: articles come with their bodies.
const ANSWER: usize = 32 * 1024 * 1024;

/// What Forem's statuses mean, beside the usual.
const ERRORS: &[Row] = &[
    Row::status(
        401,
        Means::Auth,
        "dev.to does not accept the key; make a new one in the account's settings, Extensions",
    ),
    Row::status(403, Means::Auth, "dev.to does not let this account or program in"),
    Row::status(404, Means::Refused, "the draft is gone from dev.to; `onceward dead revive` makes a new one"),
    Row::status(422, Means::Refused, "dev.to does not take the article as it is"),
    Row::status(429, Means::TooMany, "dev.to asks to slow down"),
];

/// An account at dev.to.
#[derive(Debug, Clone)]
pub struct DevtoChannel {
    api: Target,
    key: SecretString,
    client: Client,
    timeout: Duration,
}

/// What of an article's answer is of use.
#[derive(Debug, Deserialize)]
struct Known {
    id: u64,
    url: Option<String>,
    #[serde(default)]
    body_markdown: String,
}

impl DevtoChannel {
    /// An account by its key; `api` is the address of the API, `timeout` for one request.
    ///
    /// # Errors
    /// When the address cannot be used.
    pub fn new(api: &str, key: SecretString, client: Client, timeout: Duration) -> Result<Self, SendFailure> {
        Ok(Self { api: Target::operator(api)?, key, client, timeout })
    }

    /// One request, and its answer if that is a success.
    async fn ask(&self, method: Method, path: &str, body: Option<Json>) -> Result<Response, SendError> {
        let now = Time::now();
        let request = self.request(method, path, body).map_err(|failure| answer::lost(&failure))?;
        let response = self.client.send(request).await.map_err(|failure| answer::lost(&failure))?;
        if response.class() == StatusClass::Success {
            return Ok(response);
        }
        let said: Option<Json> = response.json().ok();
        let text = said.as_ref().and_then(|said| said["error"].as_str());
        Err(answer::means(ERRORS, &response, Said { text, ..Said::default() }, now))
    }

    fn request(&self, method: Method, path: &str, body: Option<Json>) -> Result<Request, SendFailure> {
        let request = Request::new(method, self.api.join(path))
            .secret_header("api-key", self.key.expose_secret())?
            .header("accept", ACCEPT)?
            .header("user-agent", AGENT)?
            .answer_limit(ANSWER)
            .deadline(self.timeout);
        match body {
            Some(body) => request.body("application/json", body.to_string()),
            None => Ok(request),
        }
    }

    /// Makes the draft; one that an earlier attempt made and lost is taken up again.
    async fn draft(&self, article: &Article) -> Result<u64, Failure> {
        let body = json!({ "article": article });
        let refused = match self.ask(Method::Post, "articles", Some(body)).await {
            Ok(response) => return Ok(read(&response).map_err(answer::unseen)?.id),
            Err(SendError::Refused(failure)) if is_taken(&failure) => failure,
            Err(error) => return Err(answer::unseen(error)),
        };
        // The title, the body or the canonical address is there already: perhaps by ourselves.
        let orphan = self.unpublished(|known| article::is_ours(article, &known.body_markdown)).await;
        orphan.map_err(answer::unseen)?.map_or(Err(refused), |known| Ok(known.id))
    }

    /// The first draft of the account that fits.
    async fn unpublished(&self, fits: impl Fn(&Known) -> bool) -> Result<Option<Known>, SendError> {
        for page in 1..=PAGES {
            let path = format!("articles/me/unpublished?per_page={PAGE}&page={page}");
            let response = self.ask(Method::Get, &path, None).await?;
            let drafts: Vec<Known> = response.json()?;
            let last = drafts.len() < PAGE;
            if let Some(found) = drafts.into_iter().find(&fits) {
                return Ok(Some(found));
            }
            if last {
                break;
            }
        }
        Ok(None)
    }

    /// A refusal to publish may speak of the very article that is published: only a draft that still waits proves it.
    async fn judge(&self, id: u64, refused: Failure) -> Result<Receipt, SendError> {
        match self.look(id).await {
            Ok(Seen::Found(receipt)) => Ok(receipt),
            Ok(Seen::Absent) => Err(SendError::Refused(refused)),
            _ => Err(SendError::Unknown(refused.cause().clone())),
        }
    }

    /// Whether an article is published, by its number: only published ones have an address of their own in the API.
    async fn look(&self, id: u64) -> Result<Seen, SendError> {
        match self.ask(Method::Get, &format!("articles/{id}"), None).await {
            Ok(response) => return Ok(Seen::Found(receipt(read(&response)?))),
            Err(SendError::Refused(failure)) if failure.cause().status == Some(404) => {}
            Err(error) => return Err(error),
        }
        // Not to be seen; that it waits as a draft is told by the list of drafts alone.
        let waits = self.unpublished(|known| known.id == id).await?;
        Ok(if waits.is_some() { Seen::Absent } else { Seen::CannotTell })
    }
}

impl Channel for DevtoChannel {
    fn limits(&self, _server: &Json) -> Limits {
        Limits::default()
    }

    fn render(&self, post: &Dressed<'_>) -> Result<Vec<Part>, Reason> {
        Ok(vec![article::part(post)?])
    }

    fn class(&self, _request: &Json) -> Class {
        Class::TwoPhase
    }

    fn prepare<'a>(&'a self, _to: &'a Sending<'a>, request: Json) -> Doing<'a, Result<Json, Failure>> {
        Box::pin(async move {
            let mut frozen = thawed(&request).map_err(answer::unseen)?;
            if frozen.draft.is_none() {
                frozen.draft = Some(self.draft(&frozen.article).await?);
                // Forem lets one change a second through: published at once, each attempt would be refused, and
                // would begin with a draft again.
                tokio::time::sleep(BETWEEN_CHANGES).await;
            }
            Ok(serde_json::to_value(frozen)?)
        })
    }

    fn commit<'a>(
        &'a self,
        _to: &'a Sending<'a>,
        intent: &'a Intent<Json>,
    ) -> Doing<'a, Result<Receipt, SendError>> {
        Box::pin(async move {
            let id = draft_of(&intent.request)?;
            let body = json!({ "article": { "published": true } });
            match self.ask(Method::Put, &format!("articles/{id}"), Some(body)).await {
                Ok(response) => Ok(receipt(read(&response)?)),
                Err(SendError::Refused(failure)) if is_taken(&failure) => self.judge(id, failure).await,
                Err(error) => Err(error),
            }
        })
    }

    fn verify<'a>(&'a self, _to: &'a Sending<'a>, intent: &'a Intent<Json>) -> Doing<'a, Seen> {
        Box::pin(async move {
            let Ok(id) = draft_of(&intent.request) else { return Seen::CannotTell };
            self.look(id).await.unwrap_or_else(|error| answer::cannot_look(ERRORS, error))
        })
    }

    fn check(&self) -> Doing<'_, Result<Checked, Failure>> {
        Box::pin(async {
            let response = self.ask(Method::Get, "users/me", None).await.map_err(answer::unseen)?;
            let me: Json = response.json()?;
            let name = me["username"].as_str().unwrap_or("?");
            let account = me["id"].as_u64().map(|id| id.to_string());
            Ok(Checked { account, text: format!("publishes as @{name}") })
        })
    }
}

/// Forem's answer to a title, a text or an address that is there already, among other things.
fn is_taken(refused: &Failure) -> bool {
    refused.cause().status == Some(422)
}

fn thawed(request: &Json) -> Result<Frozen, SendError> {
    serde_json::from_value(request.clone()).map_err(|error| unreadable(&error.to_string()))
}

fn draft_of(request: &Json) -> Result<u64, SendError> {
    thawed(request)?.draft.ok_or_else(|| unreadable("it names no draft"))
}

fn unreadable(why: &str) -> SendError {
    SendError::Refused(Failure::permanent(Cause::new("request_unreadable", why)))
}

/// An answer of success that cannot be read says nothing about what was done.
fn read(response: &Response) -> Result<Known, SendError> {
    response.json().map_err(|failure| answer::lost(&failure))
}

fn receipt(known: Known) -> Receipt {
    let receipt = Receipt::id(known.id.to_string());
    match known.url {
        Some(url) => receipt.at(url),
        None => receipt,
    }
}
