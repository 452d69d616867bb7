//! One cell: one post, one fault at one act, until nothing moves any more; then both ledgers are compared.

use std::path::Path;
use std::time::Duration;

use onceward::{EffectView, JobId, State};
use onceward_http::Client;
use onceward_publish::Standing;
use onceward_sandbox::{Accepted, Fault, Kind, Ledger, Options, Sandbox};

use super::expect::{End, end};
use super::kinds::left;
use super::places::{Class, Role, Which};
use super::secrets;
use crate::stage::{NAME, Stage, Verdict, store};

const PNG: &[u8] = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01\0\0\0\x02\x08\0\0\0\0\x3a\x7e\x9b\x55";
/// How long the queue waits by itself after a failure, at most.
const QUEUE_WAITS: Duration = Duration::from_mins(2);
const ROUNDS: usize = 30;

/// A channel, an act, a fault.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Cell {
    pub(crate) which: Which,
    pub(crate) act: &'static str,
    pub(crate) role: Role,
    pub(crate) kind: Kind,
}

/// How a cell ended.
#[derive(Debug)]
struct Ended {
    standing: Standing,
    /// The queue waits for a person.
    paused: bool,
}

struct Run {
    cell: Cell,
    sandbox: Sandbox,
    stage: Stage,
    job: JobId,
}

impl Cell {
    pub(crate) fn end(&self) -> End {
        end(self.which, self.role, self.act, left(self.kind))
    }

    /// Runs it.
    ///
    /// # Errors
    /// In which way it did not end as it must.
    pub(crate) async fn run(self, client: Client) -> Verdict {
        let run = Run::begin(self, client).await?;
        let mut ended = run.settle().await?;
        let mut wanted = self.end();
        if wanted == End::Waits {
            run.is_waiting(&ended).await?;
            run.sandbox.clear_faults();
            run.stage.store.resume_queue(NAME).await?;
            ended = run.settle().await?;
            wanted = End::Once;
        }
        run.compare(&ended, wanted).await?;
        let (mut leaks, lines) = (secrets::leaks(self.which, &run.stage, run.job).await?, secrets::logged());
        leaks.extend(lines.1);
        let ledger = serde_json::to_string(&run.sandbox.ledger())?;
        leaks.extend(secrets::found(&secrets::forms(self.which), ledger.as_bytes()).map(str::to_owned));
        wrong(!leaks.is_empty(), || leaks.join("\n"))
    }

    /// The faults, in the order in which they meet requests.
    fn faults(&self) -> Vec<Fault> {
        let on = |kind, act: &str| Fault::new(kind).on(self.which.platform()).act(act);
        let own = on(self.kind, self.act);
        let lost = on(Kind::AcceptThenReset, self.which.visible()).times(1);
        // A key that is known is answered with an error, so that the post is looked for.
        let looked_for = on(Kind::RepeatError, self.which.visible());
        match self.role {
            Role::Look => vec![lost, looked_for, own.times(1)],
            Role::LookAlways => vec![lost, own],
            // They go on beside a request: they count when its answer is lost as well.
            Role::Visible if matches!(self.kind, Kind::SlowLook(_)) => vec![own.times(1), lost],
            Role::Visible if self.kind == Kind::RepeatError => vec![own, lost],
            // Its own act is asked for when the session is over.
            _ if self.act == "token" => vec![on(Kind::ExpiredToken, "upload").times(1), own.times(1)],
            _ => vec![own.times(1)],
        }
    }
}

impl Run {
    async fn begin(cell: Cell, client: Client) -> Verdict<Self> {
        let mut options = Options::default();
        options.faults.limits = false;
        let sandbox = Sandbox::start(options).await?;
        let store = store().await?;
        let adapter = cell.which.adapter(&sandbox, &store, client).await?;
        let stage = Stage::over(store, &[(NAME, adapter)]).await?;
        for fault in cell.faults() {
            sandbox.fault(fault);
        }
        let folder = tempfile::tempdir()?;
        picture(folder.path())?;
        let job = stage.enqueue_at(&folder.path().join("a.md"), &post(cell.which, "one")).await?;
        Ok(Self { cell, sandbox, stage, job })
    }

    /// Until nothing moves any more, or a person must come.
    async fn settle(&self) -> Verdict<Ended> {
        // The server works on an upload for a while; its clock goes on each time that it is asked.
        let working = async {
            loop {
                let looks = self.arrived("media");
                self.sandbox.until(|ledger| arrived(ledger, self.cell.which, "media") > looks).await;
                self.sandbox.advance(Duration::from_secs(3));
            }
        };
        tokio::select! {
            ended = self.rounds() => ended,
            () = working => unreachable!(),
        }
    }

