//! What goes wrong, and when: backends are killed, the server is restarted, workers come and go.

use onceward_tests::Verdict;
use onceward_tests::chance::Chance;
use onceward_tests::server::{End, Server};
use sqlx::{Connection, PgConnection};

use super::fleet::Fleet;

/// How much of it, over so many steps.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Forecast {
    pub(crate) steps: usize,
    pub(crate) kills: usize,
    pub(crate) restarts: usize,
}

pub(crate) struct Weather {
    forecast: Forecast,
    chance: Chance,
    step: usize,
    /// Backends that were killed.
    pub(crate) kills: usize,
    /// Of those, while some job was running.
    pub(crate) amidst: usize,
    /// Times that the server was restarted, each second time as after a crash.
    pub(crate) restarts: usize,
}

impl Weather {
    pub(crate) fn new(forecast: Forecast) -> Self {
        Self { forecast, chance: Chance::of(6), step: 0, kills: 0, amidst: 0, restarts: 0 }
    }

    /// What is due of it by now, while work is under way.
    pub(crate) async fn strike(&mut self, server: &mut Server, fleet: &mut Fleet) -> Verdict {
        self.step += 1;
        let Forecast { steps, kills, restarts } = self.forecast;
        while self.kills < kills * self.step / steps {
            self.kill(server).await?;
        }
        if self.restarts < restarts * self.step / steps {
            let end = if self.restarts.is_multiple_of(2) { End::Fast } else { End::Immediate };
            server.restart(end).await?;
            let which = usize::try_from(self.chance.below(fleet.actors.len() as u64))?;
            fleet.roll(which, end == End::Immediate).await?;
            self.restarts += 1;
        }
        Ok(())
    }

    async fn kill(&mut self, server: &Server) -> Verdict {
        let mut admin = PgConnection::connect(&server.url("day")).await?;
        let pids = backends(&mut admin).await?;
        let running = "SELECT count(*) FROM onceward.job WHERE state = 'running'";
        let busy: i64 = sqlx::query_scalar(running).fetch_one(&mut admin).await?;
        let Some(pid) = pids.get(usize::try_from(self.chance.below(pids.len() as u64))?) else {
            return Ok(());
        };
        let killed: bool =
            sqlx::query_scalar("SELECT pg_terminate_backend($1)").bind(pid).fetch_one(&mut admin).await?;
        self.kills += usize::from(killed);
        self.amidst += usize::from(killed && busy > 0);
        Ok(())
    }
}

async fn backends(admin: &mut PgConnection) -> Verdict<Vec<i32>> {
    let all = "SELECT pid FROM pg_stat_activity WHERE datname = 'day' AND application_name = 'onceward' ORDER BY pid";
    Ok(sqlx::query_scalar(all).fetch_all(admin).await?)
}
