//! Telegram: at most once, and whatever is unclear is asked of a person.

use onceward::State;
use onceward_http::Client;
use onceward_publish::channel::Channel;
use onceward_publish::channels::telegram::TelegramChannel;
use onceward_sandbox::{Fault, Kind, Options, Sandbox};

use crate::stage::{PATIENCE, Stage, Verdict, code};

const TOKEN: &str = "123456:AAs3cret-token";
const POST: &str = "---\nlink: https://example.org/launch\n---\nHello **world** 🙂, *한글* and `code`.\n";

async fn stage() -> Verdict<(Sandbox, Stage)> {
    let sandbox = Sandbox::start(Options::default()).await?;
    let stage = Stage::with(channel(&sandbox, "@news")?).await?;
    Ok((sandbox, stage))
}

fn channel(sandbox: &Sandbox, chat: &str) -> Verdict<TelegramChannel> {
    let client = Client::builder().build()?;
    Ok(TelegramChannel::new(&sandbox.url("telegram"), TOKEN.into(), chat, client, PATIENCE)?)
}

fn fault(kind: Kind) -> Fault {
    Fault::new(kind).on("telegram").act("post").times(1)
}

#[tokio::test]
async fn a_message_is_sent_once_with_its_formatting() -> Verdict {
    let (sandbox, stage) = stage().await?;
    let job = stage.enqueue(POST).await?;
    let standing = stage.settle(job).await?;
    assert_eq!(standing.state, State::Done, "{standing:?}");
    let ledger = sandbox.ledger();
    let [seen] = ledger.visible("telegram").collect::<Vec<_>>()[..] else { panic!("{ledger:?}") };
    assert_eq!(seen.text, "Hello world 🙂, 한글 and code.\n\nhttps://example.org/launch");
    let ranges = seen.data["entities"].as_array().unwrap();
    let of = |kind: &str| {
        let range = ranges.iter().find(|range| range["type"] == kind).unwrap();
        let (at, length) = (range["offset"].as_u64().unwrap(), range["length"].as_u64().unwrap());
        let units: Vec<u16> = seen.text.encode_utf16().collect();
        String::from_utf16(&units[usize::try_from(at).unwrap()..usize::try_from(at + length).unwrap()])
            .unwrap()
    };
    assert_eq!([of("bold"), of("italic"), of("code")], ["world", "한글", "code"]);
    Ok(())
}

#[tokio::test]
async fn what_is_unclear_is_in_doubt_and_never_sent_again() -> Verdict {
    for (kind, taken) in [
        (Kind::AcceptThenHang, 1),
        (Kind::AcceptThenReset, 1),
        (Kind::AcceptThenStatus(502), 1),
        (Kind::AcceptThenCut(100), 1),
        (Kind::Hang, 0),
        (Kind::Reset, 0),
        (Kind::Refuse(503), 0),
    ] {
        let (sandbox, stage) = stage().await?;
        sandbox.fault(fault(kind));
        let job = stage.enqueue(POST).await?;
        let standing = stage.settle(job).await?;
        assert_eq!((standing.state, standing.check_at), (State::InDoubt, None), "{kind:?}: {standing:?}");
        let ledger = sandbox.ledger();
        assert_eq!(
            (ledger.visible("telegram").count(), ledger.arrived("telegram", "post").count()),
            (taken, 1),
            "{kind:?}"
        );
    }
    Ok(())
}

#[tokio::test]
async fn a_limit_is_waited_for_and_a_wrong_chat_asks_for_a_person() -> Verdict {
    let (sandbox, stage) = stage().await?;
    sandbox.fault(fault(Kind::RateLimit(7.0, None)));
    let job = stage.enqueue(POST).await?;
    let standing = stage.settle(job).await?;
    assert_eq!(standing.state, State::Done, "{standing:?}");
    assert_eq!(sandbox.ledger().visible("telegram").count(), 1);

    let strange = Stage::with(channel(&sandbox, "@is_missing")?).await?;
    let failure = channel(&sandbox, "@is_missing")?.check().await.unwrap_err();
    assert_eq!(failure.class(), "auth_needed", "{failure:?}");
    assert!(!failure.cause().text.contains("s3cret"), "{}", failure.cause().text);
    drop(strange);
    let checked =
        channel(&sandbox, "@news")?.check().await.map_err(|failure| failure.cause().text.clone())?;
    assert!(checked.text.contains("news"), "{checked:?}");
    Ok(())
}

#[tokio::test]
async fn a_thread_hangs_together_and_stops_where_a_part_is_unclear() -> Verdict {
    let (sandbox, stage) = stage().await?;
    let text = "---\nthread: [\"one\", \"two\", \"three\"]\n---\n";
    let job = stage.enqueue(text).await?;
    assert_eq!(stage.settle(job).await?.state, State::Done);
    let ledger = sandbox.ledger();
    let parts: Vec<_> =
        ledger.visible("telegram").map(|it| (it.text.as_str(), &it.data["reply_to"], it.number)).collect();
    let [(one, root, first), (two, to_one, second), (three, to_two, _)] = parts[..] else {
        panic!("{parts:?}")
    };
    assert_eq!([one, two, three], ["one", "two", "three"]);
    assert!(root.is_null() && *to_one == first && *to_two == second, "{parts:?}");

    sandbox.fault(fault(Kind::AcceptThenReset).skip(1));
    let job = stage.enqueue("---\nthread: [\"fourth\", \"fifth\", \"sixth\"]\n---\n").await?;
    let standing = stage.settle(job).await?;
    assert_eq!((standing.state, code(&standing)), (State::InDoubt, "cut"), "{standing:?}");
    let ledger = sandbox.ledger();
    let texts: Vec<_> = ledger.visible("telegram").skip(3).map(|it| it.text.as_str()).collect();
    assert_eq!(texts, ["fourth", "fifth"], "no part stands detached");
    Ok(())
}
