//! The publisher: plans, enqueues, delivers.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use onceward::{
    AlertMessage, Engine, Enqueued, Error, Failure, Job, JobId, NewJob, Onceward, Time, WorkerBuilder,
};
use onceward_db::Database;

use crate::absent;
use crate::configured::Configured;
use crate::content::{Batch, Content};
use crate::date::Wish;
use crate::deliver;
use crate::learned::Servers;
use crate::media::{self, Place};
use crate::missed;
use crate::origin;
use crate::plan::{Act, Facts, Plan, Planned, PlannedJob, Wishes, plan};
use crate::post::Post;
use crate::store::PUBLISH_TABLES;
use crate::store::channels::{self, Named};
use crate::store::contents::{self, Contents, Enqueue, Item};
use crate::store::media::Blob;
use crate::store::standing::{self, Standing};
use crate::walls;

/// All channels over one store. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Publisher(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    once: Onceward,
    channels: BTreeMap<String, Configured>,
    /// Stable ids by name.
    ids: BTreeMap<String, String>,
    servers: Servers,
}

/// Brings the publisher's tables to the version of this program; gives how many steps ran.
pub async fn migrate(once: &Onceward) -> Result<usize, Error> {
    Ok(once.db().migrate(&[PUBLISH_TABLES]).await?)
}

/// The jobs of a content, whatever their state.
///
/// # Errors
/// `NotFound` when no content of that id was ever enqueued.
pub async fn jobs_of(once: &Onceward, content: &str) -> Result<Vec<JobId>, Error> {
    let known = contents::known(once.db(), &[content]).await?.remove(content);
    let known = known.ok_or_else(|| Error::NotFound(format!("there is no content {content:?}")))?;
    Ok(known.jobs.into_values().map(|job| job.id).collect())
}

/// Plans without touching the store, or without any: for a look before the first run.
pub async fn preview(
    once: Option<&Onceward>,
    channels: Vec<Configured>,
    batch: Batch,
    wishes: &Wishes,
) -> Result<Plan, Error> {
    let channels = by_name(channels);
    let (ids, servers) = (BTreeMap::new(), Servers::default());
    let Some(once) = once else { return survey(None, &channels, &ids, &servers, batch, wishes).await };
    if once.db().version(&PUBLISH_TABLES).await? < PUBLISH_TABLES.newest() {
        return survey(None, &channels, &ids, &servers, batch, wishes).await;
    }
    let (ids, servers) = (channels::list(once.db()).await?, Servers::open(once).await?);
    survey(Some(once.db()), &channels, &ids, &servers, batch, wishes).await
}

impl Publisher {
    /// Makes the tables on SQLite (`migrate` does on PostgreSQL), gives new channels their stable ids, holds what
    /// was missed while nobody was running and what waits for a channel that is gone, and reads wall clocks again.
    pub async fn open(once: &Onceward, channels: Vec<Configured>) -> Result<Self, Error> {
        if once.engine() == Engine::Sqlite {
            migrate(once).await?;
        }
        once.db().require(&[PUBLISH_TABLES]).await?;
        let named = channels.iter().map(|it| Named { name: it.name.clone(), was: it.was.clone() });
        let ids = channels::claim(once.db(), named.collect()).await?;
        absent::hold(once, channels.iter()).await?;
        walls::resolve_again(once).await?;
        missed::hold(once, channels.iter()).await?;
        let servers = Servers::open(once).await?;
        Ok(Self(Arc::new(Inner { once: once.clone(), channels: by_name(channels), ids, servers })))
    }

