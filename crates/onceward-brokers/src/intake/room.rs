//! How many messages may come before one of the queues that they go to is full. Pure.

use std::collections::BTreeMap;

/// The queues that messages go to at present, which are those of the last that came, and the room in each. What waits in
/// a queue that nothing goes to stops nobody.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Room {
    left: BTreeMap<String, usize>,
}

impl Room {
    /// Messages came, each for this queue. A queue that is new here has no room until somebody has looked.
    pub(super) fn came<'q>(&mut self, queues: impl Iterator<Item = &'q str>) {
        let before = std::mem::take(&mut self.left);
        for queue in queues {
            let known = before.get(queue).copied().unwrap_or(0);
            let left = self.left.entry(queue.to_owned()).or_insert(known);
            *left = left.saturating_sub(1);
        }
    }

    /// Where somebody should look before more is taken.
    pub(super) fn unsure(&self) -> Vec<String> {
        self.left.iter().filter(|(_, left)| **left == 0).map(|(queue, _)| queue.clone()).collect()
    }

    /// Somebody has looked.
    pub(super) fn found(&mut self, queue: String, left: usize) {
        self.left.insert(queue, left);
    }

    /// How many may come. Before the first, nobody knows where messages go: one tells.
    pub(super) fn most(&self) -> usize {
        self.left.values().copied().min().unwrap_or(1)
    }

    /// A queue that has none.
    pub(super) fn full(&self) -> Option<&str> {
        self.left.iter().find(|(_, left)| **left == 0).map(|(queue, _)| queue.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_queues_that_messages_go_to_count() {
        let mut room = Room::default();
        assert_eq!((room.most(), room.full()), (1, None), "one tells where they go");
        room.came(["mail"].into_iter());
        assert_eq!(room.unsure(), ["mail"]);
        room.found("mail".to_owned(), 5);
        assert_eq!(room.most(), 5);
        room.came(["mail", "post", "mail", "post"].into_iter());
        assert_eq!(room.unsure(), ["post"]);
        room.found("post".to_owned(), 9);
        assert_eq!(room.most(), 3, "the fullest decides");
        room.came(["mail"; 3].into_iter());
        assert_eq!((room.most(), room.full()), (0, Some("mail")));
        room.came(["post"].into_iter());
        assert_eq!(room.unsure(), ["post"], "looked at anew after a while without messages");
        room.found("post".to_owned(), 2);
        assert_eq!((room.most(), room.full()), (2, None));
    }
}
