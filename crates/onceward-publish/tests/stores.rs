//! The publisher on each store: SQLite, PostgreSQL, PostgreSQL behind a pooler.

#[path = "../../onceward/tests/stores/harness.rs"]
#[expect(dead_code, reason = "the queue's own tests use all of it")]
mod harness;

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use harness::{Store, Verdict};
use onceward::retry::RetryPolicy;
use onceward::{Enqueued, State, Worker};
use onceward_publish::channels::feed::{FeedChannel, Format};
use onceward_publish::content::{Batch, Parsed, Rules, parse};
use onceward_publish::{Configured, Dress, Plan, Publisher, Wishes, migrate};

#[tokio::test]
async fn both_dialects_take_and_give_the_same() -> Verdict {
    let (sqlite, postgres) = (Store::sqlite().await?, Store::postgres().await?);
    migrate(&sqlite.once).await?;
    migrate(&postgres.once).await?;
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    let found = onceward_db::parity::differences(folder, sqlite.once.db(), postgres.once.db()).await?;
    assert!(found.is_empty(), "{}", found.join("\n"));
    Ok(())
}

fn feed(name: &str, was: Option<&str>, folder: &Path) -> Configured {
    let adapter = FeedChannel {
        path: folder.join("feed.xml"),
        format: Format::Rss,
        title: "Notes".to_owned(),
        link: "https://example.org/".to_owned(),
        items: 50,
    };
    Configured {
        name: name.to_owned(),
        was: was.map(str::to_owned),
        adapter: Ok(Arc::new(adapter)),
        dress: Dress::default(),
        retry: RetryPolicy::CHANNEL,
        late_after: Duration::from_hours(6),
        quiet: None,
        timeout: Duration::from_secs(5),
        resend: false,
    }
}

fn batch(channel: &str, files: &[(&str, &str)]) -> Batch {
    let rules = Rules {
        root: "/site".into(),
        static_root: None,
        timezone: None,
        channels: [channel.to_owned()].into(),
        groups: [].into(),
        default_channels: vec![channel.to_owned()],
        now: "2026-11-29T12:00:00Z".parse().unwrap(),
    };
    let read = |(name, text): &(&str, &str)| match parse(Path::new(name), text.as_bytes(), &rules, &|_| {
        unreachable!("no media")
    }) {
        Parsed::Content(content) => *content,
        other => panic!("{other:?}"),
    };
    Batch { contents: files.iter().map(read).collect(), ..Batch::default() }
}

const A: (&str, &str) = ("a.md", "---\ntitle: A\n---\nText.");
const EDITED: (&str, &str) = ("a.md", "---\ntitle: A\n---\nOther text.");
const MOVED: (&str, &str) = ("b.md", "---\ntitle: A\n---\nText.");

async fn enqueue(publisher: &Publisher, batch: Batch) -> Result<Vec<Enqueued>, Box<dyn std::error::Error>> {
    let plan = publisher.plan(batch, &Wishes::default()).await?;
    assert_eq!(plan.refused, []);
    Ok(publisher.enqueue(&plan).await?.concat())
}

async fn refused(publisher: &Publisher, batch: Batch) -> Result<Plan, Box<dyn std::error::Error>> {
    Ok(publisher.plan(batch, &Wishes::default()).await?)
}

async fn a_post_goes_out_once(store: Store) -> Verdict {
    let folder = tempfile::tempdir()?;
    migrate(&store.once).await?;
    let publisher = Publisher::open(&store.once, vec![feed("blog", None, folder.path())]).await?;
    let enqueued = enqueue(&publisher, batch("blog", &[A])).await?;
    let [Enqueued::New(id)] = enqueued[..] else { panic!("{enqueued:?}") };
    assert_eq!(enqueue(&publisher, batch("blog", &[EDITED])).await?, [Enqueued::Updated(id)]);
    let worker = || publisher.register(Worker::builder(&store.once)).queue("blog", 1).build();
    assert_eq!(worker()?.run_until_idle().await?.done, 1);
    let again = enqueue(&publisher, batch("blog", &[A])).await?;
    assert!(
        matches!(again[..], [Enqueued::Skipped { existing, state: State::Done, changed: true, .. }] if existing == id),
        "{again:?}"
    );
    let standing = publisher.standing(&[id]).await?;
    assert!(standing[0].state == State::Done && standing[0].attempts == 1, "{standing:?}");
    assert!(std::fs::read_to_string(folder.path().join("feed.xml"))?.contains("Other text."));
    assert_eq!(worker()?.run_until_idle().await?.done, 0);
    Ok(())
}

