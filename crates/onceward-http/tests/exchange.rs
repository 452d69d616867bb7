//! What each way of going wrong is called, and whether the request can have been carried out.

mod support;

use std::time::{Duration, Instant};

use held_port::HeldPort;
use onceward_http::{Client, Method, Multipart, Request, Response, SendFailure, Target};
use support::{Act, Names, NoNames, Peer, hasty_to_connect, hasty_to_end, ok};

fn post(url: &str) -> Request {
    Request::post(Target::operator(url).unwrap()).body("text/plain", "hello").unwrap()
}

async fn exchange(act: Act) -> (Result<Response, SendFailure>, Peer) {
    let endless = matches!(act, Act::Hang | Act::Drip(_));
    let builder = if endless { hasty_to_end() } else { Client::builder() };
    let peer = Peer::start(act).await;
    let result = builder.build().unwrap().send(post(&peer.url("/"))).await;
    (result, peer)
}

async fn failure_of(act: Act) -> SendFailure {
    let (result, peer) = exchange(act).await;
    assert_eq!(peer.requests().len(), 1, "the request must have arrived, once");
    result.unwrap_err()
}

#[tokio::test]
async fn an_answer_arrives_whole_with_our_name_on_the_request() {
    let (result, peer) = exchange(Act::Write(ok(b"{\"id\":7}"))).await;
    let response = result.unwrap();
    assert_eq!(response.status(), 200);
    assert_eq!(response.json::<serde_json::Value>().unwrap()["id"], 7);
    let request = peer.requests().remove(0).to_ascii_lowercase();
    assert!(
        request.contains(&format!("user-agent: onceward/{}\r\n", env!("CARGO_PKG_VERSION"))),
        "{request}"
    );
    assert!(request.ends_with("\r\n\r\nhello"), "{request}");
}

#[tokio::test]
async fn a_refused_connection_is_not_sent() {
    let nobody = HeldPort::new().unwrap();
    let url = format!("http://{}/", nobody.address());
    let failure = Client::builder().build().unwrap().send(post(&url)).await.unwrap_err();
    assert_eq!(failure.code(), "connect_refused");
    assert!(failure.not_sent());
}

#[tokio::test]
async fn a_name_that_does_not_resolve_is_not_sent() {
    for lookup in [Client::builder().lookup(NoNames), Client::builder().lookup(Names::new(&[&[]]))] {
        let failure = lookup.build().unwrap().send(post("http://nowhere.example/")).await.unwrap_err();
        assert_eq!(failure.code(), "dns", "{failure}");
        assert!(failure.not_sent());
    }
}

#[tokio::test]
async fn a_name_system_that_never_answers_is_a_connect_timeout_and_not_sent() {
    let client = hasty_to_connect().lookup(Names::default()).build().unwrap();
    let failure = client.send(post("http://slow.example/")).await.unwrap_err();
    assert_eq!(failure.code(), "connect_timeout", "{failure}");
    assert!(failure.not_sent());
}

#[tokio::test]
async fn a_peer_that_hangs_after_the_request_is_unknown() {
    let failure = failure_of(Act::Hang).await;
    assert_eq!(failure.code(), "timeout");
    assert_eq!(failure.status(), None);
    assert!(!failure.not_sent());
}

#[tokio::test]
async fn a_reset_after_the_request_is_unknown_and_nothing_is_repeated() {
    let failure = failure_of(Act::Reset).await;
    assert_eq!(failure.code(), "cut", "{failure}");
    assert!(!failure.not_sent());
}

#[tokio::test]
async fn a_close_without_an_answer_is_unknown() {
    let failure = failure_of(Act::Write(Vec::new())).await;
    assert_eq!(failure.code(), "cut", "{failure}");
    assert!(!failure.not_sent());
}

#[tokio::test]
async fn an_answer_that_is_not_http_is_unknown() {
    let failure = failure_of(Act::Write(b"220 mail.example ESMTP\r\n".to_vec())).await;
    assert_eq!(failure.code(), "cut", "{failure}");
    assert!(!failure.not_sent());
}

#[tokio::test]
async fn a_body_cut_short_is_unknown_and_tells_the_status() {
    let half = b"HTTP/1.1 201 Created\r\ncontent-length: 100\r\n\r\n{\"id\":".to_vec();
    for act in [Act::Write(half.clone()), Act::WriteThenReset(half)] {
        let failure = failure_of(act).await;
        assert_eq!(failure.code(), "cut", "{failure}");
        assert!(!failure.not_sent());
    }
    let chunked = b"HTTP/1.1 201 Created\r\ntransfer-encoding: chunked\r\n\r\n5\r\n{\"id\"\r\n".to_vec();
    let failure = failure_of(Act::Write(chunked)).await;
    assert_eq!((failure.code(), failure.status()), ("cut", Some(201)), "{failure}");
}

