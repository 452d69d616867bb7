//! The few words of XML that feeds are made of. Writing to memory cannot fail.

use std::borrow::Cow;

use quick_xml::escape::escape;

/// XML being written into memory.
pub(super) struct Xml(String);

impl Xml {
    pub(super) fn new() -> Self {
        Self("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n".to_owned())
    }

    pub(super) fn open(&mut self, name: &str, attributes: &[(&str, &str)]) {
        self.tag(name, attributes, ">\n");
    }

    pub(super) fn close(&mut self, name: &str) {
        self.0.push_str("</");
        self.0.push_str(name);
        self.0.push_str(">\n");
    }

    pub(super) fn empty(&mut self, name: &str, attributes: &[(&str, &str)]) {
        self.tag(name, attributes, "/>\n");
    }

    pub(super) fn text(&mut self, name: &str, attributes: &[(&str, &str)], text: &str) {
        self.tag(name, attributes, ">");
        self.0.push_str(&escape(allowed(text)));
        self.close(name);
    }

    pub(super) fn finish(self) -> Vec<u8> {
        self.0.into_bytes()
    }

    fn tag(&mut self, name: &str, attributes: &[(&str, &str)], end: &str) {
        self.0.push('<');
        self.0.push_str(name);
        for (key, value) in attributes {
            self.0.push(' ');
            self.0.push_str(key);
            self.0.push_str("=\"");
            self.0.push_str(&attribute(value));
            self.0.push('"');
        }
        self.0.push_str(end);
    }
}

/// A reader turns tabs and line ends of attributes into spaces unless they are spelled out.
fn attribute(value: &str) -> String {
    escape(allowed(value)).replace('\t', "&#9;").replace('\n', "&#10;")
}

/// The text without the characters that XML 1.0 forbids even when escaped.
fn allowed(text: &str) -> Cow<'_, str> {
    if text.chars().all(is_allowed) {
        Cow::Borrowed(text)
    } else {
        text.chars().filter(|c| is_allowed(*c)).collect()
    }
}

fn is_allowed(c: char) -> bool {
    matches!(c, '\t' | '\n' | '\r' | ' '..='\u{d7ff}' | '\u{e000}'..='\u{fffd}' | '\u{10000}'..)
}
