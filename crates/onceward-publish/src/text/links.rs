//! Links in a running text, beside any script.
//!
//! Particles and punctuation of scripts that put no space there are not taken into a host: `https://a.example에서` leads
//! to `a.example`. After a host, letters of any script belong to the path, as in `https://ko.example/위키`, but for a
//! Korean particle right behind ASCII.

use std::ops::Range;

use url::Url;

/// A link in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Link {
    pub(super) range: Range<usize>,
    /// The address in ASCII, with its scheme.
    pub(super) url: String,
}

/// The links of a text, in order.
pub(super) fn find(text: &str) -> Vec<Link> {
    let (mut found, mut at) = (Vec::new(), 0);
    while at < text.len() {
        let link = with_scheme(text, at).or_else(|| domain(text, at));
        at = match link {
            Some(link) => {
                let end = link.range.end;
                found.push(link);
                end
            }
            None => next_start(text, at),
        };
    }
    found
}

/// Whether a link was written with its scheme.
pub(super) fn has_scheme(link: &str) -> bool {
    scheme(link).is_some()
}

/// The next place where a link can begin: at a letter or digit of ASCII that follows none.
fn next_start(text: &str, at: usize) -> usize {
    let rest = &text.as_bytes()[at..];
    let inside = rest.iter().take_while(|byte| byte.is_ascii_alphanumeric()).count();
    let between = rest[inside..].iter().take_while(|byte| !byte.is_ascii_alphanumeric()).count();
    at + inside + between
}

/// How long the scheme is.
fn scheme(text: &str) -> Option<usize> {
    let begins = |scheme: &&str| text.get(..scheme.len()).is_some_and(|it| it.eq_ignore_ascii_case(scheme));
    ["https://", "http://"].into_iter().find(begins).map(str::len)
}

fn with_scheme(text: &str, start: usize) -> Option<Link> {
    let scheme = scheme(&text[start..])?;
    if text[..start].ends_with(|c: char| c.is_ascii_alphanumeric() || "@＠#＃$_".contains(c)) {
        return None;
    }
    let host = start + scheme;
    let end = host + tail(&text[host..]);
    let end = host + host_end(&text[host..end]);
    let end = start + without_particle(&text[start..end]);
    let shown = &text[start..end];
    let url = Url::parse(shown).ok().filter(|url| url.host_str().is_some_and(|host| !host.is_empty()))?;
    let url = if shown.is_ascii() { shown.to_owned() } else { url.into() };
    Some(Link { range: start..end, url })
}

/// `example.com`, with or without a path, by the rules of twitter-text: a domain of a country needs a path or one more
/// name before it, since `in.it` is more often a missing space than a link.
fn domain(text: &str, start: usize) -> Option<Link> {
    let before = text[..start].chars().next_back();
    if before.is_some_and(|c| is_near(c) || "@＠#＃$_/.-".contains(c)) {
        return None;
    }
    let rest = &text[start..];
    let length =
        rest.bytes().take_while(|&byte| byte.is_ascii_alphanumeric() || b".-".contains(&byte)).count();
    let name = rest[..length].trim_end_matches(['.', '-']);
    let after = &rest[name.len()..];
    if after.starts_with(|c| is_near(c) || "@＠_".contains(c)) {
        return None;
    }
    let path = if after.starts_with(['/', '?']) { tail(after) } else { 0 };
    if !is_domain(name, path > 0) {
        return None;
    }
    let range = start..start + name.len() + path;
    let url = Url::parse(&format!("https://{}", &text[range.clone()])).ok()?;
    let url =
        if text[range.clone()].is_ascii() { format!("https://{}", &text[range.clone()]) } else { url.into() };
    Some(Link { range, url })
}

/// A letter or digit that belongs to the same word. From U+1100 on (Hangul, kana, ideographs) words stand side by side
/// with foreign ones.
fn is_near(c: char) -> bool {
    c.is_alphanumeric() && c < '\u{1100}'
}

