//! The one write, and the look that tells what became of it when its answer does not.

use onceward::{Cause, Failure, Receipt, SendError};
use serde::Deserialize;
use serde_json::{Value as Json, json};

use super::api::Api;
use super::errors;
use super::record::{COLLECTION, is_same};
use super::session::{Account, Session};
use crate::channels::answer;

/// A record and its place: the same bytes at the same place, however often it is written.
#[derive(Debug)]
pub(super) struct Write<'a> {
    pub(super) did: String,
    pub(super) rkey: String,
    pub(super) record: Json,
    /// The account's name in addresses for people.
    pub(super) handle: &'a str,
}

/// What is at the place of a record.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum There {
    /// The record.
    Same(Receipt),
    /// Another one.
    Other,
    /// Nothing.
    Nothing,
    /// The look failed.
    Unknown,
}

/// What `putRecord` and `getRecord` tell of a record.
#[derive(Deserialize)]
struct Held {
    uri: String,
    cid: String,
    #[serde(default)]
    value: Json,
}

impl Write<'_> {
    /// Writes the record, unless something is at its place. One request; the answer may leave open what it did.
    pub(super) async fn put(
        &self,
        api: &Api,
        account: &Account,
        session: &Session,
    ) -> Result<Receipt, SendError> {
        // Null: nothing may be there. Without it, a record that a person edited would be written over.
        let body = json!({
            "repo": self.did, "collection": COLLECTION, "rkey": self.rkey, "swapRecord": null, "record": self.record,
        });
        let request =
            api.procedure("com.atproto.repo.putRecord", &body).and_then(|request| session.sign(request));
        let request = request.map_err(|failure| answer::lost(&failure))?;
        let said = api.ask::<Held>(request, api.timeout * 3 / 5).await;
        if said.as_ref().is_err_and(errors::expired) {
            account.end(session);
        }
        let held = said?;
        if held.uri == self.uri() {
            return Ok(self.receipt(&held.cid));
        }
        let text = format!("the server names another record, {:?}", held.uri);
        Err(SendError::Unknown(Cause::new("answer_unreadable", text)))
    }

    /// Looks at what is there. Everybody may, so a session that has ended hides nothing.
    pub(super) async fn look(&self, api: &Api) -> There {
        let place = [("repo", self.did.as_str()), ("collection", COLLECTION), ("rkey", self.rkey.as_str())];
        let request = api.query("com.atproto.repo.getRecord", &place);
        match api.ask::<Held>(request, api.timeout * 2 / 5).await {
            Ok(held) if is_same(&self.record, &held.value) => There::Same(self.receipt(&held.cid)),
            Ok(_) => There::Other,
            Err(SendError::Unknown(cause) | SendError::Refused(Failure::Permanent { cause }))
                if cause.platform_code.as_deref() == Some(errors::ABSENT) =>
            {
                There::Nothing
            }
            Err(_) => There::Unknown,
        }
    }

    /// What an unclear answer comes to, by what is there.
    pub(super) fn judge(&self, error: SendError, there: There) -> Result<Receipt, SendError> {
        let refused =
            |code, text: String| Err(SendError::Refused(Failure::permanent(Cause::new(code, text))));
        match (there, error) {
            (There::Same(receipt), _) => Ok(receipt),
            (There::Other, _) => refused("record_differs", self.differs()),
            (There::Nothing, SendError::Unknown(cause)) if is_code(&cause, errors::TAKEN) => refused(
                "deleted_there",
                format!("the post was at {} and was deleted; it is not made again", self.url()),
            ),
            // The server answered, so it is not still at work on it; and it has not done it.
            (There::Nothing, SendError::Unknown(cause))
                if cause.status.is_some_and(|status| status < 500) =>
            {
                Err(SendError::Refused(Failure::transient(cause)))
            }
            (There::Nothing, error) => Err(error),
            // An earlier send may be there, whatever this one was answered.
            (There::Unknown, error) => Err(SendError::Unknown(cause_of(error))),
        }
    }

    fn differs(&self) -> String {
        let url = self.url();
        format!(
            "another record is at {url}; if it is this post, edited there, discard the job, else revive it"
        )
    }

    fn receipt(&self, cid: &str) -> Receipt {
        Receipt { detail: json!({ "cid": cid }), ..Receipt::id(self.uri()).at(self.url()) }
    }

    fn uri(&self) -> String {
        format!("at://{}/{COLLECTION}/{}", self.did, self.rkey)
    }

    fn url(&self) -> String {
        format!("https://bsky.app/profile/{}/post/{}", self.handle, self.rkey)
    }
}

/// Whether the answer to a first send leaves nothing open.
pub(super) fn is_clear(said: &Result<Receipt, SendError>) -> bool {
    !matches!(said, Err(SendError::Unknown(_)))
}

fn is_code(cause: &Cause, code: &str) -> bool {
    cause.platform_code.as_deref() == Some(code)
}

fn cause_of(error: SendError) -> Cause {
    match error {
        SendError::Refused(failure) => failure.cause().clone(),
        SendError::NotSent(cause) | SendError::Unknown(cause) => cause,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn write() -> Write<'static> {
        Write { did: "did:plc:a".to_owned(), rkey: "3abc".to_owned(), record: json!({}), handle: "a.example" }
    }

    fn judged(error: SendError, there: There) -> String {
        match write().judge(error, there) {
            Ok(receipt) => format!("accepted {}", receipt.id.unwrap_or_default()),
            Err(SendError::Refused(failure)) => format!("{} {}", failure.class(), failure.cause().code),
            Err(SendError::NotSent(cause)) => format!("not sent {}", cause.code),
            Err(SendError::Unknown(cause)) => format!("unknown {}", cause.code),
        }
    }

    #[test]
    fn what_is_there_decides() {
        let cause = |status: u16| Cause::new(format!("http_{status}"), "why").status(status);
        let taken = || SendError::Unknown(cause(400).platform(errors::TAKEN));
        let failed = || SendError::Unknown(cause(500));
        let odd = || SendError::Unknown(cause(400));
        let cut = || SendError::Unknown(Cause::new("cut", "why"));
        let refused = || SendError::Refused(Failure::permanent(cause(413)));
        let auth = || SendError::Refused(Failure::AuthNeeded { cause: cause(401) });
        let not_sent = || SendError::NotSent(Cause::new("connect_refused", "why"));
        let errors = [taken(), failed(), odd(), cut(), refused(), auth(), not_sent()];
        for error in &errors {
            let same = There::Same(Receipt::id("at://1"));
            assert_eq!(judged(error.clone(), same), "accepted at://1");
            assert_eq!(judged(error.clone(), There::Other), "permanent record_differs");
            assert!(judged(error.clone(), There::Unknown).starts_with("unknown "), "{error:?}");
        }
        let absent = errors.map(|error| judged(error, There::Nothing));
        let expected = [
            "permanent deleted_there",
            "unknown http_500",
            "transient http_400",
            "unknown cut",
            "permanent http_413",
            "auth_needed http_401",
            "not sent connect_refused",
        ];
        assert_eq!(absent, expected);
    }
}
