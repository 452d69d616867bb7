//! A part of a page that a test writes: what stands there is what the test saw.

use std::path::Path;

/// Set, the page is written; not set, it is compared.
const WRITE: &str = "ONCEWARD_WRITE_PAGES";

/// A table in Markdown.
pub fn table<C: AsRef<str>>(head: &[C], rows: &[Vec<String>]) -> String {
    let line = |cells: Vec<&str>| format!("| {} |\n", cells.join(" | "));
    let head: Vec<&str> = head.iter().map(AsRef::as_ref).collect();
    let rule = line(vec!["---"; head.len()]);
    let rows: String = rows.iter().map(|row| line(row.iter().map(String::as_str).collect())).collect();
    format!("{}{rule}{rows}", line(head))
}

/// Holds the part `name` of a page, between `<!-- NAME: … -->` and `<!-- end of NAME -->`, to what was seen.
///
/// # Errors
/// When the page says something else, or has no such part.
pub fn holds(page: &Path, name: &str, seen: &str) -> Result<(), Box<dyn std::error::Error>> {
    let text = std::fs::read_to_string(page)?;
    let no_part = || format!("{} has no part {name:?}", page.display());
    let (before, rest) = text.split_once(&format!("<!-- {name}: ")).ok_or_else(no_part)?;
    let (by, rest) = rest.split_once("-->\n").ok_or_else(no_part)?;
    let (said, after) = rest.split_once(&format!("<!-- end of {name} -->")).ok_or_else(no_part)?;
    let seen = format!("\n{}\n\n", seen.trim());
    if said == seen {
        return Ok(());
    }
    if std::env::var_os(WRITE).is_some() {
        let text = format!("{before}<!-- {name}: {by}-->\n{seen}<!-- end of {name} -->{after}");
        return Ok(std::fs::write(page, text)?);
    }
    Err(format!("{} says:\n{said}and what was seen is:\n{seen}`./dev pages` writes it", page.display())
        .into())
}
