//! Contents × channels → what a run will do. Pure: what is known goes in, and the plan comes out.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use onceward::{JobId, State, Time};
use serde_json::Value as Json;

use crate::channel::{Part, Reason};
use crate::configured::Configured;
use crate::content::{Batch, Content, Skipped};
use crate::date::{Wall, Wish};
use crate::learned::Servers;
use crate::post::Post;
use crate::refusal::Refusal;
use crate::store::contents::{Known, KnownJob, Look, Twin};

/// The longest payload that the queue takes, in bytes.
const LONGEST: usize = 256 * 1024;

/// What a person asks of one run, beside what the files say.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Wishes {
    /// These channels in place of those that the files name.
    pub to: Option<Vec<String>>,
    /// This time in place of the files'.
    pub at: Option<Wish>,
    /// Every job waits for a release.
    pub hold: bool,
    /// The only file is published once more, on purpose, under this id.
    pub as_new: Option<String>,
}

/// What a run will do, and what it will not.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Plan {
    /// What will be enqueued, in the order of the files.
    pub contents: Vec<Planned>,
    /// Files that say themselves that they are not to go out.
    pub drafts: Vec<Skipped>,
    /// Everything that is wrong, of all files and channels together.
    pub refused: Vec<Refusal>,
}

/// A content and its jobs.
#[derive(Debug, Clone, PartialEq)]
pub struct Planned {
    /// The content.
    pub content: Content,
    /// The time in force: the run's, a person's earlier one, or the file's.
    pub publish_at: Option<Time>,
    /// The wall clock that it is read from, if it is.
    pub wall: Option<Wall>,
    /// One for each of its channels.
    pub jobs: Vec<PlannedJob>,
    /// Jobs of channels that were taken out of the file before they left.
    pub withdrawn: Vec<Withdrawn>,
    /// Channels that were added after the first publish: they get it only when they are named.
    pub added: Vec<String>,
}

/// A job that does not leave any more.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Withdrawn {
    /// Its id.
    pub job: JobId,
    /// The name of its channel.
    pub channel: String,
    /// It may have been sent in commits that the store lost.
    pub restored: bool,
}

/// What will happen on one channel.
#[derive(Debug, Clone, PartialEq)]
pub struct PlannedJob {
    /// The channel's name.
    pub channel: String,
    /// What it gets.
    pub post: Post,
    /// What the run does about it.
    pub act: Act,
    /// Waits for a release, for this reason.
    pub hold: Option<String>,
    /// What would be sent; empty for a job that is left as it is.
    pub parts: Vec<Part>,
    /// The longest text that the channel takes, counted as it counts.
    pub longest: Option<usize>,
}

/// What a run does about one content on one channel. The queue has the last word, when it is enqueued.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Act {
    /// There is no job yet.
    New,
    /// Nothing of its job has left: it gets what the file says now.
    Update,
    /// Its job is under way or over, and stays as it is.
    Leave,
}

/// What a plan is made from.
#[derive(Debug)]
pub(crate) struct Facts<'a> {
    pub channels: &'a BTreeMap<String, Configured>,
    /// Stable ids by name; a channel that was never used has none.
    pub ids: &'a BTreeMap<String, String>,
    pub servers: &'a Servers,
    pub known: &'a BTreeMap<String, Known>,
    /// Other files that have the id of one in the batch, by that id.
    pub taken: &'a BTreeMap<String, PathBuf>,
    pub now: Time,
}

