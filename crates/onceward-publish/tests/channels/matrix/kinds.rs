//! The faults, each with the samples that are tried, and what a fault leaves of a request.

use onceward_sandbox::Kind;

/// For how many seconds a look misses what was accepted: less than the lag of every class.
const UNSEEN: f64 = 8.0;
/// How long a platform asks to wait, in seconds.
const WAIT: f64 = 5.0;

/// What a fault leaves of a request.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Left {
    /// Whether the platform did what was asked.
    pub(crate) taken: bool,
    /// What it said.
    pub(crate) said: Said,
}

/// What a platform said.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Said {
    /// Nothing, or not all of it.
    Nothing,
    /// So many bytes of its answer, head included.
    Bytes(u64),
    /// An answer with this status that names no reason.
    Status(u16),
    /// That it asks to wait.
    Wait,
    /// That it has this already.
    Again,
    /// That the token has ended.
    Expired,
    /// That the token was taken back.
    Revoked,
    /// What it says on a good day: the fault is beside it.
    Usual,
}

/// Every fault that a stand-in knows, with all its samples.
pub(crate) fn all() -> Vec<Kind> {
    walk(|samples| samples)
}

/// Every fault once or twice: for acts that nobody sees.
pub(crate) fn some() -> Vec<Kind> {
    walk(
        |samples| {
            if samples.len() > 3 {
                vec![samples[1], samples[samples.len() - 2]]
            } else {
                samples[..1].to_vec()
            }
        },
    )
}

fn walk(pick: impl Fn(Vec<Kind>) -> Vec<Kind>) -> Vec<Kind> {
    let (mut all, mut kind) = (Vec::new(), Some(Kind::AcceptThenHang));
    while let Some(it) = kind {
        let (samples, next) = samples(it);
        all.extend(pick(samples));
        kind = next;
    }
    all
}

/// The samples of one kind, and the kind that comes next: one that the sandbox learns does not compile before it has
/// its place here.
fn samples(kind: Kind) -> (Vec<Kind>, Option<Kind>) {
    match kind {
        Kind::AcceptThenHang => (vec![kind], Some(Kind::AcceptThenReset)),
        Kind::AcceptThenReset => (vec![kind], Some(Kind::AcceptThenStatus(500))),
        Kind::AcceptThenStatus(_) => {
            let statuses = [200, 408, 500, 502, 504];
            (statuses.map(Kind::AcceptThenStatus).to_vec(), Some(Kind::AcceptThenCut(0)))
        }
        Kind::AcceptThenCut(_) => ([0, 9, 100].map(Kind::AcceptThenCut).to_vec(), Some(Kind::SlowLoris(1.0))),
        Kind::SlowLoris(_) => (vec![kind], Some(Kind::Refuse(503))),
        Kind::Refuse(_) => {
            let statuses = [200, 503, 400, 401, 403, 404, 500, 422, 502];
            (statuses.map(Kind::Refuse).to_vec(), Some(Kind::Hang))
        }
        Kind::Hang => (vec![kind], Some(Kind::Reset)),
        Kind::Reset => (vec![kind], Some(Kind::RateLimit(WAIT, None))),
        // Every unit has a test of its own: `limits`.
        Kind::RateLimit(..) => (vec![kind], Some(Kind::SlowLook(UNSEEN))),
        Kind::SlowLook(_) => (vec![kind], Some(Kind::Duplicate { accept: true })),
        Kind::Duplicate { .. } => (vec![kind, Kind::Duplicate { accept: false }], Some(Kind::RepeatError)),
        Kind::RepeatError => (vec![kind], Some(Kind::ExpiredToken)),
        Kind::ExpiredToken => (vec![kind], Some(Kind::RevokedToken)),
        Kind::RevokedToken => (vec![kind], None),
    }
}

/// What a fault of this kind leaves of the request that meets it.
pub(crate) fn left(kind: Kind) -> Left {
    let (taken, said) = match kind {
        Kind::AcceptThenHang | Kind::AcceptThenReset | Kind::SlowLoris(_) => (true, Said::Nothing),
        Kind::AcceptThenCut(at) => (true, Said::Bytes(at)),
        Kind::AcceptThenStatus(status) => (true, Said::Status(status)),
        Kind::Refuse(status) => (false, Said::Status(status)),
        Kind::Hang | Kind::Reset => (false, Said::Nothing),
        Kind::RateLimit(..) => (false, Said::Wait),
        Kind::Duplicate { accept } => (accept, Said::Again),
        Kind::ExpiredToken => (false, Said::Expired),
        Kind::RevokedToken => (false, Said::Revoked),
        Kind::SlowLook(_) | Kind::RepeatError => (true, Said::Usual),
    };
    Left { taken, said }
}

#[test]
fn every_kind_of_fault_is_in_the_matrix() {
    let names = |kinds: Vec<Kind>| {
        let mut names: Vec<_> = kinds.into_iter().map(Kind::name).collect();
        names.dedup();
        names
    };
    assert_eq!(names(all()), names(some()));
    assert_eq!(names(all()).len(), 14, "as many as the table of the sandbox's guide has");
}
