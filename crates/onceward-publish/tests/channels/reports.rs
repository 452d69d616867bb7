//! What went wrong for others who publish, and what none of the other tests is about: `docs/platform-bugs.md`.

use onceward::{JobId, ReviveOptions, State};
use onceward_http::Client;
use onceward_sandbox::{Accepted, Fault, Kind, Options, Sandbox};

use crate::matrix::{ALL, Which};
use crate::stage::{NAME, Stage, Verdict, store};

async fn place(which: Which) -> Verdict<(Sandbox, Stage)> {
    let mut options = Options::default();
    options.faults.limits = false;
    let (sandbox, store) = (Sandbox::start(options).await?, store().await?);
    let adapter = which.adapter(&sandbox, &store, Client::builder().build()?).await?;
    let stage = Stage::over(store, &[(NAME, adapter)]).await?;
    Ok((sandbox, stage))
}

fn seen(sandbox: &Sandbox, which: Which) -> Vec<Accepted> {
    sandbox.ledger().visible(which.platform()).cloned().collect()
}

/// T2: a permalink, a first comment, a statistic that fails was taken for a post that failed, and it was posted again.
#[tokio::test]
async fn t2_what_comes_after_a_post_never_makes_it_again() -> Verdict {
    for kind in [Kind::Refuse(503), Kind::RevokedToken, Kind::Hang, Kind::Reset, Kind::RateLimit(60.0, None)]
    {
        let (sandbox, stage) = place(Which::SlackBot).await?;
        sandbox.fault(Fault::new(kind).on("slack").act("link"));
        let job = stage.enqueue("---\ntitle: A\n---\nText.").await?;
        let standing = stage.once(job).await?;
        assert_eq!((standing.state, &standing.url), (State::Done, &None), "{kind:?}: {standing:?}");
        assert_eq!(seen(&sandbox, Which::SlackBot).len(), 1, "{kind:?}");
    }
    Ok(())
}

/// T11: whoever pressed retry ten times had ten posts.
#[tokio::test]
async fn t11_pressing_retry_ten_times_sends_one_post() -> Verdict {
    for which in ALL {
        let (sandbox, stage) = place(which).await?;
        let status = if which == Which::Email { 554 } else { 422 };
        sandbox.fault(Fault::new(Kind::Refuse(status)).on(which.platform()).act(which.visible()).times(1));
        let job = stage.enqueue("---\ntitle: A\n---\nText.").await?;
        assert_eq!(stage.settle(job).await?.state, State::Dead, "{which:?}");
        let options = ReviveOptions::default();
        let presses = (0..10).map(|_| stage.store.revive(job, &options));
        let revived: Vec<JobId> = futures_util::future::try_join_all(presses)
            .await?
            .into_iter()
            .flat_map(|revived| revived.revived)
            .collect();
        assert_eq!(revived, [job], "{which:?}: one of them did it");
        assert_eq!(stage.settle(job).await?.state, State::Done, "{which:?}");
        assert_eq!(seen(&sandbox, which).len(), 1, "{which:?}");
    }
    Ok(())
}

/// T17: a second, different message had the first one's key, and vanished.
#[tokio::test]
async fn t17_each_part_has_a_key_of_its_own() -> Verdict {
    let (sandbox, stage) = place(Which::Mastodon).await?;
    let job = stage.enqueue("---\ntitle: A\nthread: [one, two, three]\n---\n").await?;
    assert_eq!(stage.settle(job).await?.state, State::Done);
    let mut parts: Vec<_> = seen(&sandbox, Which::Mastodon).into_iter().map(|it| (it.key, it.text)).collect();
    assert_eq!(parts.iter().map(|(_, text)| text.as_str()).collect::<Vec<_>>(), ["one", "two", "three"]);
    parts.dedup_by(|(one, _), (other, _)| one == other);
    assert_eq!(parts.len(), 3, "{parts:?}");
    Ok(())
}

const TEXT: &str = "안녕하세요 🙂 👨‍👩‍👧‍👦 café שלום 例え ﬁ ½";

/// T42: texts of other scripts were garbled on their way, now and then.
#[tokio::test]
async fn t42_a_text_of_any_script_arrives_as_it_was_written() -> Verdict {
    for which in ALL {
        let (sandbox, stage) = place(which).await?;
        let job = stage.enqueue(&format!("---\ntitle: \"{TEXT}\"\n---\n{TEXT}\n")).await?;
        assert_eq!(stage.settle(job).await?.state, State::Done, "{which:?}");
        let [seen] = &seen(&sandbox, which)[..] else { panic!("{which:?}: {:?}", sandbox.ledger()) };
        // An article's and a mail's is the title.
        assert_eq!(seen.text, TEXT, "{which:?}");
        if which == Which::Devto {
            let body = seen.data["body_markdown"].as_str().unwrap_or_default();
            assert!(body.starts_with(TEXT), "{body}");
        }
    }
    Ok(())
}
