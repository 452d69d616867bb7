//! TLS handshakes that must fail, before a byte of the request is written.

mod support;

use std::sync::Arc;

use onceward_http::{Builder, Client, Request, SendFailure, Target};
use rustls::pki_types::{CertificateDer, PrivateKeyDer, pem::PemObject};
use support::{Act, Names, Peer, hasty_to_connect, ok};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;
use tokio::sync::mpsc;

const AUTHORITY: &[u8] = include_bytes!("certificates/ca.pem");
const VALID: &[u8] = include_bytes!("certificates/valid.pem");
const EXPIRED: &[u8] = include_bytes!("certificates/expired.pem");
const SELF_SIGNED: &[u8] = include_bytes!("certificates/self-signed.pem");
const KEY: &[u8] = include_bytes!("certificates/key.pem");

/// A TLS server on loopback: its port, and the plain text that it received.
async fn tls_peer(certificate: &[u8]) -> (u16, mpsc::UnboundedReceiver<Vec<u8>>) {
    let chain = vec![CertificateDer::from_pem_slice(certificate).unwrap()];
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = rustls::ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(chain, PrivateKeyDer::from_pem_slice(KEY).unwrap())
        .unwrap();
    let acceptor = tokio_rustls::TlsAcceptor::from(Arc::new(config));
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let (heard, received) = mpsc::unbounded_channel();
    tokio::spawn(async move {
        while let Ok((socket, _)) = listener.accept().await {
            let Ok(mut tls) = acceptor.accept(socket).await else { continue };
            let mut bytes = vec![0; 4096];
            let read = tls.read(&mut bytes).await.unwrap_or(0);
            bytes.truncate(read);
            let _ = heard.send(bytes);
            let _ = tls.write_all(&ok(b"hello")).await;
            let _ = tls.shutdown().await;
        }
    });
    (port, received)
}

fn names() -> Names {
    Names::new(&[&["127.0.0.1"]])
}

fn client() -> Builder {
    Client::builder().lookup(names())
}

fn request(host: &str, port: u16) -> Request {
    Request::get(Target::operator(&format!("https://{host}:{port}/")).unwrap())
}

async fn refused(builder: Builder, host: &str, certificate: &[u8]) -> SendFailure {
    let (port, mut received) = tls_peer(certificate).await;
    let client = builder.build().unwrap();
    let failure = client.send(request(host, port)).await.unwrap_err();
    assert_eq!(failure.code(), "tls", "{failure}");
    assert!(failure.not_sent());
    assert!(received.try_recv().map_or(true, |bytes| bytes.is_empty()), "the peer must not see the request");
    failure
}

fn trusting() -> Builder {
    client().root_certificates(AUTHORITY).unwrap()
}

#[tokio::test]
async fn a_private_authority_can_be_trusted() {
    let (port, mut received) = tls_peer(VALID).await;
    let client = trusting().build().unwrap();
    let response = client.send(request("good.example", port)).await.unwrap();
    assert_eq!(response.body(), b"hello");
    assert!(received.recv().await.unwrap().starts_with(b"GET / HTTP/1.1\r\n"));
}

/// Where the roots lie is told by the environment, which cannot be changed safely in a running test, so the test
/// runs itself as a child.
#[tokio::test]
async fn the_roots_of_the_machine_are_trusted() {
    const CHILD: &str = "ONCEWARD_HTTP_TEST_CHILD";
    if std::env::var_os(CHILD).is_some() {
        let (port, _received) = tls_peer(VALID).await;
        client().build().unwrap().send(request("good.example", port)).await.unwrap();
        return;
    }
    let mut child = tokio::process::Command::new(std::env::current_exe().unwrap());
    child.args(["--exact", "the_roots_of_the_machine_are_trusted"]).env(CHILD, "1");
    let authority = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/certificates/ca.pem");
    let output = child.env("SSL_CERT_FILE", authority).output().await.unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
    assert!(String::from_utf8_lossy(&output.stdout).contains("1 passed"), "the child must have run the test");
}

#[tokio::test]
async fn an_unknown_authority_is_refused() {
    let failure = refused(client(), "good.example", VALID).await;
    assert!(failure.to_string().contains("UnknownIssuer"), "{failure}");
}

#[tokio::test]
async fn a_self_signed_certificate_is_refused() {
    refused(trusting(), "good.example", SELF_SIGNED).await;
}

#[tokio::test]
async fn a_certificate_for_another_name_is_refused() {
    refused(trusting(), "other.example", VALID).await;
}

#[tokio::test]
async fn an_expired_certificate_is_refused() {
    refused(trusting(), "good.example", EXPIRED).await;
}

#[tokio::test]
async fn a_plain_server_on_a_tls_port_is_a_tls_failure_and_not_sent() {
    for answer in [ok(b"plain"), b"220 mail.example ESMTP\r\n".to_vec()] {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        tokio::spawn(async move {
            let (mut socket, _) = listener.accept().await.unwrap();
            let mut bytes = vec![0; 4096];
            let _ = socket.read(&mut bytes).await;
            let _ = socket.write_all(&answer).await;
        });
        let client = client().build().unwrap();
        let failure = client.send(request("plain.example", port)).await.unwrap_err();
        assert_eq!(failure.code(), "tls", "{failure}");
        assert!(failure.not_sent());
    }
}

#[tokio::test]
async fn a_handshake_cut_by_the_peer_is_a_tls_failure_and_not_sent() {
    for reset in [true, false] {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        tokio::spawn(async move {
            let (mut socket, _) = listener.accept().await.unwrap();
            let mut bytes = vec![0; 4096];
            let _ = socket.read(&mut bytes).await;
            if reset {
                socket.set_zero_linger().unwrap();
            }
        });
        let client = client().build().unwrap();
        let failure = client.send(request("cut.example", port)).await.unwrap_err();
        assert_eq!(failure.code(), "tls", "reset {reset}: {failure}");
        assert!(failure.not_sent());
    }
}

#[tokio::test]
async fn a_handshake_that_hangs_is_a_connect_timeout_and_not_sent() {
    let peer = Peer::start(Act::Hang).await;
    let failure = hasty_to_connect()
        .lookup(names())
        .build()
        .unwrap()
        .send(request("slow.example", peer.address.port()))
        .await
        .unwrap_err();
    assert_eq!(failure.code(), "connect_timeout", "{failure}");
    assert!(failure.not_sent());
    assert!(peer.requests().is_empty());
}

#[test]
fn roots_that_are_no_certificates_are_refused() {
    let wrong: [&[u8]; 3] = [b"", b"hello", b"-----BEGIN CERTIFICATE-----\n!!\n-----END CERTIFICATE-----\n"];
    for pem in wrong {
        assert!(client().root_certificates(pem).is_err());
    }
}
