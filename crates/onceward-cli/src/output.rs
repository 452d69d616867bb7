//! What people and scripts see. Human text and JSON documents go to standard output, and only one of the two;
//! everything else goes to standard error.

mod grid;
mod state;
mod text;
mod when;

use std::io::{self, IsTerminal, Write};

use serde::Serialize;
use serde_json::Value;

pub(crate) use grid::{Cell, Grid};
pub(crate) use state::Shown;
pub(crate) use text::{cut, one_line, plain};
pub(crate) use when::relative;

use crate::args::{ColorWhen, Global};
use crate::config::Env;
use crate::stop::Stop;

/// Of a job that a restored backup, or a promoted standby, may know too little of.
pub(crate) const MAYBE_SENT: &str = "may have been sent in commits that the store lost";

/// How this run speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Output {
    /// One JSON document instead of text.
    pub(crate) json: bool,
    /// -1 with `-q`, else how often `-v` was given.
    pub(crate) verbosity: i8,
    /// Columns of the terminal; none when standard output is not one.
    pub(crate) width: Option<u16>,
    /// Colours on standard output.
    pub(crate) color: bool,
    pub(crate) err: Stderr,
}

/// Standard error, which may be another place than standard output.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Stderr {
    pub(crate) color: bool,
    /// Whether someone watches it.
    pub(crate) terminal: bool,
}

impl Output {
    /// As the flags, the environment and the terminal ask for it.
    pub(crate) fn new(global: &Global, env: &Env) -> Self {
        let (out, err) = (io::stdout().is_terminal(), io::stderr().is_terminal());
        let color = |terminal| colored(global.color, env.get("NO_COLOR"), terminal);
        Self {
            json: global.json,
            color: color(out),
            err: Stderr { color: color(err), terminal: err },
            verbosity: if global.quiet { -1 } else { i8::try_from(global.verbose).unwrap_or(i8::MAX) },
            width: if out { grid::terminal_width() } else { None },
        }
    }

    /// The answer of a command: the document for scripts, or the text for people.
    pub(crate) fn answer<T: Serialize>(
        &self,
        document: &T,
        text: impl FnOnce() -> String,
    ) -> Result<(), Stop> {
        if self.json {
            let json =
                serde_json::to_string(document).map_err(|error| Stop::failed("json", error.to_string()))?;
            print(&mut io::stdout(), &json)
        } else {
            print(&mut io::stdout(), text().trim_end())
        }
    }

    /// What a command did that was not asked a question: the document for scripts, or the text for people, who want
    /// none with `-q`.
    pub(crate) fn report<T: Serialize>(
        &self,
        document: &T,
        text: impl FnOnce() -> String,
    ) -> Result<(), Stop> {
        if self.json || self.verbosity >= 0 { self.answer(document, text) } else { Ok(()) }
    }

    /// A line beside the answer; not with `-q`.
    pub(crate) fn note(&self, text: &str) {
        if self.verbosity >= 0 {
            tell(text);
        }
    }

    /// Why the command stopped.
    pub(crate) fn stop(&self, stop: &Stop) {
        if self.json {
            // The exit code tells as well; a closed pipe changes nothing.
            let _ = print(&mut io::stdout(), &stop.document().to_string());
        } else {
            tell(&format!("error: {}", plain(&stop.text)));
        }
    }
}

/// What needs a person: said even with `-q`.
pub(crate) fn call(text: &str) {
    tell(text);
}

/// The shape of every list.
pub(crate) fn list(items: &[Value], next: Option<&str>) -> Value {
    serde_json::json!({ "items": items, "next": next })
}

/// Whether a stream is coloured. `NO_COLOR` counts when it is set and not empty (no-color.org).
fn colored(when: ColorWhen, no_color: Option<&str>, terminal: bool) -> bool {
    match when {
        ColorWhen::Always => true,
        ColorWhen::Never => false,
        ColorWhen::Auto => terminal && no_color.is_none_or(str::is_empty),
    }
}

/// Bytes as they are, such as a script for a shell.
pub(crate) fn raw(bytes: &[u8]) -> Result<(), Stop> {
    let mut out = io::stdout();
    passed(out.write_all(bytes).and_then(|()| out.flush()))
}

fn print(to: &mut impl Write, text: &str) -> Result<(), Stop> {
    passed(writeln!(to, "{text}").and_then(|()| to.flush()))
}

/// A reader that has seen enough (`| head`) is no error.
fn passed(written: io::Result<()>) -> Result<(), Stop> {
    match written {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            Err(Stop::failed("io", format!("standard output: {error}")))
        }
        _ => Ok(()),
    }
}

/// Standard error that is closed has no reader to miss anything.
fn tell(text: &str) {
    let _ = writeln!(io::stderr(), "{text}");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_follow_the_flag_then_no_color_then_the_terminal() {
        use ColorWhen::{Always, Auto, Never};
        assert!(colored(Auto, None, true) && colored(Auto, Some(""), true));
        assert!(!colored(Auto, Some("1"), true) && !colored(Auto, None, false));
        assert!(colored(Always, Some("1"), false) && !colored(Never, None, true));
    }

    #[test]
    fn a_closed_pipe_is_no_error_and_a_full_disk_is_one() {
        struct Broken(io::ErrorKind);
        impl Write for Broken {
            fn write(&mut self, _: &[u8]) -> io::Result<usize> {
                Err(self.0.into())
            }
            fn flush(&mut self) -> io::Result<()> {
                Ok(())
            }
        }
        assert!(print(&mut Broken(io::ErrorKind::BrokenPipe), "x").is_ok());
        assert!(print(&mut Broken(io::ErrorKind::StorageFull), "x").is_err());
    }

    #[test]
    fn a_list_has_items_and_a_cursor() {
        assert_eq!(list(&[], None).to_string(), r#"{"items":[],"next":null}"#);
    }
}
