//! The secrets in the store, as far as this process has the key.

use std::collections::BTreeMap;

use onceward::Onceward;
use onceward_publish::PUBLISH_TABLES;
use onceward_publish::vault::{self, Sessions, Vault, VaultError};

use crate::config::{Config, KEY_HOW_TO, Stored};
use crate::stop::Stop;

impl From<VaultError> for Stop {
    fn from(error: VaultError) -> Self {
        let code = match error {
            VaultError::Store(_) => "store",
            VaultError::OtherKey { .. } | VaultError::Broken { .. } => "key_wrong",
        };
        Self::failed(code, error.to_string())
    }
}

/// Lets the configuration's stored secrets be found. One that does not open is lacking, with the reason.
pub(crate) async fn unlock(config: &mut Config, once: &Onceward) -> Result<(), Stop> {
    let found = match config.keys() {
        Err(why) => Stored::Locked(why),
        Ok(None) => locked(once).await?,
        Ok(Some(_)) if is_old(once).await? => Stored::Open(BTreeMap::new()),
        Ok(Some(keys)) => {
            let all = Vault::open(once, keys).await?.read().await?;
            let shown = all.into_iter().map(|(name, it)| (name, it.map_err(|error| error.to_string())));
            Stored::Open(shown.collect())
        }
    };
    config.env.set_stored(found);
    Ok(())
}

/// Without a key: nothing is stored yet, or nothing of it can be read.
async fn locked(once: &Onceward) -> Result<Stored, Stop> {
    let sealed = !is_old(once).await? && !vault::stored(once).await?.is_empty();
    let why = if sealed {
        "this process has no key that opens stored secrets: set [store] key or ONCEWARD_KEY"
    } else {
        KEY_HOW_TO
    };
    Ok(Stored::Locked(why.to_owned()))
}

/// Where sessions with platforms are kept: in the store, if there is a key; else in this process.
pub(crate) async fn sessions(config: &Config, once: &Onceward) -> Result<Sessions, Stop> {
    Ok(match config.keys() {
        Ok(Some(keys)) => Sessions::kept(Vault::open(once, keys).await?),
        // What is wrong with a key is told where a secret is asked for.
        Ok(None) | Err(_) => Sessions::in_memory(Some(once.clone())),
    })
}

/// The vault, for a command that cannot do without.
pub(crate) async fn vault(config: &Config, once: &Onceward) -> Result<Vault, Stop> {
    let keys = config.keys().map_err(|why| Stop::usage("key_invalid", why))?;
    let keys = keys.ok_or_else(|| Stop::usage("key_missing", KEY_HOW_TO))?;
    Ok(Vault::open(once, keys).await?)
}

/// A look at a store that an older version made, which holds no secrets.
async fn is_old(once: &Onceward) -> Result<bool, Stop> {
    Ok(once.db().version(&PUBLISH_TABLES).await? < PUBLISH_TABLES.newest())
}
