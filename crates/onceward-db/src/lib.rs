//! One database, SQLite or PostgreSQL, for code that keeps its SQL in files. It knows no jobs.

mod time;

pub use time::{Time, TimeError};
