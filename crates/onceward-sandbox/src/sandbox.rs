//! A sandbox that runs inside a process.

use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use tokio::net::TcpListener;
use tokio::task::JoinHandle;

use crate::core::Core;
use crate::fault::{Fault, FaultFile};
use crate::http::{self, Site};
use crate::ledger::Ledger;
use crate::platforms;
use crate::wire::{Doorway, Line};

/// How long open connections may end by themselves when it stops.
const GRACE: Duration = Duration::from_secs(1);

/// How a sandbox is started.
#[derive(Debug, Clone)]
pub struct Options {
    /// The port on 127.0.0.1; mail is taken on the next one. 0: free ones.
    pub port: u16,
    /// Only these platforms; none: all.
    pub platforms: Option<Vec<String>>,
    /// The faults to begin with, and whether rates are limited.
    pub faults: FaultFile,
    /// A file that keeps the ledger, so that a later sandbox goes on with it.
    pub state: Option<PathBuf>,
}

impl Default for Options {
    fn default() -> Self {
        Self { port: 0, platforms: None, faults: FaultFile { limits: true, faults: Vec::new() }, state: None }
    }
}

/// A running sandbox. It stops when it is dropped.
#[derive(Debug)]
pub struct Sandbox {
    core: Arc<Core>,
    address: SocketAddr,
    /// Where mail is taken, if it is.
    mail: Option<SocketAddr>,
    platforms: Vec<&'static str>,
    server: JoinHandle<()>,
}

impl Sandbox {
    /// Starts on loopback, inside the current runtime.
    ///
    /// # Errors
    /// The port is taken, the state file cannot be read, or a platform is not known.
    pub async fn start(options: Options) -> io::Result<Self> {
        let platforms = platforms::named(options.platforms.as_deref())
            .map_err(|text| io::Error::new(io::ErrorKind::InvalidInput, text))?;
        let core = Arc::new(Core::open(options.faults, options.state.as_deref())?);
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, options.port)).await?;
        let address = listener.local_addr()?;
        let names: Vec<_> = platforms.iter().map(|platform| platform.name()).collect();
        let mail = if names.contains(&"email") { Some(mail(&core, options.port).await?) } else { None };
        let router = http::router(Arc::new(Site { core: Arc::clone(&core), platforms }));
        let (closing, service) = (Arc::clone(&core), router.into_make_service_with_connect_info::<Line>());
        let server = tokio::spawn(async move {
            let serve = axum::serve(Doorway(listener), service);
            let done = serve.with_graceful_shutdown(async move { closing.closed().await }).await;
            if let Err(error) = done {
                tracing::error!("the sandbox's server ended: {error}");
            }
        });
        Ok(Self { core, address, mail, platforms: names, server })
    }

    /// The names of all platforms that there are.
    pub fn known() -> Vec<&'static str> {
        platforms::all().iter().map(|platform| platform.name()).collect()
    }

    /// The names of its platforms.
    pub fn platforms(&self) -> &[&'static str] {
        &self.platforms
    }

    /// Where it listens.
    pub const fn address(&self) -> SocketAddr {
        self.address
    }

    /// What stands in place of a platform's host: `http://127.0.0.1:PORT/mastodon`; for `email`,
    /// `smtp://127.0.0.1:PORT`. Without a name: its page.
    pub fn url(&self, platform: &str) -> String {
        if let (Some(mail), "email") = (self.mail, platform) {
            return format!("smtp://{mail}");
        }
        format!("http://{}/{platform}", self.address)
    }

    /// Everything that arrived and was accepted until now.
    pub fn ledger(&self) -> Ledger {
        self.core.ledger()
    }

    /// Adds a fault, behind those that wait already.
    pub fn fault(&self, fault: Fault) {
        self.core.add_fault(fault);
    }

    /// The faults that still wait for their requests.
    pub fn faults(&self) -> Vec<Fault> {
        self.core.faults()
    }

    /// Takes all faults back.
    pub fn clear_faults(&self) {
        self.core.clear_faults();
    }

    /// Moves its clock forward.
    pub fn advance(&self, by: Duration) {
        self.core.advance(by);
    }

    /// The time by its clock, in microseconds since 1970.
    pub fn now(&self) -> i64 {
        self.core.now()
    }

    /// Waits until the ledger is as wanted; looks after each arrival.
    pub async fn until(&self, wanted: impl Fn(&Ledger) -> bool) {
        let mut arrivals = self.core.arrivals();
        // The sender lives as long as this sandbox.
        while !wanted(&self.core.ledger()) && arrivals.changed().await.is_ok() {}
    }

    /// Stops, and gives the port free.
    pub async fn stop(mut self) {
        self.core.close();
        if tokio::time::timeout(GRACE, &mut self.server).await.is_err() {
            self.server.abort();
        }
        self.core.release();
    }
}

/// Opens the port that takes mail.
async fn mail(core: &Arc<Core>, port: u16) -> io::Result<SocketAddr> {
    let port = if port == 0 { 0 } else { port.saturating_add(1) };
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port)).await?;
    let address = listener.local_addr()?;
    tokio::spawn(platforms::email::serve(listener, Arc::clone(core)));
    Ok(address)
}

impl Drop for Sandbox {
    fn drop(&mut self) {
        self.core.close();
    }
}
