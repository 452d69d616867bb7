//! Servers of a test's own, restarted whenever they end, as a supervisor would.

#![allow(dead_code, reason = "each test binary uses some of them")]

pub(crate) mod lesson;
pub(crate) mod nats;
pub(crate) mod postgres;
pub(crate) mod rabbitmq;

use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;

/// A server that is started again whenever it ends.
#[derive(Debug)]
pub(crate) struct Supervised {
    child: Arc<Mutex<Option<Child>>>,
    /// The parent of each start: the kernel ends a server whose parent thread is gone.
    thread: Option<JoinHandle<()>>,
}

impl Supervised {
    /// `script` becomes the server: its last command begins with `exec`.
    pub(crate) fn start(script: String) -> Self {
        let (begun, first) = std::sync::mpsc::channel();
        let child = Arc::new(Mutex::new(None));
        let mine = Arc::clone(&child);
        let thread = std::thread::spawn(move || {
            loop {
                let Ok(started) = shell(&script).spawn() else { return };
                *mine.lock().unwrap_or_else(PoisonError::into_inner) = Some(started);
                // Only the first is waited for.
                let _ = begun.send(());
                while is_running(&mine) {
                    std::thread::sleep(std::time::Duration::from_millis(5)); // sleeps: another program runs
                }
                if mine.lock().unwrap_or_else(PoisonError::into_inner).is_none() {
                    return;
                }
            }
        });
        first.recv().expect("sh starts");
        Self { child, thread: Some(thread) }
    }
}

fn is_running(child: &Mutex<Option<Child>>) -> bool {
    let mut child = child.lock().unwrap_or_else(PoisonError::into_inner);
    child.as_mut().is_some_and(|child| matches!(child.try_wait(), Ok(None)))
}

/// A shell that runs this, with nothing to read and nothing said.
pub(crate) fn shell(script: &str) -> Command {
    let mut command = Command::new("sh");
    command.args(["-c", script]).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command
}

impl Drop for Supervised {
    fn drop(&mut self) {
        let child = self.child.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(mut child) = child {
            // It may have ended already.
            drop(child.kill());
            drop(child.wait());
        }
        if let Some(thread) = self.thread.take() {
            drop(thread.join());
        }
    }
}
