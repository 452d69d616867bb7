//! One file's bytes → a content, or everything that is wrong with it.

mod channels;
mod checks;
mod media;

use std::collections::BTreeMap;
use std::path::Path;

use super::fields::Fields;
use super::{Content, Parsed, Rules, Skipped, Thread, id, keys};
use crate::front_matter::{self, Entry, Parts, Table, Value};
use crate::media::{MediaError, MediaFacts, Place};
use crate::refusal::Refusal;

/// Reads one content file. `look` says what the media files are that it names.
///
/// Nothing else is read and no clock is asked: the same bytes, rules and looks give the same answer.
pub fn parse(
    file: &Path,
    bytes: &[u8],
    rules: &Rules,
    look: &dyn Fn(&Place) -> Result<MediaFacts, MediaError>,
) -> Parsed {
    let (table, parts) = match front_matter::read(bytes) {
        Ok(read) => read,
        Err(fault) => {
            let refusal = Refusal::new(file, fault.code, fault.text);
            return Parsed::Refused(vec![fault.line.map_or(refusal.clone(), |line| refusal.at(line))]);
        }
    };
    if let Some(reason) = draft(&table) {
        return Parsed::Skipped(Skipped { file: file.to_owned(), reason: reason.to_owned() });
    }
    let mut reader = Reader { fields: Fields { file, rules, refused: Vec::new() }, look };
    let content = reader.content(&table, &parts);
    let mut refused = reader.fields.refused;
    if refused.is_empty() {
        return Parsed::Content(Box::new(content));
    }
    refused.sort_by_key(|refusal| refusal.line);
    Parsed::Refused(refused)
}

/// A draft may be full of mistakes: it is skipped before anything else is looked at.
fn draft(table: &Table) -> Option<&'static str> {
    table.iter().find_map(|entry| match (entry.key.as_str(), &entry.node.value) {
        ("draft", Value::Bool(true)) => Some("draft: true"),
        ("published", Value::Bool(false)) => Some("published: false"),
        _ => None,
    })
}

struct Reader<'a> {
    fields: Fields<'a>,
    look: &'a dyn Fn(&Place) -> Result<MediaFacts, MediaError>,
}

impl Reader<'_> {
    fn content(&mut self, table: &Table, parts: &Parts<'_>) -> Content {
        let mut content = empty(self.fields.file, parts);
        self.text_is_clean(table, parts);
        for entry in table {
            content.lines.insert(entry.key.clone(), entry.line);
            self.key(entry, &mut content);
        }
        if content.id.is_empty() {
            self.default_id(table, &mut content);
        }
        if !content.lines.contains_key("channels") {
            self.default_channels(&mut content);
        }
        self.body_media(&mut content);
        self.foreign_dates(table, &content);
        self.as_a_whole(&content);
        content
    }

    fn key(&mut self, entry: &Entry, content: &mut Content) {
        match entry.key.as_str() {
            "id" => self.id(entry, content),
            "title" => content.title = self.fields.text("title", &entry.node),
            "link" => content.link = self.fields.address(entry),
            "tags" => content.tags = self.tags(entry),
            "channels" => self.channels(entry, content),
            "publish_at" => content.publish_at = self.fields.date(entry),
            "expire_at" => content.expire_at = self.fields.date(entry),
            "approve" => content.approve = self.fields.bool(entry).unwrap_or(false),
            "draft" | "published" => {
                self.fields.bool(entry);
            }
            "media" => self.media(entry, content),
            "variants" => self.variants(entry, content),
            "thread" => content.thread = self.thread(entry),
            other => self.unknown(other, entry, content),
        }
    }

    fn unknown(&mut self, key: &str, entry: &Entry, content: &mut Content) {
        if let Some(ours) = keys::slip(key) {
            self.fields.refuse(
                key,
                entry.line,
                "key_unknown",
                format!("unknown key {key}; did you mean {ours}?"),
            );
        } else {
            content.extra.insert(key.to_owned(), entry.node.value.to_json());
        }
    }

    fn id(&mut self, entry: &Entry, content: &mut Content) {
        let Some(given) = self.fields.text("id", &entry.node) else { return };
        match id::checked(&given) {
            Ok(id) => content.id = id,
            Err(text) => self.fields.refuse("id", entry.node.line, "id_unreadable", text),
        }
    }

    fn default_id(&mut self, table: &Table, content: &mut Content) {
        // An empty one names nothing.
        content.lines.remove("id");
        if table.iter().any(|entry| entry.key == "id" && entry.node.value != Value::Null) {
            return;
        }
        match id::from_path(self.fields.file, &self.fields.rules.root).map(|path| id::checked(&path)) {
            Some(Ok(id)) => content.id = id,
            Some(Err(text)) => self.fields.refuse("id", 1, "id_unreadable", text),
            None => {
                let text = match self.fields.file.to_str() {
                    None => "the file's name is not UTF-8, so it needs an id: add `id: my-name`",
                    Some(_) => {
                        "the file lies outside the configuration's folder, so it needs an id: add `id: my-name`"
                    }
                };
                self.fields.refuse("id", 1, "id_needed", text);
            }
        }
    }

    fn tags(&mut self, entry: &Entry) -> Vec<String> {
        let words = self.fields.words(entry);
        let tags = words.into_iter().map(|(tag, _)| tag.trim().trim_start_matches('#').to_owned());
        tags.filter(|tag| !tag.is_empty()).collect()
    }

    fn thread(&mut self, entry: &Entry) -> Thread {
        match &entry.node.value {
            Value::List(items) if !items.is_empty() => {
                Thread::Parts(items.iter().filter_map(|item| self.fields.text("thread", item)).collect())
            }
            Value::Text(text) if text == "never" => Thread::Never,
            Value::Text(text) if text == "auto" => Thread::Auto,
            Value::Null => Thread::Auto,
            _ => {
                let text = "thread must be auto, never, or a list of parts";
                self.fields.refuse("thread", entry.node.line, "value_wrong_type", text);
                Thread::Auto
            }
        }
    }
}

fn empty(file: &Path, parts: &Parts<'_>) -> Content {
    Content {
        id: String::new(),
        file: file.to_owned(),
        title: None,
        link: None,
        tags: Vec::new(),
        channels: Vec::new(),
        publish_at: None,
        expire_at: None,
        approve: false,
        media: Vec::new(),
        variants: BTreeMap::new(),
        thread: Thread::Auto,
        body: parts.body.to_owned(),
        body_line: parts.body_line,
        extra: BTreeMap::new(),
        lines: BTreeMap::new(),
    }
}
