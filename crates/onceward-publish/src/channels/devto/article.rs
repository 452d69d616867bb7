//! A dressed post as an article of Forem. Pure.

use serde::{Deserialize, Serialize};
use serde_json::Value as Json;
use sha2::{Digest, Sha256};

use crate::body;
use crate::channel::{Part, Reason};
use crate::dress::Dressed;

const TITLE: usize = 128;
const TAGS: usize = 4;
/// A tag's longest name.
const TAG: usize = 30;
/// Bytes of a body.
const BODY: usize = 800 * 1024;

/// What the ledger freezes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Frozen {
    pub(super) article: Article,
    /// The draft's number, once there is one.
    pub(super) draft: Option<u64>,
}

/// The fields of an article that we set.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Article {
    pub(super) title: String,
    pub(super) body_markdown: String,
    pub(super) published: bool,
    pub(super) tags: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) canonical_url: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) main_image: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) series: Option<String>,
}

/// The article as the only part of a post.
pub(super) fn part(post: &Dressed<'_>) -> Result<Part, Reason> {
    let title = title(post)?;
    let markdown = markdown(post)?;
    let option = |key: &str| post.post.options.get(key).and_then(Json::as_str).map(str::to_owned);
    let length = markdown.chars().count();
    let text = format!("# {title}\n\n{markdown}{}", left_out(post, &markdown));
    let article = Article {
        body_markdown: format!("{markdown}\n\n{}\n", mark(&post.post.channel, &post.post.content)),
        title,
        published: false,
        tags: tags(post)?,
        // Without the channel's addition to links: it says which address is the true one.
        canonical_url: option("canonical_url").or_else(|| post.post.link.clone()),
        main_image: option("main_image"),
        series: option("series"),
    };
    if article.body_markdown.len() > BODY {
        let text = format!("the text has {} bytes; at most {BODY} are taken", article.body_markdown.len());
        return Err(Reason::new("text_too_long", text));
    }
    let request = serde_json::json!({ "article": article, "draft": null });
    Ok(Part { text, length, request })
}

fn title(post: &Dressed<'_>) -> Result<String, Reason> {
    let title = post.post.title.as_deref().map(str::trim).unwrap_or_default();
    if title.is_empty() {
        return Err(Reason::new("title_missing", "an article needs a title; give it a `title`").of("title"));
    }
    let length = title.chars().count();
    if length > TITLE {
        let text = format!("the title has {length} characters; at most {TITLE} are taken");
        return Err(Reason::new("title_too_long", text).of("title"));
    }
    Ok(title.to_owned())
}

/// Markdown is Forem's own language, so the text goes as it was written.
fn markdown(post: &Dressed<'_>) -> Result<String, Reason> {
    let markdown = if post.is_own() { post.post.body.trim() } else { post.text.trim() };
    if let Some(image) = body::images(markdown, 1).into_iter().next() {
        let text = format!(
            "{}: dev.to takes no files; name the picture by its https address, in a variant for this channel",
            image.path
        );
        return Err(Reason::new("media_needs_address", text).of("media"));
    }
    Ok(without_front_matter(markdown))
}

/// A rule as the first line would begin a front matter, which overrules title, tags and state.
fn without_front_matter(markdown: &str) -> String {
    let (first, rest) = markdown.split_once('\n').unwrap_or((markdown, ""));
    let line = first.trim_end();
    if line.len() >= 3 && line.bytes().all(|byte| byte == b'-') {
        return format!("***\n{rest}");
    }
    markdown.to_owned()
}

/// Forem takes letters and digits only; other characters are left out, as in hashtags elsewhere.
fn tags(post: &Dressed<'_>) -> Result<Vec<String>, Reason> {
    let clean =
        |tag: &str| tag.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect();
    let own = post.post.options.get("tags").and_then(Json::as_array);
    let tags: Vec<String> = match own {
        Some(own) => own.iter().filter_map(Json::as_str).map(clean).collect(),
        None => post.post.tags.iter().map(|tag| clean(tag)).collect(),
    };
    let tags: Vec<String> = tags.into_iter().filter(|tag| !tag.is_empty()).collect();
    if tags.len() > TAGS {
        let text = format!(
            "there are {} tags; at most {TAGS} are taken: choose in a variant for this channel",
            tags.len()
        );
        return Err(Reason::new("too_many_tags", text).of("tags"));
    }
    match tags.iter().find(|tag| tag.chars().count() > TAG) {
        Some(long) => {
            let text = format!("the tag {long:?} has more than {TAG} characters");
            Err(Reason::new("tag_too_long", text).of("tags"))
        }
        None => Ok(tags),
    }
}

/// By this a draft is known again: readers do not see it.
fn mark(channel: &str, content: &str) -> String {
    let name = hex::encode(Sha256::digest(format!("{content}\0{channel}")));
    format!("<!-- onceward {} -->", &name[..16])
}

/// Whether a body carries the same mark as that of an article of ours.
pub(super) fn is_ours(article: &Article, body: &str) -> bool {
    let last = article.body_markdown.trim_end().rsplit('\n').next();
    last.is_some_and(|mark| body.trim_end().ends_with(mark))
}

/// What the preview says of media that stay behind.
fn left_out(post: &Dressed<'_>, markdown: &str) -> String {
    let names = post.post.media.iter().map(|picture| picture.given.as_str());
    let names: Vec<_> = names.filter(|name| !markdown.contains(name)).collect();
    if names.is_empty() {
        String::new()
    } else {
        format!("\n\n(left out, since dev.to takes no files: {})", names.join(", "))
    }
}
