//! What strangers write stays text.

use onceward::NewJob;

use crate::support::{CONFIG, Place, worker};

/// A control sequence in one character, one in two, a mark that turns the writing direction, a line break.
const EVIL: &str = "a\u{9b}2Jb\u{202e}c\u{7f}d\u{85}e";

#[tokio::test]
async fn no_table_lets_a_text_command_the_terminal() {
    let place = Place::new(CONFIG);
    place.with(&[EVIL, "doubt", "done"]).await;
    let once = place.once().await;
    let evil = format!("{{\"wish\":\"doubt\",\"{EVIL}\":\"{EVIL}\"}}");
    once.enqueue(NewJob::untyped("mail", "wish", evil)).await.unwrap();
    worker(&once).run_until_idle().await.unwrap();
    once.pause_queue("mail", EVIL).await.unwrap();
    assert_eq!(
        place
            .run(&["doubt", "resolve", "2", "--happened", "--url", &format!("https://x/{}", "\u{202e}y")])
            .code,
        0
    );
    for line in [
        "jobs list",
        "jobs show 1",
        "jobs show 2",
        "jobs show 4",
        "dead list",
        "dead groups",
        "dead show 1",
        "doubt list",
        "doubt groups",
        "doubt show 4",
        "queues list",
        "status",
        "jobs cancel 1 2 3",
    ] {
        let ran = place.line(line);
        let all = format!("{}{}", ran.out, ran.err);
        let bad: Vec<char> =
            all.chars().filter(|c| (c.is_control() && *c != '\n') || *c == '\u{202e}').collect();
        assert!(bad.is_empty(), "{line}: {bad:?}\n{all}");
    }
}

#[test]
fn names_that_are_mistyped_are_shown_harmlessly() {
    let place = Place::new(CONFIG);
    for args in [["queues", "pause", EVIL], ["channels", "check", EVIL], ["work", "--queues", EVIL]] {
        let ran = place.run(&args);
        assert!(ran.code > 0 && ran.code < 3, "{ran:?}");
        assert!(!ran.err.chars().any(|c| (c.is_control() && c != '\n') || c == '\u{202e}'), "{ran:?}");
    }
}
