//! Which database: a URL whose password is never shown.

use std::fmt;
use std::path::Path;

use secrecy::ExposeSecret;
use toml::Spanned;
use toml::de::DeValue;

use super::env::Env;
use super::place::one_name;
use super::rehearsal::REHEARSAL_STORE;
use super::secret::{Lacking, Secret};
use super::value::{Fault, FromValue, fault};

const SQLITE: &str = "sqlite://";
const SHAPE: &str = "expected \"sqlite://FILE\", \"postgres://HOST/DATABASE\", or { env = \"NAME\" }";

/// `sqlite://` with an absolute path, or `postgres://…`. Shown without its password.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct StoreUrl(String);

/// The `url` of [store]: as written, or where it is to be found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum StoreAt {
    Url(String),
    Secret(Secret),
}

impl StoreUrl {
    /// Understands a store's URL; a relative file lies below `folder`.
    pub(crate) fn new(text: &str, folder: &Path) -> Option<Self> {
        if text.starts_with("postgres://") || text.starts_with("postgresql://") {
            return Some(Self(text.to_owned()));
        }
        let path = text.strip_prefix(SQLITE).filter(|path| !path.is_empty())?;
        Some(Self(format!("{SQLITE}{}", folder.join(path).to_str()?)))
    }

    /// The file of a SQLite store.
    pub(crate) fn file(&self) -> Option<&Path> {
        let path = self.0.strip_prefix(SQLITE)?;
        Some(Path::new(path.split('?').next().unwrap_or(path)))
    }

    /// Whether it holds a rehearsal, whose jobs must never be sent for real.
    pub(crate) fn is_rehearsal(&self) -> bool {
        self.file().and_then(Path::file_name).is_some_and(|name| name == REHEARSAL_STORE)
    }

    /// Whether both name one file, or one database of one server, whoever asks and with which options.
    fn is_same(&self, other: &Self) -> bool {
        match (self.file(), other.file()) {
            (Some(one), Some(two)) => one_name(one) == one_name(two),
            (None, None) => self.server().is_some_and(|one| other.server() == Some(one)),
            _ => false,
        }
    }

    /// Host, port and database of a server.
    fn server(&self) -> Option<(String, u16, String)> {
        let url = url::Url::parse(&self.0).ok()?;
        Some((url.host_str()?.to_owned(), url.port().unwrap_or(5432), url.path().to_owned()))
    }

    /// The whole URL, for the driver alone.
    pub(crate) fn expose(&self) -> &str {
        &self.0
    }
}

/// `--store`, else `ONCEWARD_STORE`; a relative file lies below `here`.
pub(super) fn named(named: Option<&str>, env: &Env, here: &Path) -> Result<Option<StoreUrl>, String> {
    let (place, text) = match (named, env.given("ONCEWARD_STORE")) {
        (Some(text), _) => ("--store", text),
        (None, Some(text)) => ("ONCEWARD_STORE", text),
        (None, None) => return Ok(None),
    };
    StoreUrl::new(text, here).map(Some).ok_or_else(|| format!("{place}: {SHAPE}"))
}

impl StoreAt {
    /// The file that is used when nothing else is said.
    pub(super) fn usual() -> Self {
        Self::Url("sqlite://onceward.db".to_owned())
    }

    /// Where the URL is kept secret, if it is.
    pub(crate) fn secret(&self) -> Option<&Secret> {
        match self {
            Self::Url(_) => None,
            Self::Secret(secret) => Some(secret),
        }
    }

    /// Whether both lead to one database, as far as can be told here.
    pub(super) fn is_same(&self, other: &Self, env: &Env, folder: &Path) -> bool {
        let url = |at: &Self| at.resolve("", env, folder).ok();
        self == other || url(self).is_some_and(|one| url(other).is_some_and(|two| one.is_same(&two)))
    }

    /// The URL itself; `key` is where it stands, for errors.
    pub(crate) fn resolve(&self, key: &str, env: &Env, folder: &Path) -> Result<StoreUrl, String> {
        let text = match self {
            Self::Url(text) => text.clone(),
            Self::Secret(secret) => {
                let found =
                    secret.resolve(env, folder).map_err(|lacking: Lacking| format!("{key}: {lacking}"))?;
                found.expose_secret().to_owned()
            }
        };
        StoreUrl::new(&text, folder).ok_or_else(|| format!("{key}: {SHAPE}"))
    }
}

impl FromValue for StoreAt {
    fn from_value(value: &Spanned<DeValue<'_>>) -> Result<Self, Fault> {
        let Some(text) = value.get_ref().as_str() else {
            return Secret::from_value(value).map(Self::Secret).map_err(|_| fault(value, SHAPE));
        };
        if StoreUrl::new(text, Path::new("/")).is_none() {
            return Err(fault(value, SHAPE));
        }
        if password(text).is_some() {
            let text =
                "the password would be a secret in this file; use { env = \"NAME\" } or ONCEWARD_STORE";
            return Err(fault(value, text));
        }
        Ok(Self::Url(text.to_owned()))
    }
}

/// The bytes of a URL that are its password.
fn password(url: &str) -> Option<std::ops::Range<usize>> {
    let start = url.find("://")? + 3;
    if url.starts_with(SQLITE) {
        return None;
    }
    let end = start + url[start..].find(['/', '?', '#']).unwrap_or(url.len() - start);
    let at = start + url[start..end].rfind('@')?;
    let colon = start + url[start..at].find(':')?;
    Some(colon + 1..at)
}

impl fmt::Display for StoreUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shown = self.0.split(['?', '#']).next().unwrap_or("");
        match password(shown) {
            Some(secret) => write!(f, "{}••••{}", &shown[..secret.start], &shown[secret.end..]),
            None => f.write_str(shown),
        }
    }
}

impl fmt::Debug for StoreUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "StoreUrl({self})")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_relative_file_lies_below_the_folder() {
        let url = |text| StoreUrl::new(text, Path::new("/srv/blog")).map(|url| url.0);
        assert_eq!(url("sqlite://onceward.db").as_deref(), Some("sqlite:///srv/blog/onceward.db"));
        let query = StoreUrl::new("sqlite://q.db?synchronous=normal", Path::new("/srv")).unwrap();
        assert_eq!(query.file(), Some(Path::new("/srv/q.db")));
        assert_eq!(url("sqlite:///var/q.db").as_deref(), Some("sqlite:///var/q.db"));
        assert_eq!(url("mysql://host/db"), None);
        assert_eq!(url("sqlite://"), None);
    }

    #[test]
    fn two_spellings_of_one_database_are_the_same() {
        let same = |one: &str, two: &str| {
            let url = |text| StoreUrl::new(text, Path::new("/srv")).unwrap();
            url(one).is_same(&url(two))
        };
        assert!(same("sqlite://a.db", "sqlite:///srv/./a.db?synchronous=full"));
        assert!(!same("sqlite://a.db", "sqlite://b.db") && !same("sqlite://a.db", "postgres://h/a.db"));
        assert!(same("postgres://me@h/app", "postgresql://you:x@h:5432/app?pool=5"));
        assert!(
            !same("postgres://h/app", "postgres://h/other") && !same("postgres://h/app", "postgres://i/app")
        );
    }

    #[test]
    fn a_password_is_never_shown() {
        for text in [
            "postgres://me:s3cr3t@host/db?x=1",
            "postgres://me:s3@cr3t@host/db",
            "postgres://h/db?password=s3cr3t",
        ] {
            let url = StoreUrl::new(text, Path::new("/")).unwrap();
            assert!(!format!("{url} {url:?}").contains("cr3t"), "{url}");
        }
    }
}
