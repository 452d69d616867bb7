//! Sessions: what an adapter is given by a platform and renews by itself, such as an access and a refresh token.
//!
//! A refresh token is good once. So one caller renews at a time, over all processes of a store; what it got is
//! stored before anyone uses it, and everybody else takes that. Without a vault they live in memory, and each
//! process has its own.

use std::collections::BTreeMap;
use std::fmt;
use std::future::Future;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use onceward::{Cause, Failure, Onceward};
use secrecy::SecretString;
use sha2::{Digest, Sha256};
use tokio::time::{Instant, timeout};

use super::{SESSION, Vault, VaultError};
use crate::store::secrets::{self, Change};

/// For how long one caller may renew. Whoever dies meanwhile keeps others waiting for as long.
const CLAIM: Duration = Duration::from_mins(1);
/// The renewal itself ends before its claim does.
const RENEWAL: Duration = Duration::from_secs(50);
/// How often to look whether another caller is done, where no commit tells.
const LOOK: Duration = Duration::from_millis(200);

/// Where sessions are kept. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Sessions(Arc<Inner>);

#[derive(Debug)]
enum Inner {
    Vault(Vault),
    Memory { once: Option<Onceward>, held: Mutex<BTreeMap<String, Held>> },
}

type Held = Arc<tokio::sync::Mutex<Option<Session>>>;

/// The place of one account's session.
#[derive(Debug, Clone)]
pub struct Slot {
    sessions: Sessions,
    name: String,
}

/// A session as it was loaded or renewed.
#[derive(Clone)]
pub struct Session {
    version: String,
    secret: SecretString,
}

impl Sessions {
    /// Kept in the store, sealed.
    pub fn kept(vault: Vault) -> Self {
        Self(Arc::new(Inner::Vault(vault)))
    }

    /// Kept in this process alone, since there is no key. A store that holds sessions from a time with a key is not
    /// logged in to again behind its owner's back: that is an error of each of its sessions.
    pub fn in_memory(once: Option<Onceward>) -> Self {
        Self(Arc::new(Inner::Memory { once, held: Mutex::default() }))
    }

    /// The place for a channel's session with an account; `account` is all that tells it from another, such as the
    /// server and the user. Other settings have another session.
    pub fn slot(&self, channel: &str, account: &[&str]) -> Slot {
        let mut hash = Sha256::new();
        for part in account {
            hash.update(part.as_bytes());
            hash.update([0]);
        }
        let name = format!("{SESSION}{channel}:{}", hex::encode(&hash.finalize()[..8]));
        Slot { sessions: self.clone(), name }
    }
}

impl Slot {
    /// The session that is kept, if there is one.
    ///
    /// # Errors
    /// `AuthNeeded` when it is there and the key that opens it is not; transient when the store failed.
    pub async fn load(&self) -> Result<Option<Session>, Failure> {
        match &*self.sessions.0 {
            Inner::Vault(vault) => self.stored(vault).await,
            Inner::Memory { once, held } => {
                self.none_sealed(once.as_ref()).await?;
                Ok(self.held(held).lock().await.clone())
            }
        }
    }

    /// Replaces a session that is no longer good, or makes the first. `new` asks the platform; it is awaited only if
    /// nobody else has replaced `old`, nor does so now. What it gives is kept before it is returned.
    ///
    /// Call it once in an attempt: a session that is no good when it is new will not get better.
    ///
    /// # Errors
    /// What `new` failed with; the old session stays, so that a network that is down costs no log-in. `AuthNeeded`
    /// and transient as for [`load`](Self::load).
    pub async fn renew(
        &self,
        old: Option<&Session>,
        new: impl Future<Output = Result<SecretString, Failure>>,
    ) -> Result<Session, Failure> {
        match &*self.sessions.0 {
            Inner::Vault(vault) => self.renew_stored(vault, old, new).await,
            Inner::Memory { once, held } => {
                self.none_sealed(once.as_ref()).await?;
                let held = self.held(held);
                let mut held = held.lock().await;
                if let Some(winner) = held.as_ref().filter(|held| is_other(held, old)) {
                    return Ok(winner.clone());
                }
                let session = Session { version: onceward_db::random_id()?, secret: in_time(new).await? };
                *held = Some(session.clone());
                Ok(session)
            }
        }
    }

