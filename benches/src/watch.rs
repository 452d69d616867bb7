//! What a piece of work took: by the clock, and in CPU time, which other work on the machine does not change much.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// The kernel's unit of CPU time in `/proc`.
const TICK: Duration = Duration::from_millis(10);

/// Since when.
pub(crate) struct Watch {
    start: Instant,
    client: PathBuf,
    server: Option<u32>,
    cpu: Option<Cpu>,
}

/// So many in so long.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Rate {
    jobs: usize,
    long: Duration,
    cpu: Option<Cpu>,
}

/// CPU time of the client, and of all processes of the server.
#[derive(Debug, Clone, Copy)]
struct Cpu {
    here: Duration,
    server: Duration,
}

impl Watch {
    /// Of this process. `server`: the process id of a PostgreSQL server on this machine.
    pub(crate) fn start(server: Option<u32>) -> Self {
        Self::over(PathBuf::from("/proc/self"), server)
    }

    /// Of another process. One that has ended can be read until it is waited for.
    pub(crate) fn of(client: u32, server: Option<u32>) -> Self {
        Self::over(Path::new("/proc").join(client.to_string()), server)
    }

    fn over(client: PathBuf, server: Option<u32>) -> Self {
        let cpu = Cpu::so_far(&client, server);
        Self { start: Instant::now(), client, server, cpu }
    }

    pub(crate) fn stop(&self, jobs: usize) -> Rate {
        self.stop_after(self.start.elapsed(), jobs)
    }

    /// By another clock than this one.
    pub(crate) fn stop_after(&self, long: Duration, jobs: usize) -> Rate {
        let spent = |(before, after): (Cpu, Cpu)| Cpu {
            here: after.here.saturating_sub(before.here),
            server: after.server.saturating_sub(before.server),
        };
        Rate { jobs, long, cpu: self.cpu.zip(Cpu::so_far(&self.client, self.server)).map(spent) }
    }
}

#[expect(clippy::cast_precision_loss, reason = "counts here stay far below 2^52")]
impl Rate {
    pub(crate) fn per_second(&self) -> f64 {
        self.jobs as f64 / self.long.as_secs_f64()
    }

    /// Microseconds of CPU for each job: here, and in the server.
    pub(crate) fn cpu(&self) -> Option<(f64, f64)> {
        let each = |time: Duration| time.as_secs_f64() * 1e6 / self.jobs as f64;
        self.cpu.map(|cpu| (each(cpu.here), each(cpu.server)))
    }

    /// The same, as it is printed.
    pub(crate) fn in_cpu_time(&self) -> String {
        self.cpu().map_or_else(|| "not known".to_owned(), |(here, server)| format!("{here:.1} + {server:.1}"))
    }
}

impl Cpu {
    /// `None` where there is no `/proc`.
    fn so_far(client: &Path, server: Option<u32>) -> Option<Self> {
        let here = spent(client)?;
        let Some(server) = server else { return Some(Self { here, server: Duration::ZERO }) };
        // What has ended counts as its parent's, but only once that has noticed: then it is counted again.
        loop {
            let before = waited_for(server)?;
            let mut all = before;
            for process in std::fs::read_dir("/proc").ok()?.flatten() {
                if parent(&process.path()) == Some(server) {
                    all += spent(&process.path()).unwrap_or_default();
                }
            }
            if waited_for(server)? == before {
                return Some(Self { here, server: all });
            }
        }
    }
}

/// CPU time of a server's processes that have ended. That of the one that started them is small, and left out.
fn waited_for(server: u32) -> Option<Duration> {
    let stat = stat(&Path::new("/proc").join(server.to_string()))?;
    Some(TICK * stat.get(13..15)?.iter().filter_map(|at| at.parse::<u32>().ok()).sum())
}

fn spent(process: &Path) -> Option<Duration> {
    let ticks = stat(process)?.get(11..13)?.iter().filter_map(|at| at.parse::<u32>().ok()).sum();
    Some(TICK * ticks)
}

/// The parent of a process.
pub(crate) fn parent(process: &Path) -> Option<u32> {
    stat(process)?.get(1)?.parse().ok()
}

/// The fields of `/proc/PID/stat` after the name, which may hold anything.
fn stat(process: &Path) -> Option<Vec<String>> {
    let stat = std::fs::read_to_string(process.join("stat")).ok()?;
    Some(stat.rsplit_once(") ")?.1.split_whitespace().map(str::to_owned).collect())
}
