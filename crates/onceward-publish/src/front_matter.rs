//! A file is front matter (YAML between `---`, TOML between `+++`) and a body; both keep their line numbers.

mod toml_table;
mod value;
mod yaml_table;

use std::fmt;

pub use value::{Entry, Node, Table, Value};

/// Files above this size are refused, in bytes.
pub const MAX_FILE: usize = 1024 * 1024;
/// Lists and tables nested deeper than this are refused.
pub const MAX_DEPTH: usize = 64;

/// Where front matter and body lie in a file; nothing is copied.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Parts<'a> {
    /// Which language the front matter is written in.
    pub format: Format,
    /// The text between the two fences, without them.
    pub matter: &'a str,
    /// The line of the file at which `matter` begins, counted from 1.
    pub matter_line: u32,
    /// Everything after the closing fence's line, byte for byte.
    pub body: &'a str,
    /// The line of the file at which `body` begins, counted from 1.
    pub body_line: u32,
}

/// The language of the front matter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// YAML 1.2, between lines of `---`.
    Yaml,
    /// TOML, between lines of `+++`.
    Toml,
}

/// Why front matter could not be read, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// The line of the file, counted from 1, where it is known.
    pub line: Option<u32>,
    /// A stable word for programs.
    pub code: &'static str,
    /// What was found, and what was expected.
    pub text: String,
}

impl Fault {
    fn new(code: &'static str, line: impl Into<Option<u32>>, text: impl Into<String>) -> Self {
        Self { line: line.into(), code, text: text.into() }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            Some(line) => write!(f, "line {line}: {}", self.text),
            None => f.write_str(&self.text),
        }
    }
}

impl std::error::Error for Fault {}

/// Reads the bytes of a content file into its front matter, as a table, and its parts.
///
/// # Errors
/// [`Fault`] for a file that is too large, is not UTF-8, has no front matter, or has front matter that its
/// language does not allow.
pub fn read(bytes: &[u8]) -> Result<(Table, Parts<'_>), Fault> {
    if bytes.len() > MAX_FILE {
        // Whoever read it read no further than that.
        let text = format!("the file has more than {MAX_FILE} bytes, and no more are read");
        return Err(Fault::new("file_too_large", None, text));
    }
    let text = std::str::from_utf8(bytes).map_err(|error| {
        let line = line_at(&bytes[..error.valid_up_to()], 1);
        Fault::new("file_not_utf8", line, "the file is not UTF-8 here; save it as UTF-8")
    })?;
    let parts = split(text)?;
    let table = match parts.format {
        Format::Yaml => yaml_table::parse(parts.matter, parts.matter_line),
        Format::Toml => toml_table::parse(parts.matter, parts.matter_line),
    }?;
    Ok((table, parts))
}

/// Finds the front matter of a file. A byte order mark and CRLF line ends are fine.
///
/// # Errors
/// [`Fault`] with `no_front_matter` when the first line is no fence, and `front_matter_open` when the closing
/// fence is missing.
pub fn split(text: &str) -> Result<Parts<'_>, Fault> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let (first, rest) = first_line(text);
    let (format, fence) = match first.trim_end() {
        "---" => (Format::Yaml, "---"),
        "+++" => (Format::Toml, "+++"),
        _ => {
            let text = "no front matter: a content file begins with a line of --- (YAML) or +++ (TOML)";
            return Err(Fault::new("no_front_matter", 1, text));
        }
    };
    let mut after = rest;
    let mut line = 2;
    while !after.is_empty() {
        let (this, next) = first_line(after);
        if this.trim_end() == fence {
            let matter = &rest[..rest.len() - after.len()];
            return Ok(Parts { format, matter, matter_line: 2, body: next, body_line: line + 1 });
        }
        after = next;
        line += 1;
    }
    let text = format!("the front matter is never closed: end it with a line of {fence}");
    Err(Fault::new("front_matter_open", 1, text))
}

fn first_line(text: &str) -> (&str, &str) {
    let end = text.find('\n').map_or(text.len(), |at| at + 1);
    text.split_at(end)
}

/// The line on which the byte after `before` stands, when `before` begins on line `first`.
pub(crate) fn line_at(before: &[u8], first: u32) -> u32 {
    let breaks = before.split(|byte| *byte == b'\n').skip(1).count();
    first.saturating_add(u32::try_from(breaks).unwrap_or(u32::MAX))
}
