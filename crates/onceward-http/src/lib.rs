//! An HTTP client that knows what was certainly not sent.
//!
//! Whoever posts something for a customer must know, after a failure, which of two things is true: *certainly
//! not sent* (repeat freely), or *unknown* (go and look). [`SendFailure::not_sent`] answers that, and is true
//! for a short closed list only.
//!
//! - [`Client`] sends one [`Request`] and returns one [`Response`]: no retries, no redirects, no proxy from the
//!   environment, a deadline on everything, an answer of bounded size. Every status is a `Response`.
//! - A [`Target`] says whose choice the URL was. The operator's own may point anywhere; an untrusted one passes
//!   the [`Guard`], which vets literal addresses and every answer of the name system.
//! - [`classify`] and [`Response::retry_after`] read a status and its headers; [`redact`] makes any text safe to
//!   keep and show.
//!
//! ```
//! use onceward_http::{Client, Request, Target};
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let client = Client::builder().build()?;
//! let target = Target::untrusted("https://0x7f.1/hook?key=s3cret")?; // 127.0.0.1 in disguise
//! let request = Request::post(target).secret_header("authorization", "Bearer t0ken")?.body("text/plain", "hello")?;
//!
//! let failure = client.send(request).await.unwrap_err();
//! assert_eq!(failure.code(), "address_forbidden");
//! assert!(failure.not_sent());
//! assert!(!failure.to_string().contains("s3cret"));
//! # Ok(())
//! # }
//! ```

mod cidr;
mod client;
mod failure;
mod guard;
mod multipart;
mod redact;
mod request;
mod resolve;
mod response;
mod retry_after;
mod status;
mod target;
mod tls;

pub use cidr::{Cidr, CidrError};
pub use client::{BuildError, Builder, Client};
pub use failure::{FailureKind, SendFailure};
pub use guard::{Forbidden, Guard};
pub use multipart::Multipart;
pub use redact::redact;
pub use request::{Method, Request};
pub use resolve::{Looking, Lookup};
pub use response::Response;
pub use retry_after::parse_wait;
pub use status::{StatusClass, classify};
pub use target::{Target, Trust};
pub use tls::tls_config;
