//! One piece of content to many channels, each exactly once.
//!
//! ```text
//! front_matter  a file → a table with line numbers, and a body
//! date          a date as people write it → an instant
//! content       table and body → a content, or refusals with file and line
//! body          Markdown → plain text, HTML, images
//! media         what a picture is, and whether its path may be read
//! channels      one folder for each kind of channel: feed, archive, webhook
//! ```

pub mod body;
pub mod channels;
pub mod content;
pub mod date;
pub mod front_matter;
pub mod media;
mod refusal;

pub use refusal::Refusal;
