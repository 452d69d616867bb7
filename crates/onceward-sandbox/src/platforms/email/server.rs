//! Connections, and the dialogue on each.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};

use super::{SIZE, Smtp, letter};
use crate::call::Call;
use crate::core::{Core, End, Served};

/// The longest command.
const COMMAND: u64 = 4096;

/// Takes connections until the sandbox stops.
pub(crate) async fn serve(listener: TcpListener, core: Arc<Core>) {
    loop {
        let taken = tokio::select! {
            () = core.closed() => return,
            taken = listener.accept() => taken,
        };
        let Ok((stream, _)) = taken else {
            // Too many files are open, for example: some are closed in a moment.
            tokio::time::sleep(Duration::from_millis(100)).await;
            continue;
        };
        let core = Arc::clone(&core);
        tokio::spawn(async move {
            let stopped = core.closed();
            let mut session = Session { stream: BufReader::new(stream), core: &core, from: None, to: None };
            tokio::select! {
                () = stopped => {}
                // A client that goes away is no news.
                _ = session.run() => {}
            }
        });
    }
}

/// One connection.
struct Session<'c> {
    stream: BufReader<TcpStream>,
    core: &'c Core,
    from: Option<String>,
    to: Option<String>,
}

impl Session<'_> {
    async fn run(&mut self) -> io::Result<()> {
        self.write(b"220 sandbox ESMTP\r\n").await?;
        loop {
            let line = self.line().await?;
            let (verb, rest) = line.split_once(' ').unwrap_or((line.as_str(), ""));
            match verb.to_ascii_uppercase().as_str() {
                "QUIT" => return self.write(b"221 2.0.0 Bye\r\n").await,
                "RSET" => {
                    (self.from, self.to) = (None, None);
                    self.write(b"250 2.0.0 Ok\r\n").await?;
                }
                "NOOP" => self.write(b"250 2.0.0 Ok\r\n").await?,
                "DATA" => self.data().await?,
                "AUTH" => self.login(rest).await?,
                verb => self.command(verb, rest).await?,
            }
        }
    }

    async fn command(&mut self, verb: &str, rest: &str) -> io::Result<()> {
        let (path, parameters) = rest.split_once("> ").unwrap_or((rest.trim_end_matches('>'), ""));
        let path = path.split_once('<').map(|(_, path)| path.to_owned());
        let needed = match verb {
            "MAIL" => self.from.is_none(),
            "RCPT" => self.from.is_some(),
            _ => true,
        };
        if !needed || (matches!(verb, "MAIL" | "RCPT") && path.is_none()) {
            return self.write(b"503 5.5.1 Error: bad sequence of commands, or no address\r\n").await;
        }
        let call = Call { query: parameters.to_ascii_lowercase(), ..self.call(verb, Vec::new()) };
        let good = self.answer(call).await?;
        match verb {
            "MAIL" if good => self.from = path,
            "RCPT" if good => self.to = path,
            _ => {}
        }
        Ok(())
    }

    /// Any user and any password; what they are is not kept.
    async fn login(&mut self, way: &str) -> io::Result<()> {
        if way.eq_ignore_ascii_case("LOGIN") {
            for question in [&b"334 VXNlcm5hbWU6\r\n"[..], b"334 UGFzc3dvcmQ6\r\n"] {
                self.write(question).await?;
                if letter::base64(&self.line().await?).is_none() {
                    return self.write(b"501 5.5.2 Cannot decode\r\n").await;
                }
            }
        }
        let call = self.call("AUTH", Vec::new());
        self.answer(call).await.map(drop)
    }

    async fn data(&mut self) -> io::Result<()> {
        if self.to.is_none() {
            return self.write(b"503 5.5.1 Error: need RCPT command\r\n").await;
        }
        let call = self.call("DATA", Vec::new());
        if !self.answer(call).await? {
            return Ok(());
        }
        let mut mail = Vec::new();
        let mut begun = false;
        loop {
            let mut line = Vec::new();
            if (&mut self.stream).take(SIZE as u64).read_until(b'\n', &mut line).await? == 0 {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
            if !begun {
                begun = true;
                let call = self.call("CONTENT", Vec::new());
                let served = self.core.serve(&Smtp, &call);
                if served.end != End::Whole || served.answer.status >= 400 {
                    self.say(served).await?;
                    // The rest of the mail would be taken for commands.
                    return Err(io::ErrorKind::ConnectionAborted.into());
                }
            }
            if line == b".\r\n" {
                break;
            }
            mail.extend_from_slice(line.strip_prefix(b".").unwrap_or(&line));
        }
        let call = self.call("DOT", mail);
        self.answer(call).await?;
        (self.from, self.to) = (None, None);
        Ok(())
    }

    fn call(&self, method: &str, body: Vec<u8>) -> Call {
        let known = [("from", &self.from), ("to", &self.to)];
        let headers = known.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value.clone()?)));
        Call { method: method.to_owned(), headers: headers.collect(), body, ..Call::default() }
    }

    /// Whether the answer was a good one. A bad one of class 421 ends the connection.
    async fn answer(&mut self, call: Call) -> io::Result<bool> {
        let served = self.core.serve(&Smtp, &call);
        self.say(served).await
    }

    async fn say(&mut self, served: Served) -> io::Result<bool> {
        let code = served.answer.status;
        let words = String::from_utf8_lossy(&served.answer.body).into_owned();
        let last = words.lines().count().saturating_sub(1);
        let lines = words.lines().enumerate().map(|(at, line)| {
            let mark = if at < last { '-' } else { ' ' };
            format!("{code}{mark}{line}\r\n")
        });
        let bytes = lines.collect::<String>().into_bytes();
        match served.end {
            End::Whole => self.write(&bytes).await?,
            End::Never => self.core.closed().await,
            End::Reset => {
                self.stream.get_ref().set_zero_linger()?;
                return Err(io::ErrorKind::ConnectionReset.into());
            }
            End::Cut(at) => {
                let at = usize::try_from(at).unwrap_or(usize::MAX).min(bytes.len());
                self.write(&bytes[..at]).await?;
                return Err(io::ErrorKind::BrokenPipe.into());
            }
            End::Drip(between) => self.drip(&bytes, between).await?,
        }
        if code == 421 { Err(io::ErrorKind::ConnectionAborted.into()) } else { Ok(code < 400) }
    }

    async fn drip(&mut self, bytes: &[u8], between: Duration) -> io::Result<()> {
        for byte in bytes {
            tokio::time::sleep(between).await;
            self.write(&[*byte]).await?;
        }
        Ok(())
    }

    async fn line(&mut self) -> io::Result<String> {
        let mut line = Vec::new();
        if (&mut self.stream).take(COMMAND).read_until(b'\n', &mut line).await? == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        Ok(String::from_utf8_lossy(&line).trim_end().to_owned())
    }

    async fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.stream.get_mut().write_all(bytes).await
    }
}
