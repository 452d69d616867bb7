//! Posts and threads on Mastodon, by its stand-in: the whole way, from a file to what readers see.

use onceward_sandbox::{Fault, Kind, Options, Sandbox};

use crate::site::{Site, post};

const TOKEN: &str = "s3cret-token";

async fn place() -> (Sandbox, Site) {
    let sandbox = Sandbox::start(Options::default()).await.unwrap();
    let config = format!(
        "[channels.m]\ntype = \"mastodon\"\nserver = \"{}\"\ntoken = {{ env = \"TOKEN\" }}\ntimeout = \"1s\"\n\
         visibility = \"unlisted\"\n",
        sandbox.url("mastodon")
    );
    (sandbox, Site::new(&config).with("TOKEN", TOKEN))
}

#[tokio::test(flavor = "multi_thread")]
async fn a_thread_goes_out_once_however_often_it_is_run() {
    let (sandbox, site) = place().await;
    site.write("a.md", post("tags: [rust]", &"This is one of many sentences in here. ".repeat(30)));
    let shown = site.run(&["publish", "--dry-run", "a.md"]);
    assert!(shown.stdout.contains("== a → m · 2/3 · 467/500"), "{}", shown.stdout);
    assert_eq!(sandbox.ledger().arrived("mastodon", "post").count(), 0);
    sandbox.fault(Fault::new(Kind::AcceptThenReset).on("mastodon").act("post").skip(1).times(1));
    let said = site.publish(&["a.md"]);
    assert_eq!((said.code, said.total("done")), (0, 1), "{said:?}");
    assert_eq!(site.publish(&["a.md"]).total("skipped"), 1);
    let ledger = sandbox.ledger();
    let seen: Vec<_> = ledger.visible("mastodon").collect();
    assert_eq!(seen.len(), 3, "{seen:?}");
    assert!(seen[2].text.ends_with("#rust"), "{seen:?}");
    assert_eq!(said.job("a", "m")["url"], seen[0].data["url"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_does_not_fit_is_refused_with_its_counts_before_anything_is_sent() {
    let (sandbox, site) = place().await;
    site.write("a.md", post("thread: never", &"가".repeat(501)));
    site.write("b.md", post("thread: [\"One\", \"Two\"]", ""));
    let said = site.publish(&["a.md", "b.md"]);
    let refused = &said.document()["refused"][0];
    assert_eq!((said.code, &refused["code"], &refused["channel"]), (2, &"text_too_long".into(), &"m".into()));
    assert!(refused["text"].as_str().unwrap().contains("501/500 characters"), "{refused}");
    assert_eq!(sandbox.ledger().arrived("mastodon", "post").count(), 0);
    let said = site.publish(&["a.md", "b.md", "--skip-refused"]);
    assert_eq!(said.total("done"), 1, "{said:?}");
    let seen: Vec<_> = sandbox.ledger().visible("mastodon").map(|it| it.text.clone()).collect();
    assert_eq!(seen, ["One", "Two"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn check_names_what_is_wrong_and_no_token_is_told() {
    let (sandbox, site) = place().await;
    assert_eq!(site.run(&["channels", "check", "m"]).code, 0);
    sandbox.fault(Fault::new(Kind::RevokedToken).on("mastodon").times(1));
    let said = site.run(&["channels", "check", "m"]);
    assert_eq!(said.code, 1, "{said:?}");
    assert!(said.stdout.contains("does not accept the token"), "{said:?}");
    assert!(!format!("{said:?}").contains(TOKEN), "{said:?}");
}
