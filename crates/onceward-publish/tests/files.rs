//! What touches the disk: reading contents and media, and replacing files whole.

use std::fs;
use std::path::{Path, PathBuf};

use onceward_publish::channels::atomic_file;
use onceward_publish::content::{Batch, Rules, read};
use onceward_publish::front_matter::MAX_FILE;
use onceward_publish::media::{self, MAX_MEDIA, MediaError, MediaType, Place, facts, locate};
use tempfile::TempDir;

/// A PNG of one white pixel.
const PNG: &[u8] = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01\0\0\0\x02\x08\0\0\0\0\x3a\x7e\x9b\x55";

fn folder(files: &[(&str, &[u8])]) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, bytes) in files {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }
    folder
}

fn rules(root: &Path) -> Rules {
    Rules {
        root: root.to_owned(),
        static_root: Some(root.join("static")),
        timezone: None,
        channels: ["blog".to_owned()].into(),
        groups: [].into(),
        default_channels: vec!["blog".into()],
        now: "2026-11-29T12:00:00Z".parse().unwrap(),
    }
}

fn batch(folder: &TempDir, names: &[&str]) -> Batch {
    let files: Vec<PathBuf> = names.iter().map(|name| folder.path().join(name)).collect();
    read(&files, &rules(folder.path()))
}

#[test]
fn all_files_are_read_before_anything_is_said() {
    let long = [b"---\n---\n".as_slice(), &b"a".repeat(MAX_FILE)].concat();
    let folder = folder(&[
        ("posts/a.md", b"---\ntitle: A\nmedia: [a.png]\n---\n"),
        ("posts/a.png", PNG),
        ("posts/draft.md", b"---\ndraft: true\n---\n"),
        ("posts/README.md", b"# hello\n"),
        ("posts/gone.md", b"---\ntitle: A\n---\n\n![x](nowhere.png)\n"),
        ("posts/long.md", &long),
    ]);
    let names = [
        "posts/README.md",
        "posts/a.md",
        "posts/draft.md",
        "posts/gone.md",
        "posts/long.md",
        "posts/missing.md",
        "posts",
    ];
    let batch = batch(&folder, &names);
    assert_eq!(batch.contents.iter().map(|it| it.id.as_str()).collect::<Vec<_>>(), ["posts/a"]);
    assert_eq!(batch.contents[0].media[0].facts.height, Some(2));
    assert_eq!(batch.skipped.len(), 1);
    let refused: Vec<_> = batch.refused.iter().map(|it| (it.line, it.code.as_str())).collect();
    let expected = [
        (Some(1), "no_front_matter"),
        (Some(5), "media_missing"),
        (None, "file_too_large"),
        (None, "file_unreadable"),
        (None, "file_unreadable"),
    ];
    assert_eq!(refused, expected);
}

#[test]
fn two_files_with_one_id_are_both_refused() {
    let folder = folder(&[
        ("a.md", b"---\ntitle: A\n---\n"),
        ("a.txt", b"---\ntitle: B\n---\n"),
        ("c.md", b"---\ntitle: C\nid: a\n---\n"),
        ("d.md", b"---\ntitle: D\n---\n"),
    ]);
    let batch = batch(&folder, &["a.md", "a.txt", "c.md", "d.md"]);
    assert_eq!(batch.contents.len(), 1);
    let refused: Vec<_> = batch.refused.iter().map(|it| (it.line, it.code.as_str())).collect();
    assert_eq!(refused, [(Some(1), "id_twice"), (Some(1), "id_twice"), (Some(3), "id_twice")]);
    assert!(batch.refused[2].text.contains("a.md"), "{}", batch.refused[2].text);
}

#[test]
fn a_file_named_twice_is_read_once() {
    let folder = folder(&[("posts/a.md", b"---\ntitle: A\n---\n")]);
    let batch = batch(&folder, &["posts/a.md", "posts/../posts/./a.md"]);
    assert_eq!((batch.contents.len(), batch.refused.len()), (1, 0));
}

#[test]
fn a_type_is_told_by_the_first_bytes() {
    let jpeg =
        b"\xff\xd8\xff\xe0\0\x10JFIF\0\x01\x01\0\0\x01\0\x01\0\0\xff\xc0\0\x0b\x08\0\x05\0\x07\x01\x01\x11\0";
    let gif = b"GIF89a\x03\0\x04\0\0\0\0";
    let table = [
        (PNG, MediaType::Png, Some((1, 2))),
        (jpeg.as_slice(), MediaType::Jpeg, Some((7, 5))),
        (gif.as_slice(), MediaType::Gif, Some((3, 4))),
        (b"\0\0\0\x18ftypmp42\0\0\0\0".as_slice(), MediaType::Mp4, None),
        (b"\x1a\x45\xdf\xa3....".as_slice(), MediaType::Webm, None),
    ];
    for (bytes, kind, size) in table {
        let found = facts(bytes).unwrap();
        assert_eq!((found.kind, found.width.zip(found.height)), (kind, size));
        assert_eq!(found.bytes, bytes.len() as u64);
    }
    let hash = facts(PNG).unwrap().sha256;
    assert!(
        hash.len() == 64 && hash.bytes().all(|byte| byte.is_ascii_hexdigit() && !byte.is_ascii_uppercase())
    );
}

