//! `--dry-run`: every text as it would be sent, with its length. Nothing is written, not even a store.

use onceward::Onceward;
use onceward_publish::{Act, Plan, PlannedJob, preview};
use serde_json::{Value, json};

use super::{Run, read, refusal, report, wishes};
use crate::args::Publish;
use crate::config::Config;
use crate::exit::Exit;
use crate::output::plain;
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
    run.output.answer(&document(&plan), || text(&plan))?;
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
            "parts": job.parts.iter().map(part).collect::<Vec<_>>(),
        })
    };
    let contents = plan.contents.iter().map(|planned| {
        json!({
            "id": planned.content.id,
            "file": planned.content.file,
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

fn text(plan: &Plan) -> String {
    let mut out = String::new();
    for planned in &plan.contents {
        for job in &planned.jobs {
            out += &one(&planned.content.id, job);
        }
    }
    for it in &plan.drafts {
        out += &plain(&format!("not sent: {} ({})\n", it.file.display(), it.reason));
    }
    if out.is_empty() { "nothing to publish".to_owned() } else { out }
}

/// "== posts/launch → mastodon · 2/4 · 271/280", and the text below it.
fn one(id: &str, job: &PlannedJob) -> String {
    let head = format!("== {id} → {}", job.channel);
    if job.act == Act::Leave {
        return plain(&format!("{head} · left as it is\n\n"));
    }
    let count = job.parts.len();
    let part = |(at, part): (usize, &onceward_publish::channel::Part)| {
        let longest = job.longest.map(|most| format!("/{most}")).unwrap_or_default();
        plain(&format!("{head} · {}/{count} · {}{longest}\n{}\n\n", at + 1, part.length, part.text))
    };
    job.parts.iter().enumerate().map(part).collect()
}
