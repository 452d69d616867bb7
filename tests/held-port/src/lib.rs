//! A port of loopback for a server that comes, goes and comes back, or that is away all along.
//!
//! To listen on port 0, stop, and use the number later leaves a moment in which the system may give it to another
//! program, or to a connection. A socket that is bound and does not listen holds the number without that moment.

use std::net::{Ipv4Addr, SocketAddr};

use tokio::net::TcpSocket;

/// A port of 127.0.0.1 that the system gives nobody while this is held.
///
/// A server that is told of it can listen there, if it sets `SO_REUSEADDR`, as servers do; while none does, connections
/// are refused.
///
/// ```
/// let port = held_port::HeldPort::new()?;
/// assert!(std::net::TcpStream::connect(port.address()).is_err());
/// let server = std::net::TcpListener::bind(port.address())?;
/// assert!(std::net::TcpStream::connect(port.address()).is_ok());
/// # drop(server);
/// # std::io::Result::Ok(())
/// ```
#[derive(Debug)]
pub struct HeldPort {
    _socket: TcpSocket,
    address: SocketAddr,
}

impl HeldPort {
    /// Holds one.
    ///
    /// # Errors
    ///
    /// When the system has no port left.
    pub fn new() -> std::io::Result<Self> {
        let socket = TcpSocket::new_v4()?;
        socket.set_reuseaddr(true)?;
        socket.bind((Ipv4Addr::LOCALHOST, 0).into())?;
        Ok(Self { address: socket.local_addr()?, _socket: socket })
    }

    /// With 127.0.0.1.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Its number.
    #[must_use]
    pub fn number(&self) -> u16 {
        self.address.port()
    }
}
