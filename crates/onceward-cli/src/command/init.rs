//! `onceward init`: something that works before anything is understood.

use std::fs::{self, OpenOptions};
use std::io::{ErrorKind, Write};
use std::path::Path;

use serde_json::json;

use super::Run;
use crate::config::NAME;
use crate::exit::Exit;
use crate::output::plain;
use crate::stop::Stop;

const CONFIG: &str = include_str!("init/onceward.toml");
const POST: (&str, &str) = ("posts/hello.md", include_str!("init/hello.md"));
const IGNORE: (&str, &str) = (".gitignore", include_str!("init/gitignore"));

/// Writes the files into a folder, or none of them when one is there already.
pub(crate) fn run(run: &Run, folder: &Path) -> Result<Exit, Stop> {
    let written = write(&run.here.join(folder))?;
    let document = json!({ "folder": run.here.join(folder), "written": written });
    run.output.answer(&document, || next_steps(folder, &written))?;
    Ok(Exit::Fine)
}

/// The names of the files that were written. A .gitignore that is there keeps its text: many folders have one.
fn write(folder: &Path) -> Result<Vec<&'static str>, Stop> {
    for (name, _) in [(NAME, CONFIG), POST] {
        if folder.join(name).exists() {
            return Err(taken(&folder.join(name)));
        }
    }
    let mut files = vec![POST, IGNORE, (NAME, CONFIG)];
    files.retain(|(name, _)| *name != IGNORE.0 || !folder.join(name).exists());
    for (name, text) in &files {
        create(&folder.join(name), text)?;
    }
    Ok(files.into_iter().map(|(name, _)| name).collect())
}

fn create(path: &Path, text: &str) -> Result<(), Stop> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder).map_err(|error| Stop::at(folder, &error))?;
    }
    let mut file =
        OpenOptions::new().write(true).create_new(true).open(path).map_err(|error| match error.kind() {
            ErrorKind::AlreadyExists => taken(path),
            _ => Stop::at(path, &error),
        })?;
    file.write_all(text.as_bytes()).map_err(|error| Stop::at(path, &error))
}

fn taken(path: &Path) -> Stop {
    let text =
        format!("{} exists and is not overwritten; choose another folder, or move it away", path.display());
    Stop::usage("exists", text)
}

fn next_steps(folder: &Path, written: &[&str]) -> String {
    let mut lines: Vec<String> =
        written.iter().map(|name| format!("wrote {}", folder.join(name).display())).collect();
    if !written.contains(&IGNORE.0) {
        lines.push("kept the .gitignore; see that it names *.db, *.db-*, *.key and .env".to_owned());
    }
    lines.push("\nNext:".to_owned());
    if folder != Path::new(".") {
        lines.push(format!("  cd {}", folder.display()));
    }
    lines.push("  onceward publish posts/*.md     writes feeds and pages below public/".to_owned());
    lines.push("  onceward publish posts/*.md     again: everything is skipped, since it is done".to_owned());
    plain(&lines.join("\n"))
}

#[cfg(test)]
mod tests;
