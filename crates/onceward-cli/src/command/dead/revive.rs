//! `onceward dead revive`: at once, at a chosen speed, or a few first.

mod canary;

use std::time::Duration;

use onceward::pace::Rate;
use onceward::{Filter, JobId, ReviveOptions, Revived, Selection};

use crate::args::Revive;
use crate::command::Run;
use crate::command::select::{self, Did, Verb};
use crate::exit::Exit;
use crate::stop::Stop;
use crate::store::Store;

pub(super) async fn run(run: &Run, store: &Store, args: &Revive) -> Result<Exit, Stop> {
    args.check().map_err(|text| Stop::usage("usage", text))?;
    let verb = Verb { name: "revive", among: super::undecided() };
    let selection = select::selection(store, &args.bulk, &verb).await?;
    let options = options(args);
    if options.dry_run {
        return say_dry(
            run,
            &store.once.revive(selection, &options).await.map_err(|error| of_payload(&error))?,
        );
    }
    select::agree(run, store, &args.bulk, &verb, &selection).await?;
    if args.rate.is_none() && args.canary.is_none() {
        let revived =
            store.once.revive(selection.clone(), &options).await.map_err(|error| of_payload(&error))?;
        return say(run, revived, &selection);
    }
    let mut rest = select::ids(store, &selection, &verb).await?;
    rest.truncate(options.limit.unwrap_or(usize::MAX));
    let slow = Slowly { store, rate: args.rate };
    let mut all = Revived::default();
    if let Some(count) = args.canary.filter(|_| !rest.is_empty()) {
        let after = rest.split_off(rest.len().min(usize::try_from(count).unwrap_or(usize::MAX)));
        canary::served(store, &rest).await?;
        slow.revive(&rest, &mut all).await?;
        match canary::watch(run, store, &all.revived).await? {
            canary::Sang::Well => {}
            canary::Sang::Badly(exit) => {
                say(run, all, &selection)?;
                return Ok(exit);
            }
        }
        rest = after;
    }
    slow.revive(&rest, &mut all).await?;
    say(run, all, &selection)
}

fn of_payload(error: &onceward::Error) -> Stop {
    Stop::of_payload("--set-payload", error)
}

fn options(args: &Revive) -> ReviveOptions {
    ReviveOptions {
        dry_run: args.bulk.dry_run,
        limit: args.limit.map(|limit| usize::try_from(limit).unwrap_or(usize::MAX)),
        set_payload: args.set_payload.clone(),
        may_repeat: args.may_repeat,
    }
}

/// Revives jobs no faster than a rate.
struct Slowly<'s> {
    store: &'s Store,
    rate: Option<Rate>,
}

impl Slowly<'_> {
    async fn revive(&self, ids: &[JobId], all: &mut Revived) -> Result<(), Stop> {
        let (size, gap) = self.rate.map_or((ids.len().max(1), Duration::ZERO), portions);
        let mut tick = (!gap.is_zero()).then(|| tokio::time::interval(gap));
        for portion in ids.chunks(size) {
            if let Some(tick) = &mut tick {
                tick.tick().await;
            }
            // As a filter, even for one: what may have happened is never part of a bulk revive.
            let some = Selection::Matching(Filter::ids(portion.iter().copied()));
            let revived = self.store.once.revive(some, &ReviveOptions::default()).await?;
            all.revived.extend(revived.revived);
            all.to_verify.extend(revived.to_verify);
            all.left.extend(revived.left);
        }
        Ok(())
    }
}

/// How many at a time, and how long between: one by one where that is slow enough, else ten times a second.
fn portions(rate: Rate) -> (usize, Duration) {
    const SHORTEST: Duration = Duration::from_millis(100);
    let gap = rate.interval();
    if gap >= SHORTEST {
        return (1, gap);
    }
    let each = SHORTEST.as_nanos().checked_div(gap.as_nanos().max(1)).unwrap_or(1);
    (usize::try_from(each).unwrap_or(usize::MAX).max(1), SHORTEST)
}

fn say(run: &Run, revived: Revived, selection: &Selection) -> Result<Exit, Stop> {
    let Revived { revived, to_verify, left } = revived;
    let sorts =
        vec![("revived", "revived", revived), ("to_verify", "may have happened: found out first", to_verify)];
    Did { sorts, left }.say(run, selection)
}

fn say_dry(run: &Run, revived: &Revived) -> Result<Exit, Stop> {
    let Revived { revived, to_verify, left } = revived;
    let document = serde_json::json!({
        "dry_run": true, "matching": revived.len() + to_verify.len() + left.len(),
        "revived": revived.len(), "to_verify": to_verify.len(), "left": left.len(),
    });
    let others = [(to_verify.len(), "would be found out first"), (left.len(), "would be left as they are")];
    run.output.answer(&document, || {
        let head = format!("would revive {}; nothing was changed", select::jobs(revived.len()));
        let others = others.iter().filter(|(count, _)| *count > 0);
        let others = others.map(|(count, words)| format!("{count} {words}"));
        [head].into_iter().chain(others).collect::<Vec<_>>().join("\n")
    })?;
    Ok(Exit::Fine)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn portions_keep_the_rate() {
        let table = [("5/s", 1, 200), ("10/s", 1, 100), ("100/s", 10, 100), ("1/10m", 1, 600_000)];
        for (rate, size, gap) in table {
            assert_eq!(portions(rate.parse().unwrap()), (size, Duration::from_millis(gap)), "{rate}");
        }
    }
}
