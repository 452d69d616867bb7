//! One request from its arrival to its answer: the fault that it meets, the platform, the ledger.

use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use std::{fs, io};

use tokio::sync::watch;

use crate::answer::Answer;
use crate::call::Call;
use crate::clock::{Clock, Micros, micros};
use crate::desk::Desk;
use crate::fault::{Fault, FaultFile, Kind, Met, Standing, Unit};
use crate::journal::{Event, Journal};
use crate::ledger::{Arrival, Ledger};
use crate::platforms::{Platform, Problem, Visit};
use crate::text;

/// What all platforms share.
#[derive(Debug)]
pub(crate) struct Core {
    books: Mutex<Books>,
    /// Counts up with each arrival.
    arrivals: watch::Sender<u64>,
    closing: watch::Sender<bool>,
}

#[derive(Debug)]
struct Books {
    clock: Clock,
    limits: bool,
    ledger: Ledger,
    faults: Standing,
    journal: Option<Journal>,
}

/// An answer, and how it goes over the wire.
#[derive(Debug)]
pub(crate) struct Served {
    pub(crate) answer: Answer,
    pub(crate) end: End,
}

/// How an answer goes over the wire.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum End {
    Whole,
    /// Never; the connection stays open.
    Never,
    /// Not at all: the connection is reset.
    Reset,
    /// Its first bytes, then the connection is closed.
    Cut(u64),
    /// Byte by byte, with this time between them.
    Drip(Duration),
}

impl Core {
    /// With the ledger from a file, and kept there from now on.
    pub(crate) fn open(faults: FaultFile, state: Option<&Path>) -> io::Result<Self> {
        let (journal, ledger, clock) = match state {
            None => (None, Ledger::default(), Clock::default()),
            Some(path) => {
                if let Some(folder) = path.parent() {
                    fs::create_dir_all(folder)?;
                }
                let (journal, ledger, clock) = Journal::open(path)?;
                (Some(journal), ledger, clock)
            }
        };
        let mut standing = Standing::default();
        for fault in faults.faults {
            standing.add(fault);
        }
        let books = Books { clock, limits: faults.limits, ledger, faults: standing, journal };
        let (arrivals, _) = watch::channel(0);
        let (closing, _) = watch::channel(false);
        Ok(Self { books: Mutex::new(books), arrivals, closing })
    }

    /// Answers one request of one platform, and writes down what came of it.
    pub(crate) fn serve(&self, platform: &dyn Platform, call: &Call) -> Served {
        let visit = platform.read(call);
        let served = self.books().serve(platform, call, &visit);
        self.arrivals.send_modify(|count| *count += 1);
        served
    }

    pub(crate) fn ledger(&self) -> Ledger {
        self.books().ledger.clone()
    }

    pub(crate) fn faults(&self) -> Vec<Fault> {
        self.books().faults.all().to_vec()
    }

    pub(crate) fn add_fault(&self, fault: Fault) {
        self.books().faults.add(fault);
    }

    pub(crate) fn clear_faults(&self) {
        self.books().faults.clear();
    }

    pub(crate) fn now(&self) -> Micros {
        self.books().clock.now()
    }

    pub(crate) fn advance(&self, by: Duration) {
        let mut books = self.books();
        books.clock.advance(by);
        let micros = u64::try_from(by.as_micros()).unwrap_or(u64::MAX);
        books.write(&[Event::Advanced { micros }]);
    }

    /// Hears of each arrival.
    pub(crate) fn arrivals(&self) -> watch::Receiver<u64> {
        self.arrivals.subscribe()
    }

    pub(crate) fn close(&self) {
        self.closing.send_replace(true);
    }

    /// Closes the state file: another sandbox may go on with it.
    pub(crate) fn release(&self) {
        self.books().journal = None;
    }

    /// Waits until the sandbox stops.
    pub(crate) async fn closed(&self) {
        // The sender is a field of this, so that it cannot be gone.
        let _ = self.closing.subscribe().wait_for(|closing| *closing).await;
    }