/// Plans a batch. Whatever is wrong with a content keeps all of it out.
pub(crate) fn plan(batch: Batch, wishes: &Wishes, facts: &Facts<'_>) -> Plan {
    let mut plan = Plan { contents: Vec::new(), drafts: batch.skipped, refused: batch.refused };
    for content in batch.contents {
        let known = facts.known.get(&content.id);
        if let (Some(id), true) = (&wishes.as_new, known.is_some()) {
            plan.refused.push(Refusal::new(
                &content.file,
                "id_taken",
                format!("{id:?} was published before; choose another id"),
            ));
            continue;
        }
        if let Some(other) = facts.taken.get(&content.id) {
            plan.refused.push(of_another(&content, other));
            continue;
        }
        if known.is_none() && content.expire_at.as_ref().is_some_and(|wish| wish.at <= facts.now) {
            plan.drafts.push(Skipped { file: content.file, reason: "expire_at has passed".to_owned() });
            continue;
        }
        if known.is_none() && wishes.to.is_none() && content.channels.is_empty() {
            plan.refused.push(without_channel(&content, facts));
            continue;
        }
        match one(content, known, wishes, facts) {
            Ok(planned) => plan.contents.push(planned),
            Err(refused) => plan.refused.extend(refused),
        }
    }
    plan
}

/// Taken for an edit of the other file, its text would replace what waits, or be skipped as sent.
fn of_another(content: &Content, other: &Path) -> Refusal {
    let text = format!(
        "{:?} is the id of {}; give this file another id, or delete that file if this one takes its place",
        content.id,
        other.display()
    );
    Refusal::new(&content.file, "id_of_another_file", text).at(content.line_of("id")).of("id")
}

/// Nothing would be sent, and that would look as if all were done.
fn without_channel(content: &Content, facts: &Facts<'_>) -> Refusal {
    let text = if facts.channels.is_empty() {
        "the post has no channel, since none is configured: write a section [channels.NAME] into onceward.toml"
    } else {
        "the post has no channel: name one by `channels` in its front matter, by `channels` in [publish], or by --to"
    };
    Refusal::new(&content.file, "no_channel", text).of("channels")
}

fn one(
    content: Content,
    known: Option<&Known>,
    wishes: &Wishes,
    facts: &Facts<'_>,
) -> Result<Planned, Vec<Refusal>> {
    let wish = in_force(&content, known, wishes.at.as_ref());
    let (publish_at, wall) = wish.clone().map_or((None, None), |wish| (Some(wish.at), wish.wall));
    let mut planned =
        Planned { content, publish_at, wall, jobs: Vec::new(), withdrawn: Vec::new(), added: Vec::new() };
    let moves = known.is_some_and(|known| moves(&planned.content, known, facts));
    let mut refused = Vec::new();
    for name in wishes.to.as_ref().unwrap_or(&planned.content.channels) {
        let Some(channel) = facts.channels.get(name) else { continue };
        let id = facts.ids.get(name).map(String::as_str).unwrap_or_default();
        let job = known.and_then(|known| known.jobs.get(id));
        if known.is_some() && !moves && job.is_none() && wishes.to.is_none() {
            planned.added.push(name.clone());
            continue;
        }
        let noted = time_to_note(&planned.content, known, job, wish.as_ref());
        let post = Post::of(&planned.content, name, id, noted);
        let act = act(job);
        let asks = wishes.hold || planned.content.approve && !is_approved(known, job, name, &post);
        let hold = hold(asks, known, job);
        let server = facts.servers.said(id);
        match preflight(channel, &post, act, publish_at.unwrap_or(facts.now).max(facts.now), &server) {
            Ok(parts) => {
                let longest = channel.adapter.as_ref().ok().and_then(|it| it.limits(&server).text);
                planned.jobs.push(PlannedJob { channel: name.clone(), post, act, hold, parts, longest });
            }
            Err(reason) => refused.push(refusal(&planned.content, name, &reason)),
        }
    }
    if let (Some(known), None) = (known, &wishes.to) {
        planned.withdrawn = withdrawn(&planned.content, known, moves, facts);
    }
    if refused.is_empty() { Ok(planned) } else { Err(refused) }
}

