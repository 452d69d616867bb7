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
        What::Disk => format!("only {} MiB are left on the disk of the store", it.count),
        What::Auth => format!("{queue} does not accept our credentials, its jobs wait"),
        What::Parked => format!("{jobs} of {queue} may have been sent, only a person can tell"),
        What::Dead => format!("{jobs} of {queue} {} dead", are(it.count)),
        What::Crashing(job) => format!("job {job} of {queue} crashes its worker"),
        What::Workers => format!("{} workers stopped without a word soon after their start", it.count),
        What::Circuit => format!("{queue} does not answer, its jobs wait"),
        What::Backlog if it.count >= DUE_LIMIT => format!("{} jobs or more of {queue} are overdue", it.count),
        What::Backlog => format!("{jobs} of {queue} {} overdue", are(it.count)),
        What::Refused => format!("{} of outbox {queue} {} refused", rows(it.count), are(it.count)),
        What::Lag if it.count == 0 => format!("outbox {queue} cannot be read"),
        What::Lag => format!("{} of outbox {queue} {} not handed over", rows(it.count), are(it.count)),
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
    lines.extend(what_to_do(it));
    lines.join("\n")
}

/// One line for what is over.
pub(super) fn over(told: &Told) -> String {
    let queue = told.queue.as_deref().unwrap_or_default();
    let since = instant(told.since);
    let text = match told.what {
        What::Disk => format!("there is room on the disk of the store again, there was not since {since}"),
        What::Auth => format!("{queue} goes on, it waited since {since}"),
        What::Parked => format!("no job of {queue} is in doubt any more"),
        What::Dead => format!("no job of {queue} is dead any more"),
        What::Crashing(job) => format!("job {job} of {queue} does not crash its worker any more"),
        What::Workers => "workers stay alive again".to_owned(),
        What::Circuit => format!("{queue} answers again, it did not since {since}"),
        What::Backlog => format!("{queue} has caught up"),
        What::Refused => format!("no row of outbox {queue} is refused any more"),
        What::Lag => format!("outbox {queue} has caught up, it lagged since {since}"),
        What::Held | What::LeftOut => format!("no job of {queue} is held as missed any more"),
    };
    format!("Resolved: {text}")
}

fn since(it: &Finding, now: Time) -> String {
    let ago = ago(it.since, now);
    let first = instant(it.since);
    match it.what {
        What::Disk => format!("seen {first} ({ago})"),
        What::Auth | What::Circuit => format!("since {first} ({ago}), {} waiting", jobs(it.count)),
        What::Backlog | What::Lag | What::Refused => format!("the oldest since {first} ({ago})"),
        What::Crashing(_) => format!("{} times although it ran alone, the last at {first} ({ago})", it.count),
        _ if instant(it.mark) > first => {
            format!("the first {first}, the last {} ({})", instant(it.mark), self::ago(it.mark, now))
        }
        _ => format!("{first} ({ago})"),
    }
}

