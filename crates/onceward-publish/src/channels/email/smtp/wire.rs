//! The connection: lines out, replies in.

use std::io;
use std::net::IpAddr;
use std::sync::Arc;

use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, BufReader};
use tokio::net::{TcpStream, lookup_host};
use tokio_rustls::TlsConnector;
use tokio_rustls::rustls::ClientConfig;
use tokio_rustls::rustls::pki_types::ServerName;

use super::reply::{Lines, Reply};
use super::{Stage, Why};

/// The longest line that is taken, in bytes. RFC 5321 allows 512.
const LINE: u64 = 4096;

/// A connection, secure or not.
pub(super) struct Wire {
    stream: BufReader<Box<dyn Stream>>,
    /// Our address, as the other side may see it.
    pub(super) local: IpAddr,
}

trait Stream: AsyncRead + AsyncWrite + Send + Sync + Unpin {}
impl<T: AsyncRead + AsyncWrite + Send + Sync + Unpin> Stream for T {}

impl Wire {
    pub(super) async fn connect(host: &str, port: u16) -> Result<Self, Why> {
        let addresses = lookup_host((host, port)).await.map_err(Why::NoName)?;
        let mut last = io::Error::from(io::ErrorKind::AddrNotAvailable);
        for address in addresses {
            match TcpStream::connect(address).await {
                Ok(stream) => {
                    let local = stream.local_addr().map_err(Why::NoConnection)?.ip();
                    return Ok(Self { stream: BufReader::new(Box::new(stream)), local });
                }
                Err(error) => last = error,
            }
        }
        Err(Why::NoConnection(last))
    }

    /// Makes the connection a secure one: certificate and name are verified.
    pub(super) async fn secure(self, config: &Arc<ClientConfig>, host: &str) -> Result<Self, Why> {
        // What came before the handshake is not from the server that the handshake proves: it could be anybody's.
        if !self.stream.buffer().is_empty() {
            return Err(Why::Unreadable(
                "it says more than was asked before the connection is secure".to_owned(),
            ));
        }
        let name =
            ServerName::try_from(host.to_owned()).map_err(|error| Why::NoTls(io::Error::other(error)))?;
        let connector = TlsConnector::from(Arc::clone(config));
        let stream = connector.connect(name, self.stream.into_inner()).await.map_err(Why::NoTls)?;
        Ok(Self { stream: BufReader::new(Box::new(stream)), local: self.local })
    }

    /// Says a command and hears the reply.
    pub(super) async fn say(&mut self, command: &str) -> Result<Reply, Why> {
        self.write(format!("{command}\r\n").as_bytes()).await?;
        self.hear().await
    }

    /// Writes the mail, then the dot that ends it, and hears the verdict.
    pub(super) async fn hand_over(&mut self, mail: &[u8], stage: &mut Stage) -> Result<Reply, Why> {
        *stage = Stage::Content;
        self.write(&dot_stuffed(mail)).await?;
        // From here on nobody but the server knows: the stage changes before the first byte of the dot is written.
        *stage = Stage::Dot;
        self.write(b".\r\n").await?;
        self.hear().await
    }

    /// Takes leave without waiting: what was to be known is known.
    pub(super) async fn leave(mut self) {
        // Whether the farewell arrives changes nothing.
        let _ = self.write(b"QUIT\r\n").await;
        let _ = self.stream.shutdown().await;
    }

    async fn write(&mut self, bytes: &[u8]) -> Result<(), Why> {
        self.stream.write_all(bytes).await.map_err(Why::Lost)?;
        self.stream.flush().await.map_err(Why::Lost)
    }

    /// Hears one whole reply.
    pub(super) async fn hear(&mut self) -> Result<Reply, Why> {
        let mut lines = Lines::default();
        loop {
            let mut line = Vec::new();
            (&mut self.stream).take(LINE).read_until(b'\n', &mut line).await.map_err(Why::Lost)?;
            match line.last() {
                Some(b'\n') => {}
                Some(_) if line.len() as u64 == LINE => {
                    return Err(Why::Unreadable("a line has more than 4096 bytes".to_owned()));
                }
                _ => return Err(Why::Lost(io::ErrorKind::UnexpectedEof.into())),
            }
            if let Some(reply) = lines.take(&line).map_err(Why::Unreadable)? {
                return Ok(reply);
            }
        }
    }
}

/// The mail as it travels: a dot at the start of a line is doubled (RFC 5321, 4.5.2), and the last line ends.
fn dot_stuffed(mail: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(mail.len() + mail.len() / 64 + 2);
    for line in mail.split_inclusive(|byte| *byte == b'\n') {
        if line.first() == Some(&b'.') {
            out.push(b'.');
        }
        out.extend_from_slice(line);
    }
    if !out.ends_with(b"\r\n") {
        out.extend_from_slice(b"\r\n");
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::io::{DuplexStream, duplex};

    const MAIL: &[u8] = b"Subject: a\r\n\r\nSome text that fills the pipe between both.\r\n";

    fn pair() -> (Wire, DuplexStream) {
        let (ours, theirs) = duplex(16);
        let local = IpAddr::from([127, 0, 0, 1]);
        (Wire { stream: BufReader::new(Box::new(ours)), local }, theirs)
    }

    /// Hands a mail to a server that reads so many bytes and hangs up; gives how far it came.
    async fn handed(bytes: usize) -> Stage {
        let (mut wire, mut theirs) = pair();
        let mut stage = Stage::Data;
        let server = async move {
            let mut read = vec![0; bytes];
            theirs.read_exact(&mut read).await.unwrap();
        };
        let (ended, ()) = tokio::join!(wire.hand_over(MAIL, &mut stage), server);
        assert!(matches!(ended, Err(Why::Lost(_))), "{ended:?}");
        stage
    }

    #[tokio::test]
    async fn the_dot_has_left_only_when_all_before_it_has() {
        assert_eq!(handed(1).await, Stage::Content);
        assert_eq!(handed(MAIL.len() - 17).await, Stage::Content);
        for more in 0..=3 {
            assert_eq!(handed(MAIL.len() + more).await, Stage::Dot);
        }
    }

    #[tokio::test]
    async fn what_is_said_before_the_connection_is_secure_does_not_count_after_it() {
        let (mut wire, mut theirs) = pair();
        let injected = b"220 go\r\n250 ok\r\n";
        let server = async {
            let mut command = [0; 10];
            theirs.read_exact(&mut command).await.unwrap();
            theirs.write_all(injected).await.unwrap();
        };
        let (said, ()) = tokio::join!(wire.say("STARTTLS"), server);
        assert_eq!(said.unwrap().code, 220);
        let config = Arc::new(onceward_http::tls_config(Vec::new()).unwrap());
        let ended = wire.secure(&config, "mx.example").await.map(drop);
        assert!(matches!(ended, Err(Why::Unreadable(_))), "{ended:?}");
    }

    #[test]
    fn a_dot_at_the_start_of_a_line_is_doubled() {
        for (mail, sent) in [
            ("a\r\nb\r\n", "a\r\nb\r\n"),
            (".\r\n", "..\r\n"),
            ("a\r\n.\r\nQUIT\r\n", "a\r\n..\r\nQUIT\r\n"),
            ("..a\r\na.b.\r\n", "...a\r\na.b.\r\n"),
            ("no end", "no end\r\n"),
            ("", "\r\n"),
        ] {
            assert_eq!(String::from_utf8(dot_stuffed(mail.as_bytes())).unwrap(), sent, "{mail:?}");
        }
    }
}
