//! One call of Slack's Web API. It answers 200 also when it refuses: the body decides.

use std::fmt;
use std::time::Duration;

use onceward::{SendError, Time};
use onceward_http::{Client, Request, Response, SendFailure, StatusClass, Target};
use secrecy::{ExposeSecret, SecretString};
use serde::Deserialize;
use serde_json::Value as Json;

use super::errors::ERRORS;
use crate::channels::answer::{self, Said};

/// The Web API with the bot's token.
#[derive(Clone)]
pub(super) struct Api {
    base: Target,
    token: SecretString,
    client: Client,
    timeout: Duration,
}

/// What Slack gave.
pub(super) struct Given {
    pub(super) body: Json,
    /// What the token may do, as the headers say.
    pub(super) scopes: Option<String>,
}

/// The part of every answer that decides.
#[derive(Deserialize)]
struct Verdict {
    ok: bool,
    error: Option<String>,
}

impl Api {
    pub(super) fn new(
        api: &str,
        token: SecretString,
        client: Client,
        timeout: Duration,
    ) -> Result<Self, SendFailure> {
        Ok(Self { base: Target::operator(api)?, token, client, timeout })
    }

    /// A method that reads.
    pub(super) async fn get(&self, method: &str, query: &[(&str, &str)]) -> Result<Given, SendError> {
        let target =
            query.iter().fold(self.base.join(method), |target, (name, value)| target.query(name, value));
        self.call(Request::get(target)).await
    }

    /// A method that changes something which nobody sees.
    pub(super) async fn post(&self, method: &str, body: &Json) -> Result<Given, SendError> {
        self.call(self.posting(method, body)?).await
    }

    /// The method that everybody sees: no kept connection, which may be closing just now.
    pub(super) async fn post_visibly(&self, method: &str, body: &Json) -> Result<Given, SendError> {
        self.call(self.posting(method, body)?.fresh()).await
    }

    /// Sends bytes to an address that Slack gave. It is signed, so it is a secret, and the token does not go there.
    pub(super) async fn upload(&self, url: &str, mime: &str, bytes: Vec<u8>) -> Result<(), SendError> {
        let target = self.given(url).map_err(|failure| answer::lost(&failure))?;
        let request = Request::post(target).hide(url).deadline(self.timeout).body(mime, bytes);
        let response = self.send(request.map_err(|failure| answer::lost(&failure))?).await?;
        match response.class() {
            StatusClass::Success => Ok(()),
            _ => Err(answer::means(ERRORS, &response, Said::default(), Time::now())),
        }
    }

    /// Slack's own choice of address is checked, unless it is the very server that the operator named.
    fn given(&self, url: &str) -> Result<Target, SendFailure> {
        let target = Target::operator(url)?;
        if target.url().origin() == self.base.url().origin() { Ok(target) } else { Target::untrusted(url) }
    }

    fn posting(&self, method: &str, body: &Json) -> Result<Request, SendError> {
        let request =
            Request::post(self.base.join(method)).body("application/json; charset=utf-8", body.to_string());
        request.map_err(|failure| answer::lost(&failure))
    }

    async fn call(&self, request: Request) -> Result<Given, SendError> {
        let bearer = format!("Bearer {}", self.token.expose_secret());
        let request = request.deadline(self.timeout).secret_header("authorization", &bearer);
        let response = self.send(request.map_err(|failure| answer::lost(&failure))?).await?;
        read(&response, Time::now())
    }

    async fn send(&self, request: Request) -> Result<Response, SendError> {
        self.client.send(request).await.map_err(|failure| answer::lost(&failure))
    }
}

/// What an answer means.
pub(super) fn read(response: &Response, now: Time) -> Result<Given, SendError> {
    let verdict = response.json::<Verdict>();
    let success = response.class() == StatusClass::Success;
    match verdict {
        Ok(Verdict { ok: true, .. }) if success => {
            let body = response.json().map_err(|failure| answer::lost(&failure))?;
            Ok(Given { body, scopes: response.header("x-oauth-scopes").map(str::to_owned) })
        }
        Err(unreadable) if success => Err(answer::lost(&unreadable)),
        verdict => {
            let error = verdict.ok().and_then(|verdict| verdict.error);
            let said = Said { code: error.as_deref(), ..Said::default() };
            Err(answer::means(ERRORS, response, said, now))
        }
    }
}

impl fmt::Debug for Api {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Api")
            .field("base", &self.base)
            .field("timeout", &self.timeout)
            .finish_non_exhaustive()
    }
}
