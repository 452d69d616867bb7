//! Multipart forms, RFC 7578.

/// One part of a form.
#[derive(Debug, Clone, Default)]
pub(crate) struct Part {
    pub(crate) name: String,
    /// Only files have one.
    pub(crate) filename: Option<String>,
    /// Its `Content-Type`; empty when it has none.
    pub(crate) kind: String,
    pub(crate) body: Vec<u8>,
}

/// The parts of a body; none when it is not of that kind.
pub(super) fn parts(content_type: &str, body: &[u8]) -> Vec<Part> {
    let Some(boundary) = parameter(content_type, "boundary") else { return Vec::new() };
    let mark = format!("\r\n--{boundary}").into_bytes();
    // The first mark has no line before it.
    let whole = [b"\r\n", body].concat();
    split(&whole, &mark).into_iter().skip(1).filter_map(part).collect()
}

fn part(bytes: &[u8]) -> Option<Part> {
    let bytes = bytes.strip_prefix(b"\r\n")?;
    let end = find(bytes, b"\r\n\r\n")?;
    let mut part = Part { body: bytes[end + 4..].to_vec(), ..Part::default() };
    for line in String::from_utf8_lossy(&bytes[..end]).lines() {
        let Some((name, value)) = line.split_once(':') else { continue };
        match name.to_ascii_lowercase().as_str() {
            "content-disposition" => {
                part.name = parameter(value, "name")?;
                part.filename = parameter(value, "filename");
            }
            "content-type" => value.trim().clone_into(&mut part.kind),
            _ => {}
        }
    }
    Some(part)
}

/// `; name="value"` or `; name=value`.
fn parameter(header: &str, name: &str) -> Option<String> {
    header.split(';').skip(1).find_map(|piece| {
        let (have, value) = piece.trim().split_once('=')?;
        have.eq_ignore_ascii_case(name).then(|| value.trim_matches('"').to_owned())
    })
}

fn split<'a>(bytes: &'a [u8], mark: &[u8]) -> Vec<&'a [u8]> {
    let mut rest = bytes;
    let mut pieces = Vec::new();
    while let Some(at) = find(rest, mark) {
        pieces.push(&rest[..at]);
        rest = &rest[at + mark.len()..];
    }
    pieces.push(rest);
    pieces
}

fn find(bytes: &[u8], wanted: &[u8]) -> Option<usize> {
    bytes.windows(wanted.len()).position(|window| window == wanted)
}
