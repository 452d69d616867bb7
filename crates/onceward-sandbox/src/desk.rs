//! What a platform has at hand while it answers: the time, all that was accepted, and the faults beside its request.

use serde_json::Value as Json;

use crate::clock::{Micros, SECOND};
use crate::journal::Event;
use crate::ledger::{Accepted, Ledger};
use crate::platforms::Visit;

/// One platform's desk, for one request.
#[derive(Debug)]
pub(crate) struct Desk<'a> {
    pub(crate) now: Micros,
    /// Whether rates are limited.
    pub(crate) limits: bool,
    /// Whether a repeated key is answered with an error.
    pub(crate) repeat_error: bool,
    pub(crate) platform: &'static str,
    pub(crate) visit: &'a Visit,
    pub(super) body_hash: String,
    pub(super) unseen: Micros,
    pub(super) ledger: &'a mut Ledger,
    pub(super) events: Vec<Event>,
}

/// Something to accept.
#[derive(Debug, Default)]
pub(crate) struct Item {
    /// None: the request's act.
    pub(crate) act: Option<&'static str>,
    /// Whether readers see it.
    pub(crate) visible: bool,
    pub(crate) text: String,
    pub(crate) place: Option<String>,
    /// None: its number.
    pub(crate) remote_id: Option<String>,
    pub(crate) data: Json,
}

impl Desk<'_> {
    /// Takes something in, and gives it as it lies in the ledger now. Its account and key are the request's.
    pub(crate) fn accept(&mut self, item: Item) -> Accepted {
        let number = self.next_number();
        let accepted = Accepted {
            number,
            at: self.now,
            seen_from: self.unseen_until(),
            platform: self.platform.to_owned(),
            act: item.act.unwrap_or(self.visit.act).to_owned(),
            visible: item.visible,
            account: self.visit.account.clone(),
            key: self.visit.key.clone(),
            body_hash: self.body_hash.clone(),
            place: item.place,
            text: item.text,
            remote_id: item.remote_id.unwrap_or_else(|| number.to_string()),
            data: item.data,
        };
        self.ledger.accepted.push(accepted.clone());
        self.events.push(Event::Accepted(accepted.clone()));
        accepted
    }

    /// From when on look-ups show what is accepted now.
    pub(crate) const fn unseen_until(&self) -> Micros {
        self.now + self.unseen
    }

    /// The number that the next accepted item will have.
    pub(crate) fn next_number(&self) -> u64 {
        self.ledger.accepted.last().map_or(1, |last| last.number + 1)
    }

    /// Changes what the platform remembers of something.
    pub(crate) fn amend(&mut self, number: u64, data: Json) {
        if let Some(item) = self.ledger.accepted.iter_mut().find(|item| item.number == number) {
            item.data = data.clone();
            self.events.push(Event::Amended { number, data });
        }
    }

    /// All that this account ever left here, of one act: what the platform itself knows.
    pub(crate) fn held(&self, act: &str) -> impl DoubleEndedIterator<Item = &Accepted> {
        self.ledger.accepted.iter().filter(move |item| {
            item.platform == self.platform && item.act == act && item.account == self.visit.account
        })
    }

    /// All that anybody ever left here, of one act.
    pub(crate) fn everyones(&self, act: &str) -> impl DoubleEndedIterator<Item = &Accepted> {
        self.ledger.accepted.iter().filter(move |item| item.platform == self.platform && item.act == act)
    }

    /// What this account left here, as far as a look-up shows it by now.
    pub(crate) fn seen(&self, act: &str) -> impl DoubleEndedIterator<Item = &Accepted> {
        self.held(act).filter(|item| item.seen_from <= self.now)
    }

    /// How many requests of this account arrived in the last seconds, without the present one; of one act, or of all.
    pub(crate) fn recent(&self, act: Option<&str>, seconds: i64) -> usize {
        let since = self.now - seconds * SECOND;
        let recent = self.ledger.arrivals.iter().rev().take_while(|arrival| arrival.at > since);
        recent
            .filter(|it| it.platform == self.platform && it.account == self.visit.account)
            .filter(|it| act.is_none_or(|act| it.act == act))
            .count()
    }
}
