//! Which front matter keys are ours, which are slips, and which belong to other tools.

/// Our keys of front matter.
const OURS: [&str; 13] = [
    "id",
    "title",
    "link",
    "tags",
    "channels",
    "publish_at",
    "expire_at",
    "approve",
    "draft",
    "published",
    "media",
    "variants",
    "thread",
];

/// Keys of Hugo, Jekyll and Astro that look like a slip of ours but are not.
const THEIRS: [&str; 4] = ["linkTitle", "layout", "lastmod", "date"];

/// Our key that was probably meant by this one, unless it belongs to another tool.
pub(super) fn slip(key: &str) -> Option<&'static str> {
    if THEIRS.contains(&key) || is_foreign_date(key) {
        return None;
    }
    nearest(key, OURS)
}

/// Keys by which other tools hold a post back until its day; Hugo does not mind their case.
pub(super) fn is_foreign_date(key: &str) -> bool {
    ["date", "publishdate", "pubdate"].contains(&key.to_ascii_lowercase().as_str())
}

/// The candidate that `name` is probably a slip of: the same but for case, `-` and `_`, or one or two letters
/// away. Short names must be closer.
pub fn nearest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let plain = folded(name);
    let distance = |candidate: &str| strsim::osa_distance(&plain, &folded(candidate));
    let allowed = |candidate: &str| match folded(candidate).chars().count().min(plain.chars().count()) {
        0..=2 => 0,
        3..=5 => 1,
        _ => 2,
    };
    let close = candidates.into_iter().filter(|candidate| distance(candidate) <= allowed(candidate));
    close.min_by_key(|candidate| distance(candidate))
}

fn folded(name: &str) -> String {
    name.chars().filter(|c| !matches!(c, '-' | '_' | ' ')).flat_map(char::to_lowercase).collect()
}
