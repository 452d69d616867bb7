//! What a person can do about what a database says.

const RESTORE: &str = "put a backup in its place, with all workers stopped";
const MIGRATE: &str =
    "run `onceward db migrate`; if that has nothing to do, `onceward db check` says what is missing";

/// By PostgreSQL's SQLSTATE, or SQLite's extended result code in decimal. The words are looked at where SQLite has one code
/// for many things; nothing but the text for a person depends on it.
pub(super) fn about(code: &str, words: &str) -> Option<String> {
    if let (Ok(number), true) = (code.parse::<u32>(), code.len() < 5) {
        return match number & 0xff {
            1 if words.starts_with("no such table") || words.starts_with("no such column") => {
                Some(MIGRATE.to_owned())
            }
            8 => Some("this user must be able to write the file and its folder".to_owned()),
            11 => Some(format!("the file is damaged: `onceward db check` says how far; {RESTORE}")),
            13 => Some("make room on its disk; nothing of this write was kept".to_owned()),
            14 => Some("see that the file, and those beside it, belong to this user".to_owned()),
            26 => Some(format!("name another file, or {RESTORE}")),
            _ => None,
        };
    }
    match code {
        "42P01" | "42703" | "3F000" => Some(MIGRATE.to_owned()),
        "42P05" | "26000" => Some(
            "a transaction pooler is in between, which named statements do not get through: add ?pooler=transaction to the \
             store's URL"
                .to_owned(),
        ),
        "53100" => Some("make room on the server's disk".to_owned()),
        _ => None,
    }
}
