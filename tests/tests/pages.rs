//! The pages that promise something name the tests that hold them to it. Each of these tests exists.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

type Verdict<T = ()> = Result<T, Box<dyn std::error::Error>>;

/// The root of the repository.
fn root() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/.."))
}

/// What stands between backticks and reads like a law: `at_least_three_words`.
fn named(page: &str) -> BTreeSet<&str> {
    let quoted = page.split('`').skip(1).step_by(2);
    let is_law = |word: &&str| {
        word.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_')
            && word.matches('_').count() > 2
    };
    quoted.filter(is_law).collect()
}

/// The names of all functions below a folder.
fn functions(folder: &Path, found: &mut BTreeSet<String>) -> Verdict {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() && !path.ends_with("target") {
            functions(&path, found)?;
        } else if path.extension().is_some_and(|suffix| suffix == "rs") {
            let text = fs::read_to_string(&path)?;
            let names = text.split("fn ").skip(1).filter_map(|rest| rest.split(['(', '<']).next());
            found.extend(names.map(str::to_owned));
        }
    }
    Ok(())
}

#[test]
fn each_test_that_the_promises_name_exists() -> Verdict {
    let mut there = BTreeSet::new();
    for folder in ["crates", "tests", "examples"] {
        functions(&root().join(folder), &mut there)?;
    }
    let page = fs::read_to_string(root().join("docs/once.md"))?;
    let named = named(&page);
    assert!(named.len() > 100, "the page names {} tests", named.len());
    let missing: Vec<_> = named.into_iter().filter(|name| !there.contains(*name)).collect();
    assert!(missing.is_empty(), "docs/once.md names tests that are not there: {missing:#?}");
    Ok(())
}