#[tokio::test]
async fn a_slow_drip_cannot_outlast_the_total_deadline() {
    let heads: [&[u8]; 2] = [b"HTTP/1.1 200 OK\r\ncontent-length: 99999\r\n\r\n", b"HTTP/1.1 200 OK\r\nx-"];
    for (head, status) in heads.into_iter().zip([Some(200), None]) {
        let started = Instant::now();
        let failure = failure_of(Act::Drip(head.to_vec())).await;
        assert_eq!((failure.code(), failure.status()), ("timeout", status), "{failure}");
        assert!(!failure.not_sent());
        assert!(started.elapsed() < Duration::from_secs(20), "the drip went on");
    }
}

#[tokio::test]
async fn an_answer_over_the_limit_is_an_answer_and_an_error() {
    let chunked =
        b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n8\r\n12345678\r\n3\r\n9ab\r\n0\r\n\r\n"
            .to_vec();
    let until_close = b"HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n123456789ab".to_vec();
    for answer in [ok(b"123456789ab"), chunked, until_close] {
        let peer = Peer::start(Act::Write(answer)).await;
        let client = Client::builder().answer_limit(10).build().unwrap();
        let failure = client.send(post(&peer.url("/"))).await.unwrap_err();
        assert_eq!((failure.code(), failure.status()), ("answer_too_long", Some(200)), "{failure}");
        assert!(!failure.not_sent());
        let response = client.send(post(&peer.url("/")).answer_limit(11)).await.unwrap();
        assert_eq!(response.body(), b"123456789ab");
    }
}

#[tokio::test]
async fn an_answer_announced_over_the_limit_is_not_waited_for() {
    let peer = Peer::start(Act::Keep(b"HTTP/1.1 200 OK\r\ncontent-length: 11\r\n\r\n".to_vec())).await;
    let client = Client::builder().request_deadline(Duration::from_secs(3)).answer_limit(10).build().unwrap();
    let failure = client.send(post(&peer.url("/"))).await.unwrap_err();
    assert_eq!(failure.code(), "answer_too_long", "{failure}");
}

#[tokio::test]
async fn the_length_announced_to_a_head_request_is_not_a_body() {
    let head = b"HTTP/1.1 200 OK\r\ncontent-length: 99999999\r\n\r\n".to_vec();
    let peer = Peer::start(Act::Write(head)).await;
    let target = Target::operator(&peer.url("/")).unwrap();
    let response = Client::builder().build().unwrap().send(Request::new(Method::Head, target)).await.unwrap();
    assert_eq!(response.header("content-length"), Some("99999999"));
    assert!(response.body().is_empty());
}

#[tokio::test]
async fn the_default_limit_is_one_mebibyte() {
    for (bytes, fits) in [(1 << 20, true), ((1 << 20) + 1, false)] {
        let peer = Peer::start(Act::Write(ok(&vec![b'x'; bytes]))).await;
        let result = Client::builder().build().unwrap().send(post(&peer.url("/"))).await;
        assert_eq!(result.is_ok(), fits, "{bytes}");
    }
}

#[tokio::test]
async fn a_redirect_is_an_answer_and_is_not_followed() {
    let elsewhere = Peer::start(Act::Write(ok(b"gotcha"))).await;
    for status in [301, 302, 303, 307, 308] {
        let head =
            format!("HTTP/1.1 {status} Go\r\nlocation: {}\r\ncontent-length: 0\r\n\r\n", elsewhere.url("/"));
        let (result, _) = exchange(Act::Write(head.into_bytes())).await;
        let response = result.unwrap();
        assert_eq!(response.status(), status);
        assert_eq!(response.header("Location"), Some(elsewhere.url("/").as_str()));
    }
    assert_eq!(elsewhere.connections(), 0);
}

#[tokio::test]
async fn a_kept_connection_that_dies_is_unknown_and_nothing_is_repeated() {
    let peer = Peer::script("127.0.0.1:0", vec![Act::Keep(ok(b"")), Act::Reset]).await;
    let client = Client::builder().build().unwrap();
    client.send(post(&peer.url("/1"))).await.unwrap();
    let failure = client.send(post(&peer.url("/2"))).await.unwrap_err();
    assert_eq!(peer.connections(), 1, "the connection must have been kept");
    assert_eq!(peer.requests().len(), 2, "the second request must have arrived, once");
    assert_eq!(failure.code(), "cut", "{failure}");
    assert!(!failure.not_sent());
}

