//! The binary as a script meets it: exit codes, one document on standard output, and no secret anywhere.

use std::path::Path;
use std::process::{Command, Output};

use serde_json::Value;
use tempfile::TempDir;

/// Runs the binary in a folder with these variables and no others.
fn onceward(folder: &Path, vars: &[(&str, &str)], args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_onceward"))
        .args(args)
        .current_dir(folder)
        .env_clear()
        .envs(vars.iter().copied())
        .output()
        .unwrap()
}

fn code(output: &Output) -> i32 {
    output.status.code().unwrap()
}

/// The one document on standard output.
fn document(output: &Output) -> Value {
    serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {output:?}"))
}

/// Both streams, for what must stand in neither.
fn all(output: &Output) -> String {
    format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
}

fn folder_with(config: &str) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("onceward.toml"), config).unwrap();
    folder
}

#[test]
fn init_gives_a_configuration_that_works_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let made = onceward(folder.path(), &[], &["init", "blog"]);
    assert_eq!(code(&made), 0, "{made:?}");
    assert!(String::from_utf8_lossy(&made.stdout).contains("onceward publish posts/*.md"));
    let below = folder.path().join("blog/posts");
    let listed = onceward(&below, &[], &["channels", "list", "--json"]);
    assert_eq!(code(&listed), 0, "{listed:?}");
    let items = document(&listed);
    let names: Vec<_> = items["items"].as_array().unwrap().iter().map(|item| &item["name"]).collect();
    assert_eq!(names, ["rss", "atom", "json", "archive"]);
    assert!(items["items"].as_array().unwrap().iter().all(|item| item["lacking"] == serde_json::json!([])));
}

#[test]
fn a_second_init_overwrites_nothing_and_names_the_file() {
    let folder = folder_with("# mine\n");
    let output = onceward(folder.path(), &[], &["init", "--json"]);
    assert_eq!(code(&output), 2, "the command line is wrong, and nothing failed");
    let error = &document(&output)["error"];
    assert_eq!(error["code"], "exists");
    assert!(error["text"].as_str().unwrap().contains("onceward.toml"), "{error}");
    assert_eq!(std::fs::read_to_string(folder.path().join("onceward.toml")).unwrap(), "# mine\n");
}

#[test]
fn a_broken_configuration_is_exit_2_with_file_line_and_column() {
    let folder = folder_with("[publish]\nchanels = []\n");
    let output = onceward(folder.path(), &[], &["channels", "list"]);
    assert_eq!((code(&output), output.stdout.len()), (2, 0));
    let text = all(&output);
    assert!(
        text.contains("onceward.toml:2:1: unknown key `chanels` in [publish]; did you mean `channels`?"),
        "{text}"
    );
    let output = onceward(folder.path(), &[], &["--json", "channels", "list"]);
    assert_eq!(code(&output), 2);
    assert_eq!(document(&output)["error"]["code"], "config_invalid");
    assert!(output.stderr.is_empty(), "{output:?}");
}

#[test]
fn no_configuration_is_exit_2_and_says_what_to_do() {
    let folder = tempfile::tempdir().unwrap();
    let output = onceward(folder.path(), &[], &["channels", "list"]);
    assert_eq!(code(&output), 2);
    assert!(all(&output).contains("onceward init"), "{output:?}");
    let named = onceward(folder.path(), &[("ONCEWARD_CONFIG", "gone.toml")], &["channels", "list", "--json"]);
    assert_eq!(document(&named)["error"]["code"], "config_unreadable");
}

#[test]
fn a_mistyped_command_line_is_exit_2() {
    let folder = tempfile::tempdir().unwrap();
    let output = onceward(folder.path(), &[], &["jobs", "lst"]);
    assert_eq!((code(&output), output.stdout.len()), (2, 0));
    let output = onceward(folder.path(), &[], &["jobs", "lst", "--json"]);
    assert_eq!(code(&output), 2);
    assert_eq!(document(&output)["error"]["code"], "usage");
}

#[test]
fn help_and_version_are_answers() {
    let folder = tempfile::tempdir().unwrap();
    for args in [&["--help"][..], &["--version"], &["publish", "--help"], &["completions", "bash"]] {
        let output = onceward(folder.path(), &[], args);
        assert_eq!(code(&output), 0, "{args:?}");
        assert!(!output.stdout.is_empty() && output.stderr.is_empty(), "{args:?}");
    }
}

const HOOK: &str = "[channels.hook]\ntype = \"webhook\"\nurl = \"https://example.org/\"\n";

#[test]
fn no_secret_appears_anywhere() {
    let literal = folder_with(&format!("{HOOK}secret = \"s3cr3t\"\n"));
    let pointed = folder_with(&format!("{HOOK}secret = {{ env = \"HOOK\" }}\n"));
    for (folder, expected) in [(&literal, 2), (&pointed, 0)] {
        for flags in [&["-vvv"][..], &["--json"]] {
            let output =
                onceward(folder.path(), &[("HOOK", "s3cr3t")], &[&["channels", "list"], flags].concat());
            assert_eq!(code(&output), expected, "{output:?}");
            assert!(!all(&output).contains("s3cr3t"), "{output:?}");
        }
    }
}

#[test]
fn a_secret_that_is_not_set_is_told_with_its_channel() {
    let folder = folder_with(&format!("{HOOK}secret = {{ env = \"HOOK\" }}\n"));
    let output = onceward(folder.path(), &[], &["channels", "list", "--json"]);
    let lacking = &document(&output)["items"][0]["lacking"][0];
    assert_eq!(lacking["key"], "secret");
    assert!(lacking["text"].as_str().unwrap().contains("HOOK"), "{lacking}");
    std::fs::write(folder.path().join(".env"), "HOOK=s3cr3t\n").unwrap();
    let output = onceward(folder.path(), &[], &["channels", "list"]);
    assert!(all(&output).contains("yes") && !all(&output).contains("s3cr3t"), "{output:?}");
}

#[test]
fn off_a_terminal_nothing_is_coloured_unless_asked() {
    let folder = folder_with("[channels.a]\ntype = \"archive\"\npath = \"a\"\n");
    let plain = onceward(folder.path(), &[], &["channels", "list"]);
    assert!(!all(&plain).contains('\u{1b}'), "{plain:?}");
    let colored = onceward(folder.path(), &[("NO_COLOR", "1")], &["channels", "list", "--color", "always"]);
    assert!(all(&colored).contains('\u{1b}'), "{colored:?}");
}

#[test]
fn a_strange_key_cannot_command_the_terminal() {
    let folder = folder_with("\"a\\u001b[2J\" = 1\n");
    let output = onceward(folder.path(), &[], &["channels", "list"]);
    assert_eq!(code(&output), 2);
    assert!(!all(&output).contains('\u{1b}'), "{output:?}");
}
