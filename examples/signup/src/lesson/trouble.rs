//! What goes wrong in a round. One seed is one trouble, the same for every version.

use std::fmt;

use super::wire::{Fault, Step};

/// Longest time between asking and a kill, in milliseconds: about as long as a mail takes.
const WHILE: u64 = 120;

/// What goes wrong, and when.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Trouble {
    /// The application is killed, so many milliseconds after people asked.
    AppAsked(u64),
    /// The application is killed, so many milliseconds after the first of them has an answer.
    AppAnswered(u64),
    /// Whoever sends is killed, so many milliseconds after people asked.
    Sender(u64),
    /// Whoever relays is killed, so many milliseconds after people asked.
    Relay(u64),
    /// The dialogue with the mail server breaks at one step.
    Dialogue(Fault),
    /// The mail server is away for so many milliseconds.
    Away(u64),
    /// Another server, by its place in the list, is restarted, so many milliseconds after people asked.
    Server(usize, u64),
}

impl Trouble {
    /// The trouble of a seed, where so many other servers can be restarted.
    pub(crate) fn of(seed: u64, servers: usize) -> Self {
        let mut chance = Chance(seed);
        if servers > 0 && chance.below(4) == 0 {
            let which = usize::try_from(chance.below(servers as u64)).unwrap_or(0);
            return Self::Server(which, chance.below(WHILE));
        }
        let step = [Step::Hello, Step::Sender, Step::Recipient, Step::Data];
        let step = step[usize::try_from(chance.below(4)).unwrap_or(0)];
        let fault = |step, heard, kill| Self::Dialogue(Fault { step, heard, kill });
        match chance.below(20) {
            0..2 => Self::AppAsked(chance.below(WHILE / 6)),
            2..5 => Self::AppAnswered(chance.below(WHILE / 12)),
            5..8 => Self::Sender(chance.below(WHILE)),
            8..10 => Self::Relay(chance.below(WHILE / 3)),
            10..13 => fault(step, false, true),
            13 => fault(Step::Dot, false, true),
            14..16 => fault(Step::Dot, true, true),
            16 => fault(step, false, false),
            17 => fault(Step::Dot, false, false),
            18 => fault(Step::Dot, true, false),
            _ => Self::Away(200 + chance.below(300)),
        }
    }
}

impl fmt::Display for Trouble {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::AppAsked(ms) => write!(f, "the application is killed {ms} ms after people asked"),
            Self::AppAnswered(ms) => write!(f, "the application is killed {ms} ms after its first answer"),
            Self::Sender(ms) => write!(f, "whoever sends is killed {ms} ms after people asked"),
            Self::Relay(ms) => write!(f, "whoever relays is killed {ms} ms after people asked"),
            Self::Dialogue(fault) => fault.fmt(f),
            Self::Away(ms) => write!(f, "the mail server is away for {ms} ms"),
            Self::Server(which, ms) => {
                write!(f, "server {} is restarted {ms} ms after people asked", which + 1)
            }
        }
    }
}

/// A row of random numbers with a seed (`SplitMix64`), so that a run can be had again.
struct Chance(u64);

impl Chance {
    fn below(&mut self, end: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ (mixed >> 31)) % end.max(1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forty_seeds_meet_each_sort_of_trouble() {
        let all: Vec<Trouble> = (0..40).map(|seed| Trouble::of(seed, 1)).collect();
        let meets = |sort: fn(&Trouble) -> bool| all.iter().any(sort);
        assert!(meets(|it| matches!(it, Trouble::AppAsked(_))));
        assert!(meets(|it| matches!(it, Trouble::AppAnswered(_))));
        assert!(meets(|it| matches!(it, Trouble::Sender(_))));
        assert!(meets(|it| matches!(it, Trouble::Relay(_))));
        assert!(meets(|it| matches!(it, Trouble::Away(_))));
        assert!(meets(|it| matches!(it, Trouble::Server(..))));
        for (dot, heard, kill) in
            [(false, false, true), (true, false, true), (true, true, true), (true, true, false)]
        {
            let met = all.iter().any(|it| match it {
                Trouble::Dialogue(fault) => {
                    (fault.step == Step::Dot, fault.heard, fault.kill) == (dot, heard, kill)
                }
                _ => false,
            });
            assert!(met, "dot {dot}, heard {heard}, kill {kill}");
        }
    }
}
