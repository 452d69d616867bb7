//! The moments of a job's life in their order.

use onceward::{Attempt, EffectView, JobDetails, JobView, State, Time};

use crate::command::jobs::table::{reason, shown};
use crate::output::{MAYBE_SENT, Output, Shown, cut, one_line, relative};

/// How much of a worker's random id is shown.
const SHORT: usize = 8;
/// How wide a request is shown; `--json` has all of it.
const WIDE: usize = 100;

/// Something that happened, or stands open.
#[derive(Debug)]
struct Moment {
    /// None: it has no time of its own, and comes last.
    at: Option<Time>,
    shown: Shown,
    text: String,
    more: Vec<String>,
}

impl Moment {
    fn new(at: Option<Time>, shown: Shown, text: impl Into<String>) -> Self {
        Self { at, shown, text: text.into(), more: Vec::new() }
    }

    fn with(mut self, more: impl IntoIterator<Item = String>) -> Self {
        self.more.extend(more);
        self
    }
}

/// One line for each moment, and indented ones for what belongs to it.
pub(super) fn lines(details: &JobDetails, now: Time, output: &Output) -> Vec<String> {
    let mut lines = Vec::new();
    for moment in moments(details, now) {
        let at = moment.at.map_or_else(String::new, |at| {
            format!("  {} ({})", at.timestamp().strftime("%Y-%m-%d %H:%M:%SZ"), relative(at, now))
        });
        if !lines.is_empty() {
            lines.push("│".to_owned());
        }
        lines.push(format!("{} {}{at}", moment.shown.shape_painted(output.color), one_line(&moment.text)));
        lines.extend(moment.more.iter().map(|more| format!("│   {}", one_line(more))));
    }
    lines
}

fn moments(details: &JobDetails, now: Time) -> Vec<Moment> {
    let job = &details.job;
    let mut past = vec![Moment::new(Some(job.created_at), Shown::Pending, "planned")];
    for attempt in &details.attempts {
        past.extend(tried(attempt));
    }
    for effect in &details.effects {
        past.extend(sent(effect));
    }
    // A moment without a time stays behind those that have one; equal times keep the order of a life.
    past.sort_by_key(|moment| (moment.at.is_none(), moment.at));
    past.push(stands(job, now).with(job.restored.then(|| MAYBE_SENT.to_owned())));
    past
}

fn tried(attempt: &Attempt) -> Vec<Moment> {
    let what = if attempt.purpose == "verify" { "looked whether it happened" } else { "claimed" };
    let worker = attempt.worker.as_ref().map_or_else(String::new, |worker| {
        format!(" by worker {}", worker.chars().take(SHORT).collect::<String>())
    });
    let begun = Moment::new(
        attempt.started_at,
        Shown::Running,
        format!("attempt {}: {what}{worker}", attempt.number),
    );
    let shown = match attempt.outcome.as_str() {
        "done" => Shown::Done,
        "in_doubt" => Shown::InDoubt,
        "dead" | "failed" | "crashed" => Shown::Dead,
        _ => Shown::Pending,
    };
    let text = format!("attempt {}: {}", attempt.number, attempt.outcome.replace('_', " "));
    let ended = Moment::new(Some(attempt.finished_at), shown, text).with(attempt.error.as_ref().map(reason));
    attempt.started_at.map(|_| begun).into_iter().chain([ended]).collect()
}

fn sent(effect: &EffectView) -> Vec<Moment> {
    let step = &effect.step;
    let request = format!("request {}", cut(&one_line(&effect.request), WIDE));
    let key = [format!("key {}", effect.key), request];
    let Some(first) = effect.first_sent_at else {
        return vec![Moment::new(None, Shown::Pending, format!("{step}: prepared, not sent")).with(key)];
    };
    let mut moments = vec![Moment::new(Some(first), Shown::Running, format!("{step}: sent")).with(key)];
    if let Some(last) = effect.last_sent_at.filter(|last| *last > first) {
        let text = format!("{step}: sent again, {} times in all", effect.sends);
        moments.push(Moment::new(Some(last), Shown::Running, text));
    }
    if let Some(last) = moments.last_mut() {
        last.more.extend(answered(effect));
    }
    moments
}

/// What came back, as far as it is known.
fn answered(effect: &EffectView) -> Vec<String> {
    let mut lines = Vec::new();
    match effect.state {
        "accepted" => {
            let proof = effect.remote_url.as_ref().or(effect.remote_id.as_ref());
            lines.push(proof.map_or("accepted".to_owned(), |proof| format!("accepted, proved by {proof}")));
        }
        "refused" => lines.push("refused".to_owned()),
        "prepared" => lines.push("certainly not sent".to_owned()),
        _ => lines.push("no clear answer: it may have happened".to_owned()),
    }
    if matches!(effect.state, "sending" | "unknown") {
        lines.extend(effect.quiet_until.map(|at| format!("it may still show up until {at}")));
        lines.extend((effect.looks > 0).then(|| format!("looked for {} times", effect.looks)));
    }
    if effect.state != "accepted" {
        lines.extend(effect.response.as_ref().map(|response| format!("the answer: \"{response}\"")));
    }
    lines
}

/// Where it stands, and what a person can do.
fn stands(job: &JobView, now: Time) -> Moment {
    let id = job.id;
    let shown = shown(job.state).unwrap_or(Shown::Pending);
    let moment = |text: String| Moment::new(job.finished_at, shown, text);
    match job.state {
        State::Pending => match &job.held_reason {
            Some(reason) => moment(format!("held: {reason}")).with([format!("onceward jobs release {id}")]),
            None => moment(format!("waiting: due {}", relative(job.run_at, now))),
        },
        State::Running => moment(format!(
            "sending: its worker has it until {}",
            job.leased_until.map_or_else(|| "it ends".to_owned(), |until| until.to_string())
        )),
        State::Done => moment("done".to_owned()).with(job.url.clone()),
        State::Cancelled => moment("cancelled".to_owned()),
        State::Dead => moment(dead(job)).with(job.error.as_ref().map(reason)).with([match job.discard_at {
            Some(_) => format!("onceward dead undiscard {id}"),
            None => format!("onceward dead revive {id}"),
        }]),
        State::InDoubt => doubt(job, now),
    }
}

fn dead(job: &JobView) -> String {
    let gone = job.discard_at.map_or_else(String::new, |at| format!(", discarded: final at {at}"));
    format!("failed (dead){gone}")
}

fn doubt(job: &JobView, now: Time) -> Moment {
    let id = job.id;
    match job.check_at {
        Some(at) => {
            Moment::new(None, Shown::InDoubt, format!("unsure (in_doubt): looked for {}", relative(at, now)))
        }
        None => Moment::new(None, Shown::InDoubt, "unsure (in_doubt): only a person can tell").with([
            format!("onceward doubt resolve {id} --happened        it is there"),
            format!("onceward doubt resolve {id} --did-not-happen  it is not: send it again"),
            format!("onceward doubt resolve {id} --give-up         leave it"),
        ]),
    }
}
