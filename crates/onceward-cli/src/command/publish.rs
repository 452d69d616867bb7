//! `onceward publish`: plans, enqueues, delivers, reports.

mod deliver;
mod note;
mod preview;
mod rehearsal;
mod report;
mod rows;

use std::collections::BTreeSet;

use onceward::{Enqueued, JobId, ReviveOptions, State};
use onceward_publish::content::{self, Batch};
use onceward_publish::{APPROVAL, Plan, Publisher, Wishes, date};

use super::Run;
use crate::alerting;
use crate::args::Publish;
use crate::config::Config;
use crate::exit::{self, Exit};
use crate::output;
use crate::publishing;
use crate::stop::Stop;
use crate::store::Store;
use rows::Rows;

/// Does what was asked, as far as it can be done now.
pub(crate) async fn run(run: &Run, args: &Publish) -> Result<Exit, Stop> {
    if args.as_new.is_some() && args.files.len() != 1 {
        return Err(Stop::usage("one_file_only", "--as-new gives one file another id; name that file alone"));
    }
    if args.dry_run {
        return preview::run(run, args).await;
    }
    if args.sandbox {
        return rehearsal::run(run, args).await;
    }
    run.with_store(async |store| {
        store.refuse_rehearsal()?;
        publish(run, args, store).await
    })
    .await
}

async fn publish(run: &Run, args: &Publish, store: &Store) -> Result<Exit, Stop> {
    let publisher = publishing::publisher(&store.config, &store.once).await?;
    store.define_queues().await?;
    let (batch, wishes) = (read(args, &store.config), wishes(args, &store.config)?);
    let named = batch.contents.iter().flat_map(|content| &content.channels);
    publisher.learn(named.chain(wishes.to.iter().flatten()).map(String::as_str)).await?;
    let plan = publisher.plan(batch, &wishes).await?;
    if !plan.refused.is_empty() && !args.skip_refused {
        report::refused(run, &plan, store.url.is_rehearsal())?;
        return Ok(Exit::Usage);
    }
    agreed(args, &store.config, &plan)?;
    let mut enqueued = publisher.enqueue(&plan).await?;
    if args.revive {
        revive(store, &enqueued).await?;
    }
    if args.hold {
        hold(store, &publisher, &mut enqueued).await?;
    }
    let mut rows = Rows::new(&plan, &enqueued);
    rows.refresh(&publisher).await?;
    let stopped = if args.enqueue_only {
        None
    } else {
        deliver::deliver(run, store, &publisher, &mut rows, args.patience).await?
    };
    if stopped.is_none() {
        restore(run, &publisher, &rows).await?;
    }
    if stopped.is_none() && !args.enqueue_only {
        alerting::tell(run, store, &publisher).await?;
    }
    rows.find_held_back(store).await?;
    finish(run, store, &plan, &rows, stopped)
}

/// Feeds and pages that somebody deleted are made again: the table names them as done.
async fn restore(run: &Run, publisher: &Publisher, rows: &Rows<'_>) -> Result<(), Stop> {
    for channel in rows.gone() {
        let done = publisher.restore(channel).await;
        done.map_err(|failure| {
            let cause = failure.cause();
            let code = if cause.code == "not_ours" { "not_ours" } else { "file_not_written" };
            Stop::failed(code, format!("channel {channel}: {}", cause.text))
        })?;
        run.output.note(&format!("files of {channel} were missing, and are made again"));
    }
    Ok(())
}

fn finish(
    run: &Run,
    store: &Store,
    plan: &Plan,
    rows: &Rows<'_>,
    stopped: Option<Exit>,
) -> Result<Exit, Stop> {
    let (totals, rehearsal) = (rows.totals(), store.url.is_rehearsal());
    report::done(run, plan, rows, &totals, rehearsal)?;
    if let Some(call) = exit::call(&totals) {
        let of_store = if rehearsal { format!(" --store {}", store.url) } else { String::new() };
        output::call(&format!("{call}{of_store}"));
    }
    Ok(stopped.unwrap_or_else(|| exit::worse(refusal(plan, true), exit::of(&totals))))
}

/// Refused files count, unless they were skipped for others that went on.
fn refusal(plan: &Plan, skip: bool) -> Exit {
    let goes_on = skip && !plan.contents.is_empty();
    if plan.refused.is_empty() || goes_on { Exit::Fine } else { Exit::Usage }
}

/// The files as this configuration reads them.
fn read(args: &Publish, config: &Config) -> Batch {
    content::read(&args.files, &publishing::rules(config))
}

fn wishes(args: &Publish, config: &Config) -> Result<Wishes, Stop> {
    let to = match args.to.as_slice() {
        [] => None,
        names => {
            let found = config.resolve(names.iter().map(String::as_str));
            Some(found.map_err(|unknown| Stop::usage("unknown_name", unknown.text))?)
        }
    };
    let at = args.at.as_deref().map(|text| date::parse(text, config.publish.timezone.as_ref())).transpose();
    let at = at.map_err(|error| Stop::usage(error.code(), format!("--at: {error}")))?;
    Ok(Wishes { to, at, hold: args.hold, as_new: args.as_new.clone() })
}

/// A glob that caught too much must not become a flood.
fn agreed(args: &Publish, config: &Config, plan: &Plan) -> Result<(), Stop> {
    let burst = config.publish.burst;
    match plan.bursts(usize::try_from(burst).unwrap_or(usize::MAX)).first() {
        Some((channel, count)) if !args.yes => Err(Stop::usage(
            "burst",
            format!(
                "channel {channel} would get {count} new posts in this run, more than [publish] burst = {burst}; run it again with --yes if that is meant"
            ),
        )),
        _ => Ok(()),
    }
}

/// What waits already, and says what the file says, is held as well: for the queue nothing of it was to be changed.
async fn hold(store: &Store, publisher: &Publisher, enqueued: &mut [Vec<Enqueued>]) -> Result<(), Stop> {
    let jobs: Vec<JobId> = enqueued.iter().flatten().map(Enqueued::id).collect();
    let mut free = publisher.standing(&jobs).await?;
    free.retain(|it| it.state == State::Pending && it.held.is_none());
    let free: Vec<JobId> = free.into_iter().map(|it| it.id).collect();
    // Whoever took one meanwhile has it: the table says so.
    let held = store.once.hold(free, APPROVAL).await?.into_iter();
    let held: BTreeSet<JobId> = held.filter_map(|(job, done)| done.ok().map(|()| job)).collect();
    for one in enqueued.iter_mut().flatten().filter(|one| held.contains(&one.id())) {
        *one = Enqueued::Updated(one.id());
    }
    Ok(())
}

/// Those that are dead get another budget. What may have happened is found out first.
async fn revive(store: &Store, enqueued: &[Vec<Enqueued>]) -> Result<(), Stop> {
    let mut dead = Vec::new();
    for job in enqueued.iter().flatten().map(Enqueued::id) {
        match store.once.job(job).await {
            Ok(job) if job.state == State::Dead => dead.push(job.id),
            Ok(_) | Err(onceward::Error::NotFound(_)) => {}
            Err(error) => return Err(error.into()),
        }
    }
    if !dead.is_empty() {
        store.once.revive(dead, &ReviveOptions::default()).await?;
    }
    Ok(())
}
