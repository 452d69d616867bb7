//! People's verbs, done to both sides.

use super::command::Deed;
use super::drive::{Verdict, World, agree, stored};
use super::state::body;
use crate::store::retention::{Sweep, Sweeping};
use crate::{Cancelled, JobId, Left, Resolution, ReviveOptions, Revived, Selection, State};

type Done = Result<(), String>;

impl World<'_> {
    pub(super) async fn person(&mut self, id: JobId, deed: Deed) -> Verdict {
        if !self.model.is_true(id, deed) {
            return Ok(());
        }
        let real = self.does(id, deed).await?;
        let expected = self.model.person(id, deed, true).map(drop).map_err(str::to_owned);
        agree(&format!("{deed:?} to job {id}"), &expected, &real)
    }

    async fn does(&self, id: JobId, deed: Deed) -> Result<Done, proptest::test_runner::TestCaseError> {
        let once = self.once();
        Ok(match deed {
            Deed::Cancel => match stored(once.cancel(id).await)?.pop() {
                Some((_, Cancelled::Left(left))) => Err(left.code.to_owned()),
                _ => Ok(()),
            },
            Deed::Hold => only(stored(once.hold(id, "approval").await)?),
            Deed::Release => only(stored(once.release(id, None).await)?),
            Deed::Discard => only(stored(once.discard(id).await)?),
            Deed::Undiscard => only(stored(once.undiscard(id).await)?),
            Deed::Verify => only(stored(once.verify(id).await)?),
            Deed::SaysItHappened => self.resolve(id, Resolution::Happened { url: None }).await,
            Deed::SaysItDidNot => self.resolve(id, Resolution::DidNotHappen).await,
            Deed::GivesUp => self.resolve(id, Resolution::GiveUp).await,
            Deed::Revive { payload, may_repeat } => {
                let options =
                    ReviveOptions { set_payload: payload.map(body), may_repeat, ..ReviveOptions::default() };
                let revived = stored(once.revive(id, &options).await)?;
                revived.left.into_iter().next().map_or(Ok(()), |(_, left)| Err(left.code.to_owned()))
            }
        })
    }

    async fn resolve(&self, id: JobId, resolution: Resolution) -> Done {
        self.once().resolve(id, resolution).await.map(drop).map_err(|error| error.code().to_owned())
    }

    pub(super) async fn revive_all(&mut self) -> Verdict {
        let Revived { revived, to_verify, left } =
            stored(self.once().revive(Selection::All, &ReviveOptions::default()).await)?;
        let dead = self.model.jobs.iter().filter(|(_, job)| job.row.state == State::Dead);
        let dead: Vec<JobId> = dead.map(|(id, _)| *id).collect();
        let revive = Deed::Revive { payload: None, may_repeat: false };
        let (mut good, mut bad) = (Vec::new(), Vec::new());
        for id in dead {
            match self.model.person(id, revive, false) {
                Ok(_) => good.push(id),
                Err(code) => bad.push((id, code)),
            }
        }
        agree("revive all", &good, &revived)?;
        agree("revive all, to verify", &Vec::<JobId>::new(), &to_verify)?;
        let left: Vec<(JobId, &str)> = left.into_iter().map(|(id, left)| (id, left.code)).collect();
        agree("revive all, left", &bad, &left)
    }

    pub(super) async fn carry_out_discards(&mut self) -> Verdict {
        let real = stored(self.once().db().fold::<Sweep>(vec![Sweeping::Discarded]).await)?;
        let expected = self.model.carry_out_discards();
        agree("discards", &vec![expected], &real)
    }
}

fn only(answers: Vec<(JobId, Result<(), Left>)>) -> Done {
    let answer = answers.into_iter().next().map(|(_, answer)| answer);
    answer.unwrap_or_else(|| Err(Left::not_found(0))).map_err(|left| left.code.to_owned())
}
