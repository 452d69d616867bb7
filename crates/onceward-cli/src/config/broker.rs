//! Which broker: a URL whose password stands elsewhere.

use std::path::Path;

use onceward_brokers::by_url::{SCHEMES, SourceAt, TargetAt};
use secrecy::ExposeSecret;
use toml::Spanned;
use toml::de::DeValue;

use super::env::Env;
use super::secret::{Lacking, Secret};
use super::value::{Fault, FromValue, fault};

/// The `to` of a relay or the `from` of a source, as written, or where it is to be found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum BrokerAt {
    Url(String),
    Secret(Secret),
}

impl BrokerAt {
    /// A broker that rows are handed over to; `key` is where it stands, for errors.
    pub(crate) fn target(&self, key: &str, env: &Env, folder: &Path) -> Result<TargetAt, String> {
        TargetAt::parse(&self.resolve(key, env, folder)?).map_err(|error| format!("{key}: {error}"))
    }

    /// A broker that messages are taken from.
    pub(crate) fn source(&self, key: &str, env: &Env, folder: &Path) -> Result<SourceAt, String> {
        SourceAt::parse(&self.resolve(key, env, folder)?).map_err(|error| format!("{key}: {error}"))
    }

    /// Whether what stands there, if anything does, is the URL of a broker.
    pub(crate) fn is_broker(&self, env: &Env, folder: &Path) -> bool {
        self.resolve("", env, folder).is_ok_and(|text| is_broker(&text))
    }

    fn resolve(&self, key: &str, env: &Env, folder: &Path) -> Result<String, String> {
        match self {
            Self::Url(text) => Ok(text.clone()),
            Self::Secret(secret) => {
                let found =
                    secret.resolve(env, folder).map_err(|lacking: Lacking| format!("{key}: {lacking}"))?;
                Ok(found.expose_secret().to_owned())
            }
        }
    }
}

/// Whether a text is the URL of a broker.
pub(super) fn is_broker(text: &str) -> bool {
    text.split_once("://").is_some_and(|(scheme, _)| SCHEMES.contains(&scheme))
}

/// The URL, if it has its shape and holds no password.
pub(super) fn checked(
    value: &Spanned<DeValue<'_>>,
    text: &str,
    check: impl FnOnce(&str) -> Result<(), onceward::Error>,
) -> Result<BrokerAt, Fault> {
    let at = url::Url::parse(text).ok();
    // A lone user name of NATS is a token.
    let is_secret =
        |url: url::Url| url.password().is_some() || (url.scheme() == "nats" && !url.username().is_empty());
    if at.is_some_and(is_secret) {
        let text = "the password or token would be a secret in this file; use { env = \"NAME\" }";
        return Err(fault(value, text));
    }
    check(text).map_err(|error| fault(value, error.to_string()))?;
    Ok(BrokerAt::Url(text.to_owned()))
}

/// Of a source.
impl FromValue for BrokerAt {
    fn from_value(value: &Spanned<DeValue<'_>>) -> Result<Self, Fault> {
        let Some(text) = value.get_ref().as_str() else {
            return Secret::from_value(value).map(Self::Secret);
        };
        checked(value, text, |url| SourceAt::parse(url).map(drop))
    }
}
