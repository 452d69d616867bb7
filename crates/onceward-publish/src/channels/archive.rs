//! An archive: one HTML page for each content, and an index. Pure: the same entries give the same pages.

mod adapter;
mod slug;

use minijinja::value::Serde;
use minijinja::{Environment, Error, ErrorKind, Value, context};
use onceward_db::Time;
use serde::Serialize;

use super::entry::{Entry, newest, one_line};
use super::ours::COMMENT;
use crate::template::strangers;

pub use adapter::ArchiveChannel;
pub use slug::slug;

const PAGE: &str = include_str!("archive/page.html");
const INDEX: &str = include_str!("archive/index.html");
const STYLE: &str = include_str!("archive/style.css");
/// The name of the index.
const INDEX_NAME: &str = "index.html";
/// What a page's template may name.
const NAMES: [&str; 12] = [
    "title",
    "style",
    "entry.name",
    "entry.heading",
    "entry.link",
    "entry.html",
    "entry.teaser",
    "entry.tags",
    "entry.published",
    "entry.day",
    "entry.updated",
    "entry.image",
];
/// How many characters of a text the index shows.
const TEASER: usize = 160;

/// What an archive says about itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Archive {
    /// The title of the index.
    pub title: String,
    /// The source of an own template for the pages; it sees what the built-in one sees.
    pub page: Option<String>,
}

/// A file of the archive.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Page {
    /// Its name inside the archive's folder: one step, never a path.
    pub name: String,
    /// Its bytes, HTML in UTF-8.
    pub bytes: Vec<u8>,
}

#[derive(Serialize)]
struct Shown<'a> {
    name: String,
    heading: String,
    link: Option<&'a str>,
    html: &'a str,
    teaser: String,
    tags: &'a [String],
    published: String,
    day: String,
    updated: Option<String>,
    image: Option<&'a super::Picture>,
}

/// The page of each entry, newest first, and then the index `index.html`.
///
/// # Errors
/// The template engine's error, when the archive's own template is wrong.
pub fn render(archive: &Archive, entries: &[Entry]) -> Result<Vec<Page>, Error> {
    let templates = templates(archive.page.as_deref().unwrap_or(PAGE))?;
    let title = archive.title.as_str();
    let shown: Vec<Shown<'_>> = newest(entries, usize::MAX).into_iter().map(shown).collect();
    let mut pages = Vec::with_capacity(shown.len() + 1);
    let page = templates.get_template("page.html")?;
    for entry in &shown {
        let mut html = page.render(context! { title, entry => Serde(entry) })?;
        // An own template need not say who made the page.
        if archive.page.is_some() {
            html.push_str(COMMENT);
        }
        pages.push(Page { name: entry.name.clone(), bytes: html.into_bytes() });
    }
    let index = templates.get_template("index.html")?;
    let html = index.render(context! { title, entries => Serde(&shown) })?;
    pages.push(Page { name: INDEX_NAME.to_owned(), bytes: html.into_bytes() });
    Ok(pages)
}

/// Names that end in `.html` are escaped by the engine.
fn templates(page: &str) -> Result<Environment<'_>, Error> {
    let mut templates = Environment::new();
    templates.add_global("style", Value::from_safe_string(STYLE.to_owned()));
    templates.add_template("page.html", page)?;
    templates.add_template("index.html", INDEX)?;
    match strangers(&templates, &templates.get_template("page.html")?, &NAMES).first() {
        Some(name) => {
            let text = format!("nothing is called `{name}`; a page knows {}", NAMES.join(", "));
            Err(Error::new(ErrorKind::UndefinedError, text))
        }
        None => Ok(templates),
    }
}

fn shown(entry: &Entry) -> Shown<'_> {
    Shown {
        name: slug(&entry.id),
        heading: entry.heading(),
        link: entry.link.as_deref(),
        html: &entry.html,
        teaser: teaser(&entry.text),
        tags: &entry.tags,
        published: entry.published.to_string(),
        day: day(entry.published),
        updated: (entry.updated > entry.published).then(|| day(entry.updated)),
        image: entry.image.as_ref(),
    }
}

fn teaser(text: &str) -> String {
    let line = one_line(text);
    let mut letters = line.chars();
    let start: String = letters.by_ref().take(TEASER).collect();
    if letters.next().is_some() { format!("{}…", start.trim_end()) } else { start }
}

fn day(at: Time) -> String {
    at.timestamp().strftime("%Y-%m-%d").to_string()
}
