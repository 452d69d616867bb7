//! One TOML value, read as the type that is wanted. No message repeats the value, since it may be a secret that
//! stands in the wrong place; only words from a closed list are named.

use std::net::SocketAddr;
use std::time::Duration;

use jiff::tz::TimeZone;
use onceward::time::{duration, zone};
use onceward_http::Cidr;
use toml::Spanned;
use toml::de::DeValue;
use url::Url;

use super::problem::advice;

/// Why a value does not fit, at a byte of the file.
#[derive(Debug)]
pub(crate) struct Fault {
    pub(crate) at: usize,
    pub(crate) text: String,
}

/// A type that a value of the file can be read as.
pub(crate) trait FromValue: Sized {
    fn from_value(value: &Spanned<DeValue<'_>>) -> Result<Self, Fault>;
}

/// A text with its place: for names that must exist elsewhere.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Named {
    pub(crate) name: String,
    pub(crate) at: usize,
}

/// An address that begins with http:// or https://, as it was written. It holds neither user name nor password.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct WebAddress(String);

impl WebAddress {
    /// The address of a stand-in, in a rehearsal.
    pub(super) const fn stand_in(url: String) -> Self {
        Self(url)
    }

    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }
}

/// The fault of a value that has the wrong shape.
pub(crate) fn expected(value: &Spanned<DeValue<'_>>, what: &str) -> Fault {
    let found = match value.get_ref() {
        DeValue::String(_) => "a text",
        DeValue::Integer(_) => "a whole number",
        DeValue::Float(_) => "a number",
        DeValue::Boolean(_) => "true or false",
        DeValue::Datetime(_) => "a date",
        DeValue::Array(_) => "a list",
        DeValue::Table(_) => "a table",
    };
    fault(value, format!("expected {what}, found {found}"))
}

/// A fault at this value.
pub(crate) fn fault(value: &Spanned<DeValue<'_>>, text: impl Into<String>) -> Fault {
    Fault { at: value.span().start, text: text.into() }
}

/// A value that is a text which `parse` understands; `what` describes it with an example.
pub(crate) fn parsed<T>(
    value: &Spanned<DeValue<'_>>,
    what: &str,
    parse: impl FnOnce(&str) -> Option<T>,
) -> Result<T, Fault> {
    let Some(text) = value.get_ref().as_str() else { return Err(expected(value, what)) };
    parse(text).ok_or_else(|| fault(value, format!("expected {what}")))
}

/// A value that is one of a few words.
pub(crate) fn word<T: Copy>(value: &Spanned<DeValue<'_>>, words: &[(&str, T)]) -> Result<T, Fault> {
    let Some(text) = value.get_ref().as_str() else { return Err(expected(value, "a word")) };
    let found = words.iter().find(|(word, _)| *word == text).map(|(_, meaning)| *meaning);
    found.ok_or_else(|| {
        fault(value, format!("unknown word; {}", advice(text, words.iter().map(|(word, _)| *word))))
    })
}

impl FromValue for String {
    fn from_value(value: &Spanned<DeValue<'_>>) -> Result<Self, Fault> {
        value.get_ref().as_str().map(str::to_owned).ok_or_else(|| expected(value, "a text"))
    }
}

impl FromValue for Named {
    fn from_value(value: &Spanned<DeValue<'_>>) -> Result<Self, Fault> {
        Ok(Self { name: String::from_value(value)?, at: value.span().start })
    }
}

impl<T: FromValue> FromValue for Vec<T> {
    fn from_value(value: &Spanned<DeValue<'_>>) -> Result<Self, Fault> {
        let items = value.get_ref().as_array().ok_or_else(|| expected(value, "a list"))?;
        items.iter().map(T::from_value).collect()
    }
}

impl FromValue for bool {
    fn from_value(value: &Spanned<DeValue<'_>>) -> Result<Self, Fault> {
        value.get_ref().as_bool().ok_or_else(|| expected(value, "true or false"))
    }
}

/// A whole number from 1: every count of this file.
impl FromValue for u32 {
    fn from_value(value: &Spanned<DeValue<'_>>) -> Result<Self, Fault> {
        let number = value.get_ref().as_integer().ok_or_else(|| expected(value, "a whole number"))?;
        let number = u32::from_str_radix(number.as_str(), number.radix()).ok().filter(|number| *number > 0);
        number.ok_or_else(|| fault(value, "expected a whole number from 1 to 4294967295"))
    }
}

impl FromValue for f64 {
    fn from_value(value: &Spanned<DeValue<'_>>) -> Result<Self, Fault> {
        let text = match value.get_ref() {
            DeValue::Integer(number) if number.radix() == 10 => number.as_str(),
            DeValue::Float(number) => number.as_str(),
            _ => return Err(expected(value, "a number")),
        };
        text.parse()
            .ok()
            .filter(|number: &f64| number.is_finite())
            .ok_or_else(|| fault(value, "expected a number"))
    }
}

impl FromValue for Duration {
    fn from_value(value: &Spanned<DeValue<'_>>) -> Result<Self, Fault> {
        parsed(
            value,
            "a duration longer than nothing, such as \"30s\", \"5m\", \"1h30m\" or \"90d\"",
            |text| duration::parse(text).ok().filter(|wait| !wait.is_zero()),
        )
    }
}

impl FromValue for TimeZone {
    fn from_value(value: &Spanned<DeValue<'_>>) -> Result<Self, Fault> {
        parsed(value, "a time zone by its IANA name, such as \"Asia/Seoul\" or \"UTC\"", |name| {
            zone(name).ok()
        })
    }
}

impl FromValue for SocketAddr {
    fn from_value(value: &Spanned<DeValue<'_>>) -> Result<Self, Fault> {
        parsed(value, "an address and port, such as \"127.0.0.1:8080\"", |text| text.parse().ok())
    }
}

impl FromValue for Cidr {
    fn from_value(value: &Spanned<DeValue<'_>>) -> Result<Self, Fault> {
        parsed(value, "a range of addresses that is not almost everything, such as \"10.0.0.0/8\"", |text| {
            text.parse().ok()
        })
    }
}

impl FromValue for WebAddress {
    fn from_value(value: &Spanned<DeValue<'_>>) -> Result<Self, Fault> {
        let web = |url: &Url| matches!(url.scheme(), "http" | "https") && url.has_host();
        let what = "an address that begins with https:// or http://";
        let url = parsed(value, what, |text| Url::parse(text).ok().filter(web))?;
        if !url.username().is_empty() || url.password().is_some() {
            let text = "a user name or password in an address would be a secret in this file; leave it out";
            return Err(fault(value, text));
        }
        String::from_value(value).map(Self)
    }
}
