//! The table of addresses and URL forms (`urls.txt`), each tried on the whole client.

mod support;

use onceward_http::{Client, Guard, Request, Target};
use support::{Act, Names, Peer, ok};
use url::Url;

/// Verdict and URL of each line.
fn table(port: u16) -> Vec<(&'static str, String)> {
    let lines = include_str!("urls.txt").lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    lines
        .map(|line| line.split_once(' ').unwrap())
        .map(|(verdict, url)| (verdict, url.replace("PORT", &port.to_string())))
        .collect()
}

/// What becomes of a URL before the resolver is asked.
fn verdict(url: &str) -> &'static str {
    let Ok(target) = Target::untrusted(url) else { return "broken" };
    match (Guard::default().vet_url(target.url()), target.url().domain()) {
        (Err(_), _) => "inside",
        (Ok(()), Some(_)) => "name",
        (Ok(()), None) => "public",
    }
}

#[test]
fn every_form_gets_its_verdict() {
    let table = table(8080);
    assert!(table.len() >= 300, "only {} forms", table.len());
    let wrong: Vec<_> = table.iter().filter(|(expected, url)| verdict(url) != *expected).collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// The whole way, with a name system that sends every name inside, and a peer there that would notice.
#[tokio::test]
async fn no_form_reaches_the_inside() {
    let peer = Peer::start(Act::Write(ok(b"inside"))).await;
    let client = Client::builder().lookup(Names::new(&[&["127.0.0.1"]])).build().unwrap();
    for (expected, url) in
        table(peer.address.port()).into_iter().filter(|(expected, _)| *expected != "public")
    {
        assert_eq!(verdict(&url), expected, "{url} would leave this machine");
        let failure = match Target::untrusted(&url) {
            Ok(target) => client.send(Request::get(target)).await.unwrap_err(),
            Err(failure) => failure,
        };
        let code = if expected == "broken" { "invalid_request" } else { "address_forbidden" };
        assert_eq!(failure.code(), code, "{url}: {failure}");
        assert!(failure.not_sent() && failure.refused_by_us());
    }
    assert_eq!(peer.connections(), 0);
}

#[test]
fn the_operator_may_go_where_strangers_may_not() {
    for (_, url) in table(8080).into_iter().filter(|(expected, _)| *expected == "inside") {
        assert!(Target::operator(&url).is_ok(), "{url}");
    }
}

#[test]
fn an_allowed_range_opens_nothing_but_itself() {
    let guard = Guard::new(vec!["10.0.0.0/8".parse().unwrap(), "fd12::/16".parse().unwrap()]);
    let open = ["http://10.0.0.1/", "http://0xa.1/", "http://[fd12::1]/"];
    let shut = [
        "http://127.0.0.1/",
        "http://169.254.169.254/",
        "http://[::ffff:10.0.0.1]/",
        "http://[::10.0.0.1]/",
        "http://[64:ff9b::10.0.0.1]/",
        "http://[2002:a00:1::]/",
        "http://[fd13::1]/",
    ];
    for url in open {
        assert!(guard.vet_url(&Url::parse(url).unwrap()).is_ok(), "{url}");
    }
    for url in shut {
        assert!(guard.vet_url(&Url::parse(url).unwrap()).is_err(), "{url}");
    }
}
