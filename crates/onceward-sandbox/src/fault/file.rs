//! Faults as a file, and as the control door takes them.
//!
//! ```toml
//! limits = true                 # whether rates are limited as the platforms do it
//!
//! [[fault]]
//! platform = "mastodon"         # default: all
//! act = "post"                  # default: all; also upload, look, account, token …
//! skip = 14                     # how many pass before it begins
//! times = 1                     # default: until the faults are cleared
//! kind = "accept_then_reset"
//! ```
//!
//! | kind | its keys |
//! | --- | --- |
//! | `accept_then_hang`, `accept_then_reset`, `hang`, `reset`, `repeat_error`, `expired_token`, `revoked_token` | – |
//! | `accept_then_status` (500), `refuse` (503) | `status` |
//! | `accept_then_cut` (0) | `at`: bytes of the answer, head included |
//! | `slow_loris` (1) | `seconds` for each byte |
//! | `slow_look` (10) | `seconds` |
//! | `rate_limit` (30) | `seconds`, `unit`: `seconds`, `float`, `epoch`, `iso`, `http_date`, `body` |
//! | `duplicate` (false) | `accept` |

use serde::{Deserialize, Serialize};

use super::{Fault, Kind, Unit};

/// What a fault file says.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FaultFile {
    /// Whether rates are limited as the platforms do it.
    #[serde(default = "yes")]
    pub limits: bool,
    /// The faults, in the order in which they are tried.
    #[serde(default, rename = "fault")]
    pub faults: Vec<Fault>,
}

impl FaultFile {
    /// Reads TOML.
    ///
    /// # Errors
    /// What is wrong, with its line.
    pub fn parse(text: &str) -> Result<Self, String> {
        toml::from_str(text).map_err(|error| error.to_string())
    }
}

const fn yes() -> bool {
    true
}

/// A fault with each of its keys apart, so that a key in the wrong place is refused.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Row {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    platform: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    act: Option<String>,
    #[serde(default)]
    skip: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    times: Option<u64>,
    kind: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    status: Option<u16>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    at: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    seconds: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    unit: Option<Unit>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    accept: Option<bool>,
}

impl TryFrom<Row> for Fault {
    type Error = String;

    fn try_from(mut row: Row) -> Result<Self, String> {
        let kind = row.take_kind()?;
        let strange = row.keys_left();
        if !strange.is_empty() {
            return Err(format!("{} does not go with kind = {:?}", strange.join(", "), row.kind));
        }
        let seconds = match kind {
            Kind::SlowLoris(seconds) | Kind::SlowLook(seconds) | Kind::RateLimit(seconds, _) => seconds,
            _ => 0.0,
        };
        if !(0.0..=1e9).contains(&seconds) {
            return Err(format!("seconds = {seconds} is not between 0 and 1e9"));
        }
        Ok(Self { platform: row.platform, act: row.act, skip: row.skip, times: row.times, kind })
    }
}

impl Row {
    /// The kind, with the keys that belong to it taken out.
    fn take_kind(&mut self) -> Result<Kind, String> {
        Ok(match self.kind.as_str() {
            "accept_then_hang" => Kind::AcceptThenHang,
            "accept_then_reset" => Kind::AcceptThenReset,
            "accept_then_status" => Kind::AcceptThenStatus(status(self.status.take().unwrap_or(500))?),
            "accept_then_cut" => Kind::AcceptThenCut(self.at.take().unwrap_or(0)),
            "slow_loris" => Kind::SlowLoris(self.seconds.take().unwrap_or(1.0)),
            "refuse" => Kind::Refuse(status(self.status.take().unwrap_or(503))?),
            "hang" => Kind::Hang,
            "reset" => Kind::Reset,
            "rate_limit" => Kind::RateLimit(self.seconds.take().unwrap_or(30.0), self.unit.take()),
            "slow_look" => Kind::SlowLook(self.seconds.take().unwrap_or(10.0)),
            "duplicate" => Kind::Duplicate { accept: self.accept.take().unwrap_or(false) },
            "repeat_error" => Kind::RepeatError,
            "expired_token" => Kind::ExpiredToken,
            "revoked_token" => Kind::RevokedToken,
            other => return Err(format!("kind = {other:?} is no fault; see the table in the guide")),
        })
    }

