//! Untrusted targets: names that lie, names that change, proxies that nobody asked for.

mod support;

use std::net::IpAddr;

use onceward_http::{Client, Request, Target};
use support::{Act, Names, Peer, ok};

const CLOSE: &[u8] = b"HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: 0\r\n\r\n";

fn named(host: &str, peer: &Peer) -> String {
    format!("http://{host}:{}/", peer.address.port())
}

async fn code(client: &Client, target: Target) -> &'static str {
    match client.send(Request::get(target)).await {
        Ok(_) => "sent",
        Err(failure) => failure.code(),
    }
}

#[tokio::test]
async fn a_name_that_points_inside_is_refused_for_strangers_and_open_to_the_operator() {
    let peer = Peer::start(Act::Write(CLOSE.to_vec())).await;
    let client = Client::builder().lookup(Names::new(&[&["127.0.0.1"]])).build().unwrap();
    let url = named("inside.example", &peer);
    assert_eq!(code(&client, Target::untrusted(&url).unwrap()).await, "address_forbidden");
    assert_eq!(peer.connections(), 0);
    assert_eq!(code(&client, Target::operator(&url).unwrap()).await, "sent");
}

#[tokio::test]
async fn localhost_by_the_system_resolver_is_refused_for_strangers() {
    let peer = Peer::start(Act::Write(CLOSE.to_vec())).await;
    let client = Client::builder().build().unwrap();
    for host in ["localhost", "LOCALHOST", "localhost."] {
        let verdict = code(&client, Target::untrusted(&named(host, &peer)).unwrap()).await;
        assert!(matches!(verdict, "address_forbidden" | "dns"), "{host}: {verdict}");
    }
    assert_eq!(
        code(&client, Target::untrusted(&named("localhost", &peer)).unwrap()).await,
        "address_forbidden"
    );
    assert_eq!(peer.connections(), 0);
}

#[tokio::test]
async fn one_bad_answer_spoils_all() {
    let peer = Peer::start(Act::Write(CLOSE.to_vec())).await;
    let mixtures: [&[&str]; 4] = [
        &["127.0.0.1", "10.0.0.1"],
        &["10.0.0.1", "127.0.0.1"],
        &["127.0.0.1", "::ffff:127.0.0.1"],
        &["127.0.0.1", "2002:7f00:1::"],
    ];
    for answers in mixtures {
        let builder = Client::builder().lookup(Names::new(&[answers])).allow(["127.0.0.1".parse().unwrap()]);
        let client = builder.build().unwrap();
        let verdict = code(&client, Target::untrusted(&named("mixed.example", &peer)).unwrap()).await;
        assert_eq!(verdict, "address_forbidden", "{answers:?}");
    }
    assert_eq!(peer.connections(), 0);
}

#[tokio::test]
async fn a_name_that_flips_gains_nothing() {
    let good = Peer::start(Act::Write(CLOSE.to_vec())).await;
    let inside = Peer::script(&format!("127.0.0.2:{}", good.address.port()), vec![Act::Write(ok(b""))]).await;
    let names = Names::new(&[&["127.0.0.1"], &["127.0.0.2"]]);
    let client =
        Client::builder().lookup(names.clone()).allow(["127.0.0.1".parse().unwrap()]).build().unwrap();
    let target = || Target::untrusted(&named("flips.example", &good)).unwrap();

    assert_eq!(code(&client, target()).await, "sent");
    assert_eq!(names.asked(), ["flips.example"], "asking twice would open a gap between check and use");
    assert_eq!(good.requests().len(), 1, "the address that was vetted is the one connected to");
    assert_eq!(code(&client, target()).await, "address_forbidden");
    assert_eq!(inside.connections(), 0);
}

#[tokio::test]
async fn a_connection_of_the_operator_never_serves_a_stranger() {
    let peer = Peer::start(Act::Keep(ok(b""))).await;
    let client = Client::builder().lookup(Names::new(&[&["127.0.0.1"]])).build().unwrap();
    let url = named("shared.example", &peer);
    assert_eq!(code(&client, Target::operator(&url).unwrap()).await, "sent");
    assert_eq!(code(&client, Target::untrusted(&url).unwrap()).await, "address_forbidden");
    assert_eq!(peer.requests().len(), 1);
}

#[tokio::test]
async fn an_allowed_range_is_open_to_strangers_and_its_neighbour_is_not() {
    let peer = Peer::start(Act::Write(CLOSE.to_vec())).await;
    let client = Client::builder().allow(["127.0.0.0/24".parse().unwrap()]).build().unwrap();
    assert_eq!(code(&client, Target::untrusted(&peer.url("/")).unwrap()).await, "sent");
    let neighbour = named("127.0.1.1", &peer);
    assert_eq!(code(&client, Target::untrusted(&neighbour).unwrap()).await, "address_forbidden");
}

#[tokio::test]
async fn the_refusal_does_not_tell_the_address() {
    let client = Client::builder().lookup(Names::new(&[&["10.11.12.13"]])).build().unwrap();
    let target = Target::untrusted("http://intranet.example/").unwrap();
    let failure = client.send(Request::get(target)).await.unwrap_err();
    assert_eq!(
        failure.to_string(),
        "intranet.example: this address is not allowed (it is a private address); nothing was sent"
    );
    let hidden: IpAddr = "10.11.12.13".parse().unwrap();
    assert!(!support::surface(&failure).contains(&hidden.to_string()));
}

/// Variables of the environment cannot be changed safely in a running test, so the test runs itself as a child.
#[tokio::test]
async fn proxies_of_the_environment_are_ignored() {
    const CHILD: &str = "ONCEWARD_HTTP_TEST_CHILD";
    if std::env::var_os(CHILD).is_some() {
        let peer = Peer::start(Act::Write(CLOSE.to_vec())).await;
        assert_eq!(
            code(&Client::builder().build().unwrap(), Target::operator(&peer.url("/")).unwrap()).await,
            "sent"
        );
        assert_eq!(peer.requests().len(), 1);
        return;
    }
    let proxy = Peer::start(Act::Write(CLOSE.to_vec())).await;
    let mut child = tokio::process::Command::new(std::env::current_exe().unwrap());
    child.args(["--exact", "proxies_of_the_environment_are_ignored"]).env(CHILD, "1");
    for name in ["HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy"] {
        child.env(name, proxy.url(""));
    }
    let output = child.env_remove("NO_PROXY").env_remove("no_proxy").output().await.unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
    assert!(String::from_utf8_lossy(&output.stdout).contains("1 passed"), "the child must have run the test");
    assert_eq!(proxy.connections(), 0);
}
