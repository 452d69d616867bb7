//! A proxy before a mail server that breaks the dialogue at one step, once: and can have the writer killed there.

use std::io;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{mpsc, oneshot};

/// A step of the dialogue, by what the writer says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Step {
    Hello,
    Sender,
    Recipient,
    Data,
    /// The mail and its dot.
    Dot,
}

/// What happens there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fault {
    /// The server never hears it; the connection ends.
    Unheard,
    /// The server has answered; the connection ends.
    Unanswered,
    /// The server has answered; the connection ends within the reply, after so many bytes.
    Within(usize),
    /// The server has answered; nothing comes, and the connection stays.
    Silent,
    /// The server never hears it; the writer dies.
    KilledUnheard,
    /// The server has answered; the writer dies before it knows.
    KilledUnanswered,
    /// The writer dies so many milliseconds after it has the reply.
    KilledAnswered(u64),
}

/// Asks for the writer's death, and waits for it.
pub(crate) type Killer = mpsc::Sender<oneshot::Sender<()>>;

#[derive(Debug, Default)]
struct Plan {
    armed: Option<(Step, Fault, Killer)>,
    /// How many mails were handed over with their dot.
    dots: usize,
}

/// The proxy of one lane.
#[derive(Debug, Clone)]
pub(crate) struct Wire {
    pub(crate) address: SocketAddr,
    plan: Arc<Mutex<Plan>>,
}

impl Wire {
    /// Listens before the server at that address.
    pub(crate) async fn before(server: SocketAddr) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let wire = Self { address: listener.local_addr().unwrap(), plan: Arc::default() };
        let serving = wire.clone();
        tokio::spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                let wire = serving.clone();
                // A broken connection is what is wanted here, on either side.
                tokio::spawn(async move { drop(wire.serve(client, server).await) });
            }
        });
        wire
    }

    pub(crate) fn arm(&self, step: Step, fault: Fault, killer: Killer) {
        self.plan.lock().unwrap().armed = Some((step, fault, killer));
    }

    /// Takes an armed fault away; whether it had not happened yet.
    pub(crate) fn disarm(&self) -> bool {
        self.plan.lock().unwrap().armed.take().is_some()
    }

    /// How many mails came with their dot.
    pub(crate) fn dots(&self) -> usize {
        self.plan.lock().unwrap().dots
    }

    async fn serve(&self, client: TcpStream, server: SocketAddr) -> io::Result<()> {
        let (mut client, mut server) =
            (BufReader::new(client), BufReader::new(TcpStream::connect(server).await?));
        let greeting = reply(&mut server).await?;
        client.write_all(&greeting).await?;
        let mut data = false;
        loop {
            let said = if data { mail(&mut client).await? } else { line(&mut client).await? };
            let step = if data { Some(Step::Dot) } else { step(&said) };
            match step.and_then(|step| self.met(step)) {
                Some((fault, killer)) => return broken(fault, &killer, client, server, &said).await,
                None => server.write_all(&said).await?,
            }
            let answer = reply(&mut server).await?;
            client.write_all(&answer).await?;
            data = answer.starts_with(b"354");
        }
    }

    fn met(&self, step: Step) -> Option<(Fault, Killer)> {
        let mut plan = self.plan.lock().unwrap();
        plan.dots += usize::from(step == Step::Dot);
        let (_, fault, killer) = plan.armed.take_if(|(wanted, ..)| *wanted == step)?;
        Some((fault, killer))
    }
}

async fn broken(
    fault: Fault,
    killer: &Killer,
    mut client: BufReader<TcpStream>,
    mut server: BufReader<TcpStream>,
    said: &[u8],
) -> io::Result<()> {
    if matches!(fault, Fault::Unheard | Fault::KilledUnheard) {
        if fault == Fault::KilledUnheard {
            kill(killer).await;
        }
        return Ok(());
    }
    server.write_all(said).await?;
    let answer = reply(&mut server).await?;
    match fault {
        Fault::Within(bytes) => client.write_all(&answer[..bytes.min(answer.len())]).await?,
        // Until the writer hangs up.
        Fault::Silent => drop(client.read_u8().await),
        Fault::KilledUnanswered => kill(killer).await,
        Fault::KilledAnswered(ms) => {
            client.write_all(&answer).await?;
            tokio::time::sleep(Duration::from_millis(ms)).await; // sleeps: the receipt is written meanwhile, or not
            kill(killer).await;
        }
        Fault::Unheard | Fault::Unanswered | Fault::KilledUnheard => {}
    }
    Ok(())
}

async fn kill(killer: &Killer) {
    let (dead, is_dead) = oneshot::channel();
    if killer.send(dead).await.is_ok() {
        drop(is_dead.await);
    }
}

fn step(line: &[u8]) -> Option<Step> {
    Some(match line.get(..4)? {
        b"EHLO" => Step::Hello,
        b"MAIL" => Step::Sender,
        b"RCPT" => Step::Recipient,
        b"DATA" => Step::Data,
        _ => return None,
    })
}

async fn line(from: &mut BufReader<TcpStream>) -> io::Result<Vec<u8>> {
    let mut line = Vec::new();
    if from.read_until(b'\n', &mut line).await? == 0 {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    Ok(line)
}

async fn mail(from: &mut BufReader<TcpStream>) -> io::Result<Vec<u8>> {
    let mut mail = Vec::new();
    while mail != b".\r\n" && !mail.ends_with(b"\r\n.\r\n") {
        mail.extend(line(from).await?);
    }
    Ok(mail)
}

async fn reply(from: &mut BufReader<TcpStream>) -> io::Result<Vec<u8>> {
    let mut reply = Vec::new();
    loop {
        let line = line(from).await?;
        reply.extend_from_slice(&line);
        if line.get(3) != Some(&b'-') {
            return Ok(reply);
        }
    }
}