async fn a_renamed_channel_knows_what_it_published(store: Store) -> Verdict {
    let folder = tempfile::tempdir()?;
    migrate(&store.once).await?;
    let publisher = Publisher::open(&store.once, vec![feed("blog", None, folder.path())]).await?;
    let first = enqueue(&publisher, batch("blog", &[A])).await?.remove(0);
    let renamed = Publisher::open(&store.once, vec![feed("notes", Some("blog"), folder.path())]).await?;
    let again = enqueue(&renamed, batch("notes", &[A])).await?;
    assert!(
        matches!(again[..], [Enqueued::Skipped { existing, changed: false, .. }] if existing == first.id())
    );
    let stranger = Publisher::open(&store.once, vec![feed("other", None, folder.path())]).await?;
    assert!(matches!(enqueue(&stranger, batch("other", &[MOVED])).await?[..], [Enqueued::New(_)]));
    Ok(())
}

async fn a_former_name_is_followed_until_the_new_one_was_used(store: Store) -> Verdict {
    let folder = tempfile::tempdir()?;
    migrate(&store.once).await?;
    let open = async |name: &str, was: Option<&str>| {
        Publisher::open(&store.once, vec![feed(name, was, folder.path())]).await
    };
    let first = enqueue(&open("blog", None).await?, batch("blog", &[A])).await?.remove(0);
    open("notes", None).await?;
    let again = enqueue(&open("notes", Some("blog")).await?, batch("notes", &[A])).await?;
    assert!(matches!(again[..], [Enqueued::Skipped { existing, .. }] if existing == first.id()), "{again:?}");
    open("blog", None).await?;
    let again = enqueue(&open("notes", Some("blog")).await?, batch("notes", &[A])).await?;
    assert!(matches!(again[..], [Enqueued::Skipped { .. }]), "{again:?}");
    enqueue(&open("blog", None).await?, batch("blog", &[("c.md", "---\ntitle: C\n---\nC.")])).await?;
    let error = open("notes", Some("blog")).await.unwrap_err().to_string();
    assert!(error.contains("channel notes") && error.contains("was = \"blog\""), "{error}");
    Ok(())
}

async fn a_moved_file_is_refused_with_the_old_id(store: Store) -> Verdict {
    let folder = tempfile::tempdir()?;
    migrate(&store.once).await?;
    let publisher = Publisher::open(&store.once, vec![feed("blog", None, folder.path())]).await?;
    enqueue(&publisher, batch("blog", &[A])).await?;
    let plan = refused(&publisher, batch("blog", &[MOVED])).await?;
    assert!(plan.contents.is_empty(), "{plan:?}");
    assert_eq!((plan.refused[0].code.as_str(), plan.refused[0].line), ("moved", Some(4)));
    Ok(())
}

async fn two_feeds(store: &Store, folder: &Path) -> Result<Publisher, onceward::Error> {
    Publisher::open(&store.once, vec![feed("blog", None, folder), feed("notes", None, folder)]).await
}

async fn what_left_meanwhile_keeps_others_from_its_place(store: Store) -> Verdict {
    let folder = tempfile::tempdir()?;
    migrate(&store.once).await?;
    let publisher = two_feeds(&store, folder.path()).await?;
    enqueue(&publisher, batch("blog", &[A])).await?;
    let plan = publisher.plan(batch("notes", &[A]), &Wishes::default()).await?;
    assert_eq!((plan.contents[0].jobs.len(), plan.contents[0].withdrawn.len()), (1, 1));
    let worker = publisher.register(Worker::builder(&store.once)).queue("blog", 1).build()?;
    assert_eq!(worker.run_until_idle().await?.done, 1);
    let error = publisher.enqueue(&plan).await.unwrap_err();
    assert!(error.code() == "not_pending" && error.to_string().contains("publish it again"), "{error}");
    assert_eq!(store.count("content_job", "true").await?, 1, "nothing was enqueued");
    let again = publisher.plan(batch("notes", &[A]), &Wishes::default()).await?;
    assert_eq!(again.contents[0].added, ["notes"]);
    Ok(())
}