fn is_domain(name: &str, path: bool) -> bool {
    let labels: Vec<&str> = name.split('.').collect();
    let [.., _, top] = labels.as_slice() else { return false };
    let good =
        |label: &&str| (1..=63).contains(&label.len()) && !label.starts_with('-') && !label.ends_with('-');
    if !labels.iter().all(good) {
        return false;
    }
    let top = top.to_ascii_lowercase();
    let sure = path || labels[0].eq_ignore_ascii_case("www");
    let country = top.len() == 2 && top.bytes().all(|byte| byte.is_ascii_lowercase());
    GENERIC.contains(&top.as_str())
        || (country && (sure || (labels.len() > 2 && !SUFFIXES.contains(&top.as_str()))))
}

/// Domains that need no more to be known as such, those of countries that are used like them included.
const GENERIC: [&str; 52] = [
    "com", "org", "net", "edu", "gov", "mil", "int", "info", "biz", "name", "pro", "mobi", "museum",
    "travel", "jobs", "asia", "app", "dev", "page", "blog", "news", "site", "online", "shop", "store",
    "tech", "cloud", "space", "website", "live", "world", "social", "club", "wiki", "design", "agency",
    "studio", "media", "email", "chat", "games", "xyz", "top", "link", "eco", "ngo", "art", "io", "ai", "co",
    "tv", "eu",
];

/// Domains of countries that are more often the end of a file's name.
const SUFFIXES: [&str; 22] = [
    "md", "rs", "py", "sh", "pl", "ps", "cc", "ml", "mm", "so", "js", "ts", "go", "hs", "kt", "vb", "cs",
    "db", "gz", "xz", "in", "am",
];

/// How far a link goes on: up to what no address holds, without the punctuation of the sentence around it. A closing
/// bracket belongs to the link that opened it.
fn tail(text: &str) -> usize {
    let ends = |c: char| c.is_whitespace() || c.is_control() || STOPS.contains(c);
    let mut link = &text[..text.find(ends).unwrap_or(text.len())];
    let closed = |open: char, close: char| {
        let (opened, closed) = (link.matches(open).count(), link.matches(close).count());
        closed.saturating_sub(opened)
    };
    let (mut round, mut square) = (closed('(', ')'), closed('[', ']'));
    while let Some(last) = link.chars().next_back() {
        match last {
            ')' if round > 0 => round -= 1,
            ']' if square > 0 => square -= 1,
            c if ".,;:!?'*~&|$%@([…".contains(c) => {}
            _ => break,
        }
        link = &link[..link.len() - last.len_utf8()];
    }
    link.len()
}

/// Without a Korean particle behind the last letter or sign of ASCII: `https://a.example/x를` leads to `/x`.
fn without_particle(link: &str) -> usize {
    let ends = |particle: &&str| {
        link.strip_suffix(*particle).is_some_and(|link| link.ends_with(|c: char| c.is_ascii()))
    };
    PARTICLES.split(' ').find(ends).map_or(link.len(), |particle| link.len() - particle.len())
}

const PARTICLES: &str =
    "을 를 은 는 이 가 와 과 의 에 로 도 만 으로 에서 에는 에도 까지 부터 처럼 입니다 에서는 에서도 이라는";

/// Quotes, brackets and full stops of all scripts, and marks that cannot be seen.
const STOPS: &str = "<>\"`{}^\\\u{200B}\u{200E}\u{200F}\u{2028}\u{2029}\u{202A}\u{202B}\u{202C}\u{202D}\u{202E}\
     \u{2060}\u{2066}\u{2067}\u{2068}\u{2069}\u{FEFF}\u{FFFC}«»“”„‘’‚‹›「」『』【】《》〈〉（）［］｛｝〔〕〖〗。、，．；：！？｡､｢｣\
     ؟؛،।";

/// Where the link ends: a name of ASCII at the end of the host ends before the first letter of another script.
fn host_end(link: &str) -> usize {
    let authority = link.find(['/', '?', '#']).unwrap_or(link.len());
    let top = link[..authority].rfind(['.', ':', '@']).map_or(0, |dot| dot + 1);
    let ascii = link[top..authority].starts_with(|c: char| c.is_ascii_alphanumeric());
    match link[top..authority].find(|c: char| !c.is_ascii()) {
        Some(foreign) if ascii => top + foreign,
        _ => link.len(),
    }
}
