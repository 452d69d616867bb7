//! SIGINT and SIGTERM: the first one asks, the second one insists.

use tokio::sync::watch;

use crate::exit::Exit;
use crate::output::Output;
use crate::stop::Stop;

/// Both signals, caught from the moment this is made.
#[derive(Debug)]
pub(crate) struct Signals {
    #[cfg(unix)]
    int: tokio::signal::unix::Signal,
    #[cfg(unix)]
    term: tokio::signal::unix::Signal,
}

impl Signals {
    /// Catches them from now on.
    #[cfg(unix)]
    pub(crate) fn catch() -> Result<Self, Stop> {
        use tokio::signal::unix::{SignalKind, signal};
        let catch = |kind| signal(kind).map_err(|error| Stop::failed("io", format!("signals: {error}")));
        Ok(Self { int: catch(SignalKind::interrupt())?, term: catch(SignalKind::terminate())? })
    }

    /// Waits for the next one, and says how a process that was stopped by it ends.
    #[cfg(unix)]
    pub(crate) async fn next(&mut self) -> Exit {
        tokio::select! {
            _ = self.int.recv() => Exit::Interrupted,
            _ = self.term.recv() => Exit::Terminated,
        }
    }

    /// Catches Ctrl-C from now on.
    #[cfg(not(unix))]
    pub(crate) fn catch() -> Result<Self, Stop> {
        Ok(Self {})
    }

    /// Waits for the next one.
    #[cfg(not(unix))]
    pub(crate) async fn next(&mut self) -> Exit {
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending::<()>().await;
        }
        Exit::Interrupted
    }

    /// Waits for the first one; from then on, the second one ends the process at once.
    pub(crate) async fn first(mut self, output: &Output) -> Exit {
        let exit = self.next().await;
        output.note("stopping: what runs finishes or is handed back; a second signal ends it at once");
        tokio::spawn(async move {
            let again = self.next().await;
            std::process::exit(again as i32);
        });
        exit
    }
}

/// Waits until what runs beside something else is told to end.
pub(crate) async fn told(mut stopped: watch::Receiver<bool>) {
    // A dropped sender means the same.
    let _ = stopped.wait_for(|stop| *stop).await;
}
