//! The onceward command.
fn main() {}
