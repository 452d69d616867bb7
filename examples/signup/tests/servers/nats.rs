//! A NATS of one test's own, which may be killed.

use std::net::{SocketAddr, TcpStream};
use std::time::{Duration, Instant};

use held_port::HeldPort;
use tempfile::TempDir;

use super::Supervised;

/// A server with JetStream on loopback.
#[derive(Debug)]
pub(crate) struct Nats {
    address: SocketAddr,
    folder: TempDir,
    _server: Supervised,
    _held: HeldPort,
}

impl Nats {
    pub(crate) fn start() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let held = HeldPort::new().unwrap();
        let address = held.address();
        let at = folder.path().display();
        let server = Supervised::start(format!(
            "exec setpriv --pdeathsig KILL nats-server --addr 127.0.0.1 --port {} --jetstream --store_dir {at} \
             --pid {at}/pid",
            address.port()
        ));
        let deadline = Instant::now() + Duration::from_mins(1);
        while TcpStream::connect(address).is_err() {
            assert!(Instant::now() < deadline, "NATS does not start; `./dev test` installs it");
            std::thread::sleep(Duration::from_millis(50)); // sleeps: another program starts
        }
        Self { address, folder, _server: server, _held: held }
    }

    pub(crate) fn url(&self) -> String {
        format!("nats://{}", self.address)
    }

    /// Kills it outright. It is started again.
    pub(crate) fn restart(&self) -> String {
        let pid = self.folder.path().join("pid");
        format!("until kill -KILL $(cat {} 2>/dev/null) 2>/dev/null; do sleep 0.05; done", pid.display())
    }
}
