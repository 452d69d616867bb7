//! Times of day at which a channel sends nothing. Pure.

use jiff::civil;
use jiff::tz::TimeZone;
use onceward::Time;

/// From one time of day to another, by the clock of a zone; it may span midnight.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Quiet {
    /// Nothing is sent from then on.
    pub from: civil::Time,
    /// It is sent from then on.
    pub to: civil::Time,
    /// Whose clock.
    pub zone: TimeZone,
}

impl Quiet {
    /// When it ends, if it is quiet at that moment.
    pub fn until(&self, now: Time) -> Option<Time> {
        let local = self.zone.to_datetime(now.timestamp());
        let clock = local.time();
        let (today, over_midnight) = (self.from <= clock, self.from > self.to);
        let quiet = if over_midnight { today || clock < self.to } else { today && clock < self.to };
        if !quiet {
            return None;
        }
        let date = if over_midnight && today { local.date().tomorrow().ok()? } else { local.date() };
        let end = self.zone.to_ambiguous_zoned_datetime(date.to_datetime(self.to)).compatible().ok()?;
        // In a night on which the clock is set back, the end may come round a second time.
        Some(Time::from(end.timestamp())).filter(|end| *end > now)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn quiet(from: &str, to: &str, zone: &str) -> Quiet {
        Quiet { from: from.parse().unwrap(), to: to.parse().unwrap(), zone: TimeZone::get(zone).unwrap() }
    }

    fn until(quiet: &Quiet, now: &str) -> Option<String> {
        quiet.until(now.parse().unwrap()).map(|it| it.to_string())
    }

    #[test]
    fn a_night_ends_in_the_morning_whichever_side_of_midnight_it_is() {
        let night = quiet("22:00", "07:00", "Asia/Seoul");
        let table = [
            ("2026-12-01T12:59:59Z", None),
            ("2026-12-01T13:00:00Z", Some("2026-12-01T22:00:00Z")),
            ("2026-12-01T16:00:00Z", Some("2026-12-01T22:00:00Z")),
            ("2026-12-01T21:59:59Z", Some("2026-12-01T22:00:00Z")),
            ("2026-12-01T22:00:00Z", None),
        ];
        for (now, expected) in table {
            assert_eq!(until(&night, now).as_deref(), expected, "{now}");
        }
    }

    #[test]
    fn a_rest_at_noon_ends_the_same_day() {
        let noon = quiet("12:00", "13:30", "UTC");
        assert_eq!(until(&noon, "2026-12-01T12:30:00Z").as_deref(), Some("2026-12-01T13:30:00Z"));
        assert_eq!(until(&noon, "2026-12-01T13:30:00Z"), None);
        assert_eq!(until(&noon, "2026-12-01T11:59:59Z"), None);
    }

    #[test]
    fn an_end_that_the_clock_skips_comes_after_the_gap() {
        let night = quiet("22:00", "02:30", "Europe/Berlin");
        assert_eq!(until(&night, "2027-03-28T00:30:00Z").as_deref(), Some("2027-03-28T01:30:00Z"));
    }

    #[test]
    fn an_end_is_always_later_than_now() {
        let night = quiet("22:00", "02:30", "Europe/Berlin");
        let start: Time = "2026-10-24T18:00:00Z".parse().unwrap();
        for minute in 0..1_000 {
            let now = start.after(std::time::Duration::from_mins(minute));
            assert!(night.until(now).is_none_or(|end| end > now), "{now}");
        }
    }
}
