//! Stand-in platforms on loopback, as their documentation says they behave.
//!
//! For rehearsals without an account, and for tests. It is a stand-in, and says so: what only a stand-in has shown is
//! built to a platform's documentation, not proven against that platform. Nothing of ours is used here and no library
//! that the adapters count or parse with, so that a mistake cannot hide by being made on both sides.
//!
//! ```
//! # async fn example() -> std::io::Result<()> {
//! use onceward_sandbox::{Fault, Kind, Options, Sandbox};
//!
//! let sandbox = Sandbox::start(Options::default()).await?;
//! sandbox.fault(Fault::new(Kind::AcceptThenReset).on("mastodon").act("post").times(1));
//! println!("{}", sandbox.url("mastodon")); // http://127.0.0.1:PORT/mastodon
//! assert_eq!(sandbox.ledger().visible("mastodon").count(), 0);
//! sandbox.stop().await;
//! # Ok(()) }
//! ```
//!
//! # How a platform is added
//!
//! One file `platforms/NAME.rs` and one line in `platforms.rs`. A platform is a type without state that implements
//! `Platform`: `read` says which act a request is (`post`, `upload`, `look`, `account` …), by which account and key;
//! `serve` answers it, with the `Desk`, where all that was ever accepted lies; `problem` words the errors that faults
//! ask for. What it must remember goes into `Accepted::data`, so that it survives a restart by itself. Faults, clock,
//! ledger, page and files are not its business. A platform that does not speak HTTP listens on a port of its own, makes
//! a `Call` of each transaction, gives it to `Core::serve`, and does what the `End` says.

mod answer;
mod call;
mod clock;
mod core;
mod date;
mod desk;
mod fault;
mod http;
mod journal;
mod ledger;
mod platforms;
mod sandbox;
mod text;
mod wire;

pub use fault::{Fault, FaultFile, Kind, Unit};
pub use ledger::{Accepted, Arrival, Ledger};
pub use platforms::WEBHOOK_SECRET;
pub use sandbox::{Options, Sandbox};
