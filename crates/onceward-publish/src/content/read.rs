//! Reading all files before anything is said about one of them.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use super::{Batch, Content, Parsed, Rules, id, parse};
use crate::front_matter::MAX_FILE;
use crate::media;
use crate::refusal::Refusal;
use crate::regular;

/// Reads content files from the disk. A file named twice is read once; relative names start at the working
/// folder.
///
/// It never fails: what cannot be read is among the refusals.
pub fn read(files: &[PathBuf], rules: &Rules) -> Batch {
    let mut batch = Batch::default();
    let mut seen = BTreeSet::new();
    for file in files {
        let path = std::path::absolute(file).map_or_else(|_| file.clone(), |path| id::plain(&path));
        if seen.insert(path.clone()) {
            add(&mut batch, file, parse_file(file, &path, rules));
        }
    }
    refuse_twins(&mut batch);
    batch
}

fn parse_file(named: &Path, path: &Path, rules: &Rules) -> Parsed {
    match regular::read(path, MAX_FILE as u64) {
        Ok(bytes) => parse(path, &bytes, rules, &media::inspect),
        Err(error) => {
            let text = format!("the file cannot be read: {error}");
            Parsed::Refused(vec![Refusal::new(named, "file_unreadable", text)])
        }
    }
}

fn add(batch: &mut Batch, named: &Path, parsed: Parsed) {
    match parsed {
        Parsed::Content(content) => batch.contents.push(Content { file: named.to_owned(), ..*content }),
        Parsed::Skipped(mut skipped) => {
            named.clone_into(&mut skipped.file);
            batch.skipped.push(skipped);
        }
        Parsed::Refused(refused) => {
            let file = named.display().to_string();
            batch
                .refused
                .extend(refused.into_iter().map(|refusal| Refusal { file: file.clone(), ..refusal }));
        }
    }
}

/// Neither of two files with one id is taken: nobody can say which was meant.
fn refuse_twins(batch: &mut Batch) {
    let mut files: BTreeMap<String, Vec<PathBuf>> = BTreeMap::new();
    for content in &batch.contents {
        files.entry(content.id.clone()).or_default().push(content.file.clone());
    }
    files.retain(|_, files| files.len() > 1);
    for content in &batch.contents {
        let Some(twin) = files.get(&content.id).and_then(|all| all.iter().find(|it| **it != content.file))
        else {
            continue;
        };
        let text =
            format!("{} has the same id {:?}; give one of them another id", twin.display(), content.id);
        batch.refused.push(
            Refusal::new(&content.file, "id_twice", text)
                .at(content.lines.get("id").copied().unwrap_or(1))
                .of("id"),
        );
    }
    batch.contents.retain(|content| !files.contains_key(&content.id));
}
