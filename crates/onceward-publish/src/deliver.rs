//! The handler of a post's job: renders, and hands every part to the effect ledger.

use onceward::{Cause, Context, Done, Failure, Outcome, Purpose, Receipt};

use crate::channel::Sending;
use crate::post::Post;
use crate::publisher::Publisher;

pub(crate) async fn deliver(ctx: Context<Publisher>) -> Outcome {
    let job = ctx.job();
    let post: Post = serde_json::from_str(&job.payload)
        .map_err(|error| Failure::permanent(Cause::new("payload_unreadable", error.to_string())))?;
    let Some(channel) = ctx.app().channel(&post.channel) else {
        return Err(Failure::transient(Cause::new(
            "channel_missing",
            "this channel is not configured any more",
        )));
    };
    let adapter = channel
        .adapter
        .as_ref()
        .map_err(|lacking| Failure::AuthNeeded { cause: Cause::new("secret_missing", lacking) })?;
    // A look is not a sending, and may not wait.
    let quiet = channel.quiet.as_ref().filter(|_| job.purpose == Purpose::Run);
    if let Some(end) = quiet.and_then(|quiet| quiet.until(job.claimed_at)) {
        return Ok(Done::Snooze(end));
    }
    let first = job.attempt == 1 && job.purpose == Purpose::Run;
    if post.expire_at.is_some_and(|at| first && at <= job.claimed_at) {
        // Asked to stop while it runs, with nothing sent, it is cancelled as soon as it is handed back.
        ctx.once().cancel(job.lease.job).await?;
        return Ok(Done::Interrupted);
    }
    // The moment is frozen with the first send: later renderings are not used.
    let parts = channel.dress.put_on(&post, &channel.name, job.claimed_at).and_then(|it| adapter.render(&it));
    let parts = parts.map_err(|reason| Failure::permanent(Cause::new(reason.code, reason.text)))?;
    let last = parts.len().saturating_sub(1);
    let mut receipt: Option<Receipt> = None;
    for (at, part) in parts.into_iter().enumerate() {
        let to = Sending {
            once: ctx.once(),
            channel: &post.channel,
            content: &post.content,
            previous: receipt.as_ref(),
        };
        let step = if last == 0 { "post".to_owned() } else { format!("part:{at}") };
        let mut effect = ctx.effect(&step, part.request).class(adapter.class()).timeout(channel.timeout);
        if channel.resend {
            effect = effect.resend();
        }
        if at == last {
            effect = effect.closes();
        }
        let sent = effect
            .verify(async |intent| adapter.verify(&to, &intent).await)
            .send(async |intent| adapter.commit(&to, &intent).await)
            .await?;
        receipt = Some(sent);
    }
    Ok(receipt.map_or(Done::Nothing, Done::Receipt))
}