/// A command stands at the end of its line, to be copied.
fn what_to_do(it: &Finding) -> Vec<String> {
    let queue = it.queue.as_deref().unwrap_or_default();
    match it.what {
        What::Disk => vec![
            "Make room there: once it is full, nothing can be enqueued or settled.".to_owned(),
            "Done jobs are kept for [queue] retention; see how many there are: onceward status".to_owned(),
        ],
        What::Auth => vec![format!("Renew them, then: onceward queues resume {queue}")],
        What::Parked => vec![
            format!("See which: onceward doubt list --queue {queue}"),
            "Look there whether it happened, then: onceward doubt resolve ID --happened".to_owned(),
            "Or: onceward doubt resolve ID --did-not-happen".to_owned(),
        ],
        What::Dead => vec![
            format!("See why: onceward dead groups --queue {queue}"),
            format!("Once it is mended: onceward dead revive --queue {queue} --canary 1"),
        ],
        What::Crashing(job) => vec![
            "The third crash alone is its last.".to_owned(),
            format!("See what it does: onceward jobs show {job}"),
        ],
        What::Workers => {
            vec![
                "Their logs say why; memory and disk are the usual causes.".to_owned(),
                "See who is left: onceward status".to_owned(),
            ]
        }
        What::Circuit => vec![
            "Nothing to do: it is asked again and again, and its jobs go once it answers.".to_owned(),
            format!("To ask now: onceward queues resume {queue}"),
        ],
        What::Backlog => vec!["See whether a worker runs, and what it is at: onceward status".to_owned()],
        What::Refused => vec![
            format!("See why: onceward outbox status {queue}"),
            format!("Once a row is corrected: onceward outbox relay {queue} --retry ID"),
            format!("Or give it up: onceward outbox skip ID --relay {queue}"),
        ],
        What::Lag => vec![format!("See what stands in its way: onceward outbox status {queue}")],
        What::Held => vec![
            format!("See which: onceward jobs list --state pending --queue {queue}"),
            "Still wanted: onceward jobs release ID".to_owned(),
            "Else: onceward jobs cancel ID".to_owned(),
        ],
        What::LeftOut => {
            vec![format!("They are not made up for. See what was: onceward jobs list --queue {queue}")]
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

fn rows(count: u64) -> String {
    if count == 1 { "1 row".to_owned() } else { format!("{count} rows") }
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

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn finding(what: What) -> Finding {
        let since: Time = "2026-12-01T02:14:30Z".parse().unwrap();
        Finding {
            what,
            queue: Some("mastodon".to_owned()),
            count: 12,
            since,
            mark: since.after(Duration::from_mins(37)),
            codes: vec![("http_422".to_owned(), 10), ("text_too_long".to_owned(), 2)],
            said: Some("Validation failed:\n Text is too long".to_owned()),
            job: Some(4711),
        }
    }

    fn said(it: &Finding) -> String {
        paragraph(it, "2026-12-01T03:00:12Z".parse().unwrap())
    }

    #[test]
    fn someone_woken_at_three_reads_what_how_many_since_when_and_which_command() {
        let dead = "12 jobs of mastodon are dead\n\
                    the first 2026-12-01 02:14 UTC, the last 2026-12-01 02:51 UTC (8m ago)\n\
                    http_422 ×10, text_too_long ×2\n\
                    job 4711 says: Validation failed: Text is too long\n\
                    See why: onceward dead groups --queue mastodon\n\
                    Once it is mended: onceward dead revive --queue mastodon --canary 1";
        assert_eq!(said(&finding(What::Dead)), dead);
        let bare = |what| Finding { codes: Vec::new(), said: None, job: None, ..finding(what) };
        let circuit = "mastodon does not answer, its jobs wait\n\
                       since 2026-12-01 02:14 UTC (45m ago), 12 jobs waiting\n\
                       Nothing to do: it is asked again and again, and its jobs go once it answers.\n\
                       To ask now: onceward queues resume mastodon";
        assert_eq!(said(&bare(What::Circuit)), circuit);
        let auth = Finding { said: Some("the token was revoked".to_owned()), count: 1, ..bare(What::Auth) };
        let auth_said = "mastodon does not accept our credentials, its jobs wait\n\
                         since 2026-12-01 02:14 UTC (45m ago), 1 job waiting\n\
                         the token was revoked\n\
                         Renew them, then: onceward queues resume mastodon";
        assert_eq!(said(&auth), auth_said);
    }

    #[test]
    fn every_kind_has_words_and_a_command() {
        use What::{
            Auth, Backlog, Circuit, Crashing, Dead, Disk, Held, Lag, LeftOut, Parked, Refused, Workers,
        };
        let all =
            [Disk, Auth, Parked, Dead, Refused, Crashing(42), Workers, Circuit, Backlog, Lag, Held, LeftOut];
        for what in all {
            let text = said(&finding(what));
            assert!(text.contains(": onceward "), "{text}");
            assert!(over(&Told::from(&finding(what))).starts_with("Resolved: "), "{what:?}");
            for line in text.lines().filter(|line| line.contains(": onceward ")) {
                assert!(!line.ends_with('.'), "a mark at its end would be copied: {line}");
            }
        }
    }

    #[test]
    fn words_of_others_are_cut_and_stay_on_a_line() {
        let long = format!("{}\n\n<!channel>", "가".repeat(300));
        let it = Finding { said: Some(long), ..finding(What::Dead) };
        let line = said(&it).lines().find(|line| line.starts_with("job 4711")).map(str::to_owned).unwrap();
        assert_eq!(line.chars().count(), "job 4711 says: ".len() + SAID + 1);
        let many = (0..9).map(|n| (format!("code_{n}"), 1)).collect();
        let it = Finding { codes: many, ..finding(What::Dead) };
        assert!(said(&it).contains("code_4 ×1, 4 more"), "{}", said(&it));
    }
}
