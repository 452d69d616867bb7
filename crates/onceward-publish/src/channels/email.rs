//! E-mail by SMTP: one recipient, one transaction, one mail.
//!
//! SMTP has no key that would make a repeat harmless. The truth lies in the dialogue: until the final dot has left, the
//! server cannot have the mail; after it, only its reply tells.
//!
//! ```text
//! address   mailboxes, checked so that none can add a header or a command
//! server    `smtp://user@host:587` → where, as whom, how secured
//! letter    a dressed post → what is frozen for one recipient
//! message   what is frozen → the bytes of the mail, always the same
//! smtp      the dialogue, and how far it came
//! meaning   how it broke, and where → what that means for the job
//! adapter   all of it as a channel
//! ```

mod adapter;
mod address;
mod letter;
mod meaning;
mod message;
mod server;
mod smtp;

#[cfg(test)]
mod tests;

pub use adapter::{EmailChannel, EmailSettings};
pub use address::{Mailbox, MailboxError};
pub use server::{MailServer, ServerError};
