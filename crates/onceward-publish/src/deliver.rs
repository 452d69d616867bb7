//! The handlers of posts and alerts: may it go now, what are its parts, and each part through the effect ledger.

mod parts;

use onceward::{AlertMessage, Cause, Context, Done, Failure, Outcome, Purpose};

use serde::de::DeserializeOwned;

use crate::alert;
use crate::channel::{Bond, Channel, Reason};
use crate::configured::{Configured, Lacking};
use crate::dress::Dress;
use crate::post::Post;
use crate::publisher::Publisher;

/// A post goes out in its channel's dress.
pub(crate) async fn post(ctx: Context<Publisher>) -> Outcome {
    let post: Post = payload(&ctx)?;
    let channel = ctx.app().channel(&post.channel).ok_or_else(missing)?;
    deliver(&ctx, &post, channel, &channel.dress).await
}

/// An alert goes out as it is, to the channel whose queue it was put into.
pub(crate) async fn alert(ctx: Context<Publisher>) -> Outcome {
    let message: AlertMessage = payload(&ctx)?;
    let (id, channel) = ctx.app().channel_of(&ctx.job().queue).ok_or_else(missing)?;
    deliver(&ctx, &alert::post(&message, id), channel, &Dress::default()).await
}

async fn deliver(ctx: &Context<Publisher>, post: &Post, channel: &Configured, dress: &Dress) -> Outcome {
    let adapter = channel.adapter.as_deref().map_err(lacking)?;
    if let Some(done) = not_now(ctx, post, channel).await? {
        return Ok(done);
    }
    is_back(ctx, channel, adapter).await?;
    let delivery = parts::Delivery { ctx, post, channel, adapter, dress };
    let steps = delivery.steps().await?;
    match adapter.bond() {
        Bond::Chain => delivery.chain(steps).await,
        Bond::Apart => delivery.apart(steps).await,
    }
}

fn payload<T: DeserializeOwned>(ctx: &Context<Publisher>) -> Result<T, Failure> {
    serde_json::from_str(&ctx.job().payload)
        .map_err(|error| Failure::permanent(Cause::new("payload_unreadable", error.to_string())))
}

/// Quiet hours and stale posts.
async fn not_now(
    ctx: &Context<Publisher>,
    post: &Post,
    channel: &Configured,
) -> Result<Option<Done>, Failure> {
    let job = ctx.job();
    // A look is not a sending, and may not wait.
    if job.purpose != Purpose::Run {
        return Ok(None);
    }
    if let Some(end) = channel.quiet.as_ref().and_then(|quiet| quiet.until(job.claimed_at)) {
        return Ok(Some(Done::Snooze(end)));
    }
    if post.expire_at.is_some_and(|at| job.attempt == 1 && at <= job.claimed_at) {
        // Asked to stop while it runs, with nothing sent, it is cancelled as soon as it is handed back.
        ctx.once().cancel(job.lease.job).await?;
        return Ok(Some(Done::Interrupted));
    }
    Ok(None)
}

/// A probe asks first whether the platform is back, in a way that nobody sees: what it sends into an outage would be
/// in doubt, and on a blind channel a person's. Any answer will do, since the sending meets the rest by itself.
async fn is_back(
    ctx: &Context<Publisher>,
    channel: &Configured,
    adapter: &dyn Channel,
) -> Result<(), Failure> {
    if !ctx.job().probe {
        return Ok(());
    }
    match tokio::time::timeout(channel.timeout, adapter.check()).await {
        Ok(Err(failure)) if failure.cause().outage || matches!(failure, Failure::RateLimited { .. }) => {
            Err(failure)
        }
        Ok(_) => Ok(()),
        Err(_) => Err(Failure::transient(Cause::new("timeout", "no answer within the deadline").outage())),
    }
}

fn missing() -> Failure {
    Failure::transient(Cause::new("channel_missing", "this channel is not configured any more"))
}

fn lacking(lacking: &Lacking) -> Failure {
    Failure::AuthNeeded { cause: Cause::new(lacking.code, &lacking.text) }
}

impl From<Reason> for Failure {
    fn from(reason: Reason) -> Self {
        Self::permanent(Cause::new(reason.code, reason.text))
    }
}