#[tokio::test]
async fn a_request_can_have_a_deadline_of_its_own() {
    let peer = Peer::start(Act::Hang).await;
    let client = Client::builder().build().unwrap();
    let failure = client.send(post(&peer.url("/")).deadline(Duration::from_millis(50))).await.unwrap_err();
    assert_eq!(failure.code(), "timeout");
}

#[tokio::test]
async fn json_that_cannot_be_read_is_unknown_and_is_not_quoted() {
    let (result, _) = exchange(Act::Write(ok(b"<html>s3cret"))).await;
    let failure = result.unwrap().json::<serde_json::Value>().unwrap_err();
    assert_eq!((failure.code(), failure.status()), ("answer_unreadable", Some(200)));
    assert!(!failure.not_sent());
    assert!(!failure.to_string().contains("html"), "{failure}");
}

#[tokio::test]
async fn headers_reach_the_peer_as_they_were_set() {
    let peer = Peer::start(Act::Write(ok(b""))).await;
    let target = Target::operator(&peer.url("/a")).unwrap().join("b").query("q", "1 2");
    let request = Request::put(target)
        .header("Title", "Grüße")
        .and_then(|request| request.secret_header("authorization", "Bearer t0ken"))
        .unwrap();
    Client::builder().build().unwrap().send(request).await.unwrap();
    let seen = peer.requests().remove(0);
    for part in ["PUT /a/b?q=1+2 HTTP/1.1\r\n", "title: Grüße\r\n", "authorization: Bearer t0ken\r\n"] {
        assert!(seen.contains(part), "{part} is missing in {seen}");
    }
}

#[test]
fn a_header_with_a_control_character_is_refused_by_name() {
    for bad in ["a\r\nx-evil: 1", "a\n", "\r", "nul\0", "tab\t", "\x1b[31m", "del\x7f", "c1\u{85}", "\u{9b}"]
    {
        let target = || Request::post(Target::operator("http://h.example/").unwrap());
        for failure in [
            target().header("X-Title", bad).unwrap_err(),
            target().secret_header("X-Title", bad).unwrap_err(),
            target().header(bad, "value").unwrap_err(),
            target().body(bad, "").unwrap_err(),
        ] {
            assert_eq!(failure.code(), "invalid_request", "{bad:?}");
            assert!(failure.not_sent() && failure.refused_by_us());
            assert!(!failure.to_string().chars().any(char::is_control), "{failure}");
        }
        let named = target().header("X-Title", bad).unwrap_err().to_string();
        assert!(named.contains("`X-Title` holds a control character"), "{named}");
    }
}

#[test]
fn a_header_that_frames_the_message_is_refused() {
    for name in ["Host", "content-length", "Transfer-Encoding", "Connection", "upgrade", "TE", "trailer"] {
        let request = Request::post(Target::operator("http://h.example/").unwrap());
        let failure = request.header(name, "1").unwrap_err().to_string();
        assert!(failure.contains(&format!("`{name}` is set by the client itself")), "{failure}");
    }
}

#[tokio::test]
async fn a_fresh_request_never_takes_a_connection_that_was_kept() {
    let peer = Peer::start(Act::Keep(ok(b"fine"))).await;
    let client = Client::builder().build().unwrap();
    let ask = async |request: Request| client.send(request).await.unwrap();
    ask(post(&peer.url("/"))).await;
    ask(post(&peer.url("/"))).await;
    assert_eq!(peer.connections(), 1, "the usual request takes the one that was kept");
    ask(post(&peer.url("/")).fresh()).await;
    ask(post(&peer.url("/")).fresh()).await;
    assert_eq!(peer.connections(), 3);
}

#[tokio::test]
async fn a_form_with_files_arrives_as_it_was_made() {
    let peer = Peer::start(Act::Write(ok(b"fine"))).await;
    let form = Multipart::new().field("chat_id", "7").file("photo", "a.png", "image/png", "bytes");
    let request = Request::post(Target::operator(&peer.url("/")).unwrap()).multipart(form).unwrap();
    Client::builder().build().unwrap().send(request).await.unwrap();
    let request = peer.requests().remove(0);
    assert!(
        request.contains("content-type: multipart/form-data; boundary=onceward-boundary-0\r\n"),
        "{request}"
    );
    assert!(
        request.contains("name=\"photo\"; filename=\"a.png\"\r\nContent-Type: image/png\r\n\r\nbytes\r\n")
    );
}
