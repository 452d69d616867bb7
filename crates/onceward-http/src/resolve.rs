//! Names to addresses, through the guard where there is one.

use std::future::Future;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::pin::Pin;
use std::sync::Arc;

use reqwest::dns::{Addrs, Name, Resolve, Resolving};

use crate::Guard;

/// The pending answer of a [`Lookup`].
pub type Looking = Pin<Box<dyn Future<Output = io::Result<Vec<IpAddr>>> + Send>>;

/// Where addresses come from: the system's resolver, unless a program or a test brings its own.
pub trait Lookup: Send + Sync + 'static {
    /// All addresses of `host`, in the order in which to try them.
    fn lookup(&self, host: String) -> Looking;
}

/// The resolver of the operating system.
pub(crate) struct SystemLookup;

impl Lookup for SystemLookup {
    fn lookup(&self, host: String) -> Looking {
        Box::pin(async move {
            let found = tokio::net::lookup_host((host, 0)).await?;
            Ok(found.map(|address| address.ip()).collect())
        })
    }
}

/// What the HTTP library asks. Only addresses that passed the guard leave it.
pub(crate) struct Resolver {
    pub(crate) lookup: Arc<dyn Lookup>,
    pub(crate) guard: Option<Guard>,
}

impl Resolve for Resolver {
    fn resolve(&self, name: Name) -> Resolving {
        let looking = self.lookup.lookup(name.as_str().to_owned());
        let guard = self.guard.clone();
        Box::pin(async move {
            let found = looking.await?;
            if let Some(guard) = guard {
                guard.vet_answers(&found)?;
            }
            if found.is_empty() {
                return Err(io::Error::new(io::ErrorKind::NotFound, "the name has no address").into());
            }
            // Port 0 asks the connector to fill in the port of the URL.
            let addresses: Addrs = Box::new(found.into_iter().map(|address| SocketAddr::new(address, 0)));
            Ok(addresses)
        })
    }
}
