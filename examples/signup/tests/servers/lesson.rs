//! The lesson as a script runs it.

use std::process::Command;

use serde_json::Value;

/// Runs it, and gives each version's row.
pub(crate) fn lesson(arguments: &[&str]) -> Vec<Value> {
    let program = env!("CARGO_BIN_EXE_signup");
    let out = Command::new(program).args(["lesson", "--json", "--tell"]).args(arguments).output().unwrap();
    let (said, told) = (String::from_utf8_lossy(&out.stdout), String::from_utf8_lossy(&out.stderr));
    let document: Value =
        serde_json::from_str(&said).unwrap_or_else(|error| panic!("{error}\n{said}\n{told}"));
    println!("{document:#}");
    document["versions"].as_array().unwrap().clone()
}

/// How many names stand there.
pub(crate) fn count(row: &Value, what: &str) -> usize {
    match &row["tally"][what] {
        Value::Array(names) => names.len(),
        Value::Object(names) => names.len(),
        _ => number(row, what),
    }
}

/// Whose mail was lost, those aside whose mailbox does not exist.
pub(crate) fn lost(row: &Value) -> usize {
    let lost = row["tally"]["lost"].as_array().unwrap();
    lost.iter().filter(|to| !to.as_str().unwrap().starts_with("gone")).count()
}

fn number(row: &Value, what: &str) -> usize {
    let found = row["tally"][what].as_u64().unwrap_or_else(|| panic!("no {what} in {row:#}"));
    usize::try_from(found).unwrap()
}

/// Version 4: nothing lost, nothing twice; in doubt is what was cut after the dot, and what a kill hit right beside it.
pub(crate) fn keeps_its_promise(row: &Value) {
    for wrong in ["lost", "doubled", "guessed", "lazy"] {
        assert_eq!(count(row, wrong), 0, "{wrong}: {row:#}");
    }
    let (doubts, delivered) = (count(row, "in_doubt"), count(row, "in_doubt_delivered"));
    assert_eq!(doubts, count(row, "after_the_dot") + count(row, "beside_the_dot"), "{row:#}");
    let clear = count(row, "accounts") - doubts - count(row, "dead");
    assert_eq!(
        count(row, "mails"),
        clear + delivered,
        "where it was clear, each account has one mail: {row:#}"
    );
    assert_eq!(count(row, "dead"), 1, "only whose mailbox does not exist: {row:#}");
}
