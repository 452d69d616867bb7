//! Texts by each platform's own rules: how long one is, where it may be cut, what in it is a link, a mention or a
//! hashtag. Pure.
//!
//! ```text
//! count     Counter::count(text), and Limit: a counter with the most that is taken
//! links     links in a running text, beside any script
//! facets    links, mentions and hashtags of a text, as byte ranges
//! split     a text → byte ranges that fit, cut between sentences, else words, else characters
//! entities  bold, links and the like as Telegram takes them: ranges in UTF-16
//! parts     a post → its parts by `thread`, or the reason why it does not fit
//! ```
//!
//! An adapter's `render` asks the post for its parts: `post.plain_parts(&room)`, where the [`Room`] holds the
//! platform's [`Limit`]s, then counts each with [`Limit::count`] and finds its [`facets`]. Platforms that know bold and
//! links take `post.rich_parts(&room)`: the formatting stands beside the text, never in it.

mod count;
mod entities;
mod facets;
mod links;
mod parts;
mod split;

pub use count::{Counter, Limit};
pub use entities::{Entity, entities};
pub use facets::{Facet, What, facets, unmentioned};
pub use parts::Room;
pub use split::{TooLong, split};
