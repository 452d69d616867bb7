//! The example posts are read by the same rules as everyone's.

use std::fs;
use std::path::{Path, PathBuf};

use onceward_publish::body::{Links, html, text};
use onceward_publish::content::{Batch, Rules, read};
use onceward_publish::date::zone;

fn batch() -> Batch {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    let mut files: Vec<PathBuf> =
        fs::read_dir(root.join("posts")).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.retain(|file| file.extension().is_some_and(|it| it == "md"));
    files.sort();
    let rules = Rules {
        root: std::path::absolute(root).unwrap(),
        static_root: None,
        timezone: Some(zone("Asia/Seoul").unwrap()),
        channels: ["blog".to_owned()].into(),
        groups: [].into(),
        default_channels: vec!["blog".into()],
        now: "2026-11-29T12:00:00Z".parse().unwrap(),
    };
    read(&files, &rules)
}

#[test]
fn the_example_posts_are_accepted() {
    let batch = batch();
    assert_eq!(batch.refused, []);
    let ids: Vec<&str> = batch.contents.iter().map(|content| content.id.as_str()).collect();
    assert_eq!(
        ids,
        ["ko-new-year-2030", "posts/one-beacon", "ko-rerun-safely", "the-lost-answer", "posts/why-onceward"]
    );
    assert_eq!(batch.skipped.len(), 1);
    let wish = batch.contents[0].publish_at.as_ref().unwrap();
    assert_eq!(wish.at.to_string(), "2030-01-01T00:00:00Z");
    let picture = &batch.contents[1].media[0];
    assert_eq!((picture.facts.width, picture.facts.height), (Some(960), Some(540)));
    assert_eq!(batch.contents[1].media.len(), 1, "the picture of the front matter and of the body is one");
}

#[test]
fn the_example_posts_have_no_markup_left_in_their_text() {
    for content in batch().contents {
        let plain = text(&content.body, &Links::NONE);
        assert!(!plain.contains("**") && !plain.contains("```") && !plain.contains("!["), "{plain}");
        assert!(html(&content.body, &Links::NONE).starts_with("<p>"));
    }
}
