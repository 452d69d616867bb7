//! What a payload may be, and when two payloads are the same.

use std::collections::BTreeMap;

use serde_json::value::RawValue;
use sha2::{Digest, Sha256};

use crate::Error;

/// Bytes of JSON that a payload may have.
pub const PAYLOAD_LIMIT: usize = 256 * 1024;
/// Bytes of JSON that a receipt may have.
pub(crate) const RESULT_LIMIT: usize = 64 * 1024;
/// How deep JSON may nest.
const DEPTH_LIMIT: usize = 64;

/// Refuses a payload that some store could not keep, with a path to the fault.
pub(crate) fn check(json: &str) -> Result<(), Error> {
    if json.len() > PAYLOAD_LIMIT {
        let text = format!(
            "the payload has {} bytes; at most {PAYLOAD_LIMIT} fit: store the bulk elsewhere and enqueue a reference",
            json.len()
        );
        return Err(Error::invalid("payload_too_large", text));
    }
    let suspect = json.contains("\\u0000") || json.contains('\0') || depth(json) > DEPTH_LIMIT;
    if suspect || serde_json::from_str::<serde::de::IgnoredAny>(json).is_err() {
        // Slower, and gives a path to the fault.
        return canonical(json, "$", 0).map(drop);
    }
    Ok(())
}

/// How deep the brackets of JSON nest, those within strings left out.
fn depth(json: &str) -> usize {
    let (mut now, mut most, mut within, mut escaped) = (0_usize, 0, false, false);
    for byte in json.bytes() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = within,
            b'"' => within = !within,
            b'{' | b'[' if !within => {
                now += 1;
                most = most.max(now);
            }
            b'}' | b']' if !within => now = now.saturating_sub(1),
            _ => {}
        }
    }
    most
}

/// SHA-256 over the kind and the JSON with sorted keys and no white space, numbers as written.
pub(crate) fn hash(kind: &str, json: &str) -> Result<String, Error> {
    let mut hasher = Sha256::new();
    hasher.update(kind.as_bytes());
    hasher.update([0]);
    hasher.update(canonical(json, "$", 0)?.as_bytes());
    Ok(hex::encode(hasher.finalize()))
}

/// By what a repeat of a message is told from another message that has its id: 64 hex digits of the queue and the kind it
/// is for and of what it carries. JSON counts whatever its spelling, all else byte for byte.
pub fn message_hash(queue: &str, kind: &str, body: &[u8]) -> String {
    let json = std::str::from_utf8(body).ok().and_then(|text| canonical(text, "$", 0).ok());
    let mut hasher = Sha256::new();
    for part in [queue, kind] {
        hasher.update(part.as_bytes());
        hasher.update([0]);
    }
    hasher.update(json.as_ref().map_or(body, String::as_bytes));
    hex::encode(hasher.finalize())
}

/// The id of a dedup key of any length.
pub(crate) fn key_hash(key: &str) -> String {
    hex::encode(Sha256::digest(key.as_bytes()))
}

fn canonical(json: &str, path: &str, depth: usize) -> Result<String, Error> {
    if depth > DEPTH_LIMIT {
        return Err(Error::invalid(
            "payload_too_deep",
            format!("{path}: JSON nests deeper than {DEPTH_LIMIT}"),
        ));
    }
    let bad = |e: serde_json::Error| Error::invalid("payload_not_json", format!("{path}: {e}"));
    match json.trim_start().as_bytes().first() {
        Some(b'{') => {
            let fields: BTreeMap<String, &RawValue> = serde_json::from_str(json).map_err(bad)?;
            let each = |(key, value): (&String, &&RawValue)| {
                no_nul(key, path)?;
                let inner = canonical(value.get(), &format!("{path}.{key}"), depth + 1)?;
                Ok(format!("{}:{inner}", serde_json::Value::from(key.as_str())))
            };
            let fields: Result<Vec<_>, Error> = fields.iter().map(each).collect();
            Ok(format!("{{{}}}", fields?.join(",")))
        }
        Some(b'[') => {
            let items: Vec<&RawValue> = serde_json::from_str(json).map_err(bad)?;
            let each =
                |(at, item): (usize, &&RawValue)| canonical(item.get(), &format!("{path}[{at}]"), depth + 1);
            let items: Result<Vec<_>, Error> = items.iter().enumerate().map(each).collect();
            Ok(format!("[{}]", items?.join(",")))
        }
        Some(b'"') => {
            let text: String = serde_json::from_str(json).map_err(bad)?;
            no_nul(&text, path)?;
            Ok(serde_json::Value::from(text).to_string())
        }
        _ => {
            let scalar: &RawValue = serde_json::from_str(json).map_err(bad)?;
            Ok(scalar.get().to_owned())
        }
    }
}

fn no_nul(text: &str, path: &str) -> Result<(), Error> {
    if text.contains('\0') {
        return Err(Error::invalid("payload_has_nul", format!("{path}: U+0000 cannot be stored as text")));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// So many lists around a value, each with a text beside it.
    fn nested(levels: usize, text: &str, inner: &str) -> String {
        let beside = format!("\"{text}\",");
        format!("{}{inner}{}", format!("[{beside}").repeat(levels), "]".repeat(levels))
    }

    #[test]
    fn what_nests_too_deep_is_refused_whatever_its_texts_hold() {
        for text in ["", "[[[[", "]]]]", "\\\"]", "\\\\"] {
            assert_eq!(check(&nested(64, text, "1")).map_err(|e| e.code()), Ok(()), "{text}");
            assert_eq!(
                check(&nested(65, text, "1")).map_err(|e| e.code()),
                Err("payload_too_deep"),
                "{text}"
            );
        }
    }
}
