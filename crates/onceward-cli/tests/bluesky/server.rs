//! A server of one test's own, and what it holds.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use onceward_http::{Client, Request, Target};
use serde_json::{Value, json};
use tempfile::TempDir;

const MISSING: &str = "ONCEWARD_TEST_PDS is not set: it names the folder in which npm has installed the server that this \
                       test starts. `./dev services -- COMMAND` installs it once and sets the variable, and so does \
                       `./dev test`";

/// The server, as a process. Killed when dropped.
#[derive(Debug)]
pub(crate) struct Server {
    child: Child,
    client: Client,
    pub(crate) url: String,
    _folder: TempDir,
}

/// An account there.
#[derive(Debug, Clone)]
pub(crate) struct Account {
    pub(crate) did: String,
    pub(crate) handle: String,
    pub(crate) password: String,
}

/// A post as the server holds it.
#[derive(Debug, Clone)]
pub(crate) struct Record {
    pub(crate) uri: String,
    pub(crate) cid: String,
    pub(crate) value: Value,
}

/// Whether the server limits rates, as the public ones do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Rates {
    Limited,
    Free,
}

impl Server {
    pub(crate) fn start(rates: Rates) -> Self {
        let installed = std::env::var("ONCEWARD_TEST_PDS").unwrap_or_else(|_| panic!("{MISSING}"));
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/bluesky/server.js");
        let folder = tempfile::tempdir().unwrap();
        let mut child = Command::new("node")
            .arg(script)
            .arg(folder.path())
            .args((rates == Rates::Limited).then_some("limits"))
            .env("NODE_PATH", Path::new(&installed).join("node_modules"))
            .env("LOG_ENABLED", "false")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut url = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut url).unwrap();
        assert!(url.starts_with("http://"), "the server did not start: {url:?}; what it said is above");
        let client = Client::builder().request_deadline(Duration::from_mins(1)).build().unwrap();
        Self { child, client, url: url.trim().to_owned(), _folder: folder }
    }

    /// A new account of that name.
    pub(crate) async fn account(&self, name: &str) -> Account {
        let (handle, password) = (format!("{name}.test"), format!("password-of-{name}"));
        let wish = json!({ "handle": handle, "email": format!("{name}@mail.test"), "password": password });
        let request = Request::post(self.target("com.atproto.server.createAccount"));
        let made = self.ask(request.body("application/json", wish.to_string()).unwrap()).await;
        Account { did: made["did"].as_str().unwrap().to_owned(), handle, password }
    }

    /// What the owner does by another client: writes over a post, or deletes it when there is no record.
    pub(crate) async fn by_hand(&self, account: &Account, uri: &str, record: Option<&Value>) {
        let wish = json!({ "identifier": account.handle, "password": account.password });
        let login = Request::post(self.target("com.atproto.server.createSession"));
        let session = self.ask(login.body("application/json", wish.to_string()).unwrap()).await;
        let name = if record.is_some() { "putRecord" } else { "deleteRecord" };
        let rkey = uri.rsplit('/').next();
        let mut wish = json!({ "repo": account.did, "collection": "app.bsky.feed.post", "rkey": rkey });
        wish["record"] = record.cloned().unwrap_or_default();
        let request = Request::post(self.target(&format!("com.atproto.repo.{name}")));
        let bearer = format!("Bearer {}", session["accessJwt"].as_str().unwrap());
        let request = request.secret_header("authorization", &bearer).unwrap();
        self.ask(request.body("application/json", wish.to_string()).unwrap()).await;
    }

    /// All posts of an account.
    pub(crate) async fn posts(&self, did: &str) -> Vec<Record> {
        let (mut found, mut cursor) = (Vec::new(), String::new());
        loop {
            let target = self.target("com.atproto.repo.listRecords").query("repo", did);
            let target = target.query("collection", "app.bsky.feed.post").query("limit", "100");
            let page = self.ask(Request::get(target.query("cursor", &cursor))).await;
            for record in page["records"].as_array().unwrap() {
                let text = |key: &str| record[key].as_str().unwrap().to_owned();
                found.push(Record { uri: text("uri"), cid: text("cid"), value: record["value"].clone() });
            }
            match page["cursor"].as_str() {
                Some(next) => next.clone_into(&mut cursor),
                None => return found,
            }
        }
    }

    /// The bytes behind a blob that a record shows.
    pub(crate) async fn blob(&self, did: &str, blob: &Value) -> Vec<u8> {
        let cid = blob["ref"]["$link"].as_str().unwrap();
        let target = self.target("com.atproto.sync.getBlob").query("did", did).query("cid", cid);
        let answer = self.client.send(Request::get(target).answer_limit(4 << 20)).await.unwrap();
        assert_eq!(answer.status(), 200, "{}", answer.safe_text());
        answer.into_body()
    }

    async fn ask(&self, request: Request) -> Value {
        let answer = self.client.send(request.answer_limit(4 << 20)).await.unwrap();
        assert_eq!(answer.status(), 200, "{}", answer.safe_text());
        answer.json().unwrap()
    }

    fn target(&self, name: &str) -> Target {
        Target::operator(&self.url).unwrap().join(&format!("/xrpc/{name}"))
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // It may have ended already.
        drop(self.child.kill());
        drop(self.child.wait());
    }
}
