//! The ledger on disk: one line of JSON for each thing that happened, so that it survives its process.

use std::fs::{File, OpenOptions};
use std::io::{self, Read, Seek, Write};
use std::path::Path;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::Value as Json;

use crate::clock::Clock;
use crate::ledger::{Accepted, Arrival, Ledger};

/// One thing that happened.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Event {
    Arrived(Arrival),
    Accepted(Accepted),
    /// What a platform remembers of something has changed.
    Amended {
        number: u64,
        data: Json,
    },
    Advanced {
        micros: u64,
    },
}

/// An open file, at its end.
#[derive(Debug)]
pub(crate) struct Journal(File);

impl Journal {
    /// Opens or makes the file, and gives what it tells. A last line without an end is what a killed process left of
    /// an answer that was never given: it is cut off.
    pub(crate) fn open(path: &Path) -> io::Result<(Self, Ledger, Clock)> {
        let mut file = OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path)?;
        file.try_lock().map_err(|_| {
            let text = format!("{}: another sandbox keeps its ledger there", path.display());
            io::Error::new(io::ErrorKind::ResourceBusy, text)
        })?;
        let mut text = String::new();
        file.read_to_string(&mut text)?;
        let whole = text.rfind('\n').map_or(0, |end| end + 1);
        let (mut ledger, mut clock) = (Ledger::default(), Clock::default());
        for (number, line) in text[..whole].lines().enumerate() {
            let event = serde_json::from_str(line).map_err(|error| {
                let text = format!("{}:{}: {error}", path.display(), number + 1);
                io::Error::new(io::ErrorKind::InvalidData, text)
            })?;
            replay(event, &mut ledger, &mut clock);
        }
        let end = u64::try_from(whole).unwrap_or(u64::MAX);
        file.set_len(end)?;
        file.seek(io::SeekFrom::Start(end))?;
        Ok((Self(file), ledger, clock))
    }

    pub(crate) fn write(&mut self, events: &[Event]) -> io::Result<()> {
        let mut lines = Vec::new();
        for event in events {
            serde_json::to_writer(&mut lines, event)?;
            lines.push(b'\n');
        }
        self.0.write_all(&lines)
    }
}

fn replay(event: Event, ledger: &mut Ledger, clock: &mut Clock) {
    match event {
        Event::Arrived(arrival) => ledger.arrivals.push(arrival),
        Event::Accepted(item) => ledger.accepted.push(item),
        Event::Amended { number, data } => {
            if let Some(item) = ledger.accepted.iter_mut().find(|item| item.number == number) {
                item.data = data;
            }
        }
        Event::Advanced { micros } => clock.advance(Duration::from_micros(micros)),
    }
}
