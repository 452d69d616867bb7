//! Alerts to a chat: a revoked token is one message, its posts wait, and words of others call nobody.

use std::sync::Arc;
use std::time::Duration;

use onceward::retry::RetryPolicy;
use onceward::testing::{self, TestStore};
use onceward::{AlertMessage, AlertRule, Cause, Context, Failure, Job, NewJob, Outcome, State, Time, Worker};
use onceward_http::Client;
use onceward_publish::channel::Channel;
use onceward_publish::channels::mastodon::MastodonChannel;
use onceward_publish::channels::slack::SlackBot;
use onceward_publish::content::{Batch, Parsed, Rules, parse};
use onceward_publish::{Configured, Dress, Publisher, Wishes};
use onceward_sandbox::{Fault, Kind, Options, Sandbox};

use crate::stage::{PATIENCE, Verdict};

const PERIOD: Duration = Duration::from_mins(10);
const HOSTILE: &str = "<!channel> @everyone <https://b.example|click> & **b**";

struct Place {
    sandbox: Sandbox,
    store: TestStore,
    publisher: Publisher,
}

fn channel(name: &str, adapter: impl Channel) -> Configured {
    Configured {
        name: name.to_owned(),
        was: None,
        adapter: Ok(Arc::new(adapter)),
        dress: Dress { template: Some("{{ title }}".to_owned()), ..Dress::default() },
        retry: RetryPolicy::CHANNEL,
        late_after: Duration::from_hours(6),
        quiet: None,
        timeout: Duration::from_secs(1),
        resend: false,
    }
}

impl Place {
    async fn new() -> Verdict<Self> {
        let mut options = Options::default();
        options.faults.limits = false;
        let sandbox = Sandbox::start(options).await?;
        let (store, client) = (testing::store().await?, Client::builder().build()?);
        store.set_clock(Time::now());
        let url = sandbox.url("mastodon");
        let mastodon = MastodonChannel::new(&url, "t0ken".into(), None, None, client.clone(), PATIENCE)?;
        let api = sandbox.url("slack");
        let slack = SlackBot::new(&api, "xoxb-t0ken".into(), "C0123456789", client, PATIENCE)?;
        let channels = vec![channel("mastodon", mastodon), channel("ops", slack)];
        let publisher = Publisher::open(&store, channels).await?;
        Ok(Self { sandbox, store, publisher })
    }

    async fn enqueue(&self, posts: usize) -> Verdict {
        let rules = Rules {
            root: "/site".into(),
            static_root: None,
            timezone: None,
            channels: ["mastodon".to_owned()].into(),
            groups: [].into(),
            default_channels: vec!["mastodon".to_owned()],
            now: Time::now(),
        };
        let mut batch = Batch::default();
        for n in 0..posts {
            let (name, text) = (format!("{n}.md"), format!("---\ntitle: Post {n}\n---\nText {n}\n"));
            let read = parse(name.as_ref(), text.as_bytes(), &rules, &onceward_publish::media::inspect);
            let Parsed::Content(content) = read else { return Err(format!("{read:?}").into()) };
            batch.contents.push(*content);
        }
        let plan = self.publisher.plan(batch, &Wishes::default()).await?;
        self.publisher.enqueue(&plan).await?;
        Ok(())
    }

    /// A worker that was given the rule, until nothing is due; then the clocks go on by a period.
    async fn work(&self) -> Verdict {
        let builder = self.publisher.register(Worker::builder(&self.store));
        let builder = builder.register_fn("broken", 1, (), broken);
        let builder = builder.queue("mastodon", 1).queue("ops", 1).queue("mail", 1);
        builder.alerts(vec![AlertRule::new("ops", "ops")]).build()?.run_until_idle().await?;
        let now = self.store.db().clock().test_time().ok_or("no clock")?;
        self.store.set_clock(now.after(PERIOD));
        self.sandbox.advance(PERIOD);
        Ok(())
    }

    /// What the room reads.
    fn room(&self) -> Vec<String> {
        self.sandbox.ledger().visible("slack").map(|it| it.text.clone()).collect()
    }

    fn posts(&self) -> usize {
        self.sandbox.ledger().visible("mastodon").count()
    }
}

async fn broken(_: Context<()>) -> Outcome {
    Err(Failure::permanent(Cause::new("broken", HOSTILE)))
}

#[tokio::test]
async fn a_revoked_token_is_one_alert_and_resuming_drains_what_waits() -> Verdict {
    let place = Place::new().await?;
    place.sandbox.fault(Fault::new(Kind::RevokedToken).on("mastodon"));
    place.enqueue(5).await?;
    for _ in 0..6 {
        place.work().await?;
        let room = place.room();
        assert_eq!((room.len(), place.posts()), (1, 0), "{room:?}");
        assert!(room[0].starts_with("mastodon does not accept our credentials, its jobs wait\n"), "{room:?}");
        assert!(room[0].contains("onceward queues resume mastodon"), "{room:?}");
    }
    let queues = place.store.queues().await?;
    let mastodon = queues.iter().find(|queue| queue.name == "mastodon").ok_or("no queue")?;
    assert_eq!((mastodon.figures.pending, mastodon.figures.dead), (5, 0));
    place.sandbox.clear_faults();
    assert!(place.store.resume_queue("mastodon").await?);
    place.work().await?;
    let room = place.room();
    assert_eq!((room.len(), place.posts()), (2, 5), "{room:?}");
    assert!(room[1].starts_with("Resolved: mastodon goes on, it waited since "), "{room:?}");
    place.work().await?;
    assert_eq!((place.room().len(), place.posts()), (2, 5));
    Ok(())
}

#[tokio::test]
async fn words_of_others_call_nobody_in_a_chat() -> Verdict {
    let place = Place::new().await?;
    place.store.enqueue(NewJob::untyped("mail", "broken", "{}")).await?;
    place.work().await?;
    let [room] = &place.room()[..] else { return Err("not one message".into()) };
    let shown = "&lt;!channel&gt; @\u{200B}everyone &lt;https://b.example|click&gt; &amp; **b**";
    assert!(room.contains(shown), "{room}");
    Ok(())
}

#[tokio::test]
async fn a_lost_answer_to_an_alert_is_looked_up_and_told_no_second_time() -> Verdict {
    let place = Place::new().await?;
    place.sandbox.fault(Fault::new(Kind::AcceptThenReset).on("slack").act("post").times(1));
    place.store.enqueue(NewJob::untyped("mail", "broken", "{}")).await?;
    for _ in 0..4 {
        place.work().await?;
    }
    assert_eq!(place.room().len(), 1, "{:?}", place.room());
    let kind = onceward::Filter { kind: Some(AlertMessage::KIND.to_owned()), ..onceward::Filter::default() };
    let messages = place.store.jobs(&kind, 10, None).await?.items;
    assert_eq!(messages.iter().map(|it| it.state).collect::<Vec<_>>(), [State::Done]);
    Ok(())
}
