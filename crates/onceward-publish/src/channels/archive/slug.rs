//! The file name of a content's page.

use sha2::{Digest, Sha256};

/// Long enough to read, short enough for every file system (255 bytes) with hash and suffix.
const MAX_BYTES: usize = 120;

/// The name of the page of a content: one step, never a path, safe on every file system.
///
/// Ids that are simple names stay as they are (`2026-launch.html`). All others get a piece of their hash, so
/// that no two ids share a name.
pub fn slug(id: &str) -> String {
    let mut name = String::new();
    for c in id.chars() {
        if name.len() >= MAX_BYTES {
            break;
        }
        for c in c.to_lowercase() {
            match if c.is_alphanumeric() || c == '_' { c } else { '-' } {
                '-' if name.is_empty() || name.ends_with('-') => {}
                other => name.push(other),
            }
        }
    }
    let name = name.trim_end_matches('-');
    // Only names that we make carry the hash, so an id that ends like one gets a hash of its own.
    if !name.is_empty() && name == id && !is_reserved(name) && !ends_like_hash(name) {
        return format!("{name}.html");
    }
    let hash = &hex::encode(Sha256::digest(id))[..10];
    if name.is_empty() { format!("{hash}.html") } else { format!("{name}-{hash}.html") }
}

/// The index, and the devices that Windows sees in every folder.
fn is_reserved(name: &str) -> bool {
    let device = |prefix: &str| name.strip_prefix(prefix).is_some_and(|rest| rest.len() == 1);
    ["index", "con", "prn", "aux", "nul"].contains(&name) || device("com") || device("lpt")
}

fn ends_like_hash(name: &str) -> bool {
    let last = name.rsplit('-').next().unwrap_or_default();
    last.len() == 10 && last.bytes().all(|byte| byte.is_ascii_hexdigit())
}
