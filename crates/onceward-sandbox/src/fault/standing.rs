//! The faults that wait for their requests.

use super::{Fault, Kind};

/// All faults that were set, each with what is left of it.
#[derive(Debug, Default)]
pub(crate) struct Standing(Vec<Fault>);

/// What one request meets.
#[derive(Debug, Default)]
pub(crate) struct Met {
    /// What happens in place of a right answer.
    pub(crate) kind: Option<Kind>,
    /// For how many seconds look-ups miss what it leaves.
    pub(crate) unseen: f64,
    /// Whether a repeated key is an error.
    pub(crate) repeat_error: bool,
}

impl Standing {
    pub(crate) fn add(&mut self, fault: Fault) {
        self.0.push(fault);
    }

    pub(crate) fn clear(&mut self) {
        self.0.clear();
    }

    pub(crate) fn all(&self) -> &[Fault] {
        &self.0
    }

    /// What a request of this act meets: the first fault that fits, and every one beside which it goes on.
    pub(crate) fn meet(&mut self, platform: &str, act: &str) -> Met {
        let mut met = Met::default();
        for fault in &mut self.0 {
            let taken = met.kind.is_some() && !fault.kind.goes_on();
            if taken || !fits(fault, platform, act) || !due(fault) {
                continue;
            }
            match fault.kind {
                Kind::SlowLook(seconds) => met.unseen = seconds,
                Kind::RepeatError => met.repeat_error = true,
                kind => met.kind = Some(kind),
            }
        }
        self.0.retain(|fault| fault.times != Some(0));
        met
    }
}

fn fits(fault: &Fault, platform: &str, act: &str) -> bool {
    let same = |wanted: &Option<String>, is| wanted.as_deref().is_none_or(|wanted| wanted == is);
    same(&fault.platform, platform) && same(&fault.act, act)
}

/// Counts the request, and tells whether the fault meets it.
fn due(fault: &mut Fault) -> bool {
    if fault.skip > 0 {
        fault.skip -= 1;
        return false;
    }
    if let Some(times) = &mut fault.times {
        *times = times.saturating_sub(1);
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    fn met(standing: &mut Standing, act: &str) -> Option<Kind> {
        standing.meet("a", act).kind
    }

    #[test]
    fn a_fault_meets_its_own_requests_as_often_as_it_should() {
        let mut standing = Standing::default();
        standing.add(Fault::new(Kind::Hang).on("b"));
        standing.add(Fault::new(Kind::Reset).on("a").act("post").skip(1).times(2));
        assert_eq!(met(&mut standing, "post"), None);
        assert_eq!(met(&mut standing, "look"), None);
        assert_eq!(met(&mut standing, "post"), Some(Kind::Reset));
        assert_eq!(met(&mut standing, "post"), Some(Kind::Reset));
        assert_eq!(met(&mut standing, "post"), None);
        assert_eq!(standing.all().len(), 1);
    }

    #[test]
    fn faults_take_turns_and_those_that_go_on_join_in() {
        let mut standing = Standing::default();
        standing.add(Fault::new(Kind::Reset).times(1));
        standing.add(Fault::new(Kind::Hang).times(1));
        standing.add(Fault::new(Kind::SlowLook(3.0)));
        let first = standing.meet("a", "post");
        assert_eq!((first.kind, first.unseen), (Some(Kind::Reset), 3.0));
        assert_eq!(met(&mut standing, "post"), Some(Kind::Hang));
        assert_eq!(met(&mut standing, "post"), None);
    }
}
