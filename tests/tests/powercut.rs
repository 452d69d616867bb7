//! Only what was fsynced survives a power cut: every acknowledged job and end is there afterwards, and the file is whole.
//!
//! `powercut/shim.c` is the disk. A cut is a SIGKILL at a random moment while work is open; the next process starts from
//! what the disk held, ten cuts long. The long form (`ONCEWARD_LONG=1`, or `tests/long/run --long`) has 500 cuts.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use onceward::Onceward;
use onceward_tests::Verdict;
use onceward_tests::actor::{Actor, STARTED};
use onceward_tests::chance::Chance;
use onceward_tests::fact::Fact;
use onceward_tests::history::{Flaw, flaws};
use onceward_tests::orders::{Act, Orders, Produce, Work};
use onceward_tests::store::held;
use onceward_tests::wait::{pass, until};
use sqlx::{Connection, SqliteConnection};
use tempfile::TempDir;

const ACTOR: &str = env!("CARGO_BIN_EXE_actor");
const SEED: u64 = 20_261_129;
/// Cuts before a new disk.
const CUTS_A_DISK: u64 = 10;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_was_acknowledged_survives_a_power_cut() -> Verdict {
    let cuts = if std::env::var_os("ONCEWARD_LONG").is_some() { 500 } else { 40 };
    let sum =
        cut_often(&Plan { cuts, query: "", acknowledgements: 120, acts: &[Act::Nothing, Act::Complete] })
            .await?;
    assert_eq!(sum.flaws, []);
    Ok(())
}

/// The control: a disk that kept everything would find nothing to blame here either. No handler has a transaction of its
/// own, which would sync the log whatever the store does.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn without_a_sync_at_each_commit_acknowledged_jobs_are_lost() -> Verdict {
    let query = "?synchronous=normal";
    let sum = cut_often(&Plan { cuts: 10, query, acknowledgements: 1500, acts: &[Act::Nothing] }).await?;
    let lost = sum.flaws.iter().filter(|flaw| matches!(flaw, Flaw::Lost(_))).count();
    println!("{lost} of {} acknowledged jobs were lost", sum.acknowledged);
    assert!(lost > 0);
    Ok(())
}

struct Plan {
    cuts: u64,
    /// Of the store's URL.
    query: &'static str,
    /// The power goes after fewer than so many.
    acknowledgements: u64,
    /// What the jobs of one cut do is one of these.
    acts: &'static [Act],
}

/// What some cuts came to.
#[derive(Debug, Default)]
struct Sum {
    acknowledged: usize,
    done: usize,
    open: usize,
    flaws: Vec<Flaw>,
}

async fn cut_often(plan: &Plan) -> Verdict<Sum> {
    let (shim, mut chance, mut sum, began) =
        (Shim::build()?, Chance::of(SEED), Sum::default(), Instant::now());
    let mut disk = Disk::new()?;
    println!("seed {SEED}");
    for cut in 0..plan.cuts {
        if cut % CUTS_A_DISK == 0 {
            disk = Disk::new()?;
        }
        let said = disk.run_until_cut(&shim, plan, &mut chance).await?;
        sum.acknowledged += said.iter().filter(|fact| matches!(fact, Fact::Enqueued { .. })).count();
        sum.done += said.iter().filter(|fact| matches!(fact, Fact::Done { .. })).count();
        disk.facts.extend(said);
        let flaws = disk.check(&mut sum).await?;
        if !flaws.is_empty() {
            println!("cut {cut}: {} flaws, first {:?}", flaws.len(), flaws[0]);
            // What is lost stays lost: only a new disk can show more.
            disk = Disk::new()?;
        }
        sum.flaws.extend(flaws);
    }
    println!(
        "{} cuts in {:.1?}: {} enqueues and {} ends acknowledged, {} jobs running when the power went; {} flaws",
        plan.cuts,
        began.elapsed(),
        sum.acknowledged,
        sum.done,
        sum.open,
        sum.flaws.len()
    );
    Ok(sum)
}

/// The disk, compiled.
struct Shim {
    library: PathBuf,
    _folder: TempDir,
}

