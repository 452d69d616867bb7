//! The parts of a post, each through the effect ledger: frozen together, sent one by one.

use onceward::{Cause, Context, Done, Effect, EffectView, Failure, Outcome, Receipt, Time};
use serde_json::Value as Json;

use crate::channel::{Channel, Sending};
use crate::configured::Configured;
use crate::dress::Dress;
use crate::post::Post;
use crate::publisher::Publisher;

/// One attempt to deliver one post.
pub(super) struct Delivery<'a> {
    pub(super) ctx: &'a Context<Publisher>,
    pub(super) post: &'a Post,
    pub(super) channel: &'a Configured,
    pub(super) adapter: &'a dyn Channel,
    pub(super) dress: &'a Dress,
}

/// A part as it is frozen.
pub(super) struct Step {
    name: String,
    request: Json,
    /// The platform has it: nothing is left to do.
    accepted: bool,
    /// Its unseen work was done in this attempt.
    ready: bool,
}

impl Delivery<'_> {
    /// What an earlier attempt froze, else the post rendered now, made ready and frozen as a whole.
    ///
    /// As long as nothing but refusals came back, a person may have edited the post: then it is rendered anew.
    pub(super) async fn steps(&self) -> Result<Vec<Step>, Failure> {
        let mut frozen = self.ctx.steps().await?;
        let refused = frozen.iter().any(|step| step.state == "refused");
        let out = frozen.iter().any(|step| !matches!(step.state, "refused" | "prepared"));
        if frozen.is_empty() || (refused && !out) {
            return self.freeze().await;
        }
        frozen.sort_by_key(|step| number(&step.step));
        frozen.iter().map(Step::of).collect()
    }

    async fn freeze(&self) -> Result<Vec<Step>, Failure> {
        let Self { ctx, post, channel, adapter, dress } = self;
        // The moment is frozen with the first send: later renderings are not used.
        let server = ctx.app().learned(&post.channel);
        let dressed = dress.put_on(post, &channel.name, ctx.job().claimed_at, &server)?;
        let parts = adapter.render(&dressed)?;
        let alone = parts.len() == 1;
        let mut steps = Vec::with_capacity(parts.len());
        for (at, part) in parts.into_iter().enumerate() {
            let name = if alone { "post".to_owned() } else { format!("part:{at}") };
            let request = adapter.prepare(&self.to(at, &[]), part.request).await?;
            steps.push(Step { name, request, accepted: false, ready: true });
        }
        for at in 0..steps.len() {
            self.effect(&steps, at).freeze().await?;
        }
        Ok(steps)
    }

    /// A thread: each part answers the one before.
    pub(super) async fn chain(&self, steps: Vec<Step>) -> Outcome {
        let mut before: Vec<Receipt> = Vec::with_capacity(steps.len());
        let mut sent = 0;
        for at in 0..steps.len() {
            if before.last().is_some_and(|parent| parent.id.is_none()) {
                return Err(parent_unknown());
            }
            if let Some(wait) = self.further(&steps[at], &mut sent).await? {
                return Ok(Done::Snooze(wait));
            }
            let mut receipt = self.send(&steps, at, &before).await?;
            let by_address = || receipt.url.as_deref().and_then(|url| self.adapter.id_at(url));
            receipt.id = receipt.id.clone().or_else(by_address);
            before.push(receipt);
        }
        self.done(before).await
    }

    /// Parts that stand alone: what one fails with does not keep back the others, unless it holds for all.
    pub(super) async fn apart(&self, steps: Vec<Step>) -> Outcome {
        let (mut receipts, mut failed) = (Vec::with_capacity(steps.len()), None);
        let mut sent = 0;
        for at in 0..steps.len() {
            if let Some(wait) = self.further(&steps[at], &mut sent).await? {
                return failed.map_or(Ok(Done::Snooze(wait)), Err);
            }
            match self.send(&steps, at, &[]).await {
                Ok(receipt) => receipts.push(receipt),
                Err(failure) if of_all(&failure) => return Err(failure),
                Err(failure) => failed = Some(worse(failed, failure)),
            }
        }
        match failed {
            Some(failure) => Err(failure),
            None => self.done(receipts).await,
        }
    }

    /// When a part may go, if not now: a claim has room for one, and each further one takes its share of the rate.
    async fn further(&self, step: &Step, sent: &mut u32) -> Result<Option<Time>, Failure> {
        if step.accepted {
            return Ok(None);
        }
        *sent += 1;
        if *sent == 1 { Ok(None) } else { Ok(self.ctx.further().await?) }
    }

    async fn send(&self, steps: &[Step], at: usize, before: &[Receipt]) -> Result<Receipt, Failure> {
        let (step, to) = (&steps[at], self.to(at, before));
        if !step.accepted && !step.ready {
            self.adapter.prepare(&to, step.request.clone()).await?;
        }
        self.effect(steps, at)
            .verify(async |intent| self.adapter.verify(&to, &intent).await)
            .send(async |intent| self.adapter.commit(&to, &intent).await)
            .await
    }

    fn effect<'s>(&'s self, steps: &'s [Step], at: usize) -> Effect<'s, Json> {
        let step = &steps[at];
        let class = self.adapter.class(&step.request);
        let effect = self.ctx.effect(&step.name, step.request.clone());
        let mut effect = effect.class(class).timeout(self.channel.timeout);
        if self.channel.resend {
            effect = effect.resend();
        }
        if at + 1 == steps.len() { effect.closes() } else { effect }
    }

    /// The first part's receipt stands for the post: readers begin there.
    async fn done(&self, receipts: Vec<Receipt>) -> Outcome {
        let Some(mut receipt) = receipts.into_iter().next() else { return Ok(Done::Nothing) };
        if receipt.url.is_none() {
            receipt.url = self.adapter.finish(&self.to(0, &[]), &receipt).await;
        }
        Ok(Done::Receipt(receipt))
    }

    fn to<'s>(&'s self, part: usize, before: &'s [Receipt]) -> Sending<'s> {
        Sending {
            once: self.ctx.once(),
            channel: &self.post.channel,
            content: &self.post.content,
            at: self.ctx.job().claimed_at,
            part,
            before,
        }
    }
}

impl Step {
    fn of(view: &EffectView) -> Result<Self, Failure> {
        let request = serde_json::from_str(&view.request)
            .map_err(|error| Failure::permanent(Cause::new("request_unreadable", error.to_string())))?;
        let accepted = view.state == "accepted";
        Ok(Self { name: view.step.clone(), request, accepted, ready: false })
    }
}

/// `part:10` comes after `part:9`.
fn number(step: &str) -> u64 {
    step.rsplit(':').next().and_then(|number| number.parse().ok()).unwrap_or_default()
}

fn parent_unknown() -> Failure {
    let text = "the part before was accepted without an id, so this one would stand alone; where the address of the \
                part before was told (doubt resolve --happened --url), it goes on; else publish the rest as a post of its own";
    Failure::permanent(Cause::new("parent_unknown", text))
}

/// The account or the platform as a whole: the other parts would fail the same way.
fn of_all(failure: &Failure) -> bool {
    matches!(failure, Failure::RateLimited { .. } | Failure::AuthNeeded { .. }) || failure.cause().outage
}

/// What the job comes to: a part that can be tried again keeps it alive.
fn worse(before: Option<Failure>, now: Failure) -> Failure {
    let rank = |failure: &Failure| match failure {
        Failure::InDoubt { .. } => 2,
        Failure::Permanent { .. } => 0,
        _ => 1,
    };
    match before {
        Some(before) if rank(&before) >= rank(&now) => before,
        _ => now,
    }
}