    /// Asks the servers of these channels what they take, where they tell and were not asked for a day. One that
    /// cannot be asked is no failure: what it said before holds, or the platform's usual limits.
    pub async fn learn<'n>(&self, channels: impl IntoIterator<Item = &'n str>) -> Result<(), Error> {
        let adapter = |name: &str| Some(Arc::clone(self.0.channels.get(name)?.adapter.as_ref().ok()?));
        let named =
            channels.into_iter().filter_map(|name| Some((self.0.ids.get(name)?.clone(), adapter(name)?)));
        self.0.servers.ask(&self.0.once, named.collect()).await
    }

    /// What a run would do.
    pub async fn plan(&self, batch: Batch, wishes: &Wishes) -> Result<Plan, Error> {
        let Inner { once, channels, ids, servers } = &*self.0;
        survey(Some(once.db()), channels, ids, servers, batch, wishes).await
    }

    /// Enqueues what is planned and withdraws what is to be withdrawn, all in one transaction: contents, media and jobs.
    /// Gives one answer for each job.
    ///
    /// # Errors
    /// `NotNow` when a job that is to be withdrawn left meanwhile: then nothing was changed.
    pub async fn enqueue(&self, plan: &Plan) -> Result<Vec<Vec<Enqueued>>, Error> {
        let items = plan.contents.iter().map(|planned| self.item(planned)).collect::<Result<Vec<_>, _>>()?;
        let withdrawn = plan.contents.iter().flat_map(|it| &it.withdrawn).map(|it| it.job).collect();
        let contents = Contents { once: self.0.once.clone(), withdrawn, items };
        let answer = self.0.once.db().fold::<Enqueue>(vec![contents]).await?.pop();
        answer.unwrap_or_else(|| Ok(Vec::new())).map_err(publish_again)
    }

    fn item(&self, planned: &Planned) -> Result<Item, Error> {
        let jobs: Vec<_> = planned.jobs.iter().map(|job| self.job(planned, job)).collect();
        let moves = planned.jobs.iter().any(|job| job.act != Act::Leave);
        let media = if moves { blobs(&planned.content)? } else { Vec::new() };
        let publish_at = planned.publish_at.map(|at| Wish { at, wall: planned.wall.clone() });
        Ok(Item { content: planned.content.clone(), publish_at, jobs, media })
    }

    fn job(&self, planned: &Planned, job: &PlannedJob) -> (String, String, NewJob) {
        let post = &job.post;
        let mut new =
            post.clone().with().queue(&job.channel).dedup(post.key(), onceward::Dedup::Forever).update();
        // A time that is over is not missed again: whoever publishes wants it now. A new job goes by the database's clock.
        let now = Time::now();
        let if_over = (job.act == Act::Update).then_some(now);
        if let Some(at) = planned.publish_at.filter(|at| *at > now).or(if_over) {
            new = new.run_at(at);
        }
        if let Some(reason) = &job.hold {
            new = new.hold(reason.as_str());
        }
        if let Some(channel) = self.0.channels.get(&job.channel) {
            new = new.retry(channel.retry);
        }
        (post.channel.clone(), post.likeness(), new)
    }

    /// The named jobs as they stand; those that retention has dropped are missing.
    pub async fn standing(&self, jobs: &[JobId]) -> Result<Vec<Standing>, Error> {
        Ok(standing::standing(self.0.once.db(), jobs).await?)
    }

    /// Makes the files of a channel again from what it published, where it keeps any.
    ///
    /// # Errors
    /// `file_not_written`, or `not_ours` for ever, with the path.
    pub async fn restore(&self, channel: &str) -> Result<(), Failure> {
        let found = self.0.channels.get(channel).and_then(|it| it.adapter.as_ref().ok());
        let (Some(adapter), Some(id)) = (found, self.0.ids.get(channel)) else { return Ok(()) };
        adapter.restore(&self.0.once, id).await
    }

    /// Lets a worker deliver posts and alerts, from the queues that it is told to serve: each channel has one, of its
    /// name.
    #[must_use]
    pub fn register(&self, worker: WorkerBuilder) -> WorkerBuilder {
        let worker = worker.register_fn(Post::KIND, Post::VERSION, self.clone(), deliver::post);
        worker.register_fn(AlertMessage::KIND, AlertMessage::VERSION, self.clone(), deliver::alert)
    }

    /// Whether this process has all that the channel needs.
    pub fn is_ready(&self, channel: &str) -> bool {
        self.0.channels.get(channel).is_some_and(|it| it.adapter.is_ok())
    }

    /// What the server of the channel of that stable id said it takes.
    pub(crate) fn learned(&self, id: &str) -> serde_json::Value {
        self.0.servers.said(id)
    }

    /// The channel whose jobs wait in that queue, of its present or former name, and its stable id.
    pub(crate) fn channel_of(&self, queue: &str) -> Option<(&str, &Configured)> {
        let bears = |it: &&Configured| it.name == queue || it.was.as_deref() == Some(queue);
        let channel = self.0.channels.get(queue).or_else(|| self.0.channels.values().find(bears))?;
        Some((self.0.ids.get(&channel.name)?, channel))
    }

    /// The channel of that stable id.
    pub(crate) fn channel(&self, id: &str) -> Option<&Configured> {
        let name = self.0.ids.iter().find(|(_, known)| *known == id).map(|(name, _)| name)?;
        self.0.channels.get(name)
    }
}

