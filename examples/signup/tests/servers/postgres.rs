//! A PostgreSQL of one test's own, which may be restarted as if the machine had failed.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use super::{Supervised, shell};

/// A server on a Unix socket in a folder of its own.
#[derive(Debug)]
pub(crate) struct Postgres {
    folder: PathBuf,
    server: Option<Supervised>,
}

impl Postgres {
    pub(crate) fn start() -> Self {
        // Always /tmp: a socket's path may be no longer than 107 bytes.
        let folder = tempfile::Builder::new().prefix("signup-postgres.").tempdir_in("/tmp").unwrap().keep();
        let at = folder.display().to_string();
        run(&format!("[ $(id -u) != 0 ] || chown nobody {at}"));
        // Durability stays at its defaults: what a restart must not lose is what is tested.
        let initdb = "initdb --username=postgres --auth=trust --encoding=UTF8 --no-locale --no-sync";
        run(&format!("{} {initdb} --pgdata={at}/data", unprivileged(&folder)));
        let server = format!(
            "{} postgres -D {at}/data -k {at} -p 5432 -c listen_addresses='' -c max_connections=100",
            unprivileged(&folder)
        );
        let postgres = Self { server: Some(Supervised::start(server)), folder };
        let deadline = Instant::now() + Duration::from_mins(1);
        while !shell(&format!("pg_isready -q -h {at} -U postgres")).status().unwrap().success() {
            assert!(Instant::now() < deadline, "PostgreSQL does not start in {at}");
            std::thread::sleep(Duration::from_millis(50)); // sleeps: another program starts
        }
        postgres
    }

    pub(crate) fn url(&self) -> String {
        format!("postgres://postgres@{}:5432/postgres", self.folder.display().to_string().replace('/', "%2F"))
    }

    /// Ends it at once, as `pg_ctl stop -m immediate` does: what was not on the disk is gone. It is started again.
    pub(crate) fn restart(&self) -> String {
        let pid = self.folder.join("data/postmaster.pid");
        let kill = format!("kill -QUIT $(head -n 1 {} 2>/dev/null) 2>/dev/null", pid.display());
        format!("until {kill}; do sleep 0.05; done")
    }
}

impl Drop for Postgres {
    fn drop(&mut self) {
        self.server.take();
        drop(std::fs::remove_dir_all(&self.folder));
    }
}

/// PostgreSQL refuses root. The kernel ends it when this process is killed outright.
fn unprivileged(folder: &Path) -> String {
    let nobody = "--reuid $(id -u nobody) --regid $(id -g nobody) --clear-groups";
    let user = format!("$([ $(id -u) != 0 ] || echo {nobody})");
    format!("cd {} && exec setpriv --pdeathsig QUIT {user}", folder.display())
}

fn run(script: &str) {
    let out = shell(script).stderr(std::process::Stdio::piped()).output().unwrap();
    let said = String::from_utf8_lossy(&out.stderr);
    assert!(out.status.success(), "{script}: {said}; `./dev test` installs what is missing");
}
