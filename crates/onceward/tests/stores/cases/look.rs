//! Looking at jobs shows each one as it is, and changes nothing.

use std::collections::BTreeSet;
use std::time::Duration;

use onceward::{Cause, Context, Failure, Filter, JobId, NewJob, Receipt, State, Time, Worker};

use crate::harness::{Store, Verdict};

async fn add(store: &Store, queue: &str, kind: &str, payload: &str) -> Result<JobId, onceward::Error> {
    Ok(store.once.enqueue(NewJob::untyped(queue, kind, payload)).await?.id())
}

/// Runs all that is due in the queue `mail`; a payload that holds `fail` fails.
async fn run(store: &Store) -> Verdict {
    let handler = |ctx: Context<()>| async move {
        if ctx.job().payload.contains("fail") {
            return Err(Failure::permanent(
                Cause::new("http_422", "100% of it's too long").status(422).platform("E7"),
            ));
        }
        Ok(Receipt::id("m-1").at("https://example.org/m-1").into())
    };
    let worker =
        Worker::builder(&store.once).register_fn("welcome", 1, (), handler).queue("mail", 5).build()?;
    worker.run_until_idle().await?;
    Ok(())
}

async fn found(store: &Store, filter: &Filter) -> Result<Vec<JobId>, onceward::Error> {
    Ok(store.once.jobs(filter, 1000, None).await?.items.into_iter().map(|job| job.id).collect())
}

pub(crate) async fn a_payload_comes_back_byte_for_byte(store: &Store) -> Verdict {
    let payload =
        " {\"b\": 1.0,\n \"a\":\"큐 \\u00e9'%\", \"n\":123456789012345678901234567890.10e5,\"b2\":[ ]}\t";
    let id = add(store, "mail", "welcome", payload).await?;
    let job = store.once.job(id).await?;
    assert_eq!(job.payload, payload);
    let shown = serde_json::to_string(&job)?;
    assert!(!shown.contains('\n'), "one document stays on one line");
    assert!(shown.contains("\"b\": 1.0,") && shown.contains("123456789012345678901234567890.10e5"));
    run(store).await?;
    let job = store.once.job(id).await?;
    assert_eq!((job.payload.as_str(), job.state), (payload, State::Done));
    Ok(())
}

