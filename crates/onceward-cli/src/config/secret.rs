//! Where a secret is to be found. The file itself never holds one.

use std::fmt;
use std::path::{Path, PathBuf};

use secrecy::SecretString;
use toml::Spanned;
use toml::de::DeValue;

use super::env::Env;
use super::value::{Fault, FromValue, fault};

const SHAPE: &str = "expected { env = \"NAME\" }, { file = \"path\" } or { stored = \"NAME\" }; \
                     a secret never stands in this file itself";
const LONGEST: u64 = 64 * 1024;

/// A pointer to a secret, followed only when the secret is used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Secret {
    /// An environment variable, or a line of `.env` beside the configuration.
    Env(String),
    /// A file whose whole text, without a line break at its end, is the secret.
    File(PathBuf),
    /// An entry of the store, put there by a login.
    Stored(String),
    /// Made up, for a rehearsal: no file says so.
    StandIn(String),
}

/// A key of a channel whose value is a secret, and where it stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Place {
    pub(crate) key: &'static str,
    pub(crate) secret: Secret,
    pub(crate) line: usize,
}

/// Why this process lacks a secret, or why the one that it has is none; it names the place and never a value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Lacking {
    /// A stable word for programs.
    pub(crate) code: &'static str,
    text: String,
}

impl Lacking {
    /// It is not there.
    fn missing(text: String) -> Self {
        Self { code: "secret_missing", text }
    }

    /// It is there, and cannot be what it is for.
    pub(crate) fn unfit(text: String) -> Self {
        Self { code: "secret_invalid", text }
    }

    /// With where the secret is asked for.
    pub(crate) fn at(self, file: &Path, line: usize) -> Self {
        Self { text: format!("{} ({}:{line})", self.text, file.display()), ..self }
    }
}

impl Secret {
    /// The secret's value. A relative file starts at `folder`.
    pub(crate) fn resolve(&self, env: &Env, folder: &Path) -> Result<SecretString, Lacking> {
        match self {
            Self::Env(name) => match env.get(name) {
                Some("") => Err(Lacking::missing(format!("the environment variable {name} is empty"))),
                Some(value) => Ok(value.into()),
                None => Err(Lacking::missing(format!(
                    "set the environment variable {name}, or write it into .env"
                ))),
            },
            Self::File(path) => read(&folder.join(path)).map(SecretString::from),
            Self::Stored(name) => env.stored(name).map_err(Lacking::missing),
            Self::StandIn(value) => Ok(value.as_str().into()),
        }
    }
}

impl FromValue for Secret {
    fn from_value(value: &Spanned<DeValue<'_>>) -> Result<Self, Fault> {
        let wrong = || fault(value, SHAPE);
        let table = value.get_ref().as_table().filter(|table| table.len() == 1).ok_or_else(wrong)?;
        let (key, place) = table.iter().next().ok_or_else(wrong)?;
        let place = place.get_ref().as_str().filter(|place| !place.is_empty()).ok_or_else(wrong)?;
        match key.get_ref().as_ref() {
            "env" if is_name(place) => Ok(Self::Env(place.to_owned())),
            "env" => Err(fault(value, "expected the name of an environment variable: letters, digits and _")),
            "file" => Ok(Self::File(place.into())),
            "stored" if is_name(place) => Ok(Self::Stored(place.to_owned())),
            "stored" => Err(fault(value, "expected the name of a stored secret: letters, digits and _")),
            _ => Err(wrong()),
        }
    }
}

/// Narrow on purpose: a token pasted in place of its name rarely fits, and is refused without being shown.
pub(super) fn is_name(text: &str) -> bool {
    text.len() <= 64
        && text.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_')
        && text.chars().all(|char| char.is_ascii_alphanumeric() || char == '_')
}

fn read(path: &Path) -> Result<String, Lacking> {
    let lacking =
        |why: &dyn fmt::Display| Lacking::missing(format!("the secret's file {}: {why}", path.display()));
    let size = std::fs::metadata(path).map_err(|error| lacking(&error))?.len();
    if size > LONGEST {
        return Err(lacking(&"longer than 64 KiB, which no secret is"));
    }
    let text = std::fs::read_to_string(path).map_err(|error| lacking(&error))?;
    let text = text.strip_suffix('\n').unwrap_or(&text);
    let text = text.strip_suffix('\r').unwrap_or(text);
    if text.is_empty() { Err(lacking(&"empty")) } else { Ok(text.to_owned()) }
}

impl fmt::Display for Lacking {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}
