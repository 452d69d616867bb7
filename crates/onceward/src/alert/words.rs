//! The words of an alert, for someone who was just woken: what happened, how many, since when, what to run. Pure.

use super::finding::{Finding, What};
use super::news::Told;
use crate::Time;
use crate::time::duration;

/// How many characters of another's words are shown.
const SAID: usize = 200;
/// How many error codes are named.
const CODES: usize = 5;
/// From here on, jobs that are due were not counted further.
pub(crate) const DUE_LIMIT: u64 = 1000;

/// One line.
pub(super) fn headline(it: &Finding) -> String {
    let queue = it.queue.as_deref().unwrap_or_default();
    let jobs = jobs(it.count);
    match it.what {
        What::Auth => format!("{queue} does not accept our credentials, its jobs wait"),
        What::Parked => format!("{jobs} of {queue} may have been sent, only a person can tell"),
        What::Dead => format!("{jobs} of {queue} {} dead", are(it.count)),
        What::Crashing(job) => format!("job {job} of {queue} crashes its worker"),
        What::Workers => format!("{} workers stopped without a word soon after their start", it.count),
        What::Circuit => format!("{queue} does not answer, its jobs wait"),
        What::Backlog if it.count >= DUE_LIMIT => format!("{} jobs or more of {queue} are overdue", it.count),
        What::Backlog => format!("{jobs} of {queue} {} overdue", are(it.count)),
        What::Held => format!("{jobs} of {queue} missed the time while nobody was running"),
        What::LeftOut => format!("a schedule of {queue} was missed while nobody was running"),
    }
}

/// Headline, facts, and what to do.
pub(super) fn paragraph(it: &Finding, now: Time) -> String {
    let mut lines = vec![headline(it), since(it, now)];
    if !it.codes.is_empty() {
        lines.push(codes(&it.codes));
    }
    lines.extend(it.said.as_deref().map(|said| match it.job {
        Some(job) => format!("job {job} says: {}", cut(said)),
        None => cut(said),
    }));
    lines.push(what_to_do(it));
    lines.join("\n")
}

/// One line for what is over.
pub(super) fn over(told: &Told) -> String {
    let queue = told.queue.as_deref().unwrap_or_default();
    let since = instant(told.since);
    let text = match told.what {
        What::Auth => format!("{queue} goes on, it waited since {since}"),
        What::Parked => format!("no job of {queue} is in doubt any more"),
        What::Dead => format!("no job of {queue} is dead any more"),
        What::Crashing(job) => format!("job {job} of {queue} does not crash its worker any more"),
        What::Workers => "workers stay alive again".to_owned(),
        What::Circuit => format!("{queue} answers again, it did not since {since}"),
        What::Backlog => format!("{queue} has caught up"),
        What::Held | What::LeftOut => format!("no job of {queue} is held as missed any more"),
    };
    format!("Resolved: {text}")
}

fn since(it: &Finding, now: Time) -> String {
    let ago = ago(it.since, now);
    let first = instant(it.since);
    match it.what {
        What::Auth | What::Circuit => format!("since {first} ({ago}), {} waiting", jobs(it.count)),
        What::Backlog => format!("the oldest since {first} ({ago})"),
        What::Crashing(_) => format!("{} times although it ran alone, the last at {first} ({ago})", it.count),
        _ if it.mark > it.since => {
            format!("the first {first}, the last {} ({})", instant(it.mark), self::ago(it.mark, now))
        }
        _ => format!("{first} ({ago})"),
    }
}

fn what_to_do(it: &Finding) -> String {
    let queue = it.queue.as_deref().unwrap_or_default();
    match it.what {
        What::Auth => format!("Renew them, then: onceward queues resume {queue}"),
        What::Parked => format!(
            "See there whether it happened, then: onceward doubt list --queue {queue}, and \
             onceward doubt resolve ID --happened or --did-not-happen"
        ),
        What::Dead => format!(
            "See why: onceward dead groups --queue {queue}. Mend it, then: onceward dead revive --queue {queue} --canary 1"
        ),
        What::Crashing(job) => {
            format!("See what it does: onceward jobs show {job}. After three crashes alone it is dead.")
        }
        What::Workers => {
            "See their logs; memory and disk are the usual causes. Then: onceward status".to_owned()
        }
        What::Circuit => format!(
            "Nothing to do: it is asked again and again, and its jobs go once it answers. To ask now: onceward queues resume {queue}"
        ),
        What::Backlog => "See whether a worker runs, and what it is at: onceward status".to_owned(),
        What::Held => format!(
            "Still wanted? onceward jobs list --state pending --queue {queue}, then: onceward jobs release ID, or cancel ID"
        ),
        What::LeftOut => {
            format!("Nothing is sent by itself. See what was: onceward jobs list --queue {queue}")
        }
    }
}

/// `http_422 ×10, text_too_long ×2`
fn codes(codes: &[(String, u64)]) -> String {
    let mut named: Vec<String> =
        codes.iter().take(CODES).map(|(code, count)| format!("{} ×{count}", cut(code))).collect();
    if codes.len() > CODES {
        named.push(format!("{} more", codes.len() - CODES));
    }
    named.join(", ")
}

/// `2026-12-01 02:14 UTC`: a phone shows it as it is.
pub(super) fn instant(at: Time) -> String {
    at.timestamp().strftime("%Y-%m-%d %H:%M UTC").to_string()
}

/// `13m ago`, in whole seconds while it is short, in whole minutes from then on.
fn ago(at: Time, now: Time) -> String {
    let seconds = now.since(at).as_secs();
    let whole = if seconds < 60 { seconds } else { seconds - seconds % 60 };
    format!("{} ago", duration::format(std::time::Duration::from_secs(whole)))
}

fn jobs(count: u64) -> String {
    if count == 1 { "1 job".to_owned() } else { format!("{count} jobs") }
}

const fn are(count: u64) -> &'static str {
    if count == 1 { "is" } else { "are" }
}

/// The beginning of another's words, on one line.
fn cut(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(SAID) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line,
    }
}
