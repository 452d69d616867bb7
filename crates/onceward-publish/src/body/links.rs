//! Which targets of a link may leave, and as what.

use pulldown_cmark::LinkType;
use url::Url;

/// How the targets in a body become addresses that work where the text is read.
#[derive(Clone, Copy)]
pub struct Links<'a> {
    /// What a relative link is relative to; without it, only its label stays.
    pub base: Option<&'a Url>,
    /// The address of a local image, given its decoded path; without one, its alt text stays.
    pub images: &'a dyn Fn(&str) -> Option<String>,
}

impl Links<'_> {
    /// No base and no images: for texts that carry their media apart.
    pub const NONE: Links<'static> = Links { base: None, images: &|_| None };

    /// The address behind a link as Markdown gives it: an e-mail address in `<…>` comes without its scheme.
    pub(super) fn of(&self, link: LinkType, target: &str) -> Option<String> {
        if link == LinkType::Email { Some(format!("mailto:{target}")) } else { self.link(target) }
    }

    /// The address behind a link: `http`, `https`, `mailto` or `tel`, else none.
    fn link(&self, target: &str) -> Option<String> {
        let url = match Url::parse(target) {
            Ok(url) => url,
            Err(url::ParseError::RelativeUrlWithoutBase) if !target.is_empty() => {
                self.base?.join(target).ok()?
            }
            Err(_) => return None,
        };
        if !matches!(url.scheme(), "http" | "https" | "mailto" | "tel") {
            return None;
        }
        let as_written =
            target.contains(':') && !target.contains(|c: char| c.is_control() || c.is_whitespace());
        Some(if as_written && Url::parse(target).is_ok() { target.to_owned() } else { url.into() })
    }

    /// The address of an image: `http`, `https`, or what `images` says for a file of ours.
    pub(super) fn image(&self, target: &str) -> Option<String> {
        if super::is_local(target) {
            return (self.images)(&super::decode_percent(target));
        }
        self.link(target).filter(|url| url.starts_with("http"))
    }
}
