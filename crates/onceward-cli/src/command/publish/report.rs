//! What a run did, for people and for scripts.

use std::collections::BTreeMap;

use onceward::Enqueued;
use onceward_publish::{Plan, Planned, Refusal, Withdrawn};
use serde_json::{Value, json};

use super::Run;
use super::note;
use super::rows::{Row, Rows, Stand};
use crate::exit::Totals;
use crate::output::{self, Cell, Grid, Shown, plain};
use crate::stop::Stop;

/// Of a channel that cannot be used, whatever the file.
const LACKING: [&str; 2] = ["secret_missing", "secret_invalid"];
const REHEARSED: &str = "a rehearsal: stand-ins on this machine took this, and nothing was published; files are in \
                         onceward.sandbox";

/// Nothing was enqueued, and this is why.
pub(super) fn refused(run: &Run, plan: &Plan, rehearsal: bool) -> Result<(), Stop> {
    if run.output.json {
        let document = document(plan, &[], &Totals::default(), rehearsal);
        return run.output.answer(&document, String::new);
    }
    list_refused(&plan.refused);
    output::call("nothing was enqueued: correct these, or go on with the other files by --skip-refused");
    Ok(())
}

/// What became of each job.
pub(super) fn done(
    run: &Run,
    plan: &Plan,
    rows: &Rows<'_>,
    totals: &Totals,
    rehearsal: bool,
) -> Result<(), Stop> {
    if !run.output.json {
        list_refused(&plan.refused);
    }
    let contents: Vec<Value> = plan.contents.iter().map(|planned| content(planned, rows)).collect();
    run.output.report(&document(plan, &contents, totals, rehearsal), || {
        let text = text(run, plan, rows, totals);
        if rehearsal { format!("{text}\n{REHEARSED}") } else { text }
    })
}

/// A channel that lacks its secret refuses every file; that is said once.
pub(super) fn list_refused(refused: &[Refusal]) {
    let (lacking, others): (Vec<_>, Vec<_>) =
        refused.iter().partition(|it| LACKING.contains(&it.code.as_str()));
    for refusal in others {
        output::call(&plain(&format!("refused: {refusal}")));
    }
    let mut channels: BTreeMap<&str, Vec<&Refusal>> = BTreeMap::new();
    for refusal in lacking {
        channels.entry(refusal.channel.as_deref().unwrap_or_default()).or_default().push(refusal);
    }
    for (channel, files) in channels {
        let [first, others @ ..] = files.as_slice() else { continue };
        let more = if others.is_empty() { String::new() } else { format!(" and {} more", others.len()) };
        output::call(&plain(&format!("refused: {}{more}: channel {channel}: {}", first.file, first.text)));
    }
}

fn document(plan: &Plan, contents: &[Value], totals: &Totals, rehearsal: bool) -> Value {
    let draft = |it: &onceward_publish::content::Skipped| json!({ "file": it.file, "reason": it.reason });
    json!({
        "contents": contents,
        "totals": totals,
        "refused": plan.refused,
        "drafts": plan.drafts.iter().map(draft).collect::<Vec<_>>(),
        "rehearsal": rehearsal,
    })
}

fn content(planned: &Planned, rows: &Rows<'_>) -> Value {
    let own = rows.all.iter().filter(|row| std::ptr::eq(row.planned, planned));
    let withdrawn = planned.withdrawn.iter();
    let withdrawn =
        withdrawn.map(|it| json!({ "id": it.job, "channel": it.channel, "restored": it.restored }));
    json!({
        "id": planned.content.id,
        "file": planned.content.file,
        "publish_at": planned.publish_at,
        "jobs": own.map(job).collect::<Vec<_>>(),
        "withdrawn": withdrawn.collect::<Vec<_>>(),
        "added": planned.added,
    })
}

fn job(row: &Row<'_>) -> Value {
    let error = row.standing.as_ref().and_then(|it| it.error.as_ref()).filter(|_| row.stand() != Stand::Done);
    let mut job = json!({
        "id": row.enqueued.id(),
        "channel": row.channel,
        "state": row.state(),
        "enqueued": enqueued(row.enqueued),
        "attempts": row.standing.as_ref().map_or(0, |it| it.attempts),
        "held": row.standing.as_ref().and_then(|it| it.held.as_deref()),
        "url": row.url(),
        "error": error.map(|it| json!({ "code": it.code, "text": it.text })),
    });
    if let Enqueued::Skipped { changed, .. } = row.enqueued {
        job["changed"] = json!(changed);
    }
    job
}

fn enqueued(answer: &Enqueued) -> &'static str {
    match answer {
        Enqueued::New(_) => "new",
        Enqueued::Updated(_) => "updated",
        Enqueued::Skipped { .. } => "skipped",
    }
}

fn text(run: &Run, plan: &Plan, rows: &Rows<'_>, totals: &Totals) -> String {
    let mut lines = Vec::new();
    if !rows.all.is_empty() {
        let mut grid = Grid::new(["content", "channel", "state", "link", "note"]);
        for row in &rows.all {
            grid.row([
                row.planned.content.id.as_str().into(),
                row.channel.into(),
                Cell::State(shown(row)),
                row.url().map_or(Cell::Empty, |url| Cell::Whole(url.to_owned())),
                Cell::maybe(note::of(row, rows)),
            ]);
        }
        lines.push(grid.show(&run.output));
    }
    lines.extend(plan.contents.iter().filter_map(asides));
    lines.extend(
        plan.drafts.iter().map(|it| plain(&format!("not sent: {} ({})", it.file.display(), it.reason))),
    );
    lines.push(summary(totals));
    lines.join("\n")
}

fn shown(row: &Row<'_>) -> Shown {
    match row.stand() {
        Stand::Done if row.was_done() => Shown::Skipped,
        Stand::Done => Shown::Done,
        Stand::Dead => Shown::Dead,
        Stand::Cancelled => Shown::Cancelled,
        Stand::Parked | Stand::Checking => Shown::InDoubt,
        Stand::Held | Stand::Scheduled | Stand::Open => Shown::Pending,
        Stand::Running => Shown::Running,
    }
}

fn asides(planned: &Planned) -> Option<String> {
    let mut said = Vec::new();
    if !planned.added.is_empty() {
        said.push(format!(
            "not sent to {}, added after it was published; --to sends it there",
            planned.added.join(", ")
        ));
    }
    if !planned.withdrawn.is_empty() {
        let names: Vec<_> = planned.withdrawn.iter().map(taken_back).collect();
        said.push(format!("taken back from {}", names.join(", ")));
    }
    (!said.is_empty()).then(|| plain(&format!("{}: {}", planned.content.id, said.join("; "))))
}

fn taken_back(withdrawn: &Withdrawn) -> String {
    let channel = &withdrawn.channel;
    if withdrawn.restored { format!("{channel} ({})", output::MAYBE_SENT) } else { channel.clone() }
}

/// "4 done (3 new, 1 updated), 14 skipped" in the order of a life.
fn summary(totals: &Totals) -> String {
    let parts = [
        (totals.new, "new"),
        (totals.updated, "updated"),
        (totals.skipped, "skipped"),
        (totals.done, "done"),
        (totals.scheduled, "scheduled"),
        (totals.held, "held"),
        (totals.pending, "waiting"),
        (totals.checking, "being checked"),
        (totals.in_doubt, "unsure"),
        (totals.dead, "failed"),
    ];
    let said: Vec<String> =
        parts.iter().filter(|(count, _)| *count > 0).map(|(count, word)| format!("{count} {word}")).collect();
    if said.is_empty() { "nothing to publish".to_owned() } else { said.join(" · ") }
}