#[test]
fn what_is_no_picture_is_refused() {
    for bytes in [b"".as_slice(), b"<svg></svg>", b"hello", b"%PDF-1.7", b"\x89PN"] {
        assert!(matches!(facts(bytes), Err(MediaError::UnknownType)), "{bytes:?}");
    }
    assert!(matches!(facts(&PNG[..12]), Err(MediaError::Damaged(MediaType::Png))));
    assert!(matches!(facts(b"GIF89a"), Err(MediaError::Damaged(MediaType::Gif))));
    let large = vec![0; usize::try_from(MAX_MEDIA).unwrap() + 1];
    assert!(matches!(facts(&large), Err(MediaError::TooLarge(_))));
}

#[test]
fn a_path_stays_in_its_folder() {
    let (here, fixed) = (Path::new("/site/posts"), Path::new("/site/static"));
    let inside = [
        ("a.png", "/site/posts/a.png"),
        ("./b/../a.png", "/site/posts/a.png"),
        ("/x/a.png", "/site/static/x/a.png"),
    ];
    for (given, expected) in inside {
        assert_eq!(locate(given, here, Some(fixed)).unwrap().path, Path::new(expected), "{given}");
    }
    for given in ["..", "../a.png", "b/../../a.png", "/../a.png", "", ".", "/", "b/.."] {
        assert!(matches!(locate(given, here, Some(fixed)), Err(MediaError::Outside(_))), "{given}");
    }
    assert!(matches!(locate("/a.png", here, None), Err(MediaError::NoStatic(_))));
    assert!(matches!(locate("https://a.example/a.png", here, None), Err(MediaError::Address(_))));
    assert!(matches!(locate("//a.example/a.png", here, Some(fixed)), Err(MediaError::Address(_))));
}

#[cfg(unix)]
#[test]
fn a_symbolic_link_does_not_lead_out_of_the_folder() {
    let folder = folder(&[("secret.png", PNG), ("posts/a.png", PNG)]);
    let root = folder.path().join("posts");
    std::os::unix::fs::symlink("../secret.png", root.join("out.png")).unwrap();
    std::os::unix::fs::symlink("a.png", root.join("in.png")).unwrap();
    let place = |name: &str| Place { path: root.join(name), root: root.clone() };
    assert!(matches!(media::read(&place("out.png")), Err(MediaError::Outside(_))));
    assert_eq!(media::read(&place("in.png")).unwrap(), PNG);
    assert!(matches!(media::read(&place("none.png")), Err(MediaError::Missing(_))));
}

#[test]
fn a_file_is_replaced_whole_and_leaves_nothing_behind() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("public/feed.xml");
    atomic_file::write(&path, b"one").unwrap();
    atomic_file::write(&path, b"two").unwrap();
    assert_eq!(fs::read(&path).unwrap(), b"two");
    assert_eq!(fs::read_dir(path.parent().unwrap()).unwrap().count(), 1);
}

#[test]
fn a_reader_never_sees_a_half_written_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("feed.xml");
    let (short, long) = (vec![b'a'; 10], vec![b'b'; 300_000]);
    atomic_file::write(&path, &short).unwrap();
    std::thread::scope(|scope| {
        let writers = [&short, &long].map(|bytes| {
            let path = &path;
            scope.spawn(move || (0..20).for_each(|_| atomic_file::write(path, bytes).unwrap()))
        });
        while !writers.iter().all(std::thread::ScopedJoinHandle::is_finished) {
            let found = fs::read(&path).unwrap();
            assert!(found == short || found == long, "{} bytes", found.len());
        }
    });
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
}

#[test]
fn a_failed_write_names_the_path_and_keeps_the_old_file() {
    let folder = folder(&[("target/inside.txt", b"old")]);
    let error = atomic_file::write(&folder.path().join("target"), b"new").unwrap_err();
    assert!(error.to_string().contains("target"), "{error}");
    assert_eq!(fs::read(folder.path().join("target/inside.txt")).unwrap(), b"old");
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "the temporary file is gone");
    let error = atomic_file::write(&folder.path().join("target/inside.txt/x"), b"new").unwrap_err();
    assert!(error.to_string().contains("inside.txt"), "{error}");
}