    fn books(&self) -> MutexGuard<'_, Books> {
        self.books.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Books {
    fn serve(&mut self, platform: &dyn Platform, call: &Call, visit: &Visit) -> Served {
        let met = self.faults.meet(platform.name(), visit.act);
        let mut desk = Desk {
            now: self.clock.now(),
            limits: self.limits,
            repeat_error: met.repeat_error,
            platform: platform.name(),
            visit,
            body_hash: text::sha256(&call.body),
            unseen: micros(Duration::from_secs_f64(met.unseen)),
            ledger: &mut self.ledger,
            events: Vec::new(),
        };
        let served = serve(platform, call, &mut desk, &met);
        let arrival = arrival(&desk, &met, &served);
        let mut events = desk.events;
        events.push(Event::Arrived(arrival.clone()));
        self.ledger.arrivals.push(arrival);
        self.write(&events);
        served
    }

    /// What cannot be kept must not be answered: a test would build on it.
    fn write(&mut self, events: &[Event]) {
        if let Some(journal) = &mut self.journal
            && let Err(error) = journal.write(events)
        {
            tracing::error!("the sandbox cannot write its state file, and stops keeping it: {error}");
            self.journal = None;
        }
    }
}

/// The answer, with its fault.
fn serve(platform: &dyn Platform, call: &Call, desk: &mut Desk<'_>, met: &Met) -> Served {
    let Some(kind) = met.kind else {
        return Served { answer: platform.serve(call, desk), end: End::Whole };
    };
    if accepts(kind) {
        let answer = platform.serve(call, desk);
        let end = match kind {
            Kind::AcceptThenHang => End::Never,
            Kind::AcceptThenReset => End::Reset,
            Kind::AcceptThenCut(at) => End::Cut(at),
            Kind::SlowLoris(seconds) => End::Drip(Duration::from_secs_f64(seconds)),
            _ => End::Whole,
        };
        return Served { answer: instead(platform, kind, desk).unwrap_or(answer), end };
    }
    let end = match kind {
        Kind::Hang => End::Never,
        Kind::Reset => End::Reset,
        _ => End::Whole,
    };
    let answer = instead(platform, kind, desk);
    Served { answer: answer.unwrap_or_else(|| Answer::text(503, "no answer")), end }
}

/// Whether the platform does what was asked before it goes wrong.
fn accepts(kind: Kind) -> bool {
    matches!(
        kind,
        Kind::AcceptThenHang
            | Kind::AcceptThenReset
            | Kind::AcceptThenStatus(_)
            | Kind::AcceptThenCut(_)
            | Kind::SlowLoris(_)
            | Kind::Duplicate { accept: true }
    )
}

/// What is said in place of the right answer.
fn instead(platform: &dyn Platform, kind: Kind, desk: &Desk<'_>) -> Option<Answer> {
    let problem = match kind {
        Kind::AcceptThenStatus(status) | Kind::Refuse(status) => Problem::Broken { status },
        Kind::Duplicate { .. } => Problem::Duplicate,
        Kind::ExpiredToken => Problem::ExpiredToken,
        Kind::RevokedToken => Problem::RevokedToken,
        Kind::RateLimit(seconds, None) => Problem::RateLimited { seconds: Some(seconds) },
        Kind::RateLimit(seconds, Some(unit)) => {
            if let Some(own) = platform.wait_in_body(seconds).filter(|_| unit == Unit::Body) {
                return Some(own);
            }
            let answer = platform.problem(&Problem::RateLimited { seconds: None }, desk);
            return Some(answer.wait(seconds, unit, desk.now));
        }
        _ => return None,
    };
    Some(platform.problem(&problem, desk))
}

fn arrival(desk: &Desk<'_>, met: &Met, served: &Served) -> Arrival {
    let accepted = desk.events.iter().filter_map(|event| match event {
        Event::Accepted(item) => Some(item.number),
        _ => None,
    });
    let answered = !matches!(served.end, End::Never | End::Reset);
    Arrival {
        at: desk.now,
        platform: desk.platform.to_owned(),
        act: desk.visit.act.to_owned(),
        account: desk.visit.account.clone(),
        key: desk.visit.key.clone(),
        body_hash: desk.body_hash.clone(),
        status: answered.then_some(served.answer.status),
        fault: met.kind.map(|kind| kind.name().to_owned()),
        accepted: accepted.collect(),
    }
}
