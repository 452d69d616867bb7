//! What a plan is, given what is known.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use onceward::retry::RetryPolicy;

use super::*;
use crate::channels::feed::{FeedChannel, Format};
use crate::configured::Lacking;
use crate::content::{Parsed, Rules, parse};
use crate::dress::Dress;

const NAMES: [&str; 3] = ["a", "b", "c"];

fn channels() -> BTreeMap<String, Configured> {
    let adapter = FeedChannel {
        path: "/feed.xml".into(),
        format: Format::Rss,
        title: "T".into(),
        link: "https://example.org/".into(),
        items: 9,
    };
    let one = |name: &str| Configured {
        name: name.to_owned(),
        was: None,
        adapter: Ok(Arc::new(adapter.clone())),
        dress: Dress::default(),
        retry: RetryPolicy::CHANNEL,
        late_after: Duration::from_hours(6),
        quiet: None,
        timeout: Duration::from_secs(1),
        resend: false,
    };
    NAMES.into_iter().map(|name| (name.to_owned(), one(name))).collect()
}

fn content(front: &str, body: &str) -> Content {
    let rules = Rules {
        root: "/site".into(),
        static_root: None,
        timezone: None,
        channels: NAMES.map(str::to_owned).into(),
        groups: BTreeMap::new(),
        default_channels: vec!["a".into(), "b".into()],
        now: now(),
    };
    let text = format!("---\nid: x\n{front}\n---\n{body}");
    match parse(Path::new("x.md"), text.as_bytes(), &rules, &|_| unreachable!()) {
        Parsed::Content(content) => *content,
        other => panic!("{other:?}"),
    }
}

fn now() -> Time {
    "2026-11-29T12:00:00Z".parse().unwrap()
}

/// Known jobs by channel name, whose stable id is `id-NAME`.
fn known(content: &Content, jobs: &[(&str, State, bool, Option<&str>)]) -> Known {
    let job = |(at, (name, state, sent, held)): (usize, &(&str, State, bool, Option<&str>))| {
        let id = i64::try_from(at).unwrap();
        let noted = content.publish_at.as_ref().map(|wish| wish.at);
        let job = KnownJob {
            id,
            state: Some(*state),
            held: held.map(str::to_owned),
            noted,
            sent: *sent,
            restored: false,
        };
        (format!("id-{name}"), job)
    };
    let publish_at = content.publish_at.clone();
    Known {
        source: content.clone(),
        publish_at,
        path: None,
        jobs: jobs.iter().enumerate().map(job).collect(),
    }
}

fn planned_with(
    channels: &BTreeMap<String, Configured>,
    content: Content,
    known: Option<Known>,
    wishes: &Wishes,
) -> Plan {
    let ids = NAMES.map(|name| (name.to_owned(), format!("id-{name}"))).into();
    let known = known.map(|known| ("x".to_owned(), known)).into_iter().collect();
    let facts = Facts {
        channels,
        ids: &ids,
        servers: &Servers::default(),
        known: &known,
        taken: &BTreeMap::new(),
        now: now(),
    };
    plan(Batch { contents: vec![content], ..Batch::default() }, wishes, &facts)
}

fn planned(content: Content, known: Option<Known>, wishes: &Wishes) -> Planned {
    let mut plan = planned_with(&channels(), content, known, wishes);
    assert_eq!(plan.refused, []);
    plan.contents.remove(0)
}

fn acts(planned: &Planned) -> Vec<(&str, Act)> {
    planned.jobs.iter().map(|job| (job.channel.as_str(), job.act)).collect()
}

#[test]
fn an_unknown_content_is_new_on_each_of_its_channels() {
    let planned = planned(content("title: T", "B"), None, &Wishes::default());
    assert_eq!(acts(&planned), [("a", Act::New), ("b", Act::New)]);
    assert_eq!(planned.jobs[0].post.key(), "v1x\0id-a");
}

#[test]
fn only_what_has_not_left_is_updated() {
    use State::{Cancelled, Dead, Done, InDoubt, Pending, Running};
    let table = [
        (Pending, false, Act::Update),
        (Pending, true, Act::Leave),
        (Dead, false, Act::Update),
        (Dead, true, Act::Leave),
        (Running, false, Act::Leave),
        (Done, true, Act::Leave),
        (InDoubt, true, Act::Leave),
        (Cancelled, false, Act::Leave),
    ];
    for (state, sent, act) in table {
        let it = content("channels: [a]", "B");
        let known = known(&it, &[("a", state, sent, None)]);
        assert_eq!(acts(&planned(it, Some(known), &Wishes::default())), [("a", act)], "{state} {sent}");
    }
}

#[test]
fn a_channel_added_later_needs_to_be_named() {
    let before = content("channels: [a]", "B");
    let after = content("channels: [a, b]", "B");
    let known = known(&before, &[("a", State::Done, true, None)]);
    let plain = planned(after.clone(), Some(known.clone()), &Wishes::default());
    assert_eq!((acts(&plain), &plain.added), (vec![("a", Act::Leave)], &vec!["b".to_owned()]));
    let named = planned(after, Some(known), &Wishes { to: Some(vec!["b".to_owned()]), ..Wishes::default() });
    assert_eq!(acts(&named), [("b", Act::New)]);
}

