//! Every fault that the sandbox knows, at every act of every kind of channel: how it must end is derived from what the
//! platform said and from the channel's class (`expect`), both ledgers are compared, and no secret is anywhere.

mod cell;
mod checks;
mod expect;
mod kinds;
mod limits;
mod places;
mod secrets;
mod summary;

use std::time::Duration;

use futures_util::stream::{self, StreamExt};
use onceward_http::Client;

use crate::stage::Verdict;
use cell::Cell;
use expect::End;
use places::Role;

pub(crate) use places::{ALL, Which};

/// Cells at once: most of their time is waiting.
const AT_ONCE: usize = 12;
/// No cell takes longer than this; one that hangs is named before the whole test is ended for it.
const LONGEST: Duration = Duration::from_secs(80);

/// All cells of one kind of channel. What nobody sees meets each fault once or twice, the post and the looks all samples.
fn cells(which: Which) -> Vec<Cell> {
    let of = |&(act, role): &(&'static str, Role)| {
        let kinds = if role == Role::Visible { kinds::all() } else { kinds::some() };
        kinds.into_iter().map(move |kind| Cell { which, act, role, kind })
    };
    which.acts().iter().flat_map(of).collect()
}

async fn matrix(which: Which) -> Verdict {
    secrets::watch();
    let (exempt, run): (Vec<_>, Vec<_>) =
        cells(which).into_iter().partition(|cell| matches!(cell.end(), End::Exempt(_)));
    let (count, client) = (run.len(), Client::builder().build()?);
    let runs = run.into_iter().map(async |cell| (cell, ended(cell, client.clone()).await));
    let all: Vec<_> = stream::iter(runs).buffer_unordered(AT_ONCE).collect().await;
    let failed: Vec<_> = all
        .into_iter()
        .filter_map(|(cell, ended)| ended.err().map(|why| format!("{cell:?}: {why}")))
        .collect();
    let (lines, leaks) = secrets::logged();
    println!("{which:?}: {count} cells, {} failed, {lines} lines of log", failed.len());
    for cell in exempt {
        println!("exempt: {} {:?}: {:?}", cell.act, cell.kind, cell.end());
    }
    assert!(failed.is_empty() && leaks.is_empty(), "{}\n{}", failed.join("\n"), leaks.join("\n"));
    assert!(lines > 0, "nothing was logged, so no leak could be found");
    Ok(())
}

async fn ended(cell: Cell, client: Client) -> Verdict {
    let run = tokio::time::timeout(LONGEST, Box::pin(cell.run(client))).await;
    run.map_err(|_| format!("it takes longer than {LONGEST:?}"))?
}

macro_rules! every_fault {
    ($($name:ident: $which:ident),* $(,)?) => {$(
        #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
        async fn $name() -> Verdict {
            matrix(Which::$which).await
        }
    )*};
}

every_fault! {
    mastodon_meets_every_fault: Mastodon,
    pleroma_meets_every_fault: Pleroma,
    gotosocial_meets_every_fault: GoToSocial,
    bluesky_meets_every_fault: Bluesky,
    a_bot_of_slack_meets_every_fault: SlackBot,
    a_webhook_of_slack_meets_every_fault: SlackWebhook,
    devto_meets_every_fault: Devto,
    telegram_meets_every_fault: Telegram,
    a_webhook_meets_every_fault: Webhook,
    mail_meets_every_fault: Email,
}
