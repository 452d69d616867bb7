//! `type = "bluesky"`: an account at Bluesky or any other server of the AT Protocol.

use crate::config::secret::Secret;
use crate::config::table::Table;
use crate::config::value::WebAddress;

const SERVER: &str = "https://bsky.social";
/// The protocol's limit for one post.
const LANGUAGES: usize = 3;

/// Whose account it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Bluesky {
    pub(crate) server: String,
    pub(crate) handle: String,
    /// An app password, made in the account's settings.
    pub(crate) password: Secret,
    /// The languages of its posts.
    pub(crate) languages: Vec<String>,
}

impl Bluesky {
    pub(super) fn read(table: &mut Table<'_>) -> Option<Self> {
        let server: Option<WebAddress> = table.get("server");
        let server = server.as_ref().map_or(SERVER, WebAddress::as_str).to_owned();
        let handle = table.need("handle");
        let password = table.need_secret("password");
        let languages: Vec<String> = table.get_or("languages", Vec::new());
        if languages.len() > LANGUAGES || !languages.iter().all(|language| is_tag(language)) {
            table.refuse("languages", "expected at most 3 language tags, such as [\"ko\", \"en\"]");
            return None;
        }
        Some(Self { server, handle: handle?, password: password?, languages })
    }
}

/// The shape of a language tag (BCP 47): `ko`, `pt-BR`, `zh-Hant`.
fn is_tag(text: &str) -> bool {
    let good =
        |part: &str| (1..=8).contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_alphanumeric());
    text.split('-').next().is_some_and(|language| (2..=3).contains(&language.len()))
        && text.split('-').all(good)
}