pub(crate) async fn a_job_is_shown_with_its_attempts_and_its_error(store: &Store) -> Verdict {
    let t0: Time = "2026-12-01T09:00:00Z".parse()?;
    store.once.set_clock(t0);
    let id = add(store, "mail", "welcome", r#""fail""#).await?;
    run(store).await?;
    let shown = serde_json::to_value(store.once.details(id).await?)?;
    assert_eq!(shown["id"], id);
    assert_eq!(shown["state"], "dead");
    assert_eq!(shown["attempt_count"], 1);
    assert_eq!(shown["finished_at"], "2026-12-01T09:00:00Z");
    let error = serde_json::json!({"class": "permanent", "code": "http_422", "platform_code": "E7", "status": 422,
        "text": "100% of it's too long"});
    assert_eq!(shown["error"], error);
    assert_eq!(shown["attempts"][0]["number"], 1);
    assert_eq!(shown["attempts"][0]["outcome"], "dead");
    assert_eq!(shown["attempts"][0]["error"], error);
    assert!(shown["attempts"][0]["worker"].is_string());
    assert_eq!(shown["effects"], serde_json::json!([]));
    Ok(())
}

pub(crate) async fn a_finished_job_is_seen_where_it_went(store: &Store) -> Verdict {
    let id = add(store, "mail", "welcome", "{}").await?;
    run(store).await?;
    let job = store.once.job(id).await?;
    assert_eq!(job.url.as_deref(), Some("https://example.org/m-1"));
    assert_eq!(job.result.and_then(|receipt| receipt.id).as_deref(), Some("m-1"));
    assert_eq!(found(store, &Filter::state(State::Done)).await?, [id]);
    assert_eq!(found(store, &Filter::ids([id])).await?, [id]);
    Ok(())
}

pub(crate) async fn a_job_that_is_not_there_is_not_found(store: &Store) -> Verdict {
    let error = store.once.job(77).await.unwrap_err();
    assert_eq!(error.code(), "not_found");
    assert!(store.once.attempts(77).await?.is_empty());
    Ok(())
}

pub(crate) async fn paging_sees_each_job_once(store: &Store) -> Verdict {
    let mut all = BTreeSet::new();
    for n in 0..25 {
        all.insert(add(store, if n % 2 == 0 { "mail" } else { "later" }, "welcome", "{}").await?);
    }
    let (mut seen, mut after, mut pages) = (Vec::new(), None, 0);
    loop {
        let page = store.once.jobs(&Filter::default(), 7, after).await?;
        assert!(page.items.len() <= 7);
        seen.extend(page.items.iter().map(|job| job.id));
        pages += 1;
        if pages == 2 {
            // Half of them finish, and new ones come, while someone turns the pages.
            run(store).await?;
            add(store, "mail", "welcome", "{}").await?;
        }
        after = page.next;
        if after.is_none() {
            break;
        }
    }
    assert_eq!(seen.len(), 25);
    assert!(seen.is_sorted_by(|a, b| a > b), "newest first");
    assert_eq!(seen.into_iter().collect::<BTreeSet<_>>(), all);
    Ok(())
}

pub(crate) async fn the_last_page_says_that_it_is(store: &Store) -> Verdict {
    for _ in 0..4 {
        add(store, "mail", "welcome", "{}").await?;
    }
    let first = store.once.jobs(&Filter::state(State::Pending), 2, None).await?;
    let last = store.once.jobs(&Filter::state(State::Pending), 2, first.next).await?;
    assert!(first.next.is_some() && last.items.len() == 2 && last.next.is_none());
    assert_eq!(store.once.jobs(&Filter::default(), 0, None).await?.items.len(), 1, "a limit is at least one");
    Ok(())
}

pub(crate) async fn a_search_is_plain_text(store: &Store) -> Verdict {
    let percent = add(store, "mail", "welcome", r#"{"t":"100% sure"}"#).await?;
    let quote = add(store, "mail", "welcome", r#"{"t":"it's fine"}"#).await?;
    let plain = add(store, "mail", "welcome", r#"{"t":"100 sure, its fine"}"#).await?;
    let search = |text: &str| Filter { search: Some(text.to_owned()), ..Filter::default() };
    assert_eq!(found(store, &search("100%")).await?, [percent]);
    assert_eq!(found(store, &search("%")).await?, [percent]);
    assert_eq!(found(store, &search("it's")).await?, [quote]);
    assert_eq!(found(store, &search("_")).await?, Vec::<JobId>::new());
    assert_eq!(found(store, &search("' OR true --")).await?, Vec::<JobId>::new());
    assert_eq!(found(store, &search("sure, its")).await?, [plain]);
    let queue = Filter { queue: Some("mai%".to_owned()), ..Filter::default() };
    assert!(found(store, &queue).await?.is_empty());
    let dead = add(store, "mail", "welcome", r#""fail""#).await?;
    run(store).await?;
    let error = Filter { states: vec![State::Dead], ..search("100% of it's") };
    assert_eq!(found(store, &error).await?, [dead]);
    assert_eq!(store.once.jobs(&search("\0"), 10, None).await.unwrap_err().code(), "bad_filter");
    Ok(())
}

pub(crate) async fn a_filter_gives_what_meets_all_of_it(store: &Store) -> Verdict {
    let t0: Time = "2026-12-01T09:00:00Z".parse()?;
    store.once.set_clock(t0);
    let done = add(store, "mail", "welcome", "{}").await?;
    let dead = add(store, "mail", "welcome", r#""fail""#).await?;
    run(store).await?;
    store.once.set_clock(t0.after(Duration::from_hours(1)));
    let other = add(store, "later", "digest", "{}").await?;
    let held = store.once.enqueue(NewJob::untyped("mail", "digest", "{}").hold("approval")).await?.id();
    let any = Filter::default();
    let cases = [
        (any.clone(), vec![held, other, dead, done]),
        (Filter { queue: Some("mail".into()), ..any.clone() }, vec![held, dead, done]),
        (Filter { kind: Some("digest".into()), queue: Some("mail".into()), ..any.clone() }, vec![held]),
        (Filter { error: Some("http_422".into()), ..any.clone() }, vec![dead]),
        (Filter { since: Some(t0.after(Duration::from_secs(1))), ..any.clone() }, vec![held, other]),
        (Filter { states: vec![State::Dead, State::Done], ..any.clone() }, vec![dead, done]),
        (Filter { states: vec![State::Dead, State::Pending], ..any.clone() }, vec![held, other, dead]),
        (Filter { states: vec![State::Running, State::InDoubt, State::Cancelled], ..any.clone() }, vec![]),
        (Filter { held: Some(true), ..any.clone() }, vec![held]),
        (Filter { held: Some(false), ..Filter::state(State::Pending) }, vec![other]),
        (Filter { held_reason: Some("approval".into()), ..any.clone() }, vec![held]),
        (Filter { held_reason: Some("missed".into()), ..any.clone() }, vec![]),
        (Filter { states: vec![State::Dead], ..Filter::ids([done, dead, 999]) }, vec![dead]),
        (Filter::ids([]), vec![]),
    ];
    for (filter, expected) in cases {
        assert_eq!(found(store, &filter).await?, expected, "{filter:?}");
    }
    Ok(())
}

pub(crate) async fn what_is_discarded_is_found_by_that(store: &Store) -> Verdict {
    let mut dead = Vec::new();
    for _ in 0..3 {
        dead.push(add(store, "mail", "welcome", r#""fail""#).await?);
    }
    let waits = add(store, "other", "welcome", "{}").await?;
    run(store).await?;
    store.once.discard(dead[1]).await?;
    let with = |discarded, states: &[State]| Filter {
        discarded: Some(discarded),
        states: states.to_vec(),
        ..Filter::default()
    };
    for states in [&[][..], &[State::Dead], &[State::Dead, State::Done]] {
        assert_eq!(found(store, &with(true, states)).await?, [dead[1]], "{states:?}");
    }
    assert!(found(store, &with(true, &[State::Pending])).await?.is_empty());
    assert_eq!(found(store, &with(false, &[State::Dead])).await?, [dead[2], dead[0]]);
    assert_eq!(found(store, &with(false, &[])).await?, [waits, dead[2], dead[0]]);
    let named = Filter { ids: Some(dead.clone()), ..with(true, &[]) };
    assert_eq!(found(store, &named).await?, [dead[1]]);
    assert_eq!(store.once.undiscard(with(true, &[])).await?, [(dead[1], Ok(()))]);
    Ok(())
}

pub(crate) async fn an_effect_shows_the_request_as_it_was_frozen(store: &Store) -> Verdict {
    let handler = |ctx: Context<()>| async move {
        let request = serde_json::json!({ "text": "큐\nb", "attempt": ctx.job().attempt });
        Ok(ctx.effect("post", request).send(async |_| Ok(Receipt::id("m-1"))).await?.into())
    };
    let id = add(store, "mail", "post", "{}").await?;
    let worker = Worker::builder(&store.once).register_fn("post", 1, (), handler).queue("mail", 1).build()?;
    worker.run_until_idle().await?;
    let details = store.once.details(id).await?;
    let sent: serde_json::Value = serde_json::from_str(&details.effects[0].request)?;
    assert_eq!(sent, serde_json::json!({ "text": "큐\nb", "attempt": 1 }));
    assert_eq!(serde_json::to_value(&details)?["effects"][0]["request"], sent, "as JSON, not as a text");
    Ok(())
}
