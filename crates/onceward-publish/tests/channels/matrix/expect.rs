//! What must come of a fault, by what the platform said, by what the channel's class lets one do about it, and by nothing
//! else.
#![expect(clippy::match_same_arms, reason = "an arm stands for a reason")]

use super::kinds::{Left, Said};
use super::places::{Class, Role, Which};

/// What must come of a cell.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum End {
    /// Accepted once, and done without a person.
    Once,
    /// A person is asked: the platform has it, or has not.
    Asked { taken: bool },
    /// It is chance how much had left: done, or a person is asked and nothing is there.
    OnceOrAsked,
    /// Given up with the platform's words, and nothing is there.
    Dead,
    /// The queue waits for a person, and no try is spent; then it is accepted once.
    Waits,
    /// Out of reach, and why.
    Exempt(&'static str),
}

/// What an answer says of a request.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Word {
    Yes,
    No,
    /// Not now.
    Later,
    /// A person must see to the account.
    Person,
    Unclear,
}

const WORD: &str = "the platform says clearly what is not so; no client can know better";
const NO_LIST: &str = "a platform that asks to wait for ever is waited for";

pub(crate) fn end(which: Which, role: Role, act: &str, left: Left) -> End {
    let word = word(which, act, left.said);
    match role {
        Role::Before => before(which, act, word, left),
        // Beside these faults the cell lets the answer be lost.
        Role::Visible if left.said == Said::Usual => visible(which, Word::Unclear, left),
        Role::Visible => visible(which, word, left),
        Role::OnItsWay => on_its_way(word),
        Role::Look => look(which, word, left.said),
        Role::LookAlways => look_always(word, left.said),
        Role::After => End::Once,
    }
}

/// What nobody sees is done again.
fn before(which: Which, act: &str, word: Word, left: Left) -> End {
    match (which, act, word) {
        // A server that does not know the present address of this is asked at the former one.
        (Which::Mastodon, "instance", _) => End::Once,
        // A mention that nobody answers to is a word like others.
        (Which::Bluesky, "resolve", Word::No) => End::Once,
        // A session that is not renewed is made anew; one that cannot be made is no post's fault.
        (Which::Bluesky, "token", Word::Person | Word::No) => End::Once,
        (Which::Bluesky, "login", Word::No) => End::Waits,
        // An upload that the server does not know is named all the same: it may be ready.
        (Which::Mastodon, "media", Word::No) if left.said == Said::Status(404) => End::Once,
        // A draft that is there already is ours.
        (Which::Devto, "draft", Word::No) if left.taken => End::Once,
        (_, _, Word::No) => End::Dead,
        (_, _, Word::Person) => End::Waits,
        _ => End::Once,
    }
}

/// The request that others see.
fn visible(which: Which, word: Word, left: Left) -> End {
    match (word, left.taken) {
        (Word::Yes, true) => End::Once,
        // The one look that tells, whatever the answer was.
        (Word::No, true) if which == Which::Devto => End::Once,
        (Word::Yes, false) | (Word::No | Word::Later | Word::Person, true) => End::Exempt(WORD),
        // A key that is taken while nothing is there: somebody deleted the post.
        (Word::Unclear, false) if which == Which::Bluesky && left.said == Said::Again => End::Dead,
        (Word::Unclear, taken) => match which.class() {
            Class::Blind => End::Asked { taken },
            Class::Keyed | Class::Fixed | Class::TwoPhase | Class::LookUp => End::Once,
        },
        (Word::No, false) => End::Dead,
        (Word::Later, false) => End::Once,
        (Word::Person, false) => End::Waits,
    }
}

/// A mail of which a part had left: a word is heard, silence is not.
fn on_its_way(word: Word) -> End {
    match word {
        Word::Yes | Word::Later => End::Once,
        Word::No => End::Dead,
        Word::Person => End::Waits,
        Word::Unclear => End::OnceOrAsked,
    }
}

/// The post is there and its answer was lost; the first look at it fails.
fn look(which: Which, word: Word, said: Said) -> End {
    match word {
        // What the credentials do not allow tells nothing: it is looked for again.
        Word::Person if said == Said::Status(403) || which == Which::Bluesky => End::Once,
        Word::Person => End::Waits,
        _ => End::Once,
    }
}

/// The same, and every look fails: a failed look proves nothing, so that a person is asked in the end.
fn look_always(word: Word, said: Said) -> End {
    match word {
        Word::Person if said != Said::Status(403) => End::Waits,
        Word::Later => End::Exempt(NO_LIST),
        Word::Yes if said == Said::Usual => End::Once,
        _ => End::Asked { taken: true },
    }
}

fn word(which: Which, act: &str, said: Said) -> Word {
    match said {
        Said::Nothing => Word::Unclear,
        // A whole reply of SMTP fits into forty bytes.
        Said::Bytes(at) if which == Which::Email && at > 40 => Word::Yes,
        Said::Bytes(_) => Word::Unclear,
        Said::Usual => Word::Yes,
        Said::Wait => Word::Later,
        Said::Expired | Said::Revoked => no_token(which, act, said),
        Said::Again => again(which, act),
        Said::Status(status) => by_status(which, act, status),
    }
}

fn no_token(which: Which, act: &str, said: Said) -> Word {
    match (which, act) {
        // The session is renewed, and a person is asked only when the login is refused.
        (Which::Bluesky, "login") if said == Said::Revoked => Word::Person,
        (Which::Bluesky, _) | (Which::Email, "hello") => Word::Later,
        _ => Word::Person,
    }
}

/// The platform's word for a duplicate.
fn again(which: Which, act: &str) -> Word {
    match (which, act) {
        (Which::Email, "hello") => Word::Later,
        (Which::Email, "login") => Word::Person,
        // 422, 400 and 554: a refusal.
        (Which::Devto | Which::Telegram | Which::Email, _) => Word::No,
        // A 500, a taken key, `fatal_error`, no `ok`, a 409.
        _ => Word::Unclear,
    }
}

fn by_status(which: Which, act: &str, status: u16) -> Word {
    match (which, status) {
        (Which::Email, 200) => Word::Yes,
        // 421, and all that begins with a 4: not taken, by RFC 5321.
        (Which::Email, _) => Word::Later,
        // A receiver's 2xx is its word, whatever stands in the body.
        (Which::Webhook, 200..=299) => Word::Yes,
        (_, 200..=299) => Word::Unclear,
        // An overloaded server of Bluesky says 400.
        (Which::Bluesky, 400) => Word::Later,
        // A wrong address, or a token that is part of it.
        (Which::SlackBot | Which::SlackWebhook | Which::Telegram, 404) => Word::Person,
        // A look at what is not published.
        (Which::Devto, 404) if act == "look" => Word::Unclear,
        (_, 401 | 403) => Word::Person,
        (_, 408 | 500..) => Word::Unclear,
        _ => Word::No,
    }
}