#[test]
fn what_has_not_left_anywhere_goes_to_the_channels_that_took_the_place_of_its_own() {
    use State::{Cancelled, Dead, Done, Pending};
    let before = content("channels: [a]", "B");
    let new = vec![("b", Act::New)];
    for (state, sent, to, expected) in [
        (Pending, false, "[b]", new.clone()),
        (Dead, false, "[b]", new),
        (Pending, false, "[a, b]", vec![("a", Act::Update)]),
        (Pending, true, "[b]", vec![]),
        (Done, true, "[b]", vec![]),
        (Cancelled, false, "[b]", vec![]),
    ] {
        let known = known(&before, &[("a", state, sent, None)]);
        let planned = planned(content(&format!("channels: {to}"), "B"), Some(known), &Wishes::default());
        assert_eq!(acts(&planned), expected, "{state} {sent} → {to}");
    }
}

/// Names of channels, with `?` where the job may have been sent.
fn withdrawn(planned: &Planned) -> Vec<String> {
    let shown = planned.withdrawn.iter().map(|it| it.channel.clone() + if it.restored { "?" } else { "" });
    shown.collect()
}

#[test]
fn a_channel_taken_out_loses_only_what_has_not_left_and_is_not_touched_by_to() {
    use State::{Dead, Pending};
    let before = content("channels: [a, b, c]", "B");
    let after = content("channels: [a]", "B");
    let known =
        known(&before, &[("a", Pending, false, None), ("b", Dead, false, None), ("c", Pending, true, None)]);
    let plain = planned(after.clone(), Some(known.clone()), &Wishes::default());
    assert_eq!(plain.withdrawn, [Withdrawn { job: 1, channel: "b".to_owned(), restored: false }]);
    let to = Wishes { to: Some(vec!["a".to_owned()]), ..Wishes::default() };
    assert_eq!(planned(after.clone(), Some(known.clone()), &to).withdrawn, []);
    let mut fewer = channels();
    fewer.remove("b");
    assert_eq!(planned_with(&fewer, after, Some(known), &Wishes::default()).contents[0].withdrawn, []);
}

#[test]
fn whoever_loses_its_place_is_withdrawn_dead_or_not_configured_any_more() {
    use State::{Dead, Pending};
    let before = content("channels: [a, b]", "B");
    let known = known(&before, &[("a", Pending, false, Some("channel_missing")), ("b", Dead, false, None)]);
    let mut fewer = channels();
    fewer.remove("a");
    let plan = planned_with(&fewer, content("channels: [c]", "B"), Some(known), &Wishes::default());
    assert_eq!(acts(&plan.contents[0]), [("c", Act::New)]);
    assert_eq!(withdrawn(&plan.contents[0]), ["a", "b"]);
}

#[test]
fn what_may_have_been_sent_before_a_loss_is_withdrawn_and_nothing_takes_its_place() {
    let before = content("channels: [a, b]", "B");
    let mut known = known(&before, &[("a", State::Pending, false, None), ("b", State::Pending, false, None)]);
    known.jobs.values_mut().for_each(|job| job.restored = true);
    let fewer = planned(content("channels: [a]", "B"), Some(known.clone()), &Wishes::default());
    assert_eq!((acts(&fewer), withdrawn(&fewer)), (vec![("a", Act::Leave)], vec!["b?".to_owned()]));
    let others = planned(content("channels: [c]", "B"), Some(known), &Wishes::default());
    assert_eq!((acts(&others), withdrawn(&others)), (vec![], vec!["a?".to_owned(), "b?".to_owned()]));
    assert_eq!(others.added, ["c"]);
}

#[test]
fn the_runs_time_wins_then_a_persons_then_the_files() {
    let early: Time = "2027-01-01T00:00:00Z".parse().unwrap();
    let late: Time = "2028-01-01T00:00:00Z".parse().unwrap();
    let filed = content("publish_at: 2027-01-01T00:00:00Z", "B");
    let moved = Known {
        publish_at: Some(Wish::instant(late)),
        ..known(&filed, &[("a", State::Pending, false, None)])
    };
    let at = |content: &Content, known: Option<&Known>, at: Option<Time>| {
        planned(content.clone(), known.cloned(), &Wishes { at: at.map(Wish::instant), ..Wishes::default() })
            .publish_at
    };
    assert_eq!(at(&filed, None, None), Some(early));
    assert_eq!(at(&filed, Some(&moved), None), Some(late));
    assert_eq!(at(&filed, Some(&moved), Some(early)), Some(early));
    assert_eq!(at(&content("title: T", "B"), Some(&moved), None), None);
}

#[test]
fn a_hold_by_hand_stays_and_a_hold_by_the_file_leaves_with_its_line() {
    let open = content("title: T", "B");
    let asked = content("approve: true", "B");
    let held = |source: &Content| known(source, &[("a", State::Pending, false, Some("approval"))]);
    assert_eq!(hold_of(&open, held(&open)).as_deref(), Some(APPROVAL));
    assert_eq!(hold_of(&asked, held(&asked)).as_deref(), Some(APPROVAL));
    assert_eq!(hold_of(&open, held(&asked)), None);
}

