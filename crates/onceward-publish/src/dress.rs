//! A post in the dress of one channel: its template, its link, its hashtags. Pure.

use minijinja::{Environment, Value, context};
use onceward::Time;
use serde_json::Value as Json;
use url::Url;

use crate::body::{self, Links, Rich};
use crate::channel::Reason;
use crate::post::Post;
use crate::template::{self, NAMES};

/// How a channel dresses every text.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Dress {
    /// A template over title, text, link, tags, id and channel, in place of the content's own text.
    pub template: Option<String>,
    /// Whether tags go to the end of texts that have no other place for them.
    pub hashtags: bool,
    /// Added to the query of links; `{channel}` becomes the channel's name.
    pub link_query: Option<String>,
}

/// A post, dressed.
#[derive(Debug, Clone, PartialEq)]
pub struct Dressed<'a> {
    /// The post as it was written.
    pub post: &'a Post,
    /// Its link, with the channel's addition.
    pub link: Option<String>,
    /// Its text without markup, or what the template made of it.
    pub text: String,
    /// Text, link and hashtags in one, for channels that have no place of their own for link and tags.
    pub whole: String,
    /// The same with its formatting beside it, for platforms that know bold, links and the like.
    pub rich: Rich,
    /// When it is published: frozen with the first send.
    pub at: Time,
    /// What the channel's server said it takes; null: it never did.
    pub server: &'a Json,
}

impl Dressed<'_> {
    /// Whether the text is the post's own, and not what a template made.
    pub fn is_own(&self) -> bool {
        self.text == body::text(&self.post.body, &Links::NONE)
    }
}

impl Dress {
    /// Dresses a post for the channel of that name.
    ///
    /// # Errors
    /// When the template is wrong.
    pub fn put_on<'a>(
        &self,
        post: &'a Post,
        channel: &str,
        at: Time,
        server: &'a Json,
    ) -> Result<Dressed<'a>, Reason> {
        let link = post.link.as_deref().map(|link| self.link(link, channel));
        let plain = body::text(&post.body, &Links::NONE);
        let own = self.template.is_none();
        let text = match &self.template {
            Some(template) => fill(template, post, &plain, link.as_deref(), channel)?,
            None => plain,
        };
        let mut rich = if own { body::rich(&post.body, &Links::NONE) } else { Rich::plain(text.as_str()) };
        let appended = link.clone().filter(|link| own && !text.contains(link.as_str()));
        let tags = (self.hashtags && own).then(|| hashtags(&post.tags)).filter(|tags| !tags.is_empty());
        let mut whole = Rich::plain(text.as_str());
        for piece in [appended, tags].into_iter().flatten() {
            whole.append(&piece);
            rich.append(&piece);
        }
        Ok(Dressed { post, link, text, whole: whole.text, rich, at, server })
    }

    /// The link with the channel's addition to its query.
    fn link(&self, link: &str, channel: &str) -> String {
        let (Some(query), Ok(mut url)) = (&self.link_query, Url::parse(link)) else { return link.to_owned() };
        let added = query.replace("{channel}", channel);
        let query = match url.query().filter(|own| !own.is_empty()) {
            Some(own) => format!("{own}&{added}"),
            None => added,
        };
        url.set_query(Some(&query));
        url.into()
    }
}

fn fill(
    template: &str,
    post: &Post,
    text: &str,
    link: Option<&str>,
    channel: &str,
) -> Result<String, Reason> {
    // A null would be shown as the word "none".
    let given = |value: Option<&str>| value.map_or(Value::UNDEFINED, Value::from);
    let values = context! {
        title => given(post.title.as_deref()), text, link => given(link), tags => &post.tags, id => &post.content, channel,
    };
    let wrong = |why: String| {
        let text = format!("the channel's template: {why}; correct `template` of the channel");
        Reason::new("template_wrong", text)
    };
    let unknown = template::unknown(template).map_err(|error| wrong(error.to_string()))?;
    if let Some(name) = unknown.first() {
        return Err(wrong(format!("nothing is called `{name}`; a template knows {}", NAMES.join(", "))));
    }
    let filled = Environment::new().render_str(template, values);
    filled.map(|text| text.trim().to_owned()).map_err(|error| wrong(error.to_string()))
}

/// `#rust #작업큐`: white space and marks would end a hashtag, so they are left out.
fn hashtags(tags: &[String]) -> String {
    let tag = |tag: &String| tag.chars().filter(|c| c.is_alphanumeric() || *c == '_').collect::<String>();
    let tags = tags.iter().map(tag).filter(|tag| !tag.is_empty());
    tags.map(|tag| format!("#{tag}")).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn filled(template: &str) -> Result<String, Reason> {
        let post: Post = serde_json::from_value(json!({
            "content": "posts/a", "channel": "c1", "title": null, "link": null, "tags": [], "body": "Hello.", "media": [],
            "thread": "auto", "options": {}, "publish_at": null, "expire_at": null, "approve": false,
        }))
        .unwrap();
        let dress = Dress { template: Some(template.to_owned()), ..Dress::default() };
        dress.put_on(&post, "c", Time::from_micros(0), &Json::Null).map(|dressed| dressed.whole)
    }

    #[test]
    fn what_a_post_lacks_fills_in_nothing() {
        for (template, expected) in [
            ("{{ text }} {{ title }}{{ link }}{{ tags[0] }}", "Hello."),
            ("{% if link %}{{ link }}{% else %}{{ title or id }}{% endif %}", "posts/a"),
            ("{{ title|default('New') }}", "New"),
        ] {
            assert_eq!(filled(template).unwrap(), expected, "{template}");
        }
    }

    #[test]
    fn a_name_that_nothing_bears_is_refused() {
        let reason = filled("{% if link %}{{ titel }}{% endif %}{{ text }}").unwrap_err();
        assert_eq!(reason.code, "template_wrong");
        assert!(reason.text.contains("`titel`") && reason.text.contains("title, text"), "{}", reason.text);
    }
}
