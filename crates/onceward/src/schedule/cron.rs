//! Five fields of cron, read into sets: minute, hour, day of month, month, day of week.

use std::fmt;
use std::str::FromStr;

use jiff::civil::{Date, DateTime};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// When a schedule fires, in wall time: `0 9 * * 1-5`, or `@daily`.
///
/// A field is a list of numbers, ranges (`1-5`), `*`, and steps (`*/15`, `8-18/2`). Months and weekdays have
/// names (`jan`, `mon`), and Sunday is 0 and 7. As everywhere in cron: when both day fields are restricted
/// (neither starts with `*`), a day fires if either matches; otherwise both must.
///
/// ```
/// use onceward::schedule::Cron;
/// assert!("0 9 * * mon-fri".parse::<Cron>().is_ok());
/// assert_eq!(
///     "0 24 * * *".parse::<Cron>().unwrap_err().to_string(),
///     "\"24\" in the hour of a cron is not valid; expected a number from 0 to 23"
/// );
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cron {
    text: String,
    /// Sets of numbers: bit *n* stands for *n*.
    minutes: u64,
    hours: u64,
    days: u64,
    months: u64,
    weekdays: u64,
    /// Whether both day fields are restricted.
    either_day: bool,
}

/// Why a text is not a cron.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CronError {
    /// Not five fields but so many.
    Count(usize),
    /// An `@name` that is not one of ours.
    Nickname(String),
    /// A part of a field.
    Item {
        /// Which field.
        field: &'static str,
        /// The part as it was written.
        item: String,
        /// What could stand there.
        expected: String,
    },
}

impl fmt::Display for CronError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Count(found) => write!(
                f,
                "a cron has five fields (minute, hour, day of month, month, day of week), but {found} stand \
                 here; expected for example \"0 9 * * 1-5\", without seconds or years"
            ),
            Self::Nickname(name) => write!(
                f,
                "{name:?} is not known; expected @hourly, @daily, @weekly, @monthly, @yearly or five fields"
            ),
            Self::Item { field, item, expected } => {
                write!(f, "{item:?} in the {field} of a cron is not valid; expected {expected}")
            }
        }
    }
}

impl std::error::Error for CronError {}

impl FromStr for Cron {
    type Err = CronError;

    fn from_str(text: &str) -> Result<Self, CronError> {
        let fields: Vec<&str> = plain(text.trim())?.split_ascii_whitespace().collect();
        let [minute, hour, day, month, weekday] = fields[..] else {
            return Err(CronError::Count(fields.len()));
        };
        let weekdays = WEEKDAY.read(weekday)?;
        Ok(Self {
            text: text.split_ascii_whitespace().collect::<Vec<_>>().join(" "),
            minutes: MINUTE.read(minute)?,
            hours: HOUR.read(hour)?,
            days: DAY.read(day)?,
            months: MONTH.read(month)?,
            // Sunday is 7 as well.
            weekdays: (weekdays | weekdays >> 7) & 0x7f,
            either_day: !day.starts_with('*') && !weekday.starts_with('*'),
        })
    }
}

/// The five fields that a nickname stands for.
fn plain(text: &str) -> Result<&str, CronError> {
    match text {
        "@hourly" => Ok("0 * * * *"),
        "@daily" => Ok("0 0 * * *"),
        "@weekly" => Ok("0 0 * * 0"),
        "@monthly" => Ok("0 0 1 * *"),
        "@yearly" => Ok("0 0 1 1 *"),
        other if other.starts_with('@') => Err(CronError::Nickname(other.to_owned())),
        fields => Ok(fields),
    }
}

/// What may stand in a field.
struct Field {
    name: &'static str,
    low: u8,
    high: u8,
    /// Names of the numbers from `low` on.
    names: &'static [&'static str],
}

const MINUTE: Field = Field { name: "minute", low: 0, high: 59, names: &[] };
const HOUR: Field = Field { name: "hour", low: 0, high: 23, names: &[] };
const DAY: Field = Field { name: "day of month", low: 1, high: 31, names: &[] };
const MONTH: Field = Field {
    name: "month",
    low: 1,
    high: 12,
    names: &["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"],
};
const WEEKDAY: Field = Field {
    name: "day of week",
    low: 0,
    high: 7,
    names: &["sun", "mon", "tue", "wed", "thu", "fri", "sat", "sun"],
};

impl Field {
    /// The set that a field's text stands for.
    fn read(&self, text: &str) -> Result<u64, CronError> {
        text.split(',').try_fold(0, |set, item| Ok(set | self.read_item(item)?))
    }

