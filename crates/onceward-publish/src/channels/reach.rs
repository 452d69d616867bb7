//! Whether a server takes connections.

use std::time::Duration;

use onceward::{Cause, Failure};
use onceward_http::Target;
use tokio::net::TcpStream;

/// A server that does not take a connection within this time is not there.
const PATIENCE: Duration = Duration::from_secs(10);

/// Connects and hangs up: not a byte is sent.
pub(super) async fn reach(target: &Target, timeout: Duration) -> Result<(), Failure> {
    let (host, patience) = (target.host(), timeout.min(PATIENCE));
    let port = target.url().port_or_known_default().unwrap_or(443);
    // An IPv6 literal stands in brackets in a URL, and without them everywhere else.
    let name = host.trim_start_matches('[').trim_end_matches(']');
    let why = match tokio::time::timeout(patience, TcpStream::connect((name, port))).await {
        Ok(Ok(_)) => return Ok(()),
        Ok(Err(error)) => error.to_string(),
        Err(_) => format!("no connection within {patience:?}"),
    };
    Err(Failure::transient(Cause::new("unreachable", format!("{host}:{port}: {why}")).outage()))
}