/// What was planned does not hold any more, and nothing of it was done.
fn publish_again(error: Error) -> Error {
    match error {
        Error::NotNow { code, text } => {
            Error::NotNow { code, text: format!("{text}, and nothing was enqueued; publish it again") }
        }
        error => error,
    }
}

fn by_name(channels: Vec<Configured>) -> BTreeMap<String, Configured> {
    channels.into_iter().map(|channel| (channel.name.clone(), channel)).collect()
}

async fn survey(
    db: Option<&Database>,
    channels: &BTreeMap<String, Configured>,
    ids: &BTreeMap<String, String>,
    servers: &Servers,
    mut batch: Batch,
    wishes: &Wishes,
) -> Result<Plan, Error> {
    if let (Some(id), [content]) = (&wishes.as_new, batch.contents.as_mut_slice()) {
        content.id.clone_from(id);
    }
    let names: Vec<&str> = batch.contents.iter().map(|content| content.id.as_str()).collect();
    let known = match db {
        Some(db) => contents::known(db, &names).await?,
        None => BTreeMap::new(),
    };
    let taken = taken(&batch, &known);
    let facts = Facts { channels, ids, servers, known: &known, taken: &taken, now: Time::now() };
    let mut planned = plan(batch, wishes, &facts);
    if let (Some(db), None) = (db, &wishes.as_new) {
        let alike = contents::alike(db, &planned.looks()).await?;
        planned.refuse_moved(&alike, origin::stands_beside);
    }
    Ok(planned)
}

/// The other files that have an id of this batch.
fn taken(batch: &Batch, known: &BTreeMap<String, contents::Known>) -> BTreeMap<String, PathBuf> {
    let other = |content: &Content| {
        Some((content.id.clone(), origin::other(content, known.get(&content.id)?)?.to_owned()))
    };
    batch.contents.iter().filter_map(other).collect()
}

/// The bytes of a content's media, which must be those that the plan was made from.
fn blobs(content: &Content) -> Result<Vec<Blob>, Error> {
    let blob = |media: &crate::content::Media| {
        let root = media.path.parent().unwrap_or(&media.path).to_owned();
        let bytes = media::read(&Place { path: media.path.clone(), root }).map_err(|error| {
            Error::Invalid { code: error.code(), text: format!("{}: {error}", media.given) }
        })?;
        if media::facts(&bytes).is_ok_and(|facts| facts.sha256 == media.facts.sha256) {
            return Ok(Blob { sha256: media.facts.sha256.clone(), mime: media.facts.kind.mime(), bytes });
        }
        let text = format!("{} changed while it was read; run it again", media.path.display());
        Err(Error::Invalid { code: "media_changed", text })
    };
    content.media.iter().map(blob).collect()
}
