//! No failure, and no text of a request or an answer, shows a secret of the request.

mod support;

use held_port::HeldPort;
use onceward_http::{Builder, Client, Request, Target};
use support::{Act, Names, NoNames, Peer, hasty_to_connect, hasty_to_end, ok, surface};

const CANARY: &str = "cAnArY-7f3e9b";

/// A request with the canary in every place that can hold a secret.
fn request(target: Target) -> Request {
    Request::post(target)
        .secret_header("authorization", &format!("Bearer {CANARY}-header"))
        .and_then(|request| request.secret_header("cookie", &format!("session={CANARY}-cookie")))
        .and_then(|request| request.body("text/plain", format!("{CANARY}-body")))
        .unwrap()
}

fn url(scheme: &str, host: &str, port: u16) -> String {
    format!(
        "{scheme}://{CANARY}-user:{CANARY}-pass@{host}:{port}/bot{CANARY}/send?token={CANARY}-query#{CANARY}"
    )
}

async fn check(builder: Builder, target: Target, code: &str) {
    let failure = builder.build().unwrap().send(request(target)).await.unwrap_err();
    assert_eq!(failure.code(), code, "{failure}");
    let surface = surface(&failure);
    assert!(!surface.to_ascii_lowercase().contains(&CANARY.to_ascii_lowercase()), "{code}: {surface}");
}

#[tokio::test]
async fn no_failure_before_the_request_shows_a_secret() {
    let operator = |scheme: &str, host: &str, port: u16| Target::operator(&url(scheme, host, port)).unwrap();
    let names = || Names::new(&[&["127.0.0.1"]]);
    let inside = || Client::builder().lookup(names());
    let hang = Peer::start(Act::Hang).await;
    let nobody = HeldPort::new().unwrap();
    let port = nobody.number();

    check(Client::builder(), operator("http", "127.0.0.1", port), "connect_refused").await;
    check(inside(), operator("http", "h.example", port), "connect_refused").await;
    check(Client::builder().lookup(NoNames), operator("http", "h.example", 80), "dns").await;
    check(hasty_to_connect().lookup(Names::default()), operator("http", "h.example", 80), "connect_timeout")
        .await;
    check(
        hasty_to_connect().lookup(names()),
        operator("https", "h.example", hang.address.port()),
        "connect_timeout",
    )
    .await;
    check(inside(), Target::untrusted(&url("http", "h.example", 80)).unwrap(), "address_forbidden").await;
    check(Client::builder(), Target::untrusted(&url("http", "127.0.0.1", 80)).unwrap(), "address_forbidden")
        .await;

    let closing = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let closed = closing.local_addr().unwrap().port();
    tokio::spawn(async move { while closing.accept().await.is_ok() {} });
    check(inside(), operator("https", "h.example", closed), "tls").await;
}

#[tokio::test]
async fn no_failure_after_the_request_shows_a_secret() {
    let cases = [
        (Act::Hang, "timeout"),
        (Act::Reset, "cut"),
        (Act::Write(Vec::new()), "cut"),
        (Act::Write(format!("{CANARY} is not HTTP\r\n\r\n").into_bytes()), "cut"),
        (Act::Write(format!("HTTP/1.1 200 OK\r\n{CANARY}\r\n\r\n").into_bytes()), "cut"),
        (Act::Write(format!("HTTP/1.1 200 OK\r\ncontent-length: {CANARY}\r\n\r\n").into_bytes()), "cut"),
        (Act::Write(b"HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nabc".to_vec()), "cut"),
        (
            Act::Write(
                format!("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n{CANARY}\r\n").into_bytes(),
            ),
            "cut",
        ),
        (Act::Write(ok(&[b'x'; 200])), "answer_too_long"),
    ];
    for (act, code) in cases {
        let peer = Peer::start(act.clone()).await;
        let target = Target::operator(&url("http", "127.0.0.1", peer.address.port())).unwrap();
        let builder = if matches!(act, Act::Hang) { hasty_to_end() } else { Client::builder() };
        check(builder.answer_limit(100), target, code).await;
        assert!(peer.requests()[0].contains(CANARY), "the secrets must have been sent to the peer itself");
    }
}

#[test]
fn no_request_that_could_not_be_built_shows_a_secret() {
    let broken = [
        Target::operator(&format!("http://{CANARY} {CANARY}/")).unwrap_err(),
        Target::operator(&format!("http://h.example:{CANARY}/")).unwrap_err(),
        Target::untrusted(&format!("ftp://h.example/{CANARY}")).unwrap_err(),
        Request::post(Target::operator("http://h.example/").unwrap())
            .secret_header("authorization", &format!("{CANARY}\n"))
            .unwrap_err(),
    ];
    for failure in broken {
        assert!(!surface(&failure).contains(CANARY), "{failure}");
    }
}

#[tokio::test]
async fn an_answer_that_echoes_the_request_shows_no_secret() {
    let peer = Peer::start(Act::Echo).await;
    let request = request(Target::operator(&url("http", "127.0.0.1", peer.address.port())).unwrap());
    assert!(!format!("{request:?} {request:#?}").contains(CANARY), "{request:?}");

    let response =
        Client::builder().build().unwrap().send(request.hide(&format!("{CANARY}-body"))).await.unwrap();
    assert!(String::from_utf8_lossy(response.body()).contains(CANARY));
    assert!(!format!("{response:?} {response:#?}").contains(CANARY), "{response:?}");
    let shown = response.safe_text();
    assert!(shown.contains("••••") && !shown.contains(CANARY), "{shown}");
}
