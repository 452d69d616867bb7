//! The messages that new jobs are made from: which are known, which must wait, and which may come again.

use std::collections::HashSet;

use onceward_db::{Conn, Result, Sql, Time, sql};

use super::{Entered, Entry, Holder, KeyItem, SCOPE_MESSAGE, ended, take_keys};
use crate::job::{Enqueued, JobId};
use crate::store::items;

const DEDUP_FREE: Sql = sql!("dedup_free");

/// The answer for each entry whose message has made a job before, or makes one for an entry before it, or whose id was
/// another message's.
pub(super) async fn known(
    conn: &mut Conn<'_>,
    entries: &[&Entry],
    ids: &[JobId],
    now: Option<Time>,
) -> Result<Vec<Option<Entered>>> {
    let keys = entries.iter().zip(ids).filter_map(|(entry, id)| KeyItem::of_message(*id, entry));
    let holders = take_keys(conn, keys.collect(), now).await?;
    let mut out = Vec::with_capacity(entries.len());
    for (entry, id) in entries.iter().zip(ids) {
        let message = entry.message.as_ref().and_then(|it| Some((it, holders.get(&it.key)?)));
        out.push(match message.filter(|(_, holder)| holder.job != *id) {
            // An older program did not write down what it carried.
            Some((it, Holder { job, hash })) if hash.is_empty() || *hash == it.hash => {
                let (state, url) = ended(conn, SCOPE_MESSAGE, &it.key).await?;
                Some(Entered::As(Enqueued::Skipped { existing: *job, state, changed: false, url }))
            }
            Some((_, holder)) => Some(Entered::OtherMessage { existing: holder.job }),
            None => None,
        });
    }
    Ok(out)
}

/// Leaves behind what follows, of its ordering key, one whose message is another's, or is shared with one of this call:
/// whether that one is made is not known yet.
pub(super) fn hold_back(entries: &[&Entry], ids: &[JobId], answers: &mut [Option<Entered>]) {
    let ours: HashSet<JobId> = ids.iter().copied().collect();
    let mut stuck = HashSet::new();
    for (entry, answer) in entries.iter().zip(answers) {
        let Some(order) = &entry.job.order else { continue };
        match answer {
            None if stuck.contains(order) => *answer = Some(Entered::Behind),
            Some(Entered::OtherMessage { .. }) => drop(stuck.insert(order)),
            Some(other) if other.existing().is_some_and(|id| ours.contains(&id)) => drop(stuck.insert(order)),
            _ => {}
        }
    }
}

/// Lets go of the messages of jobs that were not made, so that they may come again once they are mended; gives those jobs.
pub(super) async fn let_go(
    conn: &mut Conn<'_>,
    entries: &[&Entry],
    ids: &[JobId],
    answers: &[Option<Entered>],
) -> Result<HashSet<JobId>> {
    let unmade =
        |answer: &Option<Entered>| matches!(answer, Some(Entered::Conflict { .. } | Entered::Behind));
    let all = entries.iter().zip(ids).zip(answers).filter(|(_, answer)| unmade(answer));
    let keys: Vec<KeyItem<'_>> = all.filter_map(|((entry, id), _)| KeyItem::of_message(*id, entry)).collect();
    if !keys.is_empty() {
        conn.execute(&DEDUP_FREE, vec![items(&keys)?.into()]).await?;
    }
    Ok(keys.iter().map(|key| key.id).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::NewJob;
    use crate::job::InOrder;

    /// Two relays may share a write, and each has keys of its own.
    #[test]
    fn what_is_held_back_is_of_the_same_hand_over() {
        let entry = |hand_over| {
            let order = InOrder { hand_over, key: "k".to_owned() };
            Entry::new(NewJob::untyped("mail", "welcome", "1").in_order(Some(order))).unwrap()
        };
        let entries = [entry(1), entry(2), entry(1)];
        let mut answers = [Some(Entered::OtherMessage { existing: 7 }), None, None];
        hold_back(&entries.each_ref(), &[10, 11, 12], &mut answers);
        assert!(matches!(answers, [_, None, Some(Entered::Behind)]), "{answers:?}");
    }
}
