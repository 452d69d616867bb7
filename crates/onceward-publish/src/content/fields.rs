//! Reading single values, and noting what is wrong with them.

use std::path::Path;

use super::Rules;
use crate::date::{self, Wish};
use crate::front_matter::{Entry, Node, Value};
use crate::refusal::Refusal;

/// Reads fields of one file; whatever is wrong is collected, and reading goes on.
pub(super) struct Fields<'a> {
    pub(super) file: &'a Path,
    pub(super) rules: &'a Rules,
    pub(super) refused: Vec<Refusal>,
}

impl Fields<'_> {
    pub(super) fn refuse(&mut self, key: &str, line: u32, code: &str, text: impl Into<String>) {
        self.refused.push(Refusal::new(self.file, code, text).at(line).of(key));
    }

    fn wrong(&mut self, key: &str, node: &Node, expected: &str) {
        let text = format!("{key} must be {expected}, but is {}", node.value.name());
        self.refuse(key, node.line, "value_wrong_type", text);
    }

    /// Text, or a number or date as it was spelled; nothing when the key is empty.
    pub(super) fn text(&mut self, key: &str, node: &Node) -> Option<String> {
        match &node.value {
            Value::Text(text) | Value::Number(text) | Value::Date(text) => Some(text.clone()),
            Value::Null => None,
            _ => {
                self.wrong(key, node, "text");
                None
            }
        }
    }

    pub(super) fn bool(&mut self, entry: &Entry) -> Option<bool> {
        match entry.node.value {
            Value::Bool(bool) => Some(bool),
            Value::Null => None,
            _ => {
                self.wrong(&entry.key, &entry.node, "true or false");
                None
            }
        }
    }

    /// A list of text; a single word stands for a list of one.
    pub(super) fn words(&mut self, entry: &Entry) -> Vec<(String, u32)> {
        match &entry.node.value {
            Value::List(items) => {
                items.iter().filter_map(|item| Some((self.text(&entry.key, item)?, item.line))).collect()
            }
            Value::Text(text) if text.contains([' ', ',']) => {
                self.wrong(&entry.key, &entry.node, "a list such as [one, two]");
                Vec::new()
            }
            _ => self.text(&entry.key, &entry.node).map(|word| (word, entry.node.line)).into_iter().collect(),
        }
    }

    pub(super) fn list<'n>(&mut self, entry: &'n Entry) -> &'n [Node] {
        match &entry.node.value {
            Value::List(items) => items,
            Value::Null => &[],
            _ => {
                self.wrong(&entry.key, &entry.node, "a list");
                &[]
            }
        }
    }

    pub(super) fn table<'n>(&mut self, key: &str, node: &'n Node, expected: &str) -> &'n [Entry] {
        match &node.value {
            Value::Table(entries) => entries,
            Value::Null => &[],
            _ => {
                self.wrong(key, node, expected);
                &[]
            }
        }
    }

    pub(super) fn date(&mut self, entry: &Entry) -> Option<Wish> {
        let text = self.text(&entry.key, &entry.node)?;
        match date::parse(&text, self.rules.timezone.as_ref()) {
            Ok(wish) => Some(wish),
            Err(error) => {
                self.refuse(&entry.key, entry.node.line, error.code(), format!("{}: {error}", entry.key));
                None
            }
        }
    }

    /// An absolute address of the web.
    pub(super) fn address(&mut self, entry: &Entry) -> Option<String> {
        let text = self.text(&entry.key, &entry.node)?;
        let text = text.trim();
        match url::Url::parse(text) {
            Ok(url) if matches!(url.scheme(), "http" | "https") && url.has_host() => Some(text.to_owned()),
            _ => {
                let text = format!(
                    "{} {text:?} is no address; expected one such as https://example.org/launch",
                    entry.key
                );
                self.refuse(&entry.key, entry.node.line, "link_unreadable", text);
                None
            }
        }
    }
}
