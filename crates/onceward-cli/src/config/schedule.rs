//! `[[schedules]]`: jobs that come again.

use jiff::tz::TimeZone;
use onceward::Time;
use onceward::schedule::{Cron, Missed, next_after};
use serde_json::Value;
use toml::Spanned;
use toml::de::DeValue;

use super::table::Table;
use super::value::{Fault, FromValue, Named, expected, fault, parsed, word};

/// One job and its calendar.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Schedule {
    pub(crate) name: Named,
    pub(crate) cron: Cron,
    pub(crate) timezone: TimeZone,
    pub(crate) queue: Named,
    pub(crate) kind: String,
    pub(crate) payload: Value,
    pub(crate) missed: Missed,
}

impl Schedule {
    /// Reads one; `zone` is that of [publish].
    pub(super) fn read(mut table: Table<'_>, zone: Option<&TimeZone>) -> Option<Self> {
        let name = table.need("name");
        let cron = table.need("cron");
        let timezone = table.get_or("timezone", zone.cloned().unwrap_or(TimeZone::UTC));
        let queue = table.need("queue");
        let kind = table.need("kind");
        let payload = table.get_or("payload", Value::Object(serde_json::Map::new()));
        let missed = table.get_or("missed", Missed::Once);
        table.close();
        Some(Self { name: name?, cron: cron?, timezone, queue: queue?, kind: kind?, payload, missed })
    }
}

impl FromValue for Cron {
    fn from_value(value: &Spanned<DeValue<'_>>) -> Result<Self, Fault> {
        let cron: Self =
            parsed(value, "minute, hour, day, month and weekday, such as \"0 9 * * 1-5\"", |text| {
                text.parse().ok()
            })?;
        // There is such a day in every time zone, or in none.
        let never = next_after(&cron, &TimeZone::UTC, Time::now()).is_none();
        if never { Err(fault(value, "never fires; is there such a day?")) } else { Ok(cron) }
    }
}

impl FromValue for Missed {
    fn from_value(value: &Spanned<DeValue<'_>>) -> Result<Self, Fault> {
        word(value, &[("skip", Self::Skip), ("once", Self::Once), ("all", Self::All)])
    }
}

/// A payload: what TOML and JSON have in common.
impl FromValue for Value {
    fn from_value(value: &Spanned<DeValue<'_>>) -> Result<Self, Fault> {
        match value.get_ref() {
            DeValue::String(text) => Ok(Self::String(text.to_string())),
            DeValue::Boolean(flag) => Ok(Self::Bool(*flag)),
            DeValue::Integer(number) => i64::from_str_radix(number.as_str(), number.radix())
                .map(Self::from)
                .map_err(|_| fault(value, "expected a whole number of at most 64 bits")),
            DeValue::Float(_) => f64::from_value(value).map(Self::from),
            DeValue::Datetime(_) => Err(expected(value, "something that JSON has; write dates as a text")),
            DeValue::Array(items) => {
                items.iter().map(Self::from_value).collect::<Result<_, _>>().map(Self::Array)
            }
            DeValue::Table(table) => table
                .iter()
                .map(|(key, value)| Ok((key.get_ref().to_string(), Self::from_value(value)?)))
                .collect::<Result<_, _>>()
                .map(Self::Object),
        }
    }
}
