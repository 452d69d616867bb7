//! `--dry-run`: every text as it would be sent, with its length, and when. Nothing is written, not even a store.

use onceward::{Onceward, Time};
use onceward_publish::{APPROVAL, Act, Plan, Planned, PlannedJob, preview};
use serde_json::{Value, json};

use super::{Run, read, refusal, report, wishes};
use crate::args::Publish;
use crate::config::Config;
use crate::exit::Exit;
use crate::output::{plain, relative};
use crate::publishing;
use crate::secrets;
use crate::stop::Stop;
use crate::store;

/// Shows what a run would do.
pub(super) async fn run(run: &Run, args: &Publish) -> Result<Exit, Stop> {
    let mut config = run.config()?;
    let once = existing(run, &config).await?;
    if let Some(once) = &once {
        secrets::unlock(&mut config, once).await?;
    }
    let batch = read(args, &config);
    let plan = preview(once.as_ref(), publishing::channels(&config)?, batch, &wishes(args, &config)?).await?;
    run.output.answer(&document(&plan), || text(&plan, Time::now()))?;
    if !run.output.json {
        report::list_refused(&plan.refused);
    }
    if let Some(once) = once {
        once.close().await;
    }
    Ok(refusal(&plan, args.skip_refused))
}

/// The store, if there is one: a look must not make it.
async fn existing(run: &Run, config: &Config) -> Result<Option<Onceward>, Stop> {
    let url = store::named(run, config)?;
    if url.file().is_some_and(|file| !file.exists()) {
        return Ok(None);
    }
    store::ours(&url).await?;
    let db = store::database(&url).await?;
    if db.version(&onceward::QUEUE_TABLES).await? < onceward::QUEUE_TABLES.newest() {
        // Nothing was published here by this version, and a look migrates nothing.
        db.close().await;
        return Ok(None);
    }
    Ok(Some(Onceward::over(db).await?))
}

fn document(plan: &Plan) -> Value {
    let job = |job: &PlannedJob| {
        let part = |part: &onceward_publish::channel::Part| json!({ "text": part.text, "length": part.length, "limit": job.longest });
        json!({
            "channel": job.channel,
            "act": act(job.act),
            "hold": job.hold.is_some(),
            "held": job.hold,
            "parts": job.parts.iter().map(part).collect::<Vec<_>>(),
        })
    };
    let contents = plan.contents.iter().map(|planned| {
        json!({
            "id": planned.content.id,
            "file": planned.content.file,
            "title": planned.content.title,
            "publish_at": planned.publish_at,
            "jobs": planned.jobs.iter().map(job).collect::<Vec<_>>(),
        })
    });
    let draft = |it: &onceward_publish::content::Skipped| json!({ "file": it.file, "reason": it.reason });
    json!({
        "contents": contents.collect::<Vec<_>>(),
        "refused": plan.refused,
        "drafts": plan.drafts.iter().map(draft).collect::<Vec<_>>(),
    })
}

fn act(act: Act) -> &'static str {
    match act {
        Act::New => "new",
        Act::Update => "update",
        Act::Leave => "skip",
    }
}

fn text(plan: &Plan, now: Time) -> String {
    let mut out = String::new();
    for planned in &plan.contents {
        out += &plain(&format!("{}\n", heading(planned, now)));
        for job in &planned.jobs {
            out += &one(&planned.content.id, job);
        }
    }
    for it in &plan.drafts {
        out += &plain(&format!("not sent: {} ({})\n", it.file.display(), it.reason));
    }
    if out.is_empty() { "nothing to publish".to_owned() } else { out }
}

/// "posts/launch: We are live · goes out 2026-12-02T09:00:00Z (in 14h)"
fn heading(planned: &Planned, now: Time) -> String {
    let title = planned.content.title.as_deref().map(|title| format!(": {title}")).unwrap_or_default();
    let head = format!("{}{title}", planned.content.id);
    if planned.jobs.iter().all(|job| job.act == Act::Leave) {
        return head;
    }
    let when = match planned.publish_at {
        None => "goes out at once".to_owned(),
        Some(at) if at <= now => format!("{at} is in the past: goes out at once"),
        Some(at) => format!("goes out {at} ({})", relative(at, now)),
    };
    format!("{head} · {when}")
}

/// Why it does not go out at its time.
fn held(job: &PlannedJob) -> String {
    match job.hold.as_deref() {
        None => String::new(),
        Some(APPROVAL) => " · waits for approval".to_owned(),
        Some(reason) => format!(" · held ({reason})"),
    }
}

/// "== posts/launch → mastodon · 2/4 · 271/280", and the text below it.
fn one(id: &str, job: &PlannedJob) -> String {
    let head = format!("== {id} → {}", job.channel);
    if job.act == Act::Leave {
        return plain(&format!("{head} · left as it is\n\n"));
    }
    let (head, count) = (head + &held(job), job.parts.len());
    let part = |(at, part): (usize, &onceward_publish::channel::Part)| {
        let longest = job.longest.map(|most| format!("/{most}")).unwrap_or_default();
        plain(&format!("{head} · {}/{count} · {}{longest}\n{}\n\n", at + 1, part.length, part.text))
    };
    job.parts.iter().enumerate().map(part).collect()
}
