//! A request as platforms read it.

mod multipart;

use serde_json::{Map, Value as Json};

use crate::text;

pub(crate) use multipart::Part;

/// A request that arrived whole. Its path begins after the platform's prefix.
#[derive(Debug, Clone, Default)]
pub(crate) struct Call {
    pub(crate) method: String,
    pub(crate) path: String,
    pub(crate) query: String,
    /// Names in lower case.
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: Vec<u8>,
    /// What stands before the path: `http://127.0.0.1:PORT/mastodon`.
    pub(crate) base: String,
}

impl Call {
    /// Method and path, for a `match`.
    pub(crate) fn route(&self) -> (&str, Vec<&str>) {
        (self.method.as_str(), self.path.split('/').filter(|part| !part.is_empty()).collect())
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(have, _)| have == name).map(|(_, value)| value.as_str())
    }

    /// The token of `Authorization: Bearer`.
    pub(crate) fn bearer(&self) -> Option<&str> {
        let (scheme, token) = self.header("authorization")?.split_once(' ')?;
        scheme.eq_ignore_ascii_case("bearer").then_some(token.trim())
    }

    /// A parameter of the query.
    pub(crate) fn asked(&self, name: &str) -> Option<String> {
        pairs(&self.query).into_iter().find(|(have, _)| have == name).map(|(_, value)| value)
    }

    pub(crate) fn json(&self) -> Option<Json> {
        serde_json::from_slice(&self.body).ok()
    }

    /// The fields of the body, from JSON, a form or a multipart form; `name[]` is a list. Empty when it is none.
    pub(crate) fn fields(&self) -> Map<String, Json> {
        let kind = self.header("content-type").unwrap_or_default();
        if kind.starts_with("application/json") {
            return match self.json() {
                Some(Json::Object(fields)) => fields,
                _ => Map::new(),
            };
        }
        if kind.starts_with("multipart/form-data") {
            let texts = self.parts().into_iter().filter(|part| part.filename.is_none());
            return gathered(texts.map(|part| (part.name, String::from_utf8_lossy(&part.body).into_owned())));
        }
        gathered(pairs(&String::from_utf8_lossy(&self.body)).into_iter())
    }

    /// The parts of a multipart body.
    pub(crate) fn parts(&self) -> Vec<Part> {
        multipart::parts(self.header("content-type").unwrap_or_default(), &self.body)
    }
}

/// `a=1&b=2`, decoded.
fn pairs(text: &str) -> Vec<(String, String)> {
    let pairs = text.split('&').filter(|pair| !pair.is_empty());
    let decode = |text: &str| text::percent_decoded(&text.replace('+', " "));
    pairs
        .map(|pair| {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            (decode(name), decode(value))
        })
        .collect()
}

fn gathered(pairs: impl Iterator<Item = (String, String)>) -> Map<String, Json> {
    let mut fields = Map::new();
    for (name, value) in pairs {
        let Some(list) = name.strip_suffix("[]") else {
            fields.insert(name, Json::String(value));
            continue;
        };
        let list = fields.entry(list.to_owned()).or_insert_with(|| Json::Array(Vec::new()));
        if let Json::Array(list) = list {
            list.push(Json::String(value));
        }
    }
    fields
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call(kind: &str, body: &[u8]) -> Call {
        let headers = vec![("content-type".to_owned(), kind.to_owned())];
        Call { headers, body: body.to_vec(), query: "limit=40&q=a%26b+c".to_owned(), ..Call::default() }
    }

    #[test]
    fn forms_and_json_give_the_same_fields() {
        let form = call("application/x-www-form-urlencoded", b"status=%ED%95%9C+a%3Db&ids[]=1&ids%5B%5D=2");
        let json = call("application/json", "{\"status\":\"한 a=b\",\"ids\":[\"1\",\"2\"]}".as_bytes());
        assert_eq!(form.fields(), json.fields());
        assert_eq!(form.asked("q").as_deref(), Some("a&b c"));
        assert_eq!(form.asked("x"), None);
    }

    #[test]
    fn a_multipart_form_gives_its_files_and_texts_byte_for_byte() {
        let body = b"--x\r\nContent-Disposition: form-data; name=\"description\"\r\n\r\na \"b\"\r\n--x\r\n\
            Content-Disposition: form-data; name=\"file\"; filename=\"a.png\"\r\nContent-Type: image/png\r\n\r\n\
            \x89PNG\r\n--y\r\n\r\n--x--\r\n";
        let call = call("multipart/form-data; boundary=x", body);
        assert_eq!(call.fields()["description"], "a \"b\"");
        let parts = call.parts();
        assert_eq!(parts.len(), 2);
        assert_eq!(parts[1].body, b"\x89PNG\r\n--y\r\n");
        assert_eq!((parts[1].kind.as_str(), parts[1].filename.as_deref()), ("image/png", Some("a.png")));
    }
}
