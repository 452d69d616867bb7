//! One session for all acts of a channel: made by the app password, renewed before it ends, by one at a time.

use std::fmt;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use onceward::{Failure, SendError, Time};
use onceward_http::{Request, SendFailure};
use secrecy::{ExposeSecret, SecretString};
use serde::{Deserialize, Serialize};

use super::api::Api;
use super::errors;
use crate::channels::answer;
use crate::vault::{self, Slot};

/// A session that ends sooner than this is renewed first, so that it lasts for the attempt.
const MARGIN: Duration = Duration::from_mins(5);

/// What proves to the server who we are.
#[derive(Debug, Clone)]
pub(super) struct Session {
    /// The account's stable id.
    pub(super) did: String,
    access: SecretString,
    refresh: SecretString,
    /// When the server stops taking `access`; none: it does not say.
    ends: Option<Time>,
}

/// The account, its app password, and the place of its session.
pub(super) struct Account {
    pub(super) handle: String,
    password: SecretString,
    slot: Slot,
    /// The access token that the server no longer takes, whatever its end says.
    ended: Mutex<Option<SecretString>>,
}

/// What `createSession` and `refreshSession` answer, and what is kept of it.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Made {
    did: String,
    access_jwt: String,
    refresh_jwt: String,
}

impl Session {
    /// The request, in this session's name.
    pub(super) fn sign(&self, request: Request) -> Result<Request, SendFailure> {
        bearer(request, &self.access)
    }

    fn lasts(&self, now: Time) -> bool {
        self.ends.is_none_or(|ends| now.after(MARGIN) < ends)
    }
}

impl Account {
    /// The account of that handle; an `@` before it is for people.
    pub(super) fn new(handle: &str, password: SecretString, slot: Slot) -> Self {
        Self { handle: handle.trim_start_matches('@').to_owned(), password, slot, ended: Mutex::default() }
    }

    /// A session that lasts: the one that is kept, renewed if it ends soon, or a new one.
    pub(super) async fn session(&self, api: &Api, now: Time) -> Result<Session, Failure> {
        let kept = self.slot.load().await?;
        let known = kept.as_ref().and_then(read);
        if let Some(session) = known.as_ref().filter(|it| it.lasts(now) && !self.is_ended(it)) {
            return Ok(session.clone());
        }
        let new = async {
            let made = match &known {
                Some(session) => self.renew(api, session).await,
                None => self.login(api).await,
            };
            let made = made.map_err(answer::unseen)?;
            Ok(SecretString::from(serde_json::to_string(&made)?))
        };
        let renewed = self.slot.renew(kept.as_ref(), new).await?;
        // Two tokens of one second may be the same text.
        *self.ended() = None;
        read(&renewed).ok_or_else(|| "the kept session cannot be read".into())
    }

    /// The server no longer takes this session: the next to ask renews it.
    pub(super) fn end(&self, session: &Session) {
        *self.ended() = Some(session.access.clone());
    }

    fn is_ended(&self, session: &Session) -> bool {
        self.ended().as_ref().is_some_and(|ended| ended.expose_secret() == session.access.expose_secret())
    }

    fn ended(&self) -> MutexGuard<'_, Option<SecretString>> {
        self.ended.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A server that cannot be reached has revoked nothing; only its word ends a session.
    async fn renew(&self, api: &Api, session: &Session) -> Result<Made, SendError> {
        let request = bearer(api.empty("com.atproto.server.refreshSession"), &session.refresh);
        let request = request.map_err(|failure| answer::lost(&failure))?;
        match api.ask(request, api.timeout).await {
            Err(error) if errors::expired(&error) || is_no(&error) => self.login(api).await,
            said => said,
        }
    }

    async fn login(&self, api: &Api) -> Result<Made, SendError> {
        let password = self.password.expose_secret();
        let body = serde_json::json!({ "identifier": self.handle, "password": password });
        let request = api.procedure("com.atproto.server.createSession", &body);
        let request = request.map_err(|failure| answer::lost(&failure))?.hide(password);
        match api.ask(request, api.timeout).await {
            // A server that is none, a handle that it does not know: no post is at fault.
            Err(SendError::Refused(Failure::Permanent { cause })) => {
                Err(SendError::Refused(Failure::AuthNeeded { cause }))
            }
            said => said,
        }
    }
}

/// The session behind what is kept; none when another version kept something else.
fn read(kept: &vault::Session) -> Option<Session> {
    let made: Made = serde_json::from_str(kept.secret().expose_secret()).ok()?;
    let ends = ends(&made.access_jwt);
    Some(Session { did: made.did, access: made.access_jwt.into(), refresh: made.refresh_jwt.into(), ends })
}

fn bearer(request: Request, token: &SecretString) -> Result<Request, SendFailure> {
    request.secret_header("authorization", &format!("Bearer {}", token.expose_secret()))
}

fn is_no(error: &SendError) -> bool {
    matches!(error, SendError::Refused(Failure::AuthNeeded { .. } | Failure::Permanent { .. }))
}

/// The end that stands in a JSON Web Token. The server alone can tell whether it is genuine; we only plan by it.
fn ends(token: &str) -> Option<Time> {
    #[derive(Deserialize)]
    struct Claims {
        exp: i64,
    }
    let claims = URL_SAFE_NO_PAD.decode(token.split('.').nth(1)?).ok()?;
    let claims: Claims = serde_json::from_slice(&claims).ok()?;
    Some(Time::from_micros(claims.exp.saturating_mul(1_000_000)))
}

impl fmt::Debug for Account {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Account").field("handle", &self.handle).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_end_of_a_token_is_read_and_anything_else_says_nothing() {
        let token = |claims: &str| format!("e30.{}.c2ln", URL_SAFE_NO_PAD.encode(claims));
        assert_eq!(ends(&token(r#"{"exp":1796000757}"#)), Some(Time::from_micros(1_796_000_757_000_000)));
        for odd in ["", "opaque", "a.b.c", &token("{}"), &token(r#"{"exp":"soon"}"#)] {
            assert_eq!(ends(odd), None, "{odd}");
        }
        assert!(ends(&token(r#"{"exp":9223372036854775807}"#)).is_some());
    }
}
