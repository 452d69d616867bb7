//! Channels against the stand-ins of their platforms, through the queue as a program has it.

mod devto;
mod email;
mod stage;
