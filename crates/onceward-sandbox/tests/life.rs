//! How a sandbox lives: restarts, stops, shows itself.

mod support;

use held_port::HeldPort;
use onceward_sandbox::{Fault, FaultFile, Kind, Options, Sandbox};
use std::time::Duration;
use support::{get, sandbox, toot};

#[tokio::test]
async fn it_goes_on_after_a_restart_and_after_a_torn_line() {
    let folder = tempfile::tempdir().unwrap();
    let state = folder.path().join("deep/state.jsonl");
    let options = Options { state: Some(state.clone()), ..Options::default() };
    let first = Sandbox::start(options.clone()).await.unwrap();
    toot(&first, "mastodon", "k", "text").await;
    first.advance(Duration::from_mins(10));
    let (ledger, now) = (first.ledger(), first.now());
    first.stop().await;

    let mut torn = std::fs::read(&state).unwrap();
    torn.extend_from_slice(b"{\"arrived\":{\"at\":1");
    std::fs::write(&state, torn).unwrap();
    let second = Sandbox::start(options.clone()).await.unwrap();
    assert_eq!(second.ledger(), ledger);
    assert!(second.now() >= now);
    assert_eq!(toot(&second, "mastodon", "k", "text").await.status(), 200);
    assert_eq!(second.ledger().visible("mastodon").count(), 1);
    let error = Sandbox::start(options.clone()).await.unwrap_err();
    assert!(error.to_string().contains("another sandbox"), "{error}");
    second.stop().await;
    assert_eq!(Sandbox::start(options).await.unwrap().ledger().arrivals.len(), 2);
}

#[tokio::test]
async fn a_state_file_that_is_none_is_named_with_its_line() {
    let folder = tempfile::tempdir().unwrap();
    let state = folder.path().join("state.jsonl");
    std::fs::write(&state, "{\"advanced\":{\"micros\":1}}\nhello\n").unwrap();
    let error = Sandbox::start(Options { state: Some(state), ..Options::default() }).await.unwrap_err();
    assert!(error.to_string().contains("state.jsonl:2: "), "{error}");
}

#[tokio::test]
async fn stopping_ends_what_hangs_and_frees_the_port() {
    let held = HeldPort::new().unwrap();
    let port = held.number();
    let sandbox = Sandbox::start(Options { port, ..Options::default() }).await.unwrap();
    sandbox.fault(Fault::new(Kind::AcceptThenHang));
    let (reply, ()) = tokio::join!(toot(&sandbox, "mastodon", "k", "text"), async {
        sandbox.until(|ledger| ledger.accepted.len() == 1).await;
    });
    assert!(reply.bytes.is_empty());
    sandbox.stop().await;
    let again = Sandbox::start(Options { port, ..Options::default() }).await.unwrap();
    assert_eq!(again.address().port(), port);
}

#[tokio::test]
async fn the_page_shows_what_was_received_and_nothing_runs_in_it() {
    let sandbox = sandbox().await;
    assert!(get(&sandbox, "/").await.body().contains("Nothing has arrived yet for mastodon"));
    toot(&sandbox, "mastodon", "<i>key", "<script>alert('1')</script> & \"한글\"").await;
    let page = get(&sandbox, "/").await;
    assert_eq!(page.header("content-type").as_deref(), Some("text/html; charset=utf-8"));
    let body = page.body();
    assert!(
        body.contains("&lt;script&gt;alert(&#39;1&#39;)&lt;/script&gt; &amp; &quot;한글&quot;"),
        "{body}"
    );
    assert!(!body.contains("<script") && !body.contains("<i>"));
    assert!(body.contains("1 posts, 1 requests") && !body.contains("a-token"));
}

#[tokio::test]
async fn only_the_platforms_that_were_named_are_there() {
    let named = |name: &str| Options { platforms: Some(vec![name.to_owned()]), ..Options::default() };
    let sandbox = Sandbox::start(named("pleroma")).await.unwrap();
    assert_eq!(sandbox.platforms(), ["pleroma"]);
    assert_eq!(toot(&sandbox, "mastodon", "k", "text").await.status(), 404);
    let error = Sandbox::start(named("myspace")).await.unwrap_err();
    assert!(error.to_string().contains("myspace") && error.to_string().contains("mastodon"), "{error}");
}

#[tokio::test]
async fn a_fault_file_sets_the_beginning() {
    let faults = FaultFile::parse("[[fault]]\nkind = \"refuse\"\ntimes = 1\n").unwrap();
    let sandbox = Sandbox::start(Options { faults, ..Options::default() }).await.unwrap();
    assert_eq!(toot(&sandbox, "mastodon", "k", "text").await.status(), 503);
    assert_eq!(toot(&sandbox, "mastodon", "k", "text").await.status(), 200);
    assert!(sandbox.faults().is_empty());
}
