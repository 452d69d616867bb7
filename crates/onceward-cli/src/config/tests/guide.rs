//! What the guide shows of a configuration must be one.

use super::config;

const CHANNELS: &str = include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/guide/channels.md"));

#[test]
fn the_settings_of_the_guide_are_accepted_and_leave_out_no_type() {
    let blocks: Vec<&str> =
        CHANNELS.split("```toml\n").skip(1).filter_map(|rest| rest.split("```").next()).collect();
    let mut kinds: Vec<&str> = Vec::new();
    for block in &blocks {
        kinds.extend(config(block).channels.iter().map(|channel| channel.kind));
    }
    for kind in ["feed", "archive", "webhook", "mastodon", "bluesky", "slack", "devto", "telegram", "email"] {
        assert!(kinds.contains(&kind), "{kind}");
    }
}
