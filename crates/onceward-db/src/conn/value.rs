//! Values bound to a statement.

use sqlx::encode::IsNull;
use sqlx::error::BoxDynError;
use sqlx::postgres::{PgArgumentBuffer, PgTypeInfo, PgValueRef, Postgres};
use sqlx::{Decode, Encode, Type};

use crate::Time;

/// One bound parameter. The variant fixes the type on PostgreSQL even where the value is null.
#[derive(Debug, Clone)]
pub enum Value {
    /// A whole number (`INTEGER`, `bigint`).
    Int(Option<i64>),
    /// Text, or JSON as text.
    Text(Option<String>),
    /// Bytes (`BLOB`, `bytea`).
    Bytes(Option<Vec<u8>>),
    /// An instant (`INTEGER` microseconds, `timestamptz`).
    Time(Option<Time>),
}

impl From<i64> for Value {
    fn from(value: i64) -> Self {
        Self::Int(Some(value))
    }
}

impl From<Option<i64>> for Value {
    fn from(value: Option<i64>) -> Self {
        Self::Int(value)
    }
}

impl From<bool> for Value {
    fn from(value: bool) -> Self {
        Self::Int(Some(i64::from(value)))
    }
}

impl From<&str> for Value {
    fn from(value: &str) -> Self {
        Self::Text(Some(value.to_owned()))
    }
}

impl From<String> for Value {
    fn from(value: String) -> Self {
        Self::Text(Some(value))
    }
}

impl From<Option<String>> for Value {
    fn from(value: Option<String>) -> Self {
        Self::Text(value)
    }
}

impl From<Option<&str>> for Value {
    fn from(value: Option<&str>) -> Self {
        Self::Text(value.map(str::to_owned))
    }
}

impl From<Vec<u8>> for Value {
    fn from(value: Vec<u8>) -> Self {
        Self::Bytes(Some(value))
    }
}

impl From<Time> for Value {
    fn from(value: Time) -> Self {
        Self::Time(Some(value))
    }
}

impl From<Option<Time>> for Value {
    fn from(value: Option<Time>) -> Self {
        Self::Time(value)
    }
}

/// `timestamptz` counts microseconds from 2000-01-01T00:00:00Z.
const POSTGRES_EPOCH: i64 = 946_684_800_000_000;

pub(super) struct PgTime(pub(super) Time);

impl Type<Postgres> for PgTime {
    fn type_info() -> PgTypeInfo {
        PgTypeInfo::with_name("TIMESTAMPTZ")
    }
}

impl Encode<'_, Postgres> for PgTime {
    fn encode_by_ref(&self, buf: &mut PgArgumentBuffer) -> std::result::Result<IsNull, BoxDynError> {
        <i64 as Encode<Postgres>>::encode(self.0.micros().saturating_sub(POSTGRES_EPOCH), buf)
    }
}

impl<'r> Decode<'r, Postgres> for PgTime {
    fn decode(value: PgValueRef<'r>) -> std::result::Result<Self, BoxDynError> {
        let micros = <i64 as Decode<Postgres>>::decode(value)?;
        Ok(Self(Time::from_micros(micros.saturating_add(POSTGRES_EPOCH))))
    }
}