    fn read_item(&self, item: &str) -> Result<u64, CronError> {
        let (range, step) = match item.split_once('/') {
            Some((range, step)) => (range, Some(self.read_step(item, step)?)),
            None => (item, None),
        };
        let (from, to) = match range.split_once('-') {
            _ if range == "*" => (self.low, self.high),
            Some((from, to)) => (self.read_number(item, from)?, self.read_end(item, to)?),
            None if step.is_some() => {
                return Err(
                    self.refuse(item, format!("a range before the step, such as {range}-{}/2", self.high))
                );
            }
            None => {
                let number = self.read_number(item, range)?;
                (number, number)
            }
        };
        if from > to {
            let whole = format!("{from}-{},{}-{to}", self.high, self.low);
            return Err(self.refuse(item, format!("a range that rises, such as {whole}")));
        }
        Ok((from..=to).step_by(usize::from(step.unwrap_or(1))).fold(0, |set, number| set | 1 << number))
    }

    /// A step beyond the field would fire once and look as if it fired often.
    fn read_step(&self, item: &str, text: &str) -> Result<u8, CronError> {
        let most = self.high - self.low;
        let step = number(text).filter(|step| (1..=most).contains(step));
        step.ok_or_else(|| self.refuse(item, format!("a step from 1 to {most}")))
    }

    fn read_number(&self, item: &str, text: &str) -> Result<u8, CronError> {
        let name = |number: &u8| {
            let at = usize::from(number - self.low);
            self.names.get(at).is_some_and(|name| name.eq_ignore_ascii_case(text))
        };
        let known = number(text).or_else(|| (self.low..=self.high).find(name));
        known.filter(|number| (self.low..=self.high).contains(number)).ok_or_else(|| {
            let names =
                if self.names.is_empty() { "" } else { ", or its English name's first three letters" };
            self.refuse(item, format!("a number from {} to {}{names}", self.low, self.high))
        })
    }

    /// The end of a range: there, `sun` is the day after `sat`.
    fn read_end(&self, item: &str, text: &str) -> Result<u8, CronError> {
        let end = self.read_number(item, text)?;
        Ok(if text.eq_ignore_ascii_case("sun") { self.high } else { end })
    }

    fn refuse(&self, item: &str, expected: String) -> CronError {
        CronError::Item { field: self.name, item: item.to_owned(), expected }
    }
}

/// A number of one or two digits, and nothing else (`+5` parses as a number in Rust).
fn number(text: &str) -> Option<u8> {
    let digits = text.len() <= 2 && text.bytes().all(|b| b.is_ascii_digit());
    if digits { text.parse().ok() } else { None }
}

/// How many months to search. 29 February falls on a given weekday at least every 40 years; nothing is rarer.
const MONTHS: u32 = 41 * 12;

impl Cron {
    /// The first wall time that matches, from the minute of `from` on; `None` if there is none in 41 years.
    pub(super) fn next_wall(&self, from: DateTime) -> Option<DateTime> {
        let today = from.date();
        if self.fires_on(today)
            && let Some((hour, minute)) = self.next_time(from.hour(), from.minute())
        {
            return Some(today.at(hour, minute, 0, 0));
        }
        let day = self.next_day(today.tomorrow().ok()?)?;
        let (hour, minute) = self.next_time(0, 0)?;
        Some(day.at(hour, minute, 0, 0))
    }

    fn next_day(&self, from: Date) -> Option<Date> {
        let mut day = from;
        for _ in 0..MONTHS {
            let last = day.last_of_month();
            while has(self.months, day.month()) {
                if self.fires_on(day) {
                    return Some(day);
                }
                if day == last {
                    break;
                }
                day = day.tomorrow().ok()?;
            }
            day = last.tomorrow().ok()?;
        }
        None
    }

    fn next_time(&self, hour: i8, minute: i8) -> Option<(i8, i8)> {
        if has(self.hours, hour)
            && let Some(minute) = lowest(self.minutes, minute)
        {
            return Some((hour, minute));
        }
        Some((lowest(self.hours, hour + 1)?, lowest(self.minutes, 0)?))
    }

    fn fires_on(&self, date: Date) -> bool {
        let day = has(self.days, date.day());
        let weekday = has(self.weekdays, date.weekday().to_sunday_zero_offset());
        let matches = if self.either_day { day || weekday } else { day && weekday };
        matches && has(self.months, date.month())
    }
}

fn has(set: u64, number: i8) -> bool {
    set >> number & 1 == 1
}

/// The lowest number of the set that is not below `from`.
fn lowest(set: u64, from: i8) -> Option<i8> {
    let rest = set >> from << from;
    if rest == 0 { None } else { i8::try_from(rest.trailing_zeros()).ok() }
}

impl fmt::Display for Cron {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl Serialize for Cron {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(&self.text)
    }
}

impl<'de> Deserialize<'de> for Cron {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        String::deserialize(from)?.parse().map_err(serde::de::Error::custom)
    }
}
