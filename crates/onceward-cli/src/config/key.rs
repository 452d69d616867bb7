//! The key that opens stored secrets: [store] `key`, else `ONCEWARD_KEY`, else the systemd credential `onceward-key`.

use std::path::Path;

use onceward_publish::vault::Keys;
use secrecy::{ExposeSecret, SecretString};

use super::env::Env;
use super::secret::Secret;

const VARIABLE: &str = "ONCEWARD_KEY";
/// The folder of the service's credentials (systemd.exec(5), `LoadCredential=`).
const CREDENTIALS: &str = "CREDENTIALS_DIRECTORY";
const CREDENTIAL: &str = "onceward-key";

/// How to come by a key, for those who need one and have none.
pub(crate) const HOW_TO: &str = "no key encrypts secrets here: make one with `openssl rand -hex 32 > onceward.key`, \
                                 keep a copy elsewhere, and write key = { file = \"onceward.key\" } under [store], or \
                                 set ONCEWARD_KEY";

/// The keys in force, if any place holds one.
///
/// # Errors
/// The place, and why what is there is no key.
pub(super) fn find(named: Option<&Secret>, env: &Env, folder: &Path) -> Result<Option<Keys>, String> {
    let Some((place, text)) = text(named, env, folder)? else { return Ok(None) };
    let keys = Keys::parse(text.expose_secret());
    keys.map(Some).map_err(|error| format!("{place}: {error}"))
}

fn text(
    named: Option<&Secret>,
    env: &Env,
    folder: &Path,
) -> Result<Option<(&'static str, SecretString)>, String> {
    if let Some(secret) = named {
        let place = "[store] key";
        let found = secret.resolve(env, folder).map_err(|lacking| format!("{place}: {lacking}"))?;
        return Ok(Some((place, found)));
    }
    if let Some(text) = env.given(VARIABLE) {
        return Ok(Some((VARIABLE, text.into())));
    }
    let Some(credentials) = env.given(CREDENTIALS) else { return Ok(None) };
    let file = Path::new(credentials).join(CREDENTIAL);
    if !file.exists() {
        return Ok(None);
    }
    let found = Secret::File(file).resolve(env, folder);
    found.map(|text| Some((CREDENTIAL, text))).map_err(|lacking| lacking.to_string())
}
