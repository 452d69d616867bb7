//! An actor as a test sees it: a process that says facts, and that can be killed.

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, WaitOptions, kill_process, waitpid};

use crate::Verdict;
use crate::fact::Fact;
use crate::orders::Orders;
use crate::wait::until;

/// A fact, and when it was heard.
#[derive(Debug, Clone)]
pub struct Heard {
    /// When.
    pub at: Instant,
    /// What.
    pub fact: Fact,
}

/// A running actor. Killed when dropped.
#[derive(Debug)]
pub struct Actor {
    child: Child,
    heard: Arc<Mutex<Vec<Heard>>>,
    log: Arc<Mutex<String>>,
    listeners: Vec<JoinHandle<()>>,
}

/// What is left of an actor.
#[derive(Debug)]
pub struct Ended {
    /// How it ended.
    pub status: ExitStatus,
    /// All that it said.
    pub heard: Vec<Heard>,
    /// What it logged: warnings and errors.
    pub log: String,
}

impl Ended {
    /// The facts alone.
    pub fn facts(&self) -> impl Iterator<Item = &Fact> {
        self.heard.iter().map(|heard| &heard.fact)
    }
}

impl Actor {
    /// Starts the program (`env!("CARGO_BIN_EXE_actor")`) with its orders.
    pub fn start(program: &str, orders: &Orders) -> Verdict<Self> {
        Self::start_with(program, orders, &[])
    }

    /// Starts it with more variables in its environment.
    pub fn start_with(program: &str, orders: &Orders, variables: &[(&str, &str)]) -> Verdict<Self> {
        let mut child = Command::new(program)
            .arg(serde_json::to_string(orders)?)
            .envs(variables.iter().copied())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(|e| format!("{program}: {e}"))?;
        let (heard, log) = (Arc::default(), Arc::default());
        let listeners = vec![
            listen(child.stdout.take().ok_or("no stdout")?, Arc::clone(&heard), Arc::clone(&log)),
            read_log(child.stderr.take().ok_or("no stderr")?, Arc::clone(&log)),
        ];
        Ok(Self { child, heard, log, listeners })
    }

    /// Starts it and waits until the store is open; gives its boot id too.
    pub async fn ready(program: &str, orders: &Orders) -> Verdict<(Self, String)> {
        let actor = Self::start(program, orders)?;
        let boot = actor.says("the actor is ready", STARTED, |fact| match fact {
            Fact::Ready { boot } => Some(boot.clone()),
            _ => None,
        });
        let (_, boot) = boot.await?;
        Ok((actor, boot))
    }

    /// Waits for the first fact that fits; gives when it was heard, and what `pick` made of it.
    pub async fn says<T>(
        &self,
        what: &str,
        within: Duration,
        pick: impl Fn(&Fact) -> Option<T>,
    ) -> Verdict<(Instant, T)> {
        let found = || self.heard().iter().find_map(|heard| Some((heard.at, pick(&heard.fact)?)));
        until(what, within, async || Ok(found()))
            .await
            .map_err(|e| format!("{e}\nfacts: {:?}\nlog: {}", self.last(), self.log()).into())
    }

    /// How many facts fit.
    pub fn count(&self, fits: impl Fn(&Fact) -> bool) -> usize {
        self.heard().iter().filter(|heard| fits(&heard.fact)).count()
    }

    /// Tells an actor that waits for it to begin.
    pub fn go(&mut self) -> Verdict {
        self.tell("go")
    }

    /// Moves its clock; it says so with [`Fact::Clock`].
    pub fn set_clock(&mut self, at: i64) -> Verdict {
        self.tell(&at.to_string())
    }

    fn tell(&mut self, line: &str) -> Verdict {
        let stdin = self.child.stdin.as_mut().ok_or("no stdin")?;
        Ok(writeln!(stdin, "{line}")?)
    }

    /// Sends it a signal.
    pub fn signal(&self, signal: Signal) -> Verdict {
        Ok(kill_process(self.pid()?, signal)?)
    }

    /// Stops it in the middle of whatever it does (SIGSTOP), and waits until all its threads stand still.
    pub fn freeze(&self) -> Verdict {
        self.signal(Signal::STOP)?;
        let status = waitpid(Some(self.pid()?), WaitOptions::UNTRACED)?;
        let stopped = status.is_some_and(|(_, status)| status.stopped());
        if stopped { Ok(()) } else { Err(format!("the actor did not stop: {status:?}").into()) }
    }

    fn pid(&self) -> Verdict<Pid> {
        Ok(Pid::from_raw(i32::try_from(self.child.id())?).ok_or("no process")?)
    }

    /// Whether it has ended by itself.
    pub fn has_ended(&mut self) -> Verdict<bool> {
        Ok(self.child.try_wait()?.is_some())
    }

    /// Kills it outright (SIGKILL).
    pub fn kill(mut self) -> Verdict<Ended> {
        self.child.kill()?;
        self.rest()
    }

    /// Waits until it has ended by itself.
    pub async fn ends(mut self, within: Duration) -> Verdict<Ended> {
        let child = &mut self.child;
        let ended = until("the actor ends", within, async || Ok(child.try_wait()?)).await;
        ended.map_err(|e| format!("{e}\nfacts: {:?}\nlog: {}", self.last(), self.log()))?;
        self.rest()
    }

    fn rest(&mut self) -> Verdict<Ended> {
        let status = self.child.wait()?;
        for listener in self.listeners.drain(..) {
            listener.join().map_err(|_| "a listener panicked")?;
        }
        Ok(Ended { status, heard: std::mem::take(&mut *self.heard()), log: self.log() })
    }

    fn heard(&self) -> MutexGuard<'_, Vec<Heard>> {
        self.heard.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn last(&self) -> Vec<Heard> {
        let heard = self.heard();
        heard[heard.len().saturating_sub(20)..].to_vec()
    }

    fn log(&self) -> String {
        self.log.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// How long a start may take on a busy machine.
pub const STARTED: Duration = Duration::from_secs(30);

impl Drop for Actor {
    fn drop(&mut self) {
        // It may have ended already.
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

/// A line that a kill cut in two is no fact: it was never said to the end.
fn listen(
    from: impl Read + Send + 'static,
    heard: Arc<Mutex<Vec<Heard>>>,
    log: Arc<Mutex<String>>,
) -> JoinHandle<()> {
    std::thread::spawn(move || {
        for line in BufReader::new(from).lines().map_while(Result::ok) {
            match serde_json::from_str(&line) {
                Ok(fact) => heard
                    .lock()
                    .unwrap_or_else(PoisonError::into_inner)
                    .push(Heard { at: Instant::now(), fact }),
                Err(error) => note(&log, &format!("{error}: {line}")),
            }
        }
    })
}

fn read_log(from: impl Read + Send + 'static, log: Arc<Mutex<String>>) -> JoinHandle<()> {
    std::thread::spawn(move || {
        BufReader::new(from).lines().map_while(Result::ok).for_each(|line| note(&log, &line));
    })
}

/// An actor may rant: a line is kept as far as a person would read it.
fn note(log: &Mutex<String>, line: &str) {
    let mut log = log.lock().unwrap_or_else(PoisonError::into_inner);
    log.push_str(&line[..line.floor_char_boundary(500)]);
    log.push('\n');
}