    fn keys_left(&self) -> Vec<&'static str> {
        let left = [
            (self.status.is_some(), "status"),
            (self.at.is_some(), "at"),
            (self.seconds.is_some(), "seconds"),
            (self.unit.is_some(), "unit"),
            (self.accept.is_some(), "accept"),
        ];
        left.into_iter().filter_map(|(is, key)| is.then_some(key)).collect()
    }
}

fn status(status: u16) -> Result<u16, String> {
    let known = (200..600).contains(&status);
    known.then_some(status).ok_or_else(|| format!("status = {status} is not between 200 and 599"))
}

impl From<Fault> for Row {
    fn from(fault: Fault) -> Self {
        let mut row = Self { kind: fault.kind.name().to_owned(), ..Self::default() };
        match fault.kind {
            Kind::AcceptThenStatus(status) | Kind::Refuse(status) => row.status = Some(status),
            Kind::AcceptThenCut(at) => row.at = Some(at),
            Kind::SlowLoris(seconds) | Kind::SlowLook(seconds) => row.seconds = Some(seconds),
            Kind::RateLimit(seconds, unit) => (row.seconds, row.unit) = (Some(seconds), unit),
            Kind::Duplicate { accept } => row.accept = Some(accept),
            _ => {}
        }
        Self { platform: fault.platform, act: fault.act, skip: fault.skip, times: fault.times, ..row }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_gives_its_faults_in_order() {
        let file = FaultFile::parse(
            "limits = false\n[[fault]]\nplatform = \"slack\"\nkind = \"rate_limit\"\nseconds = 2.5\nunit = \"iso\"\n\
             [[fault]]\nact = \"post\"\nskip = 14\ntimes = 1\nkind = \"accept_then_cut\"\nat = 9\n",
        )
        .unwrap();
        assert!(!file.limits);
        let limit = Fault::new(Kind::RateLimit(2.5, Some(Unit::Iso))).on("slack");
        let cut = Fault::new(Kind::AcceptThenCut(9)).act("post").skip(14).times(1);
        assert_eq!(file.faults, [limit, cut]);
        assert!(FaultFile::parse("").unwrap().limits);
    }

    #[test]
    fn what_a_kind_does_not_know_is_refused() {
        for (text, says) in [
            ("[[fault]]\nkind = \"hnag\"", "hnag"),
            ("[[fault]]\nkind = \"hang\"\nat = 3", "at does not go with"),
            ("[[fault]]\nkind = \"refuse\"\nstatus = 99", "99"),
            ("[[fault]]\nkind = \"hang\"\ntime = 3", "time"),
            ("[[fault]]\nkind = \"slow_look\"\nseconds = -1", "-1"),
            ("[[faults]]\nkind = \"hang\"", "faults"),
        ] {
            let error = FaultFile::parse(text).unwrap_err();
            assert!(error.contains(says), "{error}");
        }
    }

    #[test]
    fn every_kind_is_read_as_it_is_written() {
        for kind in [
            Kind::AcceptThenHang,
            Kind::AcceptThenReset,
            Kind::AcceptThenStatus(502),
            Kind::AcceptThenCut(40),
            Kind::SlowLoris(0.5),
            Kind::Refuse(503),
            Kind::Hang,
            Kind::Reset,
            Kind::RateLimit(3.0, None),
            Kind::RateLimit(3.0, Some(Unit::HttpDate)),
            Kind::SlowLook(8.0),
            Kind::Duplicate { accept: true },
            Kind::RepeatError,
            Kind::ExpiredToken,
            Kind::RevokedToken,
        ] {
            let text = serde_json::to_string(&Fault::new(kind).times(2)).unwrap();
            assert_eq!(serde_json::from_str::<Fault>(&text).unwrap(), Fault::new(kind).times(2), "{text}");
        }
    }
}
