//! The page of what went wrong for others names its tests, and they are there.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// Reports that concern the channels that are built.
const REPORTS: [&str; 34] = [
    "T1", "T2", "T4", "T6", "T7", "T8", "T9", "T10", "T11", "T12", "T13", "T15", "T17", "T18", "T21", "T22",
    "T22b", "T22c", "T23", "T26", "T28", "T29", "T30", "T32", "T33", "T34", "T35", "T37", "T40", "T41",
    "T42", "T43", "T44", "T45",
];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Each report of the page with its tests: a file, and a name in it.
fn page() -> Vec<(String, Vec<(String, String)>)> {
    let text = fs::read_to_string(root().join("docs/platform-bugs.md")).unwrap();
    let rows = text.lines().filter(|line| line.starts_with("| T"));
    let row = |line: &str| {
        let report = line[2..].split(' ').next().unwrap().to_owned();
        let tests = line.split('`').skip(1).step_by(2).filter_map(|text| text.split_once(".rs: "));
        (report, tests.map(|(file, name)| (format!("{file}.rs"), name.to_owned())).collect())
    };
    rows.map(row).collect()
}

/// Every test of the workspace that names a report.
fn named(folder: &Path, into: &mut BTreeSet<String>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            named(&path, into);
        } else if path.extension().is_some_and(|ext| ext == "rs") {
            let text = fs::read_to_string(&path).unwrap();
            into.extend(text.lines().filter_map(of_report));
        }
    }
}

/// `t4_a_lost_answer` of a line that declares it.
fn of_report(line: &str) -> Option<String> {
    let line = line.trim_start();
    let name = line.strip_prefix("async fn ").or_else(|| line.strip_prefix("fn "))?.split('(').next()?;
    let digits =
        name.strip_prefix('t')?.split('_').next()?.trim_end_matches(|c: char| c.is_ascii_lowercase());
    let is = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    is.then(|| name.to_owned())
}

#[test]
fn each_report_has_tests_that_are_there_and_each_test_is_listed_once() {
    let mut listed = BTreeSet::new();
    for (report, tests) in page() {
        assert!(!tests.is_empty(), "{report} has no test");
        for (file, name) in tests {
            let text =
                fs::read_to_string(root().join(&file)).unwrap_or_else(|error| panic!("{file}: {error}"));
            assert!(text.contains(&format!("fn {name}(")), "{report}: no test {name} in {file}");
            assert!(listed.insert((file, name.clone())), "{report}: {name} is listed twice");
        }
    }
}

#[test]
fn no_report_about_our_channels_is_left_out() {
    let reports: Vec<_> = page().into_iter().map(|(report, _)| report).collect();
    assert_eq!(reports, REPORTS);
}

#[test]
fn every_test_that_names_a_report_is_on_the_page() {
    let listed: BTreeSet<_> = page().into_iter().flat_map(|(_, tests)| tests).map(|(_, name)| name).collect();
    let mut there = BTreeSet::new();
    named(&root().join("crates/onceward-publish"), &mut there);
    assert!(!there.is_empty());
    let missing: Vec<_> = there.difference(&listed).collect();
    assert!(missing.is_empty(), "{missing:?}");
}