fn hold_of(content: &Content, known: Known) -> Option<String> {
    planned(content.clone(), Some(known), &Wishes::default()).jobs.remove(0).hold
}

#[test]
fn no_edit_lets_go_what_is_held_for_another_reason() {
    let (open, asked) = (content("title: T", "B"), content("approve: true", "B"));
    let missed = |source: &Content| known(source, &[("a", State::Pending, false, Some("missed"))]);
    for (before, after) in
        [(&open, &open), (&open, &content("title: T", "C")), (&asked, &open), (&open, &asked)]
    {
        assert_eq!(hold_of(after, missed(before)).as_deref(), Some("missed"));
    }
}

#[test]
fn a_time_that_a_person_moved_makes_no_edit_of_the_post() {
    let late: Time = "2028-01-01T00:00:00Z".parse().unwrap();
    let filed = content("publish_at: 2027-01-01T00:00:00Z", "B");
    let moved = Known {
        publish_at: Some(Wish::instant(late)),
        ..known(&filed, &[("a", State::Pending, false, None)])
    };
    let noted = |content: &Content, known: &Known, at: Option<Time>| {
        let wishes = Wishes { at: at.map(Wish::instant), ..Wishes::default() };
        let it = planned(content.clone(), Some(known.clone()), &wishes);
        (it.publish_at, it.jobs[0].post.publish_at)
    };
    let early = filed.publish_at.as_ref().map(|wish| wish.at);
    assert_eq!(noted(&filed, &moved, None), (Some(late), early));
    assert_eq!(noted(&filed, &moved, early), (early, early), "another time than the one in force is an edit");
    assert_eq!(noted(&content("title: T", "B"), &moved, None), (None, None));
    let follows = content("publish_at: 2028-01-01T00:00:00Z", "B");
    assert_eq!(noted(&follows, &moved, None), (Some(late), Some(late)), "the file's time is an edit");
    let mut gone = moved;
    gone.jobs.values_mut().for_each(|job| (job.state, job.noted) = (None, None));
    assert_eq!(noted(&filed, &gone, None), (Some(late), Some(late)), "nothing is known of its post");
}

#[test]
fn what_was_approved_stays_so_until_its_text_changes() {
    let asked = content("approve: true", "B");
    let released = known(&asked, &[("a", State::Pending, false, None)]);
    let hold = |content: Content| hold_of(&content, released.clone()).is_some();
    assert!(!hold(content("approve: true\npublish_at: 2027-01-01T00:00:00Z", "B")));
    assert!(hold(content("approve: true", "C")));
}

#[test]
fn every_channel_that_cannot_take_it_says_so_and_keeps_the_content_out() {
    let mut channels = channels();
    for (name, code) in [("a", "secret_missing"), ("b", "secret_invalid")] {
        channels.get_mut(name).unwrap().adapter = Err(Lacking { code, text: format!("set {name}") });
    }
    let it = content("title: T\nchannels: [a, b, c]", "B");
    let plan = planned_with(&channels, it.clone(), None, &Wishes::default());
    assert!(plan.contents.is_empty());
    let said: Vec<_> =
        plan.refused.iter().map(|it| (it.channel.as_deref(), it.code.as_str(), it.line)).collect();
    assert_eq!(said, [(Some("a"), "secret_missing", Some(4)), (Some("b"), "secret_invalid", Some(4))]);
    let done = known(&it, &NAMES.map(|name| (name, State::Done, true, None)));
    assert_eq!(planned_with(&channels, it, Some(done), &Wishes::default()).refused, []);
}

#[test]
fn a_content_too_large_for_a_job_is_refused_at_its_body() {
    let plan = planned_with(&channels(), content("title: T", &"x".repeat(LONGEST)), None, &Wishes::default());
    assert_eq!((plan.refused[0].code.as_str(), plan.refused[0].line), ("content_too_large", Some(5)));
}

#[test]
fn a_burst_counts_new_jobs_by_channel() {
    let plan = planned_with(&channels(), content("title: T", "B"), None, &Wishes::default());
    assert_eq!(plan.bursts(1), []);
    assert_eq!(plan.bursts(0), [("a".to_owned(), 1), ("b".to_owned(), 1)]);
}

#[test]
fn what_readers_do_not_see_changes_no_likeness() {
    let post = |front: &str, body: &str| Post::of(&content(front, body), "a", "id-a", None).likeness();
    assert_eq!(
        post("title: T", "B"),
        post("title: T\napprove: true\npublish_at: 2027-01-01T00:00:00Z", "\nB\n")
    );
    assert_ne!(post("title: T", "B"), post("title: U", "B"));
    assert_ne!(post("title: T", "B"), post("title: T", "C"));
    assert_ne!(post("title: T\nthread: [a, b]", ""), post("title: T\nthread: [c, d]", ""));
    assert_eq!(post("title: T\nthread: never", "B"), post("title: T", "B"));
}
