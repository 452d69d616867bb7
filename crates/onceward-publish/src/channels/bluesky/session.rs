//! One session for all acts of a channel: made by the app password, renewed before it ends, by one at a time.

use std::fmt;
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use onceward::{Failure, SendError, Time};
use onceward_http::{Request, SendFailure};
use secrecy::{ExposeSecret, SecretString};
use serde::Deserialize;
use tokio::sync::Mutex;

use super::api::Api;
use super::errors;
use crate::channels::answer;

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

/// The session of one account.
pub(super) struct Sessions {
    pub(super) handle: String,
    password: SecretString,
    /// Held while it is made or renewed: whoever waits meanwhile gets what came of it.
    held: Mutex<Option<Session>>,
}

/// What `createSession` and `refreshSession` answer.
#[derive(Deserialize)]
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

impl Sessions {
    /// For the account of that handle; an `@` before it is for people.
    pub(super) fn new(handle: &str, password: SecretString) -> Self {
        Self { handle: handle.trim_start_matches('@').to_owned(), password, held: Mutex::default() }
    }

    /// A session that lasts: the one at hand, renewed if it ends soon, or a new one.
    pub(super) async fn get(&self, api: &Api, now: Time) -> Result<Session, Failure> {
        let mut held = self.held.lock().await;
        let made = match held.as_ref() {
            Some(session) if session.lasts(now) => return Ok(session.clone()),
            Some(session) => self.renew(api, session).await,
            None => self.login(api).await,
        };
        let session = made.map_err(answer::unseen)?;
        Ok(held.insert(session).clone())
    }

    /// The server no longer takes this session, whatever its end says: the next to ask renews it.
    pub(super) async fn end(&self, session: &Session) {
        let mut held = self.held.lock().await;
        if let Some(held) = held.as_mut()
            && held.access.expose_secret() == session.access.expose_secret()
        {
            held.ends = Some(Time::from_micros(0));
        }
    }

    /// A server that cannot be reached has revoked nothing; only its word ends a session.
    async fn renew(&self, api: &Api, session: &Session) -> Result<Session, SendError> {
        let request = bearer(api.empty("com.atproto.server.refreshSession"), &session.refresh);
        let request = request.map_err(|failure| answer::lost(&failure))?;
        match api.ask::<Made>(request, api.timeout).await {
            Ok(made) => Ok(made.into()),
            Err(error) if errors::expired(&error) || is_auth(&error) => self.login(api).await,
            Err(error) => Err(error),
        }
    }

    async fn login(&self, api: &Api) -> Result<Session, SendError> {
        let password = self.password.expose_secret();
        let body = serde_json::json!({ "identifier": self.handle, "password": password });
        let request = api.procedure("com.atproto.server.createSession", &body);
        let request = request.map_err(|failure| answer::lost(&failure))?.hide(password);
        Ok(api.ask::<Made>(request, api.timeout).await?.into())
    }
}

fn bearer(request: Request, token: &SecretString) -> Result<Request, SendFailure> {
    request.secret_header("authorization", &format!("Bearer {}", token.expose_secret()))
}

fn is_auth(error: &SendError) -> bool {
    matches!(error, SendError::Refused(Failure::AuthNeeded { .. }))
}

impl From<Made> for Session {
    fn from(made: Made) -> Self {
        let ends = ends(&made.access_jwt);
        Self { did: made.did, access: made.access_jwt.into(), refresh: made.refresh_jwt.into(), ends }
    }
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

impl fmt::Debug for Sessions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Sessions").field("handle", &self.handle).finish_non_exhaustive()
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
