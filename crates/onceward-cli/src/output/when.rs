//! Instants as people say them. JSON has the exact instant.

use onceward::Time;

const MINUTE: u64 = 60;
const HOUR: u64 = 60 * MINUTE;
const DAY: u64 = 24 * HOUR;

/// "in 3 min", "2 h ago", "now"; beyond two months the date in UTC.
pub(crate) fn relative(time: Time, now: Time) -> String {
    let (past, wait) = if time > now { (false, time.since(now)) } else { (true, now.since(time)) };
    let seconds = wait.as_secs();
    let amount = match seconds {
        0 => return "now".to_owned(),
        1..MINUTE => format!("{seconds} s"),
        MINUTE..HOUR => format!("{} min", seconds / MINUTE),
        HOUR..DAY => format!("{} h", seconds / HOUR),
        _ if seconds < 60 * DAY => format!("{} d", seconds / DAY),
        _ => return time.timestamp().strftime("%Y-%m-%d").to_string(),
    };
    if past { format!("{amount} ago") } else { format!("in {amount}") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn a_time_is_said_in_its_largest_unit() {
        let now: Time = "2026-12-01T00:00:00Z".parse().unwrap();
        let table = [(0, "now"), (59, "in 59 s"), (180, "in 3 min"), (7_199, "in 1 h"), (172_800, "in 2 d")];
        for (seconds, expected) in table {
            assert_eq!(relative(now.after(Duration::from_secs(seconds)), now), expected);
        }
        assert_eq!(relative(now.before(Duration::from_mins(5)), now), "5 min ago");
        assert_eq!(relative(now.after(Duration::from_hours(24 * 62)), now), "2027-02-01");
    }
}
