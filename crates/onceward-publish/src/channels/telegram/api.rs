//! One call of the Bot API. The token stands in the address, so no text may show the address.

use std::fmt;
use std::time::Duration;

use onceward::{Cause, SendError, Time};
use onceward_http::{Client, Multipart, Request, Response, SendFailure, StatusClass, Target};
use secrecy::{ExposeSecret, SecretString};
use serde::Deserialize;
use serde_json::Value as Json;

use super::errors::{self, ERRORS};
use crate::channels::answer::{self, Said};

/// The Bot API with a bot's token.
#[derive(Clone)]
pub(super) struct Api {
    base: Target,
    token: SecretString,
    client: Client,
    timeout: Duration,
}

#[derive(Deserialize)]
struct Answer {
    ok: bool,
    #[serde(default)]
    result: Option<Json>,
    #[serde(default)]
    description: Option<String>,
    #[serde(default)]
    parameters: Parameters,
}

#[derive(Deserialize, Default)]
struct Parameters {
    retry_after: Option<u64>,
    migrate_to_chat_id: Option<i64>,
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

    /// A method with JSON.
    pub(super) async fn call(&self, method: &str, body: &Json) -> Result<Json, SendError> {
        let request = self.request(method).body("application/json", body.to_string());
        self.send(request.map_err(|failure| answer::lost(&failure))?).await
    }

    /// A method with files.
    pub(super) async fn call_with_files(&self, method: &str, form: Multipart) -> Result<Json, SendError> {
        let request = self.request(method).multipart(form);
        self.send(request.map_err(|failure| answer::lost(&failure))?).await
    }

    /// No kept connection: one that closes just then would leave a message in doubt that nobody can look for.
    fn request(&self, method: &str) -> Request {
        let token = self.token.expose_secret();
        let target = self.base.join(&format!("bot{token}/{method}"));
        Request::post(target).hide(token).deadline(self.timeout).fresh()
    }

    async fn send(&self, request: Request) -> Result<Json, SendError> {
        let response = self.client.send(request).await.map_err(|failure| answer::lost(&failure))?;
        read(&response, Time::now())
    }
}

/// What an answer means: its body decides.
pub(super) fn read(response: &Response, now: Time) -> Result<Json, SendError> {
    let success = response.class() == StatusClass::Success;
    let answer = match response.json::<Answer>() {
        Ok(Answer { ok: true, result: Some(result), .. }) if success => return Ok(result),
        Ok(Answer { ok: true, .. }) if success => {
            let text = "Telegram says that it did it, and not what it did";
            return Err(SendError::Unknown(Cause::new("answer_unreadable", text).status(response.status())));
        }
        Err(unreadable) if success => return Err(answer::lost(&unreadable)),
        answer => answer.ok(),
    };
    let (description, parameters) =
        answer.map(|answer| (answer.description, answer.parameters)).unwrap_or_default();
    let code = description.as_deref().and_then(errors::code);
    let text = match (description, parameters.migrate_to_chat_id) {
        (Some(said), Some(id)) => Some(format!("{said}: the new id is {id}")),
        (said, _) => said,
    };
    let wait = parameters.retry_after.map(Duration::from_secs);
    Err(answer::means(ERRORS, response, Said { code, text: text.as_deref(), wait }, now))
}

impl fmt::Debug for Api {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Api")
            .field("base", &self.base)
            .field("timeout", &self.timeout)
            .finish_non_exhaustive()
    }
}
