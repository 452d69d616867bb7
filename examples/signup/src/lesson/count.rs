//! What became of the mails. Pure.

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

use serde::Serialize;

use super::wire::Dialogue;

/// How long after the end of a dialogue its outcome may still be on the way to the disk.
const WRITTEN: Duration = Duration::from_secs(2);

/// What was seen of one version.
#[derive(Debug, Default)]
pub(crate) struct Evidence {
    pub(crate) accounts: Vec<String>,
    /// The recipient of each mail that the server delivered.
    pub(crate) mails: Vec<String>,
    /// Whose mail the version says is in doubt.
    pub(crate) in_doubt: BTreeSet<String>,
    /// Whose mail it gave up, and why it says so.
    pub(crate) dead: BTreeMap<String, String>,
    pub(crate) dialogues: Vec<Dialogue>,
    /// When something was killed or restarted.
    pub(crate) kills: Vec<Instant>,
}

/// What became of the mails of one version.
#[derive(Debug, Default, PartialEq, Eq, Serialize)]
pub(crate) struct Tally {
    pub(crate) accounts: usize,
    pub(crate) mails: usize,
    /// Accounts without a mail, of which nobody is told.
    pub(crate) lost: BTreeSet<String>,
    /// Accounts with more than one mail.
    pub(crate) doubled: BTreeSet<String>,
    pub(crate) in_doubt: usize,
    /// Of those in doubt, how many have a mail.
    pub(crate) in_doubt_delivered: usize,
    /// Whose mail was given up, with the code of its error.
    pub(crate) dead: BTreeMap<String, String>,
    /// Mails whose dialogue was cut after the dot: the dot came, and no reply went back.
    pub(crate) after_the_dot: usize,
    /// Cut after the dot, and not in doubt: somebody guessed.
    pub(crate) guessed: BTreeSet<String>,
    /// In doubt without being cut after the dot: the sender was killed as the dot was to leave, or as the reply came.
    pub(crate) beside_the_dot: BTreeSet<String>,
    /// In doubt, and nothing was cut or killed that could be why: somebody was lazy.
    pub(crate) lazy: BTreeSet<String>,
}

/// What it comes to.
pub(crate) fn tally(seen: &Evidence) -> Tally {
    let accounts: BTreeSet<&String> = seen.accounts.iter().collect();
    let mut mails: BTreeMap<&String, usize> = BTreeMap::new();
    for to in seen.mails.iter().filter(|to| accounts.contains(to)) {
        *mails.entry(to).or_default() += 1;
    }
    let has_mail = |email: &&String| mails.contains_key(email);
    let told = |email: &String| seen.in_doubt.contains(email) || seen.dead.contains_key(email);
    let cut: BTreeSet<&String> =
        seen.dialogues.iter().filter(|it| it.dot && !it.answered).map(|it| &it.to).collect();
    let killed: BTreeSet<&String> =
        seen.dialogues.iter().filter(|it| is_killed(it, &seen.kills)).map(|it| &it.to).collect();
    let uncut: BTreeSet<&String> = seen.in_doubt.iter().filter(|to| !cut.contains(to)).collect();
    Tally {
        accounts: accounts.len(),
        mails: mails.values().sum(),
        lost: accounts.iter().filter(|it| !has_mail(it) && !told(it)).copied().cloned().collect(),
        doubled: mails.iter().filter(|(_, count)| **count > 1).map(|(to, _)| (*to).clone()).collect(),
        in_doubt: seen.in_doubt.len(),
        in_doubt_delivered: seen.in_doubt.iter().filter(has_mail).count(),
        dead: seen.dead.clone(),
        after_the_dot: cut.len(),
        guessed: cut.iter().filter(|to| !seen.in_doubt.contains(**to)).copied().cloned().collect(),
        beside_the_dot: uncut.intersection(&killed).copied().cloned().collect(),
        lazy: uncut.difference(&killed).copied().cloned().collect(),
    }
}

/// Whether something died while the server had the mail but for its dot, or before its reply was on the disk.
fn is_killed(dialogue: &Dialogue, kills: &[Instant]) -> bool {
    let around = |kill: &Instant| dialogue.began <= *kill && *kill <= dialogue.ended + WRITTEN;
    dialogue.data && kills.iter().any(around)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(names: &[&str]) -> Vec<String> {
        names.iter().map(|&name| name.to_owned()).collect()
    }

    fn dialogue(to: &str, dot: bool, answered: bool) -> Dialogue {
        let now = Instant::now();
        Dialogue { to: to.to_owned(), began: now, ended: now, data: true, dot, answered }
    }

    #[test]
    fn what_nobody_is_told_of_is_lost_and_what_came_twice_is_doubled() {
        let seen = Evidence {
            accounts: names(&["ada", "bob", "cyd", "dan", "eve"]),
            mails: names(&["ada", "bob", "bob", "stranger"]),
            in_doubt: ["cyd".to_owned()].into(),
            dead: [("dan".to_owned(), "refused".to_owned())].into(),
            ..Evidence::default()
        };
        let tally = tally(&seen);
        assert_eq!((tally.accounts, tally.mails), (5, 3));
        assert_eq!(tally.lost, ["eve".to_owned()].into());
        assert_eq!(tally.doubled, ["bob".to_owned()].into());
        assert_eq!((tally.in_doubt, tally.in_doubt_delivered, tally.dead.len()), (1, 0, 1));
    }

    #[test]
    fn a_cut_after_the_dot_is_a_doubt_and_a_doubt_needs_a_cut_or_a_kill() {
        let seen = Evidence {
            accounts: names(&["ada", "bob", "cyd"]),
            in_doubt: ["ada".to_owned(), "bob".to_owned()].into(),
            dialogues: vec![
                dialogue("ada", true, true),
                dialogue("bob", true, false),
                dialogue("cyd", true, false),
            ],
            ..Evidence::default()
        };
        let found = tally(&seen);
        assert_eq!(found.after_the_dot, 2);
        assert_eq!(found.guessed, ["cyd".to_owned()].into());
        assert_eq!(found.lazy, ["ada".to_owned()].into());
        let killed = tally(&Evidence { kills: vec![Instant::now()], ..seen });
        assert_eq!((killed.lazy.len(), killed.beside_the_dot), (0, ["ada".to_owned()].into()));
    }
}
