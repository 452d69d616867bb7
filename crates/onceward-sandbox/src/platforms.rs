//! The platforms: one file each, one line here.

mod bluesky;
mod devto;
pub(crate) mod email;
mod mastodon;
mod slack;
mod telegram;
mod webhook;

use std::fmt;

pub use webhook::WEBHOOK_SECRET;

use crate::answer::Answer;
use crate::call::Call;
use crate::desk::Desk;

/// All of them.
pub(crate) fn all() -> Vec<Box<dyn Platform>> {
    vec![
        Box::new(mastodon::Server::Mastodon),
        Box::new(mastodon::Server::Pleroma),
        Box::new(mastodon::Server::GoToSocial),
        Box::new(bluesky::Pds),
        Box::new(devto::Forem),
        Box::new(email::Smtp),
        Box::new(slack::Slack),
        Box::new(telegram::BotApi),
        Box::new(webhook::Webhook),
    ]
}

/// One kind of platform. It keeps nothing itself: what it remembers lies in the ledger.
pub(crate) trait Platform: fmt::Debug + Send + Sync {
    /// Its name, and the first part of its paths.
    fn name(&self) -> &'static str;

    /// What a request is. Does nothing.
    fn read(&self, call: &Call) -> Visit;

    /// Does what the request asks, as the platform does it.
    fn serve(&self, call: &Call, desk: &mut Desk<'_>) -> Answer;

    /// How the platform words a problem.
    fn problem(&self, problem: &Problem, desk: &Desk<'_>) -> Answer;

    /// How the platform tells how long to wait where it tells it in the body; none: as `retry_after`, at the top.
    fn wait_in_body(&self, _seconds: f64) -> Option<Answer> {
        None
    }
}

/// What a request is, before it is answered.
#[derive(Debug, Clone, Default)]
pub(crate) struct Visit {
    /// `post`, `upload`, `look`, `account`, `token` …; `unknown` for what the platform does not have.
    pub(crate) act: &'static str,
    /// Made from the credentials by `text::account`; none without any.
    pub(crate) account: Option<String>,
    /// The key that lets the platform know a repeat.
    pub(crate) key: Option<String>,
}

/// What a platform has words for.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Problem {
    /// Something in it, or before it, is down.
    Broken { status: u16 },
    /// Too many requests; with how long to wait, unless a fault tells that in its own unit.
    RateLimited { seconds: Option<f64> },
    /// It has this already.
    Duplicate,
    /// The token is no longer good, and may be renewed.
    ExpiredToken,
    /// The token was taken back.
    RevokedToken,
}

/// The platforms of these names.
pub(crate) fn named(names: Option<&[String]>) -> Result<Vec<Box<dyn Platform>>, String> {
    let all = all();
    let Some(names) = names else { return Ok(all) };
    let known: Vec<_> = all.iter().map(|platform| platform.name()).collect();
    if let Some(strange) = names.iter().find(|name| !known.contains(&name.as_str())) {
        return Err(format!("no platform {strange:?} here; there are {}", known.join(", ")));
    }
    Ok(all.into_iter().filter(|platform| names.iter().any(|name| name == platform.name())).collect())
}
