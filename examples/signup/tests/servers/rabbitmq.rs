//! A RabbitMQ of one test's own, which may be killed.

use std::net::{SocketAddr, TcpStream};
use std::time::{Duration, Instant};

use held_port::HeldPort;
use tempfile::TempDir;

use super::Supervised;

/// Becomes a node.
const NODE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../scripts/services/rabbitmq-node");

/// A node on loopback.
#[derive(Debug)]
pub(crate) struct RabbitMq {
    address: SocketAddr,
    _node: Supervised,
    _mapper: Supervised,
    _held: [HeldPort; 3],
    folder: TempDir,
}

impl RabbitMq {
    pub(crate) fn start() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let held = [(); 3].map(|()| HeldPort::new().unwrap());
        let [address, distribution, mapper] = held.each_ref().map(HeldPort::address);
        let (at, port, distribution) = (folder.path().display(), address.port(), distribution.port());
        let alone = "exec setpriv --pdeathsig KILL";
        let epmd = Supervised::start(format!("{alone} epmd -port {} -address 127.0.0.1", mapper.port()));
        reach(mapper);
        let node = Supervised::start(format!("{alone} {NODE} {at} {port} {distribution} {}", mapper.port()));
        reach(address);
        Self { address, _node: node, _mapper: epmd, _held: held, folder }
    }

    pub(crate) fn url(&self) -> String {
        format!("amqp://{}", self.address)
    }

    /// Kills it outright. It is started again, which takes some seconds; what is on its way is waited for, so that each
    /// kill meets a node that works.
    ///
    /// A node writes down some seconds after its answer that a quorum queue was made. Killed before, it has the queue, and
    /// no leader for it (seen with 3.10.8).
    pub(crate) fn restart(&self) -> String {
        let (port, at) = (self.address.port(), self.folder.path().display());
        let listens = format!("bash -c 'exec 3<>/dev/tcp/127.0.0.1/{port}' 2>/dev/null");
        let knows = format!("grep -qs signup {at}/mnesia/*/quorum/*/names.dets");
        format!("until {listens} && {knows} && kill -KILL $(cat {at}/pid) 2>/dev/null; do sleep 0.05; done")
    }
}

fn reach(address: SocketAddr) {
    let deadline = Instant::now() + Duration::from_mins(1);
    while TcpStream::connect(address).is_err() {
        assert!(Instant::now() < deadline, "RabbitMQ does not start; `./dev test` installs it");
        std::thread::sleep(Duration::from_millis(50)); // sleeps: another program starts
    }
}
