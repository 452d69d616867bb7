//! Which channels a content goes to, and what single ones get instead.

use super::Reader;
use crate::content::{Content, Rules, Variant, keys};
use crate::front_matter::{Entry, Node, Value};

impl Reader<'_> {
    pub(super) fn channels(&mut self, entry: &Entry, content: &mut Content) {
        let names = self.fields.words(entry);
        if names.is_empty() && !matches!(entry.node.value, Value::Table(_) | Value::Bool(_)) {
            let text = "channels is empty; name at least one, or leave the key out, or write draft: true";
            self.fields.refuse("channels", entry.line, "channels_empty", text);
        }
        for (name, line) in names {
            self.channel(&name, line, content);
        }
    }

    pub(super) fn default_channels(&mut self, content: &mut Content) {
        let rules = self.fields.rules;
        for name in &rules.default_channels {
            self.channel(name, 1, content);
        }
    }

    fn channel(&mut self, name: &str, line: u32, content: &mut Content) {
        let rules = self.fields.rules;
        let Some(found) = rules.channels_of(name) else {
            let text = format!("there is no channel or group {name:?}{}", meant(name, rules.names()));
            return self.fields.refuse("channels", line, "channel_unknown", text);
        };
        for channel in found {
            if !content.channels.iter().any(|known| known == channel) {
                content.channels.push(channel.to_owned());
            }
        }
    }

    pub(super) fn variants(&mut self, entry: &Entry, content: &mut Content) {
        let rules = self.fields.rules;
        for variant in self.fields.table("variants", &entry.node, "a table of channels") {
            let key = format!("variants.{}", variant.key);
            content.lines.insert(key.clone(), variant.line);
            if !rules.channels.contains(&variant.key) {
                let text = variant_refusal(&variant.key, rules);
                self.fields.refuse(&key, variant.line, "variant_unknown", text);
                continue;
            }
            let read = self.variant(&key, &variant.node);
            content.variants.insert(variant.key.clone(), read);
        }
    }

    fn variant(&mut self, key: &str, node: &Node) -> Variant {
        let mut variant = Variant::default();
        if !matches!(node.value, Value::Table(_)) {
            variant.text = self.fields.text(key, node);
            return variant;
        }
        for entry in self.fields.table(key, node, "text or a table") {
            if entry.key == "text" {
                variant.text = self.fields.text(&format!("{key}.text"), &entry.node);
            } else {
                variant.options.insert(entry.key.clone(), entry.node.value.to_json());
            }
        }
        variant
    }
}

fn meant<'a>(name: &str, candidates: impl Iterator<Item = &'a str>) -> String {
    keys::nearest(name, candidates)
        .map_or_else(|| "; add it to the configuration".into(), |it| format!("; did you mean {it}?"))
}

fn variant_refusal(name: &str, rules: &Rules) -> String {
    if rules.groups.contains_key(name) {
        return format!("{name:?} is a group; write a variant for each of its channels");
    }
    format!(
        "there is no channel {name:?} for this variant{}",
        meant(name, rules.channels.iter().map(String::as_str))
    )
}
