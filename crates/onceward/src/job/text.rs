//! Which texts a job and its queue may have.

use crate::Error;

/// Queues and kinds are short names that a shell, a URL and a metric can hold.
pub(crate) fn name(what: &str, name: &str) -> Result<(), Error> {
    let fits = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-' | ':');
    if name.is_empty() || name.len() > 100 || !name.chars().all(fits) {
        let text = format!("{what} {name:?}: expected 1 to 100 letters, digits or . _ - :");
        return Err(Error::invalid("bad_name", text));
    }
    Ok(())
}

/// How long a reason may be, in bytes.
const REASON_LIMIT: usize = 500;

/// Why something waits for a person, in their words.
pub(crate) fn reason(reason: &str) -> Result<(), Error> {
    if reason.trim().is_empty() || reason.len() > REASON_LIMIT || reason.contains('\0') {
        let text =
            format!("the reason: expected 1 to {REASON_LIMIT} bytes that are no blanks, without U+0000");
        return Err(Error::invalid("bad_reason", text));
    }
    Ok(())
}