impl Shim {
    fn build() -> Verdict<Self> {
        let folder = tempfile::tempdir()?;
        let (source, library) =
            (Path::new(env!("CARGO_MANIFEST_DIR")).join("powercut/shim.c"), folder.path().join("shim.so"));
        let mut compiler = Command::new(std::env::var_os("CC").unwrap_or_else(|| "cc".into()));
        let built =
            compiler.args(["-shared", "-fPIC", "-O1", "-Wall", "-Werror", "-o"]).arg(&library).arg(&source);
        let built =
            built.arg("-ldl").status().map_err(|e| format!("a C compiler is needed (cc, or $CC): {e}"))?;
        if built.success() {
            Ok(Self { library, _folder: folder })
        } else {
            Err(format!("{}: {built}", source.display()).into())
        }
    }
}

/// A disk with one store on it, and all that was said about the store.
struct Disk {
    folder: TempDir,
    facts: Vec<Fact>,
}

impl Disk {
    fn new() -> Verdict<Self> {
        let disk = Self { folder: tempfile::tempdir()?, facts: Vec::new() };
        fs::create_dir(disk.kept())?;
        Ok(disk)
    }

    /// What a power cut leaves.
    fn kept(&self) -> PathBuf {
        self.folder.path().join("kept")
    }

    /// Starts an actor on what the disk holds, and cuts the power after a few acknowledgements and a moment more.
    async fn run_until_cut(&self, shim: &Shim, plan: &Plan, chance: &mut Chance) -> Verdict<Vec<Fact>> {
        let live = self.copy("live")?;
        let act = plan.acts[usize::try_from(chance.below(plan.acts.len() as u64))?];
        let produce = Produce { queue: "stage".to_owned(), act, tasks: 4, each: Some(5), key: None };
        let work = Work { lease: Duration::from_secs(1), ..Work::default() };
        let orders = Orders {
            rounds: true,
            work: Some(work),
            ..Orders::produce(&format!("sqlite://{}/app.db{}", live.display(), plan.query), produce)
        };
        let environment = [
            ("LD_PRELOAD", path(&shim.library)?),
            ("ONCEWARD_LIVE", path(&live)?),
            ("ONCEWARD_SHADOW", path(&self.kept())?),
        ];
        let actor = Actor::start_with(
            ACTOR,
            &orders,
            &environment.each_ref().map(|(name, value)| (*name, value.as_str())),
        )?;
        let (acknowledgements, moment) =
            (usize::try_from(chance.below(plan.acknowledgements))?, chance.below(4000));
        until("some acknowledgements", STARTED, async || {
            Ok((actor.count(is_acknowledgement) > acknowledgements).then_some(()))
        })
        .await
        .map_err(|e| format!("{e}: {actor:?}"))?;
        pass(Duration::from_micros(moment)).await;
        let ended = actor.kill()?;
        fs::remove_dir_all(live)?;
        Ok(ended.heard.into_iter().map(|heard| heard.fact).collect())
    }

    /// Opens a copy of what was kept.
    async fn check(&self, sum: &mut Sum) -> Verdict<Vec<Flaw>> {
        let copy = self.copy("check")?;
        let url = format!("sqlite://{}/app.db", copy.display());
        let once = Onceward::open(&url).await?;
        let held = held(&url).await?;
        let mut conn = SqliteConnection::connect(&url).await?;
        let sound: String = sqlx::query_scalar("PRAGMA integrity_check").fetch_one(&mut conn).await?;
        conn.close().await?;
        once.close().await;
        fs::remove_dir_all(copy)?;
        assert_eq!(sound, "ok");
        let failed: Vec<&Fact> =
            self.facts.iter().filter(|fact| matches!(fact, Fact::Failed { .. })).collect();
        assert!(failed.is_empty(), "{failed:?}");
        sum.open += held.count("running");
        Ok(flaws(&self.facts, &held))
    }

    fn copy(&self, name: &str) -> Verdict<PathBuf> {
        let to = self.folder.path().join(name);
        fs::create_dir(&to)?;
        for entry in fs::read_dir(self.kept())? {
            let entry = entry?;
            fs::copy(entry.path(), to.join(entry.file_name()))?;
        }
        Ok(to)
    }
}

fn path(path: &Path) -> Verdict<String> {
    Ok(path.to_str().ok_or("a temporary folder whose name is no text")?.to_owned())
}

fn is_acknowledgement(fact: &Fact) -> bool {
    matches!(fact, Fact::Enqueued { .. } | Fact::Done { .. })
}
