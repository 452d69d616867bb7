//! `channels check` and what servers are asked for their limits, with every fault at every request.

use futures_util::future::join_all;
use onceward::Failure;
use onceward_http::Client;
use onceward_sandbox::{Fault, Kind, Options, Sandbox};

use super::places::{ALL, Which};
use super::{kinds, secrets};
use crate::stage::{Verdict, store};

/// All that a check and a question give, as people and programs would see it.
async fn shown(which: Which, kind: Kind, client: Client) -> Verdict<String> {
    let (sandbox, store) = (Sandbox::start(Options::default()).await?, store().await?);
    let adapter = which.adapter(&sandbox, &store, client).await?;
    sandbox.fault(Fault::new(kind).on(which.platform()));
    let checked = adapter.check().await;
    let learned = match adapter.learn() {
        Some(asking) => Some(asking.await.map_err(|failure| told(&failure))),
        None => None,
    };
    let page = sandbox_page(&sandbox).await?;
    let checked = checked.map_err(|failure| told(&failure));
    Ok(format!("{checked:?}\n{learned:?}\n{adapter:?}\n{adapter:#?}\n{page}"))
}

fn told(failure: &Failure) -> String {
    format!("{failure:?} {}", failure.cause().text)
}

/// What the sandbox's own page and its ledger show.
async fn sandbox_page(sandbox: &Sandbox) -> Verdict<String> {
    let root = sandbox.url("");
    let client = Client::builder().build()?;
    let mut all = String::new();
    for path in ["", "-/ledger"] {
        let target = onceward_http::Target::operator(&root)?.join(path);
        all += &String::from_utf8_lossy(client.send(onceward_http::Request::get(target)).await?.body());
    }
    Ok(all)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_check_shows_a_secret_whatever_goes_wrong() -> Verdict {
    secrets::watch();
    let client = Client::builder().build()?;
    for which in ALL {
        let runs =
            kinds::some().into_iter().map(async |kind| (kind, shown(which, kind, client.clone()).await));
        let forms = secrets::forms(which);
        for (kind, shown) in join_all(runs).await {
            let shown = shown?;
            assert_eq!(secrets::found(&forms, shown.as_bytes()), None, "{which:?} {kind:?}: {shown}");
        }
    }
    let (_, leaks) = secrets::logged();
    assert!(leaks.is_empty(), "{}", leaks.join("\n"));
    Ok(())
}
