//! A standby that lost the last commits is promoted, again and again, under workers that go on: what may have been sent in
//! the commits that are gone is found out, or parked. Nothing is sent a second time by itself.
//!
//! The long form (`ONCEWARD_LONG=1`, or `tests/long/run --long`) has ten promotions, and a control: a store that does not
//! notice them sends twice.

use std::collections::BTreeMap;
use std::os::unix::fs::symlink;
use std::path::PathBuf;
use std::time::Duration;

use onceward::retry::RetryPolicy;
use onceward::{JobId, NewJob};
use onceward_tests::Verdict;
use onceward_tests::actor::Actor;
use onceward_tests::orders::{Act, Offer, Orders, QUEUE, QUICK, Work};
use onceward_tests::peer::Peer;
use onceward_tests::server::{End, Server, url_at};
use onceward_tests::store::Store;
use onceward_tests::wait::until;
use sqlx::{Connection, PgConnection};
use tempfile::TempDir;

const ACTOR: &str = env!("CARGO_BIN_EXE_actor");
const WORKERS: usize = 4;
/// Jobs of each offer that are due when commits begin to be lost.
const DUE: usize = 15;
/// Of each offer: under way at that moment, their answers still to come.
const UNDER_WAY: usize = 3;
/// Of each offer: enqueued later, and lost as a whole.
const LOST: usize = 3;
const LEASE: Duration = Duration::from_secs(4);
const SOON: Duration = Duration::from_mins(1);

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nothing_is_sent_again_by_itself_after_a_standby_lost_the_last_commits() -> Verdict {
    let promotions = if is_long() { 10 } else { 2 };
    let mut shop = Shop::open().await?;
    for round in 0..promotions {
        shop.lose().await?;
        shop.recover().await?;
        let repeats = shop.repeats();
        assert_eq!(repeats, [], "sent again after promotion {}", round + 1);
        shop.all_is_found_out_or_parked().await?;
    }
    println!("{promotions} promotions: {}", shop.figures);
    shop.close().await?;
    if is_long() { control().await } else { Ok(()) }
}

/// A store that does not notice a promotion sends twice.
async fn control() -> Verdict {
    let shop = &mut Shop::open().await?;
    let blind =
        "CREATE OR REPLACE FUNCTION onceward.lineage_name() RETURNS text LANGUAGE sql AS 'SELECT NULL::text'";
    sqlx::query(blind).execute(&mut PgConnection::connect(&shop.url).await?).await?;
    shop.lose().await?;
    shop.recover().await?;
    let repeats = shop.repeats();
    assert_ne!(repeats, [], "the test cannot fail");
    println!("a store that does not notice a promotion sends {} posts twice", repeats.len());
    Ok(())
}

fn is_long() -> bool {
    std::env::var_os("ONCEWARD_LONG").is_some()
}

/// One post.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Post {
    name: u32,
    offer: Offer,
}

struct Shop {
    /// Where workers find the primary, as behind an address that moves: `primary` leads to the folder of its socket.
    folder: TempDir,
    url: String,
    primary: Server,
    /// Those that died: their folders stay until the end, as nobody reads them.
    peer: Peer,
    workers: Vec<Actor>,
    posts: Vec<Post>,
    /// The jobs that the store is to know.
    jobs: BTreeMap<JobId, Post>,
    /// Of the present round.
    round: Vec<(JobId, Post)>,
    figures: Figures,
}

impl Shop {
    async fn open() -> Verdict<Self> {
        let primary = Server::start(&["max_connections=100"]).await?;
        drop(Store::on(&primary, "shop").await?);
        let folder = tempfile::Builder::new().prefix("onceward-shop.").tempdir_in("/tmp")?;
        let url = url_at(&folder.path().join("primary"), "shop");
        let peer = Peer::start().await?;
        let mut shop = Self {
            folder,
            url,
            primary,
            peer,
            workers: Vec::new(),
            posts: Vec::new(),
            jobs: BTreeMap::new(),
            round: Vec::new(),
            figures: Figures::default(),
        };
        shop.lead_to_primary()?;
        shop.hire().await?;
        Ok(shop)
    }

    fn lead_to_primary(&self) -> Verdict {
        let (link, fresh): (PathBuf, PathBuf) =
            (self.folder.path().join("primary"), self.folder.path().join("next"));
        symlink(self.primary.home(), &fresh)?;
        Ok(std::fs::rename(fresh, link)?)
    }

    async fn hire(&mut self) -> Verdict {
        while self.workers.len() < WORKERS {
            let work = Work { lease: LEASE, concurrency: 6, ..Work::default() };
            let orders = Orders::work(&format!("{}?pool=4", self.url), work);
            self.workers.push(Actor::ready(ACTOR, &orders).await?.0);
        }
        Ok(())
    }

    async fn store(&self) -> Verdict<Store> {
        Store::at(&self.url).await
    }

    async fn enqueue(&mut self, store: &Store, of_each: usize) -> Verdict<Vec<(JobId, Post)>> {
        let offers = Offer::ALL.into_iter().flat_map(|offer| std::iter::repeat_n(offer, of_each));
        let first = u32::try_from(self.posts.len())?;
        let posts: Vec<Post> = (first..).zip(offers).map(|(name, offer)| Post { name, offer }).collect();
        let port = self.peer.port();
        let job = |post: &Post| -> NewJob {
            let patient = RetryPolicy { max_attempts: 20, ..QUICK };
            Act::Post { port, name: post.name, offer: post.offer }.job().retry(patient)
        };
        let ids = store.fill(posts.iter().map(job).collect()).await?;
        self.posts.extend(&posts);
        Ok(ids.into_iter().zip(posts).collect())
    }