/// A time that a person set stays until the file's own time changes: a run without `--at` must not send early.
fn in_force(content: &Content, known: Option<&Known>, at: Option<&Wish>) -> Option<Wish> {
    match known {
        _ if at.is_some() => at.cloned(),
        Some(known) if is_same(known.source.publish_at.as_ref(), content.publish_at.as_ref()) => {
            known.publish_at.clone()
        }
        _ => content.publish_at.clone(),
    }
}

/// A wall clock's time is the same wish, whatever the zone's rules make of it today.
fn is_same(before: Option<&Wish>, now: Option<&Wish>) -> bool {
    match (before, now) {
        (Some(Wish { wall: Some(before), .. }), Some(Wish { wall: Some(now), .. })) => before == now,
        (before, now) => before.map(|wish| wish.at) == now.map(|wish| wish.at),
    }
}

fn act(job: Option<&KnownJob>) -> Act {
    match job {
        None => Act::New,
        Some(job) if has_not_left(job) && !job.restored => Act::Update,
        Some(_) => Act::Leave,
    }
}

/// It waits or is dead, and nothing of it is known to be on its way.
fn has_not_left(job: &KnownJob) -> bool {
    matches!(job.state, Some(State::Pending | State::Dead)) && !job.sent
}

/// Whether a content that has not left anywhere goes to other channels altogether: they take the place of those before.
/// A channel that is added beside these gets it only when it is named.
fn moves(content: &Content, known: &Known, facts: &Facts<'_>) -> bool {
    let waits = |job: &KnownJob| has_not_left(job) && !job.restored;
    let is_over = |job: &KnownJob| job.state == Some(State::Cancelled) && !job.sent && !job.restored;
    let stays = |name: &String| facts.ids.get(name).and_then(|id| known.jobs.get(id)).is_some_and(waits);
    known.jobs.values().any(waits)
        && known.jobs.values().all(|job| waits(job) || is_over(job))
        && !content.channels.iter().any(stays)
}

/// The time that the post itself notes: as its job has it, while the file's time and the one in force stay as they are.
/// Where a person moved that, or the rules of a zone did, the post is none that was edited.
fn time_to_note(
    content: &Content,
    known: Option<&Known>,
    job: Option<&KnownJob>,
    wish: Option<&Wish>,
) -> Option<Time> {
    let stays = |known: &Known| {
        is_same(known.source.publish_at.as_ref(), content.publish_at.as_ref())
            && is_same(known.publish_at.as_ref(), wish)
    };
    match job {
        Some(job) if job.state.is_some() && known.is_some_and(stays) => job.noted,
        _ => wish.map(|wish| wish.at),
    }
}

/// Why it waits for a release. What is held stays so through every edit: a person lets it go, or its channel's return does
/// (`absent`). Only an approval that the file asked for, and no longer asks for, leaves with its line.
fn hold(asks: bool, known: Option<&Known>, job: Option<&KnownJob>) -> Option<String> {
    let held = job.and_then(|job| job.held.as_deref());
    let by_file = held == Some(APPROVAL) && known.is_some_and(|known| known.source.approve);
    held.filter(|_| !by_file).or(asks.then_some(APPROVAL)).map(str::to_owned)
}

/// Released already, and readers get the same: another time needs no new approval.
fn is_approved(known: Option<&Known>, job: Option<&KnownJob>, channel: &str, post: &Post) -> bool {
    let (Some(known), Some(job)) = (known, job) else { return false };
    let before = Post::of(&known.source, channel, &post.channel, None);
    job.held.is_none() && known.source.approve && before.likeness() == post.likeness()
}

/// Why a job waits that a person is to release.
pub const APPROVAL: &str = "approval";

