//! Which configuration file is meant.

use std::path::{Path, PathBuf};

use super::env::Env;
use super::problem::ConfigError;

/// The file's usual name.
pub(crate) const NAME: &str = "onceward.toml";

/// `--config`, else `ONCEWARD_CONFIG`, else `onceward.toml` in `here` or the nearest parent that has one.
pub(crate) fn find(named: Option<&Path>, env: &Env, here: &Path) -> Result<PathBuf, ConfigError> {
    let from_env = env.given("ONCEWARD_CONFIG").map(Path::new);
    if let Some(path) = named.or(from_env) {
        return Ok(here.join(path));
    }
    let mut candidates = here.ancestors().map(|folder| folder.join(NAME));
    candidates.find(|path| path.is_file()).ok_or_else(|| ConfigError::Missing { from: here.to_owned() })
}