    /// Work goes on while a standby hears no more of it, until half of what is due was sent; then the primary dies, and the
    /// standby takes its place.
    async fn lose(&mut self) -> Verdict {
        let mut standby = Server::standby_of(&self.primary, &["max_connections=100"]).await?;
        let store = self.store().await?;
        self.peer.hold(true);
        let under_way = self.enqueue(&store, UNDER_WAY).await?;
        self.sent(&under_way, under_way.len()).await?;
        store.once().pause_queue(QUEUE, "before the loss").await?;
        let due = self.enqueue(&store, DUE).await?;
        follows(&self.primary, &standby).await?;
        deafen(&standby).await?;
        self.peer.hold(false);
        store.once().resume_queue(QUEUE).await?;
        let lost = self.enqueue(&store, LOST).await?;
        self.sent(&lost, lost.len() / 2).await?;
        self.sent(&due, due.len() / 2).await?;
        self.primary.fall(End::Immediate).await?;
        let killed = self.workers.drain(..WORKERS / 2).map(Actor::kill).collect::<Verdict<Vec<_>>>()?;
        self.figures.killed += killed.len();
        promote(&standby).await?;
        std::mem::swap(&mut self.primary, &mut standby);
        self.lead_to_primary()?;
        self.round = [under_way, due].concat();
        self.jobs.extend(self.round.iter().copied());
        self.figures.lost += lost.len();
        self.figures.sent += self.peer.accepted(self.round.iter().map(|(_, post)| post.name));
        Ok(())
    }

    /// Waits until the peer has accepted so many of these.
    async fn sent(&self, jobs: &[(JobId, Post)], most: usize) -> Verdict {
        let names = || jobs.iter().map(|(_, post)| post.name);
        until(&format!("{most} of {} are sent", jobs.len()), SOON, async || {
            Ok((self.peer.accepted(names()) >= most).then_some(()))
        })
        .await
    }

    /// Lets all workers find the new primary, and waits until nothing is left that they may do.
    async fn recover(&mut self) -> Verdict {
        self.hire().await?;
        let store = self.store().await?;
        // What people said in the lost commits is lost too.
        store.once().resume_queue(QUEUE).await?;
        let open = "onceward.job WHERE state IN ('pending', 'running') OR (state = 'in_doubt' AND check_at IS NOT NULL)";
        until("nothing is left to do", SOON, async || {
            Ok((store.number("count(*)", open).await? == 0).then_some(()))
        })
        .await
    }

    /// What the world has twice.
    fn repeats(&self) -> Vec<Post> {
        let twice = |post: &&Post| match post.offer {
            // The peer makes one of them, as long as the key is the same.
            Offer::Key | Offer::Sameness => self.peer.keys(post.name) > 1,
            Offer::Look | Offer::Nothing => self.peer.posts(post.name) > 1,
        };
        self.posts.iter().filter(twice).copied().collect()
    }

    /// What can be found out is done, and the world has it; the rest is parked, but for what was certainly done.
    async fn all_is_found_out_or_parked(&mut self) -> Verdict {
        let held = self.store().await?.held().await?;
        for job in &held.jobs {
            let Some(post) = self.jobs.get(&job.id) else { continue };
            let parked = job.state == "in_doubt" && post.offer == Offer::Nothing;
            assert!(job.state == "done" || parked, "{job:?} {post:?}");
            assert!(parked || self.peer.posts(post.name) > 0, "done, and nobody did it: {post:?}");
        }
        let known: Vec<JobId> = held.jobs.iter().map(|job| job.id).collect();
        assert!(self.jobs.keys().all(|id| known.contains(id)), "a job that the standby knew is gone");
        self.figures.parked = held.count("in_doubt");
        self.figures.done = held.count("done");
        Ok(())
    }

    async fn close(self) -> Verdict {
        for worker in self.workers {
            worker.signal(rustix::process::Signal::TERM)?;
            worker.ends(SOON).await?;
        }
        Ok(())
    }
}

/// Waits until the standby has all that was written.
async fn follows(primary: &Server, standby: &Server) -> Verdict {
    let written: String = sqlx::query_scalar("SELECT pg_current_wal_flush_lsn()::text")
        .fetch_one(&mut primary.admin().await?)
        .await?;
    until("the standby follows", SOON, async || {
        let there = "SELECT coalesce(pg_last_wal_replay_lsn() >= $1::text::pg_lsn, false)";
        let there: bool =
            sqlx::query_scalar(there).bind(&written).fetch_one(&mut standby.admin().await?).await?;
        Ok(there.then_some(()))
    })
    .await
}

/// Cuts the standby off.
async fn deafen(standby: &Server) -> Verdict {
    standby.execute("ALTER SYSTEM SET primary_conninfo = ''").await?;
    standby.execute("SELECT pg_reload_conf()").await?;
    until("the standby hears nothing any more", SOON, async || {
        let hears = "SELECT count(*) FROM pg_stat_wal_receiver";
        let hears: i64 = sqlx::query_scalar(hears).fetch_one(&mut standby.admin().await?).await?;
        Ok((hears == 0).then_some(()))
    })
    .await
}

async fn promote(standby: &Server) -> Verdict {
    let promoted: bool =
        sqlx::query_scalar("SELECT pg_promote()").fetch_one(&mut standby.admin().await?).await?;
    if promoted { Ok(()) } else { Err("the standby was not promoted in time".into()) }
}

#[derive(Debug, Default)]
struct Figures {
    sent: usize,
    lost: usize,
    killed: usize,
    parked: usize,
    done: usize,
}

impl std::fmt::Display for Figures {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { sent, lost, killed, parked, done } = self;
        write!(
            f,
            "{sent} sends in or around lost commits, {lost} jobs lost as a whole, {killed} workers killed; \
             {done} jobs done, {parked} parked, none sent twice"
        )
    }
}
