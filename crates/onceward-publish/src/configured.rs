//! A channel as the configuration has it.

use std::sync::Arc;
use std::time::Duration;

use onceward::retry::RetryPolicy;

use crate::channel::Channel;
use crate::dress::Dress;
use crate::quiet::Quiet;

/// A channel, ready to be used; or without its adapter, when this process lacks a secret.
#[derive(Debug, Clone)]
pub struct Configured {
    /// Its name, which is also the name of its queue.
    pub name: String,
    /// Its former name: jobs and keys move along.
    pub was: Option<String>,
    /// What is special about it; else what this process lacks.
    pub adapter: Result<Arc<dyn Channel>, Lacking>,
    /// How it dresses texts.
    pub dress: Dress,
    /// How its jobs are tried again.
    pub retry: RetryPolicy,
    /// A post that is late by more than this, since nobody was running, is held.
    pub late_after: Duration,
    /// When nothing is sent.
    pub quiet: Option<Quiet>,
    /// How long one request may take.
    pub timeout: Duration,
    /// A doubt that nobody can settle is sent again, once: the owner's choice.
    pub resend: bool,
}

/// Why a channel cannot be used by this process.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lacking {
    /// A stable word for programs: `secret_missing`, or `secret_invalid` for one that is there and cannot be one.
    pub code: &'static str,
    /// What is lacking, and what to do. Never a value.
    pub text: String,
}
