//! One call of the API, and what its answer means.

use std::fmt;
use std::time::Duration;

use onceward::{SendError, Time};
use onceward_http::{Client, Multipart, Request, Response, SendFailure, StatusClass, Target};
use secrecy::{ExposeSecret, SecretString};
use serde::Deserialize;
use serde_json::Value as Json;

use super::errors::ERRORS;
use crate::channels::answer::{self, Said};

/// A server, with the account's token.
#[derive(Clone)]
pub(super) struct Api {
    server: Target,
    token: SecretString,
    client: Client,
    timeout: Duration,
}

/// The body of every error; `GoToSocial` and Pleroma have the same.
#[derive(Deserialize)]
struct Words {
    error: String,
}

impl Api {
    pub(super) fn new(
        server: &str,
        token: SecretString,
        client: Client,
        timeout: Duration,
    ) -> Result<Self, SendFailure> {
        Ok(Self { server: Target::operator(server)?, token, client, timeout })
    }

    /// How long one request may take.
    pub(super) fn timeout(&self) -> Duration {
        self.timeout
    }

    /// The server's host.
    pub(super) fn host(&self) -> &str {
        self.server.host()
    }

    pub(super) async fn get(&self, path: &str, query: &[(&str, &str)]) -> Result<Response, SendError> {
        let target = self.server.join(path);
        let target = query.iter().fold(target, |target, (name, value)| target.query(name, value));
        self.call(Ok(Request::get(target))).await
    }

    /// Uploads a file.
    pub(super) async fn upload(&self, path: &str, form: Multipart) -> Result<Response, SendError> {
        self.call(Request::post(self.server.join(path)).multipart(form)).await
    }

    /// Makes a post: the one call that others see.
    pub(super) async fn post(&self, key: &str, body: &Json, fresh: bool) -> Result<Response, SendError> {
        let request = Request::post(self.server.join("api/v1/statuses"));
        let request = if fresh { request.fresh() } else { request };
        let request = request.header("idempotency-key", key);
        self.call(request.and_then(|request| request.body("application/json", body.to_string()))).await
    }

    async fn call(&self, request: Result<Request, SendFailure>) -> Result<Response, SendError> {
        let bearer = format!("Bearer {}", self.token.expose_secret());
        let request = request.map(|request| request.deadline(self.timeout));
        let request = request.and_then(|request| request.secret_header("authorization", &bearer));
        let request = request.map_err(|failure| answer::lost(&failure))?;
        let response = self.client.send(request).await.map_err(|failure| answer::lost(&failure))?;
        verdict(response, Time::now())
    }
}

/// An answer that is a success, or what it means instead.
pub(super) fn verdict(response: Response, now: Time) -> Result<Response, SendError> {
    if response.class() == StatusClass::Success {
        return Ok(response);
    }
    let words = response.json::<Words>().ok();
    let said = Said { text: words.as_ref().map(|words| words.error.as_str()), ..Said::default() };
    Err(answer::means(ERRORS, &response, said, now))
}

/// An answer's body. One that cannot be read says nothing of whether the call was carried out.
pub(super) fn read<T: serde::de::DeserializeOwned>(response: &Response) -> Result<T, SendError> {
    response.json().map_err(|failure| answer::lost(&failure))
}

impl fmt::Debug for Api {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Api").field("server", &self.server).finish_non_exhaustive()
    }
}
