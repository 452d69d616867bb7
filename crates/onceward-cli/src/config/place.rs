//! One name for one place in the file system, however it is written.

use std::ffi::OsString;
use std::path::{Component, Path, PathBuf};

/// The name that all names of a file or folder lead to. What is not there yet is named from the nearest folder that is.
pub(super) fn one_name(path: &Path) -> PathBuf {
    let there = path.ancestors().find_map(|above| Some((above, above.canonicalize().ok()?)));
    let Some((above, found)) = there else { return path.to_owned() };
    let rest = path.strip_prefix(above).unwrap_or(Path::new(""));
    rest.components().fold(found, |mut place, step| {
        match step {
            Component::ParentDir => drop(place.pop()),
            Component::Normal(name) => place.push(name),
            Component::CurDir | Component::RootDir | Component::Prefix(_) => {}
        }
        place
    })
}

/// The file of that name with an ending more, such as `-wal`.
pub(super) fn beside(path: &Path, ending: &str) -> PathBuf {
    let mut name = OsString::from(path);
    name.push(ending);
    PathBuf::from(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_has_one_name_whether_it_is_there_or_not() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        std::fs::write(root.join("a.db"), "").unwrap();
        for (written, meant) in [
            ("a.db", "a.db"),
            ("./a.db", "a.db"),
            ("new/../a.db", "a.db"),
            ("new/./feed.xml", "new/feed.xml"),
            ("new/deep/../feed.xml", "new/feed.xml"),
        ] {
            assert_eq!(one_name(&root.join(written)), root.join(meant), "{written}");
        }
    }

    #[test]
    #[cfg(unix)]
    fn a_link_is_what_it_leads_to() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        std::fs::create_dir(root.join("real")).unwrap();
        std::os::unix::fs::symlink("real", root.join("link")).unwrap();
        assert_eq!(one_name(&root.join("link/new.xml")), root.join("real/new.xml"));
    }
}
