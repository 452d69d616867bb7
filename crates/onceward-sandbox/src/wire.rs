//! Connections that end as a fault asks: reset, cut after some bytes, or byte by byte.

use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use axum::extract::connect_info::Connected;
use axum::serve::{IncomingStream, Listener};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpListener, TcpStream};
use tokio::time::{Sleep, sleep};

use crate::core::End;

/// How one connection treats what is written to it from now on: its handler and its socket share this.
#[derive(Debug, Clone)]
pub(crate) struct Line(Arc<Mutex<End>>);

impl Line {
    pub(crate) fn end(&self, end: End) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = end;
    }

    fn get(&self) -> End {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Listens on loopback.
#[derive(Debug)]
pub(crate) struct Doorway(pub(crate) TcpListener);

impl Listener for Doorway {
    type Io = Wire;
    type Addr = SocketAddr;

    async fn accept(&mut self) -> (Wire, SocketAddr) {
        let (stream, address) = Listener::accept(&mut self.0).await;
        (Wire { stream, line: Line(Arc::new(Mutex::new(End::Whole))), pause: None }, address)
    }

    fn local_addr(&self) -> io::Result<SocketAddr> {
        self.0.local_addr()
    }
}

impl Connected<IncomingStream<'_, Doorway>> for Line {
    fn connect_info(stream: IncomingStream<'_, Doorway>) -> Self {
        stream.io().line.clone()
    }
}

/// One connection.
#[derive(Debug)]
pub(crate) struct Wire {
    stream: TcpStream,
    line: Line,
    pause: Option<Pin<Box<Sleep>>>,
}

impl Wire {
    /// Waits until the next byte may leave.
    fn paused(&mut self, context: &mut Context<'_>, between: Duration) -> Poll<()> {
        let pause = self.pause.get_or_insert_with(|| Box::pin(sleep(between)));
        ready!(pause.as_mut().poll(context));
        self.pause = None;
        Poll::Ready(())
    }
}

impl AsyncRead for Wire {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(context, buffer)
    }
}

impl AsyncWrite for Wire {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        match self.line.get() {
            End::Whole | End::Never => Pin::new(&mut self.stream).poll_write(context, bytes),
            End::Reset => {
                self.stream.set_zero_linger()?;
                Poll::Ready(Err(io::ErrorKind::ConnectionReset.into()))
            }
            End::Cut(0) => Poll::Ready(Err(io::ErrorKind::BrokenPipe.into())),
            End::Cut(left) => {
                let most = bytes.len().min(usize::try_from(left).unwrap_or(usize::MAX));
                let written = ready!(Pin::new(&mut self.stream).poll_write(context, &bytes[..most]))?;
                self.line.end(End::Cut(left - written as u64));
                Poll::Ready(Ok(written))
            }
            End::Drip(between) => {
                ready!(self.paused(context, between));
                let first = &bytes[..bytes.len().min(1)];
                Pin::new(&mut self.stream).poll_write(context, first)
            }
        }
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}
