//! What was published, against what the server holds. Pure.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::server::Record;

/// A picture of one point, as the server parses it.
pub(crate) const PICTURE: &[u8] = b"\x89PNG\r\n\x1a\n\x00\x00\x00\x0dIHDR\x00\x00\x00\x01\x00\x00\x00\x01\x08\x06\x00\x00\x00\x1f\x15\xc4\x89\
    \x00\x00\x00\x0bIDATx\x9cc\xf8\x0f\x04\x00\x09\xfb\x03\xfd\xfb^k+\x00\x00\x00\x00IEND\xaeB`\x82";

/// One content: its parts are all different, and no other content has any of them.
#[derive(Debug, Clone)]
pub(crate) struct Post {
    pub(crate) name: String,
    pub(crate) parts: Vec<String>,
    pub(crate) picture: bool,
}

impl Post {
    pub(crate) fn new(name: &str, parts: usize, picture: bool) -> Self {
        let text = |part: usize| format!("게시물 {name} 🙂, part {part} of {parts}.");
        Self { name: name.to_owned(), parts: (0..parts).map(text).collect(), picture }
    }

    /// The file that is published.
    pub(crate) fn file(&self) -> String {
        let media = if self.picture { "media: [{path: point.png, alt: A point}]\n" } else { "" };
        let (thread, body) = match self.parts.as_slice() {
            [text] => (String::new(), text.as_str()),
            parts => (format!("thread: {}\n", json!(parts)), ""),
        };
        format!("---\ntitle: {}\n{media}{thread}---\n{body}\n", self.name)
    }

    /// What is wrong with the parts that the server holds.
    fn flaws(&self, held: &BTreeMap<&str, Vec<&Record>>) -> Vec<String> {
        let mut flaws = Vec::new();
        let mut before: Vec<&Record> = Vec::new();
        for (number, text) in self.parts.iter().enumerate() {
            let [record] = held.get(text.as_str()).map_or(&[][..], Vec::as_slice) else {
                let times = held.get(text.as_str()).map_or(0, Vec::len);
                flaws.push(format!("{text:?} is there {times} times"));
                continue;
            };
            let strong = |record: &&Record| json!({ "uri": record.uri, "cid": record.cid });
            let reply = match (before.first(), before.last()) {
                (Some(root), Some(parent)) => json!({ "root": strong(root), "parent": strong(parent) }),
                _ => Value::Null,
            };
            if record.value["reply"] != reply {
                flaws.push(format!("{text:?} answers {}, not {reply}", record.value["reply"]));
            }
            if record.value["embed"]["images"].is_array() != (self.picture && number == 0) {
                flaws.push(format!("{text:?} shows {}", record.value["embed"]));
            }
            before.push(record);
        }
        flaws
    }
}

/// Everything that is wrong: what is missing, double, detached, or nobody's.
pub(crate) fn flaws(posts: &[Post], held: &[Record]) -> Vec<String> {
    let mut by_text: BTreeMap<&str, Vec<&Record>> = BTreeMap::new();
    for record in held {
        by_text.entry(record.value["text"].as_str().unwrap_or_default()).or_default().push(record);
    }
    let known: Vec<&str> = posts.iter().flat_map(|post| &post.parts).map(String::as_str).collect();
    let strange =
        by_text.keys().filter(|text| !known.contains(text)).map(|text| format!("{text:?} is nobody's"));
    posts.iter().flat_map(|post| post.flaws(&by_text)).chain(strange).collect()
}
