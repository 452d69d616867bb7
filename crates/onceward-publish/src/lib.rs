//! One piece of content to many channels, each exactly once.
//!
//! ```text
//! front_matter  a file → a table with line numbers, and a body
//! date          a date as people write it → an instant
//! content       table and body → a content, or refusals with file and line
//! body          Markdown → plain text, HTML, images
//! media         what a picture is, and whether its path may be read
//! text          how platforms count; threads; links, mentions and hashtags
//! channel       the adapter contract: what a kind of channel can do
//! channels      one folder for each kind of channel
//! post, dress   a content as one channel gets it, and in that channel's dress
//! plan          contents × channels → what a run will do
//! publisher     plans, enqueues in one transaction, serves workers
//! learned       what servers say they take
//! vault         secrets and sessions at rest
//! alert         an alert as a post
//! deliver       the handlers of posts and alerts
//! ```

mod absent;
mod alert;
pub mod body;
pub mod channel;
pub mod channels;
mod configured;
pub mod content;
pub mod date;
mod deliver;
mod dress;
pub mod front_matter;
mod learned;
pub mod media;
mod missed;
mod origin;
mod plan;
mod post;
mod publisher;
mod quiet;
mod refusal;
pub mod regular;
mod store;
pub mod template;
pub mod text;
pub mod vault;
mod view;
mod walls;

pub use absent::CHANNEL_MISSING;
pub use configured::{Configured, Lacking};
pub use dress::{Dress, Dressed};
pub use plan::{APPROVAL, Act, Plan, Planned, PlannedJob, Wishes, Withdrawn};
pub use post::{Picture, Post};
pub use publisher::{Publisher, jobs_of, migrate, preview};
pub use quiet::Quiet;
pub use refusal::Refusal;
pub use store::PUBLISH_TABLES;
pub use store::standing::Standing;
pub use view::{ContentJob, ContentView, content, contents, reschedule};
