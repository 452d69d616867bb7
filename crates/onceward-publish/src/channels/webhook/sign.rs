//! Signatures of Standard Webhooks: `v1,` and the base64 of HMAC-SHA256 over `id.timestamp.body`.
//!
//! <https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md>

use std::fmt;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use hmac::{Hmac, KeyInit, Mac};
use onceward_db::Time;
use secrecy::{ExposeSecret, SecretSlice};
use sha2::Sha256;

/// How far the sender's clock may be from ours, in seconds, either way.
const TOLERANCE: i64 = 5 * 60;

/// A shared secret. It never shows in `Debug`.
#[derive(Debug, Clone)]
pub struct Key(SecretSlice<u8>);

/// Why a text is no secret; the text itself is never repeated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeyError {
    /// What follows `whsec_` is not base64.
    NotBase64,
    /// Nothing is there.
    Empty,
}

/// The three headers of a delivery.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Headers<'a> {
    /// `webhook-id`: the same at every attempt, so that the receiver can tell a repeat.
    pub id: &'a str,
    /// `webhook-timestamp`: seconds since 1970, of this attempt.
    pub timestamp: &'a str,
    /// `webhook-signature`: one or more signatures, apart by a space.
    pub signature: &'a str,
}

/// Why a delivery is not believed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum VerifyError {
    /// The timestamp is no whole number of seconds.
    Timestamp,
    /// It was signed more than five minutes ago: perhaps recorded and played again.
    TooOld,
    /// It was signed more than five minutes from now.
    TooNew,
    /// No signature fits.
    Signature,
}

impl Key {
    /// A secret as it is handed out: `whsec_` and base64, or any other text, whose bytes are then the key.
    ///
    /// # Errors
    /// [`KeyError`]; it does not repeat the secret.
    pub fn parse(secret: &str) -> Result<Self, KeyError> {
        let secret = secret.trim();
        let bytes = match secret.strip_prefix("whsec_") {
            Some(coded) => STANDARD.decode(coded).map_err(|_| KeyError::NotBase64)?,
            None => secret.as_bytes().to_vec(),
        };
        if bytes.is_empty() {
            return Err(KeyError::Empty);
        }
        Ok(Self(bytes.into()))
    }

    fn mac(&self, id: &str, timestamp: &str, body: &[u8]) -> Option<Hmac<Sha256>> {
        let mut mac = Hmac::<Sha256>::new_from_slice(self.0.expose_secret()).ok()?;
        mac.update(id.as_bytes());
        mac.update(b".");
        mac.update(timestamp.as_bytes());
        mac.update(b".");
        mac.update(body);
        Some(mac)
    }
}

/// The value of `webhook-signature` for a body; `timestamp` is in seconds since 1970.
pub fn sign(key: &Key, id: &str, timestamp: i64, body: &[u8]) -> String {
    let mac = key.mac(id, &timestamp.to_string(), body);
    let code = mac.map(|mac| STANDARD.encode(mac.finalize().into_bytes())).unwrap_or_default();
    format!("v1,{code}")
}

/// Whether a delivery was signed with `key` within five minutes of `now`. Takes the same time for every wrong
/// signature, and only whole ones count.
///
/// ```
/// use onceward_db::Time;
/// use onceward_publish::channels::webhook::{Headers, Key, sign, verify};
/// let key = Key::parse("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw").unwrap();
/// let signature = sign(&key, "msg_1", 1_614_265_330, b"{}");
/// let headers = Headers { id: "msg_1", timestamp: "1614265330", signature: &signature };
/// assert!(verify(&key, headers, b"{}", Time::from_micros(1_614_265_400_000_000)).is_ok());
/// ```
///
/// # Errors
/// [`VerifyError`] says what does not fit.
pub fn verify(key: &Key, headers: Headers<'_>, body: &[u8], now: Time) -> Result<(), VerifyError> {
    let signed: i64 = headers.timestamp.parse().map_err(|_| VerifyError::Timestamp)?;
    let now = now.micros().div_euclid(1_000_000);
    if signed < now.saturating_sub(TOLERANCE) {
        return Err(VerifyError::TooOld);
    }
    if signed > now.saturating_add(TOLERANCE) {
        return Err(VerifyError::TooNew);
    }
    let mac = key.mac(headers.id, headers.timestamp, body).ok_or(VerifyError::Signature)?;
    let fits = |code: &str| {
        let code = STANDARD.decode(code).unwrap_or_default();
        // Compares in constant time, and refuses any length but the full one.
        mac.clone().verify_slice(&code).is_ok()
    };
    let mut codes = headers.signature.split(' ').filter_map(|one| one.strip_prefix("v1,"));
    if codes.any(fits) { Ok(()) } else { Err(VerifyError::Signature) }
}

impl fmt::Display for KeyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NotBase64 => "the webhook secret is not base64 after whsec_",
            Self::Empty => "the webhook secret is empty",
        })
    }
}

impl std::error::Error for KeyError {}

impl fmt::Display for VerifyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Timestamp => "webhook-timestamp is not a number of seconds",
            Self::TooOld => "webhook-timestamp is more than five minutes old",
            Self::TooNew => "webhook-timestamp is more than five minutes ahead",
            Self::Signature => "no signature in webhook-signature fits",
        })
    }
}

impl std::error::Error for VerifyError {}
