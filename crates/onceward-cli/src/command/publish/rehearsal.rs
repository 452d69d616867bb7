//! `--sandbox`: the same run, against stand-ins inside this process. Nothing that was configured is reached.

use std::path::Path;

use onceward_sandbox::{Options, Sandbox};

use super::{Run, publish};
use crate::args::Publish;
use crate::command::sandbox::{faults, ledger, start};
use crate::config::{REHEARSAL_STORE, StandIns, StoreUrl};
use crate::exit::Exit;
use crate::stop::Stop;

/// Rehearses.
pub(super) async fn run(run: &Run, args: &Publish) -> Result<Exit, Stop> {
    if run.global.store.is_some() {
        let text = format!("--sandbox has a store of its own, {REHEARSAL_STORE}; leave --store out");
        return Err(Stop::usage("store_fixed", text));
    }
    let mut config = run.config()?;
    let sandbox = start(Options {
        faults: faults(args.faults.as_deref(), &run.here)?,
        state: Some(ledger(&config.folder)),
        ..Options::default()
    })
    .await?;
    config.rehearse(&stand_ins(&sandbox, &config.folder)?);
    let store = StoreUrl::new(&format!("sqlite://{REHEARSAL_STORE}"), &config.folder);
    let store = store.ok_or_else(|| Stop::usage("store_url", "the folder's name is not Unicode"))?;
    let done = run.with_store_at(config, store, async |store| publish(run, args, store).await).await;
    sandbox.stop().await;
    done
}

fn stand_ins(sandbox: &Sandbox, folder: &Path) -> Result<StandIns, Stop> {
    let smtp = sandbox.url("email").parse().ok();
    Ok(StandIns {
        url: sandbox.url("").trim_end_matches('/').to_owned(),
        smtp: smtp.ok_or_else(|| Stop::failed("sandbox", "the sandbox takes no mail"))?,
        folder: folder.join("onceward.sandbox"),
    })
}
