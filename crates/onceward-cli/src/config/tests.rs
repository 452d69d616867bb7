//! Laws of the whole file; each part's own laws stand beside it.

mod brokers;
mod defaults;
mod guide;
mod mistakes;
mod secrets;

use std::path::Path;

use super::{Config, ConfigError, Env};

/// A configuration at /srv/blog, with these variables.
fn read(text: &str, vars: &[(&str, &str)]) -> Result<Config, ConfigError> {
    let env = Env::of(vars.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())));
    Config::parse(text, Path::new("/srv/blog/onceward.toml"), env)
}

/// One that must be accepted.
pub(crate) fn config(text: &str) -> Config {
    read(text, &[]).unwrap_or_else(|error| panic!("refused:\n{error}"))
}

/// All mistakes as `line:column: text`.
pub(crate) fn mistakes(text: &str) -> Vec<String> {
    let Err(ConfigError::Refused { problems, .. }) = read(text, &[]) else { panic!("accepted:\n{text}") };
    problems
        .into_iter()
        .map(|problem| format!("{}:{}: {}", problem.line, problem.column, problem.text))
        .collect()
}
