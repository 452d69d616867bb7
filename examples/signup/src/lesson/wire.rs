//! A proxy before the mail server: it lets each mail take its time, breaks the dialogue where it is told to, and keeps a
//! record of what came.

use std::fmt;
use std::io;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Notify;

use super::crew::{Crew, Role};

/// Mail to an address that begins so is refused for good: nobody is there.
pub(crate) const NOBODY: &str = "gone";

/// A step of the dialogue, by what the sender says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Step {
    Hello,
    Sender,
    Recipient,
    Data,
    /// The mail and its dot.
    Dot,
}

/// How a dialogue breaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Fault {
    pub(crate) step: Step,
    /// The mail server still hears it, and its reply is lost.
    pub(crate) heard: bool,
    /// Whoever sends is killed; else the connection is cut.
    pub(crate) kill: bool,
}

/// One dialogue, as it came.
#[derive(Debug, Clone)]
pub(crate) struct Dialogue {
    pub(crate) to: String,
    pub(crate) began: Instant,
    pub(crate) ended: Instant,
    /// The server asked for the mail: the dot may follow.
    pub(crate) data: bool,
    /// The dot came.
    pub(crate) dot: bool,
    /// The reply to the dot went back, and somebody was there to hear it.
    pub(crate) answered: bool,
}

#[derive(Debug)]
struct State {
    armed: Option<Fault>,
    away_until: Instant,
    heard: Vec<Dialogue>,
}

/// The proxy. Cheap to clone.
#[derive(Debug, Clone)]
pub(crate) struct Wire(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    server: SocketAddr,
    /// What each mail takes there.
    delay: Duration,
    crew: Arc<Crew>,
    state: Mutex<State>,
    met: Notify,
}

impl Wire {
    /// Takes what comes on `listener` to `server`, where each mail takes `delay`; kills members of `crew`.
    pub(crate) fn before(
        server: SocketAddr,
        listener: TcpListener,
        delay: Duration,
        crew: Arc<Crew>,
    ) -> Self {
        let state = Mutex::new(State { armed: None, away_until: Instant::now(), heard: Vec::new() });
        let wire = Self(Arc::new(Inner { server, delay, crew, state, met: Notify::new() }));
        let serving = wire.clone();
        tokio::spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                let wire = serving.clone();
                tokio::spawn(async move { wire.serve(client).await });
            }
        });
        wire
    }

    pub(crate) fn arm(&self, fault: Fault) {
        self.state().armed = Some(fault);
    }

    /// Whether the armed fault is met within that time; it is taken away otherwise.
    pub(crate) async fn is_met(&self, within: Duration) -> bool {
        let met = async {
            loop {
                let met = self.0.met.notified();
                if self.state().armed.is_none() {
                    return;
                }
                met.await;
            }
        };
        tokio::time::timeout(within, met).await.is_ok() || self.state().armed.take().is_none()
    }

    /// The mail server hangs up on everybody until then.
    pub(crate) fn away_until(&self, then: Instant) {
        self.state().away_until = then;
    }

    /// All dialogues that named a recipient.
    pub(crate) fn heard(&self) -> Vec<Dialogue> {
        self.state().heard.clone()
    }

    async fn serve(&self, client: TcpStream) {
        let now = Instant::now();
        if self.state().away_until > now {
            return;
        }
        let mut heard =
            Dialogue { to: String::new(), began: now, ended: now, data: false, dot: false, answered: false };
        // A broken connection is what is wanted here, on either side.
        drop(self.carry(client, &mut heard).await);
        heard.ended = Instant::now();
        if !heard.to.is_empty() {
            self.state().heard.push(heard);
        }
    }

    /// Line by line, until somebody hangs up.
    async fn carry(&self, client: TcpStream, heard: &mut Dialogue) -> io::Result<()> {
        let mut client = BufReader::new(client);
        let mut server = BufReader::new(TcpStream::connect(self.0.server).await?);
        client.write_all(&reply(&mut server).await?).await?;
        let mut data = false;
        loop {
            let said = if data { mail(&mut client).await? } else { line(&mut client).await? };
            let step = if data { Some(Step::Dot) } else { step(&said) };
            if step == Some(Step::Recipient) {
                heard.to = recipient(&said);
            }
            heard.dot |= step == Some(Step::Dot);
            let fault = step.and_then(|step| self.meets(step));
            if let Some(fault) = fault {
                return self.break_off(fault, &said, &mut server).await;
            }
            let answer = self.ask(&said, heard, &mut server).await?;
            if step == Some(Step::Dot) && hangs_up_within(self.0.delay, &mut client).await {
                return Ok(());
            }
            data = answer.starts_with(b"354");
            heard.data |= data;
            client.write_all(&answer).await?;
            heard.answered |= step == Some(Step::Dot);
        }
    }

    async fn ask(
        &self,
        said: &[u8],
        heard: &Dialogue,
        server: &mut BufReader<TcpStream>,
    ) -> io::Result<Vec<u8>> {
        if heard.to.starts_with(NOBODY) && step(said) == Some(Step::Recipient) {
            return Ok(b"550 5.1.1 nobody of that name is here\r\n".to_vec());
        }
        server.write_all(said).await?;
        reply(server).await
    }

    async fn break_off(
        &self,
        fault: Fault,
        said: &[u8],
        server: &mut BufReader<TcpStream>,
    ) -> io::Result<()> {
        if fault.heard {
            server.write_all(said).await?;
            reply(server).await?;
        }
        if fault.kill {
            self.0.crew.kill(Role::Worker).await;
        }
        Ok(())
    }

    fn meets(&self, step: Step) -> Option<Fault> {
        let fault = self.state().armed.take_if(|fault| fault.step == step);
        if fault.is_some() {
            self.0.met.notify_waiters();
        }
        fault
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Waits that long, unless the other side is gone before. Whoever waits for a reply says nothing meanwhile.
async fn hangs_up_within(time: Duration, client: &mut BufReader<TcpStream>) -> bool {
    tokio::time::timeout(time, client.fill_buf()).await.is_ok()
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

/// `RCPT TO:<ada@example.org>` → the address.
fn recipient(line: &[u8]) -> String {
    let line = String::from_utf8_lossy(line);
    let inside = line.split_once('<').and_then(|(_, rest)| rest.split_once('>'));
    inside.map(|(address, _)| address.to_owned()).unwrap_or_default()
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

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let step = match self.step {
            Step::Hello => "the greeting",
            Step::Sender => "the sender's address",
            Step::Recipient => "the recipient's address",
            Step::Data => "the announcement of the mail",
            Step::Dot => "the dot",
        };
        let heard = if self.heard { "has come, before its reply goes back" } else { "leaves" };
        let what = if self.kill { "whoever sends is killed" } else { "the connection breaks" };
        write!(f, "{what} as {step} {heard}")
    }
}