async fn a_post_that_went_elsewhere_does_not_come_back_with_its_channel(store: Store) -> Verdict {
    let folder = tempfile::tempdir()?;
    migrate(&store.once).await?;
    let job = enqueue(&two_feeds(&store, folder.path()).await?, batch("blog", &[A])).await?.remove(0);
    let without = Publisher::open(&store.once, vec![feed("notes", None, folder.path())]).await?;
    let held = Some("channel_missing".to_owned());
    assert_eq!(state(&without, &job).await?, (State::Pending, held));
    assert!(matches!(enqueue(&without, batch("notes", &[A])).await?[..], [Enqueued::New(_)]));
    let back = two_feeds(&store, folder.path()).await?;
    assert_eq!(state(&back, &job).await?.0, State::Cancelled);
    Ok(())
}

const LATER: (&str, &str) =
    ("a.md", "---\ntitle: A\npublish_at: 2999-01-01T00:00:00Z\nexpire_at: 2999-01-03T00:00:00Z\n---\nText.");

async fn state(
    publisher: &Publisher,
    job: &Enqueued,
) -> Result<(State, Option<String>), Box<dyn std::error::Error>> {
    let standing = publisher.standing(&[job.id()]).await?.remove(0);
    Ok((standing.state, standing.held))
}

async fn a_stale_post_is_cancelled_not_sent(store: Store) -> Verdict {
    let folder = tempfile::tempdir()?;
    migrate(&store.once).await?;
    let publisher = Publisher::open(&store.once, vec![feed("blog", None, folder.path())]).await?;
    let job = enqueue(&publisher, batch("blog", &[LATER])).await?.remove(0);
    store.once.db().clock().set("2999-01-03T00:00:01Z".parse()?);
    let report =
        publisher.register(Worker::builder(&store.once)).queue("blog", 1).build()?.run_until_idle().await?;
    assert_eq!((report.done, report.cancelled), (0, 1));
    assert_eq!(state(&publisher, &job).await?, (State::Cancelled, None));
    assert!(!folder.path().join("feed.xml").exists());
    Ok(())
}

async fn a_post_missed_while_nobody_ran_is_held_once(store: Store) -> Verdict {
    let folder = tempfile::tempdir()?;
    migrate(&store.once).await?;
    let open = || Publisher::open(&store.once, vec![feed("blog", None, folder.path())]);
    let publisher = open().await?;
    let job = enqueue(&publisher, batch("blog", &[LATER])).await?.remove(0);
    store.once.db().clock().set("2999-01-01T05:59:59Z".parse()?);
    open().await?;
    assert_eq!(state(&publisher, &job).await?, (State::Pending, None));
    store.once.db().clock().set("2999-01-01T06:00:01Z".parse()?);
    open().await?;
    assert_eq!(state(&publisher, &job).await?, (State::Pending, Some("missed".to_owned())));
    store.once.release(job.id(), None).await?;
    open().await?;
    assert_eq!(state(&publisher, &job).await?, (State::Pending, None));
    Ok(())
}

async fn a_pause_of_ours_makes_nothing_late(store: Store) -> Verdict {
    let folder = tempfile::tempdir()?;
    migrate(&store.once).await?;
    let open = || Publisher::open(&store.once, vec![feed("blog", None, folder.path())]);
    let publisher = open().await?;
    let job = enqueue(&publisher, batch("blog", &[LATER])).await?.remove(0);
    store.once.pause_queue("blog", "holidays").await?;
    store.once.db().clock().set("2999-01-02T00:00:00Z".parse()?);
    open().await?;
    assert_eq!(state(&publisher, &job).await?, (State::Pending, None));
    Ok(())
}

async fn posts_of_a_channel_that_is_gone_wait_until_it_is_back(store: Store) -> Verdict {
    let folder = tempfile::tempdir()?;
    migrate(&store.once).await?;
    let open = async |names: &[&str]| {
        let channels = names.iter().map(|name| feed(name, None, folder.path())).collect();
        Publisher::open(&store.once, channels).await
    };
    let publisher = open(&["blog", "notes"]).await?;
    let job = enqueue(&publisher, batch("blog", &[A])).await?.remove(0);
    let other = enqueue(&publisher, batch("notes", &[("c.md", "---\ntitle: C\n---\nC.")])).await?.remove(0);
    // A job of another program in a queue that is no channel's is none of our business.
    let plain = store.once.enqueue(onceward::NewJob::untyped("mail", "email.welcome", "{}")).await?;
    let without = open(&["notes"]).await?;
    assert_eq!(state(&publisher, &job).await?, (State::Pending, Some("channel_missing".to_owned())));
    assert_eq!(state(&publisher, &other).await?, (State::Pending, None));
    assert_eq!(store.once.job(plain.id()).await?.held_reason, None);
    let worker = without.register(Worker::builder(&store.once)).queue("blog", 1).build()?;
    assert_eq!(worker.run_until_idle().await?.done, 0);
    open(&["blog"]).await?;
    assert_eq!(state(&publisher, &job).await?, (State::Pending, None));
    // What a person holds is not let go.
    store.once.hold(job.id(), "approval").await?;
    open(&["notes"]).await?;
    open(&["blog"]).await?;
    assert_eq!(state(&publisher, &job).await?, (State::Pending, Some("approval".to_owned())));
    Ok(())
}