/// Everything that can be known before anything is enqueued.
fn preflight(
    channel: &Configured,
    post: &Post,
    act: Act,
    at: Time,
    server: &Json,
) -> Result<Vec<Part>, Reason> {
    if act == Act::Leave {
        return Ok(Vec::new());
    }
    let adapter = channel
        .adapter
        .as_ref()
        .map_err(|lacking| Reason { key: Some("channels"), ..Reason::new(lacking.code, &lacking.text) })?;
    let length = serde_json::to_string(post).map_or(0, |json| json.len());
    if length > LONGEST {
        let text =
            format!("the content has {length} bytes with everything; at most {LONGEST} fit into a job");
        return Err(Reason::new("content_too_large", text));
    }
    let dressed = channel.dress.put_on(post, &channel.name, at, server)?;
    if let Some(limits) = adapter.limits(server).media {
        limits.fit(&post.media)?;
    }
    adapter.render(&dressed)
}

fn refusal(content: &Content, channel: &str, reason: &Reason) -> Refusal {
    let variant = format!("variants.{channel}");
    let key = match reason.key {
        Some(key) => key,
        None if content.variants.get(channel).is_some_and(|it| it.text.is_some()) => variant.as_str(),
        None => "body",
    };
    Refusal::new(&content.file, reason.code, reason.text.clone()).at(content.line_of(key)).of(key).by(channel)
}

/// Jobs of channels that the file no longer names, while nothing of them has left. A channel that left the
/// configuration is no wish of the file's, unless others take its place: back again, it would get the post as well.
fn withdrawn(content: &Content, known: &Known, moves: bool, facts: &Facts<'_>) -> Vec<Withdrawn> {
    let name_of = |id: &String| facts.ids.iter().find(|(_, known)| *known == id).map(|(name, _)| name);
    let waiting = known.jobs.iter().filter(|(_, job)| has_not_left(job));
    let waiting = waiting.filter_map(|(id, job)| Some((job, name_of(id)?)));
    let gone = waiting.filter(|(_, name)| {
        !content.channels.contains(*name) && (moves || facts.channels.contains_key(*name))
    });
    gone.map(|(job, name)| Withdrawn { job: job.id, channel: name.clone(), restored: job.restored }).collect()
}

impl Plan {
    /// The looks of all that is new, to find out whether it went out under another id.
    pub(crate) fn looks(&self) -> Vec<Look> {
        let jobs = self.contents.iter().flat_map(|it| &it.jobs);
        jobs.filter(|job| job.act == Act::New).map(PlannedJob::look).collect()
    }

    /// Keeps out what went out before under another id, unless both stand side by side: the file was moved, and would
    /// be published twice.
    pub(crate) fn refuse_moved(
        &mut self,
        alike: &BTreeMap<Look, Vec<Twin>>,
        beside: impl Fn(&Content, &Twin) -> bool,
    ) {
        let refused = &mut self.refused;
        self.contents.retain(|planned| {
            let content = &planned.content;
            let twin = planned.jobs.iter().filter(|job| job.act == Act::New).find_map(|job| {
                let is_moved = |twin: &&Twin| twin.id != content.id && !beside(content, twin);
                let twin = alike.get(&job.look())?.iter().find(is_moved)?;
                Some((job, twin))
            });
            let Some((job, Twin { id, file, .. })) = twin else { return true };
            let text = format!(
                "looks like {id:?} ({file}), moved: it went to {} before; write `id: {id}` into this file, or publish \
                 it on purpose with --as-new",
                job.channel
            );
            refused.push(Refusal::new(&content.file, "moved", text).at(content.line_of("id")).of("id").by(&job.channel));
            false
        });
    }

    /// The channels that would get more than `burst` new jobs, with the number.
    pub fn bursts(&self, burst: usize) -> Vec<(String, usize)> {
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        for job in self.contents.iter().flat_map(|it| &it.jobs).filter(|job| job.act == Act::New) {
            *counts.entry(&job.channel).or_default() += 1;
        }
        let many = counts.into_iter().filter(|(_, count)| *count > burst);
        many.map(|(channel, count)| (channel.to_owned(), count)).collect()
    }
}

impl PlannedJob {
    fn look(&self) -> Look {
        Look { channel: self.post.channel.clone(), likeness: self.post.likeness() }
    }
}

#[cfg(test)]
mod tests;
