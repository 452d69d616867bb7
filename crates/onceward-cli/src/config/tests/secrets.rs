//! A secret is found late, and never shown.

use std::path::Path;

use secrecy::ExposeSecret;

use super::{mistakes, read};
use crate::config::{Config, ConfigError, Env, Settings};

fn hook(secret: &str) -> String {
    format!("[channels.hook]\ntype = \"webhook\"\nurl = \"https://example.org/\"\nsecret = {secret}\n")
}

#[test]
fn a_literal_secret_is_refused_and_never_shown() {
    for literal in [
        "\"s3cr3t-value\"",
        "31415926",
        "3.1415926",
        "[\"s3cr3t-value\"]",
        "{ value = \"s3cr3t-value\" }",
        "{ env = \"s3cr3t-value\" }",
        "{ env = 31415926 }",
        "{ env = \"A\", file = \"s3cr3t-value\" }",
        "{ s3cr3t-value = \"env\" }",
        "{ stored = \"s3cr3t-value\" }",
        "\"s3cr3t-value",
    ] {
        let found = mistakes(&hook(literal)).join("\n");
        assert!(found.starts_with("4:"), "{literal}: {found}");
        assert!(!found.contains("cr3t") && !found.contains("31415926") && !found.contains("1415"), "{found}");
    }
}

#[test]
fn a_refused_literal_is_told_what_to_write() {
    let expected = "4:10: `secret` in [channels.hook]: expected { env = \"NAME\" }, { file = \"path\" } or \
                    { stored = \"NAME\" }; a secret never stands in this file itself";
    assert_eq!(mistakes(&hook("\"whsec_x\"")), [expected]);
}

#[test]
fn a_password_in_the_stores_url_is_refused_and_never_shown() {
    let found = mistakes("[store]\nurl = \"postgres://me:s3cr3t@host/db\"\n").join("");
    assert!(found.starts_with("2:7: ") && !found.contains("s3cr3t"), "{found}");
    let config =
        read("[store]\nurl = { env = \"DB\" }\n", &[("DB", "postgres://me:s3cr3t@host/db")]).unwrap();
    let store = config.store(None, Path::new("/")).unwrap();
    assert_eq!(store.expose(), "postgres://me:s3cr3t@host/db");
    assert_eq!(store.to_string(), "postgres://me:••••@host/db");
}

#[test]
fn a_missing_variable_is_a_finding_of_its_channel_and_no_error() {
    let config = read(&hook("{ env = \"HOOK\" }"), &[]).unwrap();
    let lacking = config.channels[0].lacking(&config);
    assert_eq!(lacking.len(), 1);
    assert_eq!(lacking[0].0, "secret");
    let said = lacking[0].1.to_string();
    assert!(said.starts_with("set the environment variable HOOK, or write it into .env ("), "{said}");
    let config = read(&hook("{ env = \"HOOK\" }"), &[("HOOK", "x")]).unwrap();
    assert!(config.channels[0].lacking(&config).is_empty());
}

#[test]
fn debug_shows_no_secret() {
    let vars = [("HOOK", "s3cr3t"), ("ONCEWARD_STORE", "postgres://me:s3cr3t@host/db")];
    let config = read(&hook("{ env = \"HOOK\" }"), &vars).unwrap();
    let store = config.store(None, Path::new("/")).unwrap();
    assert!(!format!("{config:?} {store:?}").contains("s3cr3t"));
}

/// A folder with these files.
fn folder(files: &[(&str, &str)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in files {
        std::fs::write(folder.path().join(name), text).unwrap();
    }
    folder
}

/// The webhook's secret, or why it is lacking.
fn secret_of(config: &Config) -> Result<String, String> {
    let Settings::Webhook(hook) = &config.channels[0].settings else { panic!("not a webhook") };
    let secret = hook.secret.resolve(&config.env, &config.folder);
    secret.map(|secret| secret.expose_secret().to_owned()).map_err(|lacking| lacking.to_string())
}

#[test]
fn a_file_beside_the_configuration_holds_a_secret() {
    let folder = folder(&[("onceward.toml", &hook("{ file = \"key\" }")), ("key", "from a file\n")]);
    let config = Config::load(&folder.path().join("onceward.toml"), Env::default()).unwrap();
    assert_eq!(secret_of(&config).unwrap(), "from a file");
    std::fs::write(folder.path().join("key"), "").unwrap();
    assert!(secret_of(&config).unwrap_err().ends_with("key: empty"));
}

#[test]
fn dot_env_is_read_and_overrides_nothing() {
    let dot_env = "# comment\nexport A=from-file\nHOOK='with # and \\'\nQUOTED=\"a\\n\\\"b\\\"\" # end\nPLAIN=x y # c\n";
    let folder = folder(&[("onceward.toml", &hook("{ env = \"HOOK\" }")), (".env", dot_env)]);
    let env = Env::of([("A".to_owned(), "from-process".to_owned())]);
    let config = Config::load(&folder.path().join("onceward.toml"), env).unwrap();
    assert_eq!(config.env.get("A"), Some("from-process"));
    assert_eq!(config.env.get("QUOTED"), Some("a\n\"b\""));
    assert_eq!(config.env.get("PLAIN"), Some("x y"));
    assert_eq!(secret_of(&config).unwrap(), "with # and \\");
}

#[test]
fn a_broken_dot_env_is_refused_by_line_and_never_shown() {
    for line in ["s3cr3t", "HOOK=\"s3cr3t", "s3-cr3t=1", "HOOK='s3cr3t' s3cr3t"] {
        let folder = folder(&[("onceward.toml", ""), (".env", &format!("A=1\n{line}\n"))]);
        let error = Config::load(&folder.path().join("onceward.toml"), Env::default()).unwrap_err();
        let ConfigError::Refused { file, problems } = &error else { panic!("{error}") };
        assert!(file.ends_with(".env") && problems[0].line == 2, "{error}");
        assert!(!error.to_string().contains("cr3t"), "{error}");
    }
}