async fn a_wall_clock_is_read_again_when_a_process_starts(store: Store) -> Verdict {
    let folder = tempfile::tempdir()?;
    migrate(&store.once).await?;
    let open = || Publisher::open(&store.once, vec![feed("blog", None, folder.path())]);
    let publisher = open().await?;
    let seoul = ("a.md", "---\ntitle: A\npublish_at: \"2999-01-01T09:00:00+09:00[Asia/Seoul]\"\n---\nText.");
    let instant = ("c.md", "---\ntitle: C\npublish_at: 2999-01-01T00:00:00Z\n---\nC.");
    let jobs = enqueue(&publisher, batch("blog", &[seoul, instant])).await?;
    // As it was read by older rules, an hour off; an instant follows no rules.
    let (true_at, old_at) = ("2999-01-01T00:00:00Z".parse()?, "2999-01-01T01:00:00Z".parse()?);
    let old = store.instant(old_at);
    store.execute(&format!("UPDATE @content SET publish_at = {old}")).await?;
    store.execute(&format!("UPDATE @job SET run_at = {old}")).await?;
    open().await?;
    let run_at = async |job: &Enqueued| store.once.job(job.id()).await.map(|job| job.run_at);
    assert_eq!((run_at(&jobs[0]).await?, run_at(&jobs[1]).await?), (true_at, old_at));
    let again = enqueue(&publisher, batch("blog", &[seoul])).await?;
    assert!(matches!(again[..], [Enqueued::Skipped { changed: false, .. }]), "{again:?}");
    assert_eq!(run_at(&jobs[0]).await?, true_at);
    Ok(())
}

async fn contents_media_and_jobs_exist_together_or_not_at_all(store: Store) -> Verdict {
    let folder = tempfile::tempdir()?;
    migrate(&store.once).await?;
    let publisher = Publisher::open(&store.once, vec![feed("blog", None, folder.path())]).await?;
    let mut plan =
        publisher.plan(batch("blog", &[A, ("c.md", "---\ntitle: C\n---\nC.")]), &Wishes::default()).await?;
    // No queue may have such a name, so that the second content cannot be enqueued.
    "no such queue name".clone_into(&mut plan.contents[1].jobs[0].channel);
    assert!(publisher.enqueue(&plan).await.is_err());
    for table in ["content", "content_job", "job", "dedup"] {
        assert_eq!(store.count(table, "true").await?, 0, "{table}");
    }
    Ok(())
}

macro_rules! laws {
    ($($law:ident),* $(,)?) => {
        mod sqlite {
            $(#[tokio::test] async fn $law() -> super::Verdict { super::$law(super::Store::sqlite().await?).await })*
        }
        mod postgres {
            $(#[tokio::test] async fn $law() -> super::Verdict { super::$law(super::Store::postgres().await?).await })*
        }
        mod pgbouncer {
            $(#[tokio::test] async fn $law() -> super::Verdict { super::$law(super::Store::pgbouncer().await?).await })*
        }
    };
}

laws!(
    a_post_goes_out_once,
    a_renamed_channel_knows_what_it_published,
    a_former_name_is_followed_until_the_new_one_was_used,
    a_moved_file_is_refused_with_the_old_id,
    what_left_meanwhile_keeps_others_from_its_place,
    a_post_that_went_elsewhere_does_not_come_back_with_its_channel,
    a_stale_post_is_cancelled_not_sent,
    a_post_missed_while_nobody_ran_is_held_once,
    a_pause_of_ours_makes_nothing_late,
    posts_of_a_channel_that_is_gone_wait_until_it_is_back,
    a_wall_clock_is_read_again_when_a_process_starts,
    contents_media_and_jobs_exist_together_or_not_at_all,
);
