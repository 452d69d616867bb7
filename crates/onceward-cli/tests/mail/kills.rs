//! A hundred kills and cuts around the handing over of a mail: what was clear is delivered once, what was not is parked
//! and never sent again by itself, and a person who looked makes the rest complete.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use crate::chance::Chance;
use crate::lane::{Lane, Ran, Trouble};
use crate::postfix::Postfix;
use crate::wire::{Fault, Step, Wire};

/// Another seed is another hundred; a run that failed names its own.
const SEED: u64 = 20_261_130;
/// Mailboxes at work at once, each with a store of its own.
const LANES: u64 = 10;
/// Times that the same command may be run again.
const AGAIN: usize = 8;
/// How long a person may be told to wait, since a request may still be on its way.
const QUIET: Duration = Duration::from_secs(30);

/// Troubles of each lane: a hundred in all, or a thousand in the long form.
fn each() -> u64 {
    if std::env::var_os("ONCEWARD_LONG").is_some() { 100 } else { 10 }
}

/// What a trouble must lead to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Due {
    /// Delivered, without a person.
    Done,
    /// Parked, with so many mails delivered.
    Doubt(usize),
    /// Either: the moment decides.
    Any,
}

fn due(trouble: Trouble) -> Due {
    use Fault::{KilledAnswered, KilledUnanswered, KilledUnheard, Unheard};
    let (step, fault) = match trouble {
        Trouble::Nothing => return Due::Done,
        Trouble::KilledAfter(_) => return Due::Any,
        Trouble::At(step, fault) => (step, fault),
    };
    let killed = matches!(fault, KilledUnheard | KilledUnanswered);
    match (step, fault) {
        (_, KilledAnswered(_)) => Due::Any,
        // The first hello only asks how large a mail may be.
        (Step::Hello, _) if killed => Due::Any,
        (Step::Dot, Unheard | KilledUnheard) => Due::Doubt(0),
        (Step::Dot, _) => Due::Doubt(1),
        // A process that died in the middle has left no word of how far it came.
        _ if killed => Due::Doubt(0),
        _ => Due::Done,
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_hundred_kills_and_cuts_deliver_no_mail_twice_and_lose_none_silently() {
    let lanes = (0..LANES).map(|lane| tokio::spawn(troubled(lane)));
    let mut met: BTreeMap<String, usize> = BTreeMap::new();
    let (mut all, mut doubts, mut late) = (0, 0, 0);
    for lane in lanes.collect::<Vec<_>>() {
        for (trouble, happened, parked) in lane.await.unwrap() {
            (all, doubts, late) = (all + 1, doubts + usize::from(parked), late + usize::from(!happened));
            *met.entry(format!("{trouble:?}").split('(').take(2).collect::<Vec<_>>().join(" "))
                .or_default() += 1;
        }
    }
    println!("{all} troubles, of which {late} came too late; {doubts} mails in doubt: {met:#?}");
    assert!(late * 10 <= all, "too many troubles came too late to matter: {met:?}");
}

/// One mailbox: a post, a trouble, and the same command again until it is settled; over and over on one store.
async fn troubled(number: u64) -> Vec<(Trouble, bool, bool)> {
    let seed = SEED + number;
    let mut chance = Chance::of(seed);
    let postfix = Postfix::running();
    let wire = Wire::before(postfix.plain).await;
    // Of this run alone: the server may have served others.
    let lane = Lane::plain(wire.address, &format!("lane{number}-{}@box.test", std::process::id()));
    let (mut files, mut parked, mut met) = (Vec::new(), Vec::new(), Vec::new());
    for case in 0..each() {
        let (name, trouble) = (format!("post-{number}-{case}"), trouble(&mut chance));
        let file = lane.post(&name);
        let ran = lane.publish(std::slice::from_ref(&file), trouble, Some(&wire)).await;
        let troubled = ran.troubled;
        let last = settled(&lane, &wire, &file, ran).await;
        let delivered = count(&postfix, &lane, &name).await;
        let what = format!("seed {seed}, {name}, {trouble:?}: {delivered} delivered, {last:?}");
        let doubt = last.job()["state"] == "in_doubt";
        if troubled {
            match due(trouble) {
                Due::Done => assert!(!doubt, "lazy: {what}"),
                Due::Doubt(mails) => assert!(doubt && delivered == mails, "guessed: {what}"),
                Due::Any => {}
            }
        }
        assert!(delivered <= 1 && (doubt || delivered == 1), "{what}");
        if doubt {
            parked.push((last.job()["id"].to_string(), delivered == 1, what));
        }
        files.push(file);
        met.push((trouble, troubled, doubt));
    }
    complete(&lane, &wire, &postfix, &files, &parked).await;
    met
}

/// The same command again, until it has nothing more to do: all done, or something parked.
async fn settled(lane: &Lane, wire: &Wire, file: &String, mut last: Ran) -> Ran {
    for _ in 0..AGAIN {
        if matches!(last.code, Some(0 | 4)) && last.job()["state"] != "running" {
            break;
        }
        last = lane.publish(std::slice::from_ref(file), Trouble::Nothing, Some(wire)).await;
    }
    assert!(matches!(last.code, Some(0 | 4)), "{file}: {last:?}");
    last
}

async fn count(postfix: &Postfix, lane: &Lane, subject: &str) -> usize {
    postfix.mails(&lane.to).await.iter().filter(|mail| mail.subject == subject).count()
}

/// Nothing is sent again by itself; then a person looks into the mailbox and says what happened.
async fn complete(
    lane: &Lane,
    wire: &Wire,
    postfix: &Postfix,
    files: &[String],
    parked: &[(String, bool, String)],
) {
    let dots = wire.dots();
    lane.publish(files, Trouble::Nothing, Some(wire)).await;
    assert_eq!(wire.dots(), dots, "sent again without being asked");
    for (job, happened, what) in parked {
        let word = if *happened { "--happened" } else { "--did-not-happen" };
        let deadline = Instant::now() + QUIET;
        loop {
            let ran = lane.run(&["doubt", "resolve", job, word]).await;
            if ran.code == Some(0) {
                break;
            }
            assert!(Instant::now() < deadline, "{what}: {ran:?}");
            tokio::time::sleep(Duration::from_millis(200)).await; // sleeps: refused while a request may still arrive
        }
    }
    let ran = lane.publish(files, Trouble::Nothing, Some(wire)).await;
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let mut mails = postfix.mails(&lane.to).await;
    mails.sort_by(|one, other| one.subject.cmp(&other.subject));
    let subjects: Vec<_> = mails.iter().map(|mail| format!("{}.md", mail.subject)).collect();
    let mut wanted = files.to_vec();
    wanted.sort();
    assert_eq!(subjects, wanted, "each mail once");
    let mut ids: Vec<_> = mails.iter().map(|mail| mail.id.as_str()).collect();
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), files.len(), "each under a name of its own");
}

fn trouble(chance: &mut Chance) -> Trouble {
    let steps = [Step::Hello, Step::Sender, Step::Recipient, Step::Data];
    let step = steps[usize::try_from(chance.below(4)).unwrap_or(0)];
    let before = |fault| Trouble::At(step, fault);
    let dot = |fault| Trouble::At(Step::Dot, fault);
    match chance.below(20) {
        0..2 => before(Fault::Unheard),
        2..4 => before(Fault::Unanswered),
        4 => before(Fault::Within(2)),
        5 => before(Fault::Silent),
        6 => before(Fault::KilledUnheard),
        7 => before(Fault::KilledUnanswered),
        8 => dot(Fault::Unheard),
        9..11 => dot(Fault::Unanswered),
        11 => dot(Fault::Within(usize::try_from(chance.below(4)).unwrap_or(0))),
        12 => dot(Fault::Silent),
        13..15 => dot(Fault::KilledUnheard),
        15..17 => dot(Fault::KilledUnanswered),
        17..19 => dot(Fault::KilledAnswered(chance.below(20))),
        _ => Trouble::KilledAfter(chance.below(300)),
    }
}
