//! How often, how fast and how patiently: the keys that queues and channels share.

use jiff::civil;
use onceward::circuit::{CircuitError, CircuitPolicy};
use onceward::pace::Rate;
use onceward::retry::RetryPolicy;
use toml::Spanned;
use toml::de::DeValue;

use super::table::Table;
use super::text;
use super::value::{Fault, FromValue, parsed};

/// Times of day at which nothing is sent, in the zone of [publish].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Quiet {
    pub(crate) from: civil::Time,
    pub(crate) to: civil::Time,
}

/// How a queue, or a channel's queue, treats its jobs.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Pace {
    pub(crate) rate: Option<Rate>,
    pub(crate) retry: RetryPolicy,
    /// None where a job has a single try: there is no second one for a pause to save.
    pub(crate) circuit: Option<CircuitPolicy>,
}

impl Pace {
    /// Reads `rate`, `retry` and `circuit`; `usual` is the retry policy of this kind of place.
    pub(crate) fn read(table: &mut Table<'_>, usual: RetryPolicy) -> Self {
        let rate = table.get("rate");
        let retry = table.table("retry").map_or(usual, |retry| read_retry(retry, usual));
        let circuit = match table.table("circuit") {
            Some(circuit) => Some(read_circuit(circuit, retry)),
            None => usual_circuit(retry),
        };
        Self { rate, retry, circuit }
    }
}

fn read_retry(mut table: Table<'_>, usual: RetryPolicy) -> RetryPolicy {
    let retry = RetryPolicy {
        max_attempts: table.get_or("max_attempts", usual.max_attempts),
        base: table.get_or("base", usual.base),
        factor: table.get_or("factor", usual.factor),
        max: table.get_or("max", usual.max),
        jitter: table.get_or("jitter", usual.jitter),
    };
    if let Err(error) = retry.validate() {
        table.refuse(error.key(), &error.to_string());
    }
    table.close();
    retry
}

fn read_circuit(mut table: Table<'_>, retry: RetryPolicy) -> CircuitPolicy {
    let usual = usual_circuit(retry).unwrap_or_default();
    let circuit = CircuitPolicy {
        failures: table.get_or("failures", usual.failures),
        pause: table.get_or("pause", usual.pause),
        max: table.get_or("max", usual.max),
    };
    if let Err(error) = circuit.validate(retry.max_attempts) {
        let key = if matches!(error, CircuitError::Max(..)) { "max" } else { "failures" };
        table.refuse(key, &error.to_string());
    }
    table.close();
    circuit
}

/// Opens below the number of tries, so that an outage kills no job.
fn usual_circuit(retry: RetryPolicy) -> Option<CircuitPolicy> {
    let usual = CircuitPolicy::default();
    let failures = usual.failures.min(retry.max_attempts.saturating_sub(1));
    (failures > 0).then_some(CircuitPolicy { failures, ..usual })
}

impl FromValue for Rate {
    fn from_value(value: &Spanned<DeValue<'_>>) -> Result<Self, Fault> {
        parsed(value, "a rate, such as \"30/5m\" or \"1/10m\"", |text| text.parse().ok())
    }
}

impl FromValue for Quiet {
    fn from_value(value: &Spanned<DeValue<'_>>) -> Result<Self, Fault> {
        parsed(value, "two times of day, such as \"22:00-07:00\"", text::times_of_day)
            .map(|(from, to)| Self { from, to })
    }
}
