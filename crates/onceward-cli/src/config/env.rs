//! Where values are looked up that do not stand in the configuration: the environment of this process, with `.env`
//! beneath it, and the secrets in the store.

use std::collections::BTreeMap;
use std::fmt;
use std::path::Path;

use secrecy::SecretString;

use super::problem::{ConfigError, Report};
use super::secret::is_name;

/// Variables by name. What the process was started with wins over what `.env` says.
#[derive(Clone, Default)]
pub(crate) struct Env {
    process: BTreeMap<String, String>,
    file: BTreeMap<String, String>,
    stored: Stored,
}

/// The secrets in the store, as far as this process can open them.
#[derive(Clone, Default)]
pub(crate) enum Stored {
    /// Nobody has looked: there is no store yet.
    #[default]
    Closed,
    /// Why none of them can be had.
    Locked(String),
    /// Each by its name, or why it cannot be had.
    Open(BTreeMap<String, Result<SecretString, String>>),
}

impl Env {
    /// The variables that this process was started with; those that are not Unicode are left out.
    pub(crate) fn of_process() -> Self {
        let vars = std::env::vars_os()
            .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)));
        Self::of(vars)
    }

    /// The given variables and no others.
    pub(crate) fn of(vars: impl IntoIterator<Item = (String, String)>) -> Self {
        Self { process: vars.into_iter().collect(), ..Self::default() }
    }

    /// The value of a variable.
    pub(crate) fn get(&self, name: &str) -> Option<&str> {
        self.process.get(name).or_else(|| self.file.get(name)).map(String::as_str)
    }

    /// The value of a variable that steers this program; an empty one is as good as none.
    pub(crate) fn given(&self, name: &str) -> Option<&str> {
        self.get(name).filter(|value| !value.is_empty())
    }

    /// A secret of the store, or why it cannot be had.
    pub(super) fn stored(&self, name: &str) -> Result<SecretString, String> {
        let none =
            || format!("{name} is not stored yet: run `onceward channels login` with the channel's name");
        match &self.stored {
            Stored::Closed => Err(none()),
            Stored::Locked(why) => Err(why.clone()),
            Stored::Open(secrets) => secrets.get(name).cloned().unwrap_or_else(|| Err(none())),
        }
    }

    /// From now on the secrets of the store can be found.
    pub(crate) fn set_stored(&mut self, stored: Stored) {
        self.stored = stored;
    }

    /// Puts the `.env` of a folder beneath the process's variables, if there is one.
    pub(crate) fn with_dot_env(mut self, folder: &Path) -> Result<Self, ConfigError> {
        let path = folder.join(".env");
        let text = match std::fs::read_to_string(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(self),
            Err(error) => return Err(ConfigError::unreadable(&path, error)),
        };
        let report = Report::new(&text, folder);
        self.file = parse(&text, &report);
        let problems = report.into_problems();
        if problems.is_empty() { Ok(self) } else { Err(ConfigError::Refused { file: path, problems }) }
    }
}

/// Names only: values may be secrets.
impl fmt::Debug for Env {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.process.keys().chain(self.file.keys())).finish()
    }
}

/// `NAME=value` lines; `export`, comments and quotes as in a shell, but no expansion.
fn parse(text: &str, report: &Report<'_>) -> BTreeMap<String, String> {
    let mut vars = BTreeMap::new();
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        match entry(line.trim_start_matches('\u{feff}').trim()) {
            Ok(Some((name, value))) => drop(vars.insert(name, value)),
            Ok(None) => {}
            Err(why) => report.refuse(at, why),
        }
        at += line.len();
    }
    vars
}

fn entry(line: &str) -> Result<Option<(String, String)>, &'static str> {
    if line.is_empty() || line.starts_with('#') {
        return Ok(None);
    }
    let line = line.strip_prefix("export ").unwrap_or(line);
    let (name, value) = line.split_once('=').ok_or("expected NAME=value")?;
    let name = name.trim();
    if !is_name(name) {
        return Err("expected NAME=value, where NAME has letters, digits and _");
    }
    Ok(Some((name.to_owned(), unquote(value.trim())?)))
}

fn unquote(value: &str) -> Result<String, &'static str> {
    let Some(quote @ ('"' | '\'')) = value.chars().next() else {
        let end = value.find(" #").unwrap_or(value.len());
        return Ok(value[..end].trim_end().to_owned());
    };
    let mut plain = String::new();
    let mut chars = value[1..].chars();
    while let Some(char) = chars.next() {
        match char {
            _ if char == quote => return after_quote(chars.as_str()).map(|()| plain),
            '\\' if quote == '"' => match chars.next() {
                Some('n') => plain.push('\n'),
                Some('t') => plain.push('\t'),
                Some(other) => plain.push(other),
                None => break,
            },
            _ => plain.push(char),
        }
    }
    Err("a quote is opened and not closed on the same line")
}

fn after_quote(rest: &str) -> Result<(), &'static str> {
    let rest = rest.trim();
    if rest.is_empty() || rest.starts_with('#') { Ok(()) } else { Err("text follows the closing quote") }
}
