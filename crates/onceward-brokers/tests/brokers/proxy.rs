//! A way to a broker that can be cut.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex};

use tokio::net::{TcpListener, TcpStream};
use tokio::task::{AbortHandle, JoinHandle};

use crate::support::Verdict;

/// Listens on a port of its own and carries everything to the server.
pub(crate) struct Proxy {
    pub(crate) address: SocketAddr,
    connections: Arc<Mutex<Vec<AbortHandle>>>,
    listener: JoinHandle<()>,
}

impl Proxy {
    pub(crate) async fn start(to: SocketAddr) -> Verdict<Self> {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let (address, connections) = (listener.local_addr()?, Arc::new(Mutex::new(Vec::new())));
        let open = Arc::clone(&connections);
        let listener = tokio::spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                let carrying = tokio::spawn(carry(client, to));
                open.lock().unwrap().push(carrying.abort_handle());
            }
        });
        Ok(Self { address, connections, listener })
    }

    /// Cuts all connections, wherever they are.
    pub(crate) fn cut(&self) {
        self.connections.lock().unwrap().drain(..).for_each(|connection| connection.abort());
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        self.listener.abort();
        self.cut();
    }
}

async fn carry(mut client: TcpStream, to: SocketAddr) {
    if let Ok(mut server) = TcpStream::connect(to).await {
        let _ = tokio::io::copy_bidirectional(&mut client, &mut server).await;
    }
}
