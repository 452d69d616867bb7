//! The media of the front matter and of the body.

use super::Reader;
use crate::body;
use crate::content::{Content, Media, id};
use crate::front_matter::{Entry, Node, Value};
use crate::media;

impl Reader<'_> {
    pub(super) fn media(&mut self, entry: &Entry, content: &mut Content) {
        for item in self.fields.list(entry) {
            let (path, alt) = self.item(item);
            match path {
                Some(path) => self.medium(&path, alt, item.line, content),
                None => {
                    self.fields.refuse("media", item.line, "media_without_path", "a path is missing here");
                }
            }
        }
    }

    /// A path alone, or a table of path and alternative text.
    fn item(&mut self, item: &Node) -> (Option<String>, Option<String>) {
        if let Value::Text(text) = &item.value {
            return (Some(text.clone()), None);
        }
        let (mut path, mut alt) = (None, None);
        for part in
            self.fields.table("media", item, "a path, or a table such as {path: cover.png, alt: \"…\"}")
        {
            match part.key.as_str() {
                "path" => path = self.fields.text("media.path", &part.node),
                "alt" => alt = self.fields.text("media.alt", &part.node),
                other => {
                    let text = format!("unknown key {other} in media; known are path and alt");
                    self.fields.refuse("media", part.line, "key_unknown", text);
                }
            }
        }
        (path, alt)
    }

    pub(super) fn body_media(&mut self, content: &mut Content) {
        for image in body::images(&content.body, content.body_line) {
            self.medium(&image.path, image.alt, image.line, content);
        }
    }

    fn medium(&mut self, given: &str, alt: Option<String>, line: u32, content: &mut Content) {
        let rules = self.fields.rules;
        let file = id::plain(&rules.root.join(self.fields.file));
        let folder = file.parent().unwrap_or(&rules.root);
        let place = media::locate(given, folder, rules.static_root.as_deref());
        let alt = alt.map(|alt| alt.trim().to_owned()).filter(|alt| !alt.is_empty());
        if let Ok(place) = &place
            && let Some(known) = content.media.iter_mut().find(|media| media.path == place.path)
        {
            known.alt = known.alt.take().or(alt);
            return;
        }
        match place.and_then(|place| Ok(((self.look)(&place)?, place.path))) {
            Ok((facts, path)) => {
                content.media.push(Media { given: given.to_owned(), path, alt, line, facts });
            }
            Err(error) => self.fields.refuse("media", line, error.code(), format!("{given}: {error}")),
        }
    }
}
