//! Why there is no connection to PostgreSQL: a pool only says that it waited.

use std::io::ErrorKind as Io;
use std::time::Duration;

use sqlx::postgres::{PgConnectOptions, PgConnection};
use sqlx::{Connection, Error as Driver};
use tokio::time::{Instant, sleep, timeout};

use crate::{Error, ErrorKind, Result};

/// A server that is starting is waited for, for as long as this.
const STARTING: Duration = Duration::from_secs(5);
/// How often it is asked meanwhile.
const AGAIN: Duration = Duration::from_millis(250);
/// One that answers nothing at all is given up after this time.
const SILENT: Duration = Duration::from_secs(10);

/// Connects once and hangs up.
///
/// # Errors
/// What stands in the way, with the server's address and never its password.
pub(super) async fn reach(options: &PgConnectOptions) -> Result<()> {
    let end = Instant::now() + STARTING;
    loop {
        match one(options).await {
            Ok(()) => return Ok(()),
            Err(Some(error)) if is_starting(&error) && Instant::now() < end => sleep(AGAIN).await,
            Err(error) => return Err(failure(options, error)),
        }
    }
}

/// What a pool's time-out was really about.
pub(super) async fn cause(options: &PgConnectOptions, error: Driver) -> Error {
    if !matches!(error, Driver::PoolTimedOut) {
        return error.into();
    }
    match one(options).await {
        Ok(()) => {
            let text = "all connections to PostgreSQL are in use; raise ?pool=N in the store's URL, or look for a \
                        transaction that does not end";
            Error::new(ErrorKind::Busy, text)
        }
        Err(error) => failure(options, error),
    }
}

/// `None`: no answer.
async fn one(options: &PgConnectOptions) -> std::result::Result<(), Option<Driver>> {
    let conn = timeout(SILENT, PgConnection::connect_with(options)).await.map_err(|_| None)?;
    // It was reached; how the farewell goes does not matter.
    let _ = conn.map_err(Some)?.close().await;
    Ok(())
}

/// It refuses connections, or says itself that it is starting.
fn is_starting(error: &Driver) -> bool {
    match error {
        Driver::Io(error) => matches!(error.kind(), Io::ConnectionRefused | Io::NotFound),
        Driver::Database(said) => said.code().as_deref() == Some("57P03"),
        _ => false,
    }
}

fn failure(options: &PgConnectOptions, error: Option<Driver>) -> Error {
    let socket = options.get_socket().map(|path| path.display().to_string());
    let place = socket.unwrap_or_else(|| format!("{}:{}", options.get_host(), options.get_port()));
    let (kind, why) = match error {
        None => (ErrorKind::Connection, format!("no answer within {SILENT:?}")),
        Some(Driver::Io(error)) => (ErrorKind::Connection, error.to_string()),
        // The server was reached, and its own words say best what is wrong: the user, the password, the database.
        Some(Driver::Database(said)) => {
            let text = format!("PostgreSQL at {place} refuses the connection: {}", said.message());
            return Error::new(ErrorKind::Connection, text);
        }
        Some(error) => {
            let error = Error::from(error);
            (error.kind(), error.to_string())
        }
    };
    let text = format!(
        "no connection to PostgreSQL at {place}: {why}; see that it is running there, and that the store's URL is right"
    );
    Error::new(kind, text)
}
