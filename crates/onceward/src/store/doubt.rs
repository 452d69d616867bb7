//! The ledger as people see it, and doubts by what they are.

use onceward_db::{Conn, Error, ErrorKind, Result, Row, Sql, Time, sql};
use serde::Serialize;

use super::dead::groups_of;
use super::{from_json, items, micros, unsigned};
use crate::effect::{EffectState, Entry, Next, Terms, next};
use crate::{EffectView, Group, JobId, Receipt};

const EFFECT_LIST: Sql = sql!("effect_list");
const EFFECT_CHANGE: Sql = sql!("effect_change");
const DOUBT_GROUPS: Sql = sql!("doubt_groups");

/// A row of the ledger that people may change.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Step {
    pub job: JobId,
    pub state: EffectState,
    pub absent: u32,
    pub terms: Terms,
    pub view: EffectView,
}

impl Step {
    /// Whether it may have happened.
    pub(crate) fn is_open(&self) -> bool {
        matches!(self.state, EffectState::Sending | EffectState::Unknown)
    }

    /// Whether looking once more could settle it, as far as the ledger can tell.
    pub(crate) fn can_look(&self, stop: bool, now: Time) -> bool {
        let entry = Entry {
            generation: self.view.generation,
            terms: self.terms,
            key: self.view.key.clone(),
            request: String::new(),
            request_hash: String::new(),
            state: self.state,
            sends: self.view.sends,
            looks: 0,
            absent: self.absent,
            first_sent_at: self.view.first_sent_at,
            quiet_until: self.view.quiet_until,
            receipt: Receipt::default(),
            stop,
            lost: false,
            now,
        };
        self.is_open() && next(&entry, true) != Next::Park
    }
}

/// The ledger of the named jobs; without `requests` these are left out, empty, since they may be long.
pub(crate) async fn effects(conn: &mut Conn<'_>, ids: &[JobId], requests: bool) -> Result<Vec<Step>> {
    let rows = conn.rows(&EFFECT_LIST, vec![items(ids)?.into(), requests.into()]).await?;
    rows.iter().map(step).collect()
}

fn step(row: &Row) -> Result<Step> {
    let terms: Terms = from_json("class", Some(row.text("class")?))?
        .ok_or_else(|| Error::new(ErrorKind::Decode, "the class of an effect is empty"))?;
    let state = EffectState::read(&row.text("state")?)?;
    let view = EffectView {
        step: row.text("step")?,
        generation: row.int("generation")?,
        class: terms.class,
        key: row.text("key")?,
        request: row.text("request")?,
        state: state.as_str(),
        closes: row.flag("closes")?,
        sends: unsigned(row.int("sends")?),
        looks: unsigned(row.int("looks")?),
        first_sent_at: row.opt_time("first_sent_at")?,
        last_sent_at: row.opt_time("last_sent_at")?,
        quiet_until: row.opt_time("quiet_until")?,
        check_at: row.opt_time("check_at")?,
        remote_id: row.opt_text("remote_id")?,
        remote_url: row.opt_text("remote_url")?,
        response: row.opt_text("response")?,
    };
    Ok(Step { job: row.int("job_id")?, state, absent: unsigned(row.int("absent")?), terms, view })
}

#[derive(Serialize)]
struct Item<'a> {
    id: JobId,
    step: &'a str,
    generation: i64,
    was: &'static str,
    state: &'static str,
    looks: u32,
    absent: u32,
    check_at: Option<i64>,
    remote_url: Option<&'a str>,
    response: Option<&'a str>,
}

/// Writes steps that a person decided about, each as `(before, after)`.
pub(crate) async fn write(conn: &mut Conn<'_>, changed: &[(&Step, &Step)], now: Option<Time>) -> Result<()> {
    if changed.is_empty() {
        return Ok(());
    }
    let rows: Vec<Item<'_>> = changed.iter().map(|(before, after)| item(before, after)).collect();
    let hit = conn.rows(&EFFECT_CHANGE, vec![items(&rows)?.into(), now.into()]).await?;
    if hit.len() != rows.len() {
        // A late receipt came in between: what was decided is decided anew.
        return Err(Error::new(ErrorKind::Busy, "an effect changed while a person decided about it"));
    }
    Ok(())
}

fn item<'a>(before: &Step, after: &'a Step) -> Item<'a> {
    Item {
        id: after.job,
        step: &after.view.step,
        generation: after.view.generation,
        was: before.state.as_str(),
        state: after.state.as_str(),
        looks: after.view.looks,
        absent: after.absent,
        check_at: micros(after.view.check_at),
        remote_url: after.view.remote_url.as_deref(),
        response: after.view.response.as_deref(),
    }
}

/// Doubts by what they are.
pub(crate) async fn groups(conn: &mut Conn<'_>) -> Result<Vec<Group>> {
    groups_of(conn, &DOUBT_GROUPS).await
}