    async fn renew_stored(
        &self,
        vault: &Vault,
        old: Option<&Session>,
        new: impl Future<Output = Result<SecretString, Failure>>,
    ) -> Result<Session, Failure> {
        let claim = match self.claim(vault, old).await? {
            Claimed::Ours(claim) => claim,
            Claimed::Winner(session) => return Ok(session),
        };
        let made = in_time(new).await;
        let (db, name) = (vault.once.db(), &self.name);
        let secret = match made {
            Ok(secret) => secret,
            Err(failure) => {
                secrets::change(db, name, Change::Release { claim }).await?;
                return Err(failure);
            }
        };
        let version = onceward_db::random_id()?;
        let sealed = vault.seal(name, &secret).map_err(lost)?;
        let renewed = Change::Renew { claim, version: version.clone(), sealed };
        if secrets::change(db, name, renewed).await? {
            return Ok(Session { version, secret });
        }
        // We were so slow that our claim ended, and another caller renewed or a person logged out.
        self.stored(vault).await?.ok_or_else(|| busy("the session was ended while it was renewed"))
    }

    /// Waits until the session may be renewed here, or was renewed elsewhere.
    async fn claim(&self, vault: &Vault, old: Option<&Session>) -> Result<Claimed, Failure> {
        let (db, end) = (vault.once.db(), Instant::now() + CLAIM + LOOK);
        let mut changes = db.changes();
        let version = old.map(|old| old.version.clone()).unwrap_or_default();
        loop {
            if let Some(winner) = self.stored(vault).await?.filter(|stored| is_other(stored, old)) {
                return Ok(Claimed::Winner(winner));
            }
            let claim = onceward_db::random_id()?;
            let ask = Change::Claim { version: version.clone(), claim: claim.clone(), lasts: CLAIM };
            if secrets::change(db, &self.name, ask).await? {
                return Ok(Claimed::Ours(claim));
            }
            if Instant::now() >= end {
                return Err(busy("another process renews the session and does not come to an end"));
            }
            // Past its time, it is looked at without a commit.
            drop(timeout(LOOK, changes.next()).await);
        }
    }

    async fn stored(&self, vault: &Vault) -> Result<Option<Session>, Failure> {
        let Some(kept) = secrets::get(vault.once.db(), &self.name).await? else { return Ok(None) };
        let secret = vault.unseal(&self.name, &kept.sealed).map_err(lost)?;
        Ok(Some(Session { version: kept.version, secret }))
    }

    async fn none_sealed(&self, once: Option<&Onceward>) -> Result<(), Failure> {
        let Some(once) = once else { return Ok(()) };
        match secrets::get(once.db(), &self.name).await? {
            None => Ok(()),
            Some(kept) => Err(lost(VaultError::OtherKey {
                name: self.name.clone(),
                needs: kept.sealed.key_id,
                given: vec![],
            })),
        }
    }

    fn held(&self, all: &Mutex<BTreeMap<String, Held>>) -> Held {
        all.lock().unwrap_or_else(PoisonError::into_inner).entry(self.name.clone()).or_default().clone()
    }
}

enum Claimed {
    Ours(String),
    Winner(Session),
}

impl Session {
    /// What the adapter kept.
    pub fn secret(&self) -> &SecretString {
        &self.secret
    }
}

fn is_other(stored: &Session, old: Option<&Session>) -> bool {
    old.is_none_or(|old| old.version != stored.version)
}

async fn in_time(new: impl Future<Output = Result<SecretString, Failure>>) -> Result<SecretString, Failure> {
    timeout(RENEWAL, new)
        .await
        .unwrap_or_else(|_| Err(busy("the platform does not renew the session in time")))
}

fn busy(text: &str) -> Failure {
    Failure::transient(Cause::new("session_busy", text))
}

/// Without its key a session is as good as none, but logging in anew is for its owner to decide.
fn lost(error: VaultError) -> Failure {
    match error {
        VaultError::Store(text) => Failure::transient(Cause::new("store", text)),
        other => Failure::AuthNeeded { cause: Cause::new("key_missing", other.to_string()) },
    }
}

impl fmt::Debug for Session {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Session").field("version", &self.version).finish_non_exhaustive()
    }
}
