//! Mastodon and its kin: each post once, whatever is cut.

mod looks;
mod media;
mod once;
mod posts;

use onceward_http::Client;
use onceward_publish::Standing;
use onceward_publish::channels::mastodon::{MastodonChannel, Visibility};
use onceward_sandbox::{Accepted, Fault, Kind, Options, Sandbox};

use crate::stage::{PATIENCE, Stage, Verdict};

const TOKEN: &str = "s3cret-token";
const POST: &str =
    "---\ntags: [rust]\n---\nHello 한글 🙂 https://a.example/x.\n\n**Two** @me@b.example #태그\n";
const TEXT: &str = "Hello 한글 🙂 https://a.example/x.\n\nTwo @me@b.example #태그";
/// Three parts on Mastodon, one on its kin.
fn thread() -> String {
    format!("---\ntitle: T\n---\n{}", "This is one of many sentences in here. ".repeat(30))
}

/// A stand-in for one server, and a channel that leads there.
struct Place {
    server: &'static str,
    sandbox: Sandbox,
    stage: Stage,
}

impl Place {
    async fn at(server: &'static str) -> Verdict<Self> {
        let mut options = Options::default();
        options.faults.limits = false;
        let sandbox = Sandbox::start(options).await?;
        let stage = Stage::with(channel(&sandbox, server)?).await?;
        Ok(Self { server, sandbox, stage })
    }

    fn fault(&self, kind: Kind, act: &str, skip: u64, times: u64) {
        self.sandbox.fault(Fault::new(kind).on(self.server).act(act).skip(skip).times(times));
    }

    /// Publishes one file, with both clocks going on together.
    async fn publish(&self, text: &str) -> Verdict<Standing> {
        let job = self.stage.enqueue(text).await?;
        self.stage.settle_with(job, |moved| self.sandbox.advance(moved)).await
    }

    fn seen(&self) -> Vec<Accepted> {
        self.sandbox.ledger().visible(self.server).cloned().collect()
    }

    fn arrived(&self, act: &str) -> usize {
        self.sandbox.ledger().arrived(self.server, act).count()
    }

    /// Keys of the posts that arrived.
    fn keys(&self) -> Vec<Option<String>> {
        self.sandbox.ledger().arrived(self.server, "post").map(|it| it.key.clone()).collect()
    }
}

fn channel(sandbox: &Sandbox, server: &str) -> Verdict<MastodonChannel> {
    let client = Client::builder().build()?;
    let (visibility, language) = (Some(Visibility::Unlisted), Some("ko".to_owned()));
    Ok(MastodonChannel::new(&sandbox.url(server), TOKEN.into(), visibility, language, client, PATIENCE)?)
}

const LOST: [Kind; 4] =
    [Kind::AcceptThenHang, Kind::AcceptThenReset, Kind::AcceptThenStatus(504), Kind::AcceptThenCut(40)];
const NEVER: [Kind; 3] = [Kind::Hang, Kind::Reset, Kind::Refuse(503)];
