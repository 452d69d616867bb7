//! A durable job queue that carries work to the outside world once.

pub use onceward_db::Time;
