//! Secrets at rest: sealed with XChaCha20-Poly1305 under a key that is not in the database.
//!
//! The name of a secret and the id of its key are bound to it, so that a row that was moved or given another key's
//! name does not open. Several keys may be given: the first one seals, all of them open. What an older key sealed
//! is sealed anew with the first one when the vault is opened; then the older key can go.

mod keys;
mod session;

use std::collections::BTreeMap;
use std::fmt;

use chacha20poly1305::aead::{Aead, KeyInit, Payload};
use chacha20poly1305::{XChaCha20Poly1305, XNonce};
use onceward::{Onceward, Time};
use secrecy::{ExposeSecret, SecretString};

use crate::store::secrets::{self, Change, Kept, Sealed};
use keys::Key;

pub use keys::{KeyError, Keys};
pub use session::{Session, Sessions, Slot};

/// What names of sessions begin with. Names that people choose have no colon.
const SESSION: &str = "session:";
/// Bytes of a nonce of `XChaCha20`.
const NONCE: usize = 24;

/// The secrets in a store, and the keys that open them. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Vault {
    once: Onceward,
    keys: Keys,
}

/// A secret that is stored, without its value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredName {
    /// Its name.
    pub name: String,
    /// When it was put there.
    pub since: Time,
}

/// Why a secret cannot be had.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum VaultError {
    /// It was sealed with a key that is not among those given.
    OtherKey {
        /// The secret's name.
        name: String,
        /// The id of the key that opens it.
        needs: String,
        /// The ids of the keys that were given.
        given: Vec<String>,
    },
    /// The right key does not open it: its row was changed, or moved from another name.
    Broken {
        /// The secret's name.
        name: String,
    },
    /// The database, or the system's random numbers.
    Store(String),
}

impl Vault {
    /// The vault of a store. What an older key sealed is sealed anew with the first.
    ///
    /// # Errors
    /// `Store`. A secret that no given key opens is left as it is.
    pub async fn open(once: &Onceward, keys: Keys) -> Result<Self, VaultError> {
        let vault = Self { once: once.clone(), keys };
        for (name, _, kept) in secrets::list(once.db()).await? {
            if kept.sealed.key_id == vault.keys.first().id() {
                continue;
            }
            if let Ok(secret) = vault.unseal(&name, &kept.sealed) {
                let sealed = vault.seal(&name, &secret)?;
                let kept = Kept { sealed, ..kept };
                secrets::change(once.db(), &name, Change::Reseal(kept)).await?;
            }
        }
        Ok(vault)
    }

    /// Stores a secret in place of what was there under its name.
    pub async fn put(&self, name: &str, secret: &SecretString) -> Result<(), VaultError> {
        let (version, sealed) = (onceward_db::random_id()?, self.seal(name, secret)?);
        secrets::change(self.once.db(), name, Change::Put { version, sealed }).await?;
        Ok(())
    }

    /// Every stored secret by its name, or why it does not open.
    pub async fn read(&self) -> Result<BTreeMap<String, Result<SecretString, VaultError>>, VaultError> {
        let all = secrets::list(self.once.db()).await?;
        let named = all.into_iter().filter(|(name, ..)| !name.starts_with(SESSION));
        Ok(named.map(|(name, _, kept)| (name.clone(), self.unseal(&name, &kept.sealed))).collect())
    }

    fn seal(&self, name: &str, secret: &SecretString) -> Result<Sealed, VaultError> {
        let key = self.keys.first();
        let mut nonce = [0_u8; NONCE];
        getrandom::fill(&mut nonce).map_err(|error| VaultError::Store(format!("no randomness: {error}")))?;
        let bound = bound(name, key);
        let payload = Payload { msg: secret.expose_secret().as_bytes(), aad: &bound };
        let sealed = cipher(key).encrypt(&XNonce::from(nonce), payload);
        let sealed = sealed.map_err(|_| VaultError::Store(format!("the secret {name} is too long")))?;
        Ok(Sealed { key_id: key.id().to_owned(), bytes: [&nonce[..], &sealed].concat() })
    }

    fn unseal(&self, name: &str, sealed: &Sealed) -> Result<SecretString, VaultError> {
        let key = self.keys.by_id(&sealed.key_id).ok_or_else(|| VaultError::OtherKey {
            name: name.to_owned(),
            needs: sealed.key_id.clone(),
            given: self.keys.ids(),
        })?;
        let broken = || VaultError::Broken { name: name.to_owned() };
        let (nonce, msg) = sealed.bytes.split_first_chunk::<NONCE>().ok_or_else(broken)?;
        let bound = bound(name, key);
        let opened = cipher(key).decrypt(&XNonce::from(*nonce), Payload { msg, aad: &bound });
        let text = String::from_utf8(opened.map_err(|_| broken())?).map_err(|_| broken())?;
        Ok(text.into())
    }
}

fn cipher(key: &Key) -> XChaCha20Poly1305 {
    XChaCha20Poly1305::new(&(*key.expose()).into())
}

/// What a sealed secret is bound to. Neither holds a NUL.
fn bound(name: &str, key: &Key) -> Vec<u8> {
    format!("{name}\0{}", key.id()).into_bytes()
}

/// The names of what is stored, sessions left out. Needs no key.
pub async fn stored(once: &Onceward) -> Result<Vec<StoredName>, VaultError> {
    let all = secrets::list(once.db()).await?;
    let named = all.into_iter().filter(|(name, ..)| !name.starts_with(SESSION));
    Ok(named.map(|(name, since, _)| StoredName { name, since }).collect())
}

/// Forgets a stored secret; false when there was none of that name. Needs no key.
pub async fn forget(once: &Onceward, name: &str) -> Result<bool, VaultError> {
    Ok(secrets::change(once.db(), name, Change::Remove).await?)
}

/// Forgets the sessions of a channel, and gives how many there were. Needs no key.
pub async fn end_sessions(once: &Onceward, channel: &str) -> Result<usize, VaultError> {
    let prefix = format!("{SESSION}{channel}:");
    let mut ended = 0;
    for (name, ..) in secrets::list(once.db()).await?.iter().filter(|(name, ..)| name.starts_with(&prefix)) {
        ended += usize::from(forget(once, name).await?);
    }
    Ok(ended)
}

impl fmt::Display for VaultError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::OtherKey { name, needs, given } => {
                let (what, remedy) = described(name);
                write!(f, "{what} is encrypted with the key {needs}, and this process has ")?;
                if given.is_empty() {
                    return write!(f, "no key: set [store] key or ONCEWARD_KEY; if it is lost, {remedy}");
                }
                let given = given.join(", ");
                write!(f, "{given}: add the missing key on a line behind that one; if it is lost, {remedy}")
            }
            Self::Broken { name } => {
                let (what, remedy) = described(name);
                write!(
                    f,
                    "{what} does not open with its own key: its row in the database was changed; {remedy}"
                )
            }
            Self::Store(text) => f.write_str(text),
        }
    }
}

/// What a name stands for, and how it can be had anew.
fn described(name: &str) -> (String, String) {
    match name.strip_prefix(SESSION).and_then(|rest| rest.rsplit_once(':')) {
        Some((channel, _)) => (
            format!("the session of channel {channel}"),
            format!("end it: onceward channels logout {channel}"),
        ),
        None => (format!("the stored secret {name}"), "store it anew: onceward channels login".to_owned()),
    }
}

impl std::error::Error for VaultError {}

impl From<onceward_db::Error> for VaultError {
    fn from(error: onceward_db::Error) -> Self {
        Self::Store(error.to_string())
    }
}
