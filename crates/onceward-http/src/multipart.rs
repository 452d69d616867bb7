//! A body of several fields and files: `multipart/form-data` (RFC 7578).

use std::fmt::Write as _;

/// A form with files. Nothing in it is read from a disk: the bytes are given.
#[derive(Clone, Default)]
pub struct Multipart {
    parts: Vec<Part>,
}

#[derive(Clone)]
struct Part {
    head: String,
    body: Vec<u8>,
}

impl Multipart {
    /// A form without fields.
    pub fn new() -> Multipart {
        Multipart::default()
    }

    /// Adds a field.
    #[must_use]
    pub fn field(mut self, name: &str, value: impl Into<Vec<u8>>) -> Multipart {
        let head = format!("Content-Disposition: form-data; name=\"{}\"\r\n", quoted(name));
        self.parts.push(Part { head, body: value.into() });
        self
    }

    /// Adds a file under the name that the receiver is to see; `mime` is its type, such as `image/png`.
    #[must_use]
    pub fn file(mut self, name: &str, file_name: &str, mime: &str, bytes: impl Into<Vec<u8>>) -> Multipart {
        let mut head = format!(
            "Content-Disposition: form-data; name=\"{}\"; filename=\"{}\"\r\n",
            quoted(name),
            quoted(file_name)
        );
        let mime: String = mime.chars().filter(|c| c.is_ascii_graphic() || *c == ' ').collect();
        let _ = write!(head, "Content-Type: {mime}\r\n");
        self.parts.push(Part { head, body: bytes.into() });
        self
    }

    /// The content type, which names the boundary, and the body.
    pub(crate) fn encode(self) -> (String, Vec<u8>) {
        let boundary = self.boundary();
        let mut body = Vec::with_capacity(self.parts.iter().map(|part| part.body.len() + 256).sum());
        for part in self.parts {
            body.extend_from_slice(format!("--{boundary}\r\n{}\r\n", part.head).as_bytes());
            body.extend_from_slice(&part.body);
            body.extend_from_slice(b"\r\n");
        }
        body.extend_from_slice(format!("--{boundary}--\r\n").as_bytes());
        (format!("multipart/form-data; boundary={boundary}"), body)
    }

    /// A line that stands in no part: found by looking, so that the same form is the same bytes each time.
    fn boundary(&self) -> String {
        let mut number = 0_u32;
        loop {
            let boundary = format!("onceward-boundary-{number}");
            let within = |bytes: &[u8]| bytes.windows(boundary.len()).any(|it| it == boundary.as_bytes());
            if !self.parts.iter().any(|part| within(&part.body) || within(part.head.as_bytes())) {
                return boundary;
            }
            number += 1;
        }
    }
}

/// A name between quotation marks, as browsers write it (WHATWG HTML, "multipart/form-data encoding algorithm").
fn quoted(name: &str) -> String {
    name.replace('"', "%22").replace('\r', "%0D").replace('\n', "%0A")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_and_files_stand_between_boundaries() {
        let form =
            Multipart::new().field("chat_id", "-100").file("photo", "hill.png", "image/png", [0x89, b'P']);
        let (kind, body) = form.encode();
        assert_eq!(kind, "multipart/form-data; boundary=onceward-boundary-0");
        let expected = b"--onceward-boundary-0\r\n\
            Content-Disposition: form-data; name=\"chat_id\"\r\n\r\n-100\r\n\
            --onceward-boundary-0\r\n\
            Content-Disposition: form-data; name=\"photo\"; filename=\"hill.png\"\r\n\
            Content-Type: image/png\r\n\r\n\x89P\r\n\
            --onceward-boundary-0--\r\n";
        assert_eq!(body, expected);
    }

    #[test]
    fn a_boundary_inside_a_file_is_not_the_boundary() {
        let (kind, _) = Multipart::new()
            .field("a", "--onceward-boundary-0--")
            .file("b", "b", "text/plain", "onceward-boundary-1")
            .encode();
        assert_eq!(kind, "multipart/form-data; boundary=onceward-boundary-2");
    }

    #[test]
    fn no_name_and_no_type_can_begin_a_header() {
        let (_, body) = Multipart::new()
            .file("a\"\r\nx: y", "b\"\r\n\r\n", "image/png\r\nx: y", [])
            .field("plain\n\nx", "v")
            .encode();
        let text = String::from_utf8(body).unwrap();
        assert!(!text.contains("\r\nx: y") && !text.contains("\n\nx"), "{text}");
        assert!(text.contains("name=\"a%22%0D%0Ax: y\"; filename=\"b%22%0D%0A%0D%0A\""), "{text}");
    }
}
