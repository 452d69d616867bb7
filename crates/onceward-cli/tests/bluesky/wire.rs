//! A proxy before the server that breaks one write, at one point, once: and can have the writer killed there.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{mpsc, oneshot};

/// What is broken about one write.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fault {
    /// The writer dies when its request has left; the request never arrives.
    KilledUnheard,
    /// The writer dies when its request has left; it arrives this many milliseconds later, when the next is at work.
    KilledArrivesLate(u64),
    /// The writer dies when the server has done it, before a byte of the answer.
    KilledUnanswered,
    /// The writer dies at this byte of the answer.
    KilledWithin(usize),
    /// The writer dies this many milliseconds after it has the whole answer.
    KilledAnswered(u64),
    /// The request is cut at this byte.
    RequestCut(usize),
    /// The answer is cut at this byte.
    AnswerCut(usize),
    /// The server has done it, and 500 is answered.
    Failed,
    /// 503 is answered, and the server never hears of it.
    Refused,
    /// Nothing is ever answered, though the server has done it.
    Silent,
}

/// Asks for the writer's death, and waits for it.
pub(crate) type Killer = mpsc::Sender<oneshot::Sender<()>>;

#[derive(Debug, Default)]
struct Plan {
    /// The fault, and how many writes pass before it.
    armed: Option<(usize, Fault)>,
    killer: Option<Killer>,
    writes: usize,
}

/// The proxy of one lane.
#[derive(Debug, Clone)]
pub(crate) struct Wire {
    pub(crate) url: String,
    plan: Arc<Mutex<Plan>>,
}

impl Wire {
    /// Listens before the server of that address.
    pub(crate) async fn before(server: &str) -> Self {
        let upstream: SocketAddr = server.strip_prefix("http://").unwrap().parse().unwrap();
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let wire = Self { url, plan: Arc::default() };
        let serving = wire.clone();
        tokio::spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                let wire = serving.clone();
                // A cut connection is what is wanted here, on either side.
                tokio::spawn(async move { drop(wire.serve(client, upstream).await) });
            }
        });
        wire
    }

    /// Breaks the write after `skip` others.
    pub(crate) fn arm(&self, skip: usize, fault: Fault, killer: Killer) {
        let mut plan = self.plan.lock().unwrap();
        (plan.armed, plan.killer) = (Some((skip, fault)), Some(killer));
    }

    /// Takes an armed fault away; whether it had not happened yet.
    pub(crate) fn disarm(&self) -> bool {
        let mut plan = self.plan.lock().unwrap();
        plan.killer = None;
        plan.armed.take().is_some()
    }

    /// How many writes were tried.
    pub(crate) fn writes(&self) -> usize {
        self.plan.lock().unwrap().writes
    }

    /// One request; its connection ends with its answer.
    async fn serve(&self, mut client: TcpStream, upstream: SocketAddr) -> std::io::Result<()> {
        let request = read_request(&mut client).await?;
        let fault =
            if request.starts_with(b"POST /xrpc/com.atproto.repo.putRecord ") { self.next() } else { None };
        match fault {
            None => client.write_all(&exchange(upstream, &request).await?).await,
            Some(fault) => self.broken(fault, client, upstream, &request).await,
        }
    }

    fn next(&self) -> Option<Fault> {
        let mut plan = self.plan.lock().unwrap();
        plan.writes += 1;
        let (skip, fault) = plan.armed.take()?;
        if skip > 0 {
            plan.armed = Some((skip - 1, fault));
            return None;
        }
        Some(fault)
    }

    async fn kill(&self) {
        let killer = self.plan.lock().unwrap().killer.clone();
        let (dead, is_dead) = oneshot::channel();
        if killer.unwrap().send(dead).await.is_ok() {
            drop(is_dead.await);
        }
    }

    async fn broken(
        &self,
        fault: Fault,
        mut client: TcpStream,
        upstream: SocketAddr,
        request: &[u8],
    ) -> std::io::Result<()> {
        match fault {
            Fault::KilledUnheard => self.kill().await,
            Fault::KilledArrivesLate(ms) => {
                self.kill().await;
                tokio::time::sleep(Duration::from_millis(ms)).await; // sleeps: a request on its way for long
                exchange(upstream, request).await?;
            }
            Fault::KilledUnanswered => {
                exchange(upstream, request).await?;
                self.kill().await;
            }
            Fault::KilledWithin(byte) => {
                let answer = exchange(upstream, request).await?;
                client.write_all(&answer[..byte.min(answer.len())]).await?;
                self.kill().await;
            }
            Fault::KilledAnswered(ms) => {
                client.write_all(&exchange(upstream, request).await?).await?;
                tokio::time::sleep(Duration::from_millis(ms)).await; // sleeps: the receipt is written meanwhile, or not
                self.kill().await;
            }
            Fault::RequestCut(byte) => {
                let mut server = TcpStream::connect(upstream).await?;
                server.write_all(&request[..byte.min(request.len() - 1)]).await?;
            }
            Fault::AnswerCut(byte) => {
                let answer = exchange(upstream, request).await?;
                client.write_all(&answer[..byte.min(answer.len() - 1)]).await?;
            }
            Fault::Failed => {
                exchange(upstream, request).await?;
                client.write_all(answer(500, r#"{"error":"InternalServerError"}"#).as_bytes()).await?;
            }
            Fault::Refused => client.write_all(answer(503, "").as_bytes()).await?,
            Fault::Silent => {
                exchange(upstream, request).await?;
                // Until the writer hangs up.
                client.read_u8().await?;
            }
        }
        Ok(())
    }
}

fn answer(status: u16, body: &str) -> String {
    format!("HTTP/1.1 {status} No\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{body}", body.len())
}

/// Asks the server, and gives all bytes of its answer.
async fn exchange(upstream: SocketAddr, request: &[u8]) -> std::io::Result<Vec<u8>> {
    let mut server = TcpStream::connect(upstream).await?;
    server.write_all(request).await?;
    let mut answer = Vec::new();
    server.read_to_end(&mut answer).await?;
    Ok(answer)
}

/// A whole request, changed so that the server closes the connection after its answer.
async fn read_request(client: &mut TcpStream) -> std::io::Result<Vec<u8>> {
    let mut request = Vec::new();
    let head = loop {
        if let Some(end) = request.windows(4).position(|it| it == b"\r\n\r\n") {
            break end + 4;
        }
        if client.read_buf(&mut request).await? == 0 {
            return Err(std::io::ErrorKind::UnexpectedEof.into());
        }
    };
    let lines = String::from_utf8_lossy(&request[..head]).to_ascii_lowercase();
    let length = lines.lines().find_map(|line| line.strip_prefix("content-length: ")?.trim().parse().ok());
    let whole = head + length.unwrap_or(0);
    while request.len() < whole {
        if client.read_buf(&mut request).await? == 0 {
            return Err(std::io::ErrorKind::UnexpectedEof.into());
        }
    }
    request.splice(head - 2..head - 2, *b"connection: close\r\n");
    Ok(request)
}