    async fn rounds(&self) -> Verdict<Ended> {
        for _ in 0..ROUNDS {
            let standing = self.stage.once(self.job).await?;
            if self.paused().await? {
                return Ok(Ended { standing, paused: true });
            }
            let next = match standing.state {
                State::Pending => Some(standing.run_at),
                State::InDoubt => standing.check_at,
                _ => None,
            };
            let Some(next) = next else { return Ok(Ended { standing, paused: false }) };
            let next = next.max(standing.now).after(QUEUE_WAITS);
            self.stage.store.set_clock(next);
            self.sandbox.advance(next.since(standing.now));
        }
        Err(format!("it never ends: {:?}", self.stage.standing(self.job).await?).into())
    }

    async fn paused(&self) -> Verdict<bool> {
        let queues = self.stage.store.queues().await?;
        Ok(queues.iter().any(|queue| queue.name == NAME && queue.paused.is_some()))
    }

    /// The queue waits for a person, and the job has lost nothing.
    async fn is_waiting(&self, ended: &Ended) -> Verdict {
        wrong(!ended.paused, || format!("the queue does not wait: {:?}", ended.standing))?;
        let job = self.stage.store.job(self.job).await?;
        wrong(job.tries != 0, || format!("{} tries were spent", job.tries))?;
        let lost = matches!(self.cell.role, Role::Look | Role::LookAlways);
        let state = if lost { State::InDoubt } else { State::Pending };
        wrong(job.state != state, || format!("{job:?}"))
    }

    async fn compare(&self, ended: &Ended, wanted: End) -> Verdict {
        let (standing, seen) = (&ended.standing, self.seen());
        let asked = standing.state == State::InDoubt && standing.check_at.is_none();
        let fits = match wanted {
            End::Once => standing.state == State::Done && seen.len() == 1,
            End::Asked { taken } => asked && seen.len() == usize::from(taken),
            End::OnceOrAsked => {
                (standing.state == State::Done && seen.len() == 1) || (asked && seen.is_empty())
            }
            End::Dead => standing.state == State::Dead && seen.is_empty(),
            End::Waits | End::Exempt(_) => false,
        };
        let effects = self.stage.effects(self.job).await?;
        wrong(!fits, || {
            let arrivals: Vec<_> =
                self.sandbox.ledger().arrivals.iter().map(|it| (it.act.clone(), it.status)).collect();
            format!("must be {wanted:?}; {} seen, {standing:?}\n  {arrivals:?}\n  {effects:?}", seen.len())
        })?;
        self.agree(&effects, &seen)
    }

    /// Our ledger and the sandbox's say the same.
    fn agree(&self, effects: &[EffectView], seen: &[Accepted]) -> Verdict {
        let (which, ledger) = (self.cell.which, self.sandbox.ledger());
        let posts: Vec<_> = ledger.arrived(which.platform(), which.visible()).collect();
        // What was refused is rendered anew, and may then be another request with a key of its own.
        let Some((effect, before)) = effects.split_last() else {
            return wrong(!posts.is_empty(), || format!("nothing is in our ledger of {posts:?}"));
        };
        wrong(before.iter().any(|it| it.state != "refused"), || format!("{effects:?}"))?;
        let sends: u32 = effects.iter().map(|it| it.sends).sum();
        let says = match effect.state {
            "accepted" => seen.len() == 1 && effect.remote_id == which.receipt(&seen[0]),
            "refused" | "prepared" => seen.is_empty(),
            "unknown" => seen.len() <= 1,
            _ => false,
        };
        wrong(!says, || format!("ours: {effect:?}\n  theirs: {seen:?}"))?;
        wrong(posts.len() > sends as usize, || format!("{} requests came, we know of {sends}", posts.len()))?;
        // Whoever cannot look sends again only what was answered with a no.
        let again = posts.iter().rev().skip(1);
        let blind = which.class() == Class::Blind;
        let guessed = again.filter(|post| blind && (post.status.is_none() || !post.accepted.is_empty()));
        let guessed: Vec<_> = guessed.collect();
        wrong(!guessed.is_empty(), || format!("sent again after {guessed:?}"))
    }

    fn seen(&self) -> Vec<Accepted> {
        self.sandbox.ledger().visible(self.cell.which.platform()).cloned().collect()
    }

    fn arrived(&self, act: &str) -> usize {
        arrived(&self.sandbox.ledger(), self.cell.which, act)
    }
}

fn arrived(ledger: &Ledger, which: Which, act: &str) -> usize {
    ledger.arrived(which.platform(), act).count()
}

/// A post as the channel takes it.
pub(crate) fn post(which: Which, id: &str) -> String {
    let media = if which.takes_media() { "media: [{path: hill.png, alt: A hill}]\n" } else { "" };
    format!("---\nid: {id}\ntitle: We are live {id}\n{media}---\nHello @alice.test, 한글 🙂 {id}.\n")
}

/// A picture beside a post.
pub(crate) fn picture(folder: &Path) -> std::io::Result<()> {
    std::fs::write(folder.join("hill.png"), PNG)
}

pub(crate) fn wrong(is: bool, why: impl FnOnce() -> String) -> Verdict {
    if is { Err(why().into()) } else { Ok(()) }
}
