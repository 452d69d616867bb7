//! The key of a record: a timestamp identifier (TID) after the AT Protocol's specification of record keys.

use onceward::Time;
use sha2::{Digest, Sha256};

/// The alphabet whose order is that of the values.
const SORTABLE: &[u8; 32] = b"234567abcdefghijklmnopqrstuvwxyz";
/// A TID has 13 characters of 5 bits.
const LENGTH: u32 = 13;

/// The key of the record made at `at`, a whole millisecond. The microseconds below it and the ten bits of the clock
/// come from the ledger's key, so that two posts of one moment have two keys, and one post always has the same.
pub(super) fn rkey(at: Time, key: &str) -> String {
    let hash = Sha256::digest(key.as_bytes());
    let chance = u64::from(u32::from_be_bytes([hash[0], hash[1], hash[2], hash[3]]));
    let (below, clock) = ((chance >> 10) % 1000, chance & 0x3ff);
    let micros = u64::try_from(at.micros().div_euclid(1000)).unwrap_or(0) * 1000 + below;
    let tid = (micros << 10 | clock) & (u64::MAX >> 1);
    let place = |place: u32| (tid >> (5 * place)) & 0x1f;
    (0..LENGTH).rev().map(|at| char::from(SORTABLE[usize::try_from(place(at)).unwrap_or(0)])).collect()
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    const KEY: &str = "0123456789abcdef0123456789abcdef";

    fn at(text: &str) -> Time {
        text.parse().unwrap()
    }

    /// The value behind a TID, read by the specification.
    fn value(tid: &str) -> u64 {
        tid.bytes().fold(0, |value, byte| {
            value * 32 + SORTABLE.iter().position(|known| *known == byte).unwrap() as u64
        })
    }

    #[test]
    fn the_moment_stands_in_the_key_to_the_millisecond() {
        for text in ["1970-01-01T00:00:00Z", "2026-12-01T09:30:00.123Z", "2255-06-01T00:00:00Z"] {
            let tid = rkey(at(text), KEY);
            assert_eq!((tid.len(), tid.is_ascii()), (13, true), "{tid}");
            assert!("234567abcdefghij".contains(&tid[..1]), "{tid}: the highest bit is 0");
            assert_eq!((value(&tid) >> 10) / 1000, u64::try_from(at(text).micros()).unwrap() / 1000);
        }
    }

    #[test]
    fn the_same_post_has_the_same_key_and_later_ones_sort_later() {
        let first = at("2026-12-01T09:30:00Z");
        assert_eq!(rkey(first, KEY), rkey(first, KEY));
        let later: Vec<_> = (0..50).map(|ms| rkey(first.after(Duration::from_millis(ms)), KEY)).collect();
        assert!(later.is_sorted(), "{later:?}");
    }

    #[test]
    fn posts_of_one_moment_share_no_key() {
        let first = at("2026-12-01T09:30:00Z");
        let keys: std::collections::BTreeSet<_> =
            (0..500).map(|n| rkey(first, &format!("{n:032x}"))).collect();
        assert_eq!(keys.len(), 500);
    }
}
