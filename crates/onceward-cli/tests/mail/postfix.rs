//! The server that `./dev` has started, and what it delivered.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

const MISSING: &str = "ONCEWARD_TEST_POSTFIX is not set: it names the folder of a Postfix that runs. \
                       `./dev services -- COMMAND` starts one and sets the variable, and so does `./dev test`";
/// How long a busy machine may need to deliver what it has accepted.
const DELIVERED: Duration = Duration::from_mins(1);

/// A Postfix that runs.
#[derive(Debug, Clone)]
pub(crate) struct Postfix {
    folder: PathBuf,
    /// No TLS asked for.
    pub(crate) plain: SocketAddr,
    /// TLS from the start.
    pub(crate) tls: SocketAddr,
    /// STARTTLS and a login, or nothing.
    pub(crate) login: SocketAddr,
}

/// A mail as it was delivered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Mail {
    pub(crate) to: String,
    pub(crate) subject: String,
    pub(crate) id: String,
    pub(crate) whole: String,
}

impl Postfix {
    pub(crate) fn running() -> Self {
        let folder = PathBuf::from(std::env::var_os("ONCEWARD_TEST_POSTFIX").expect(MISSING));
        let ports = std::fs::read_to_string(folder.join("ports")).unwrap();
        let mut ports = ports.lines().map(|port| SocketAddr::from(([127, 0, 0, 1], port.parse().unwrap())));
        let mut next = || ports.next().unwrap();
        Self { plain: next(), tls: next(), login: next(), folder }
    }

    /// The certificate that it shows.
    pub(crate) fn certificate(&self) -> PathBuf {
        self.folder.join("cert.pem")
    }

    /// All that was delivered to this recipient, once nothing is on its way any more.
    pub(crate) async fn mails(&self, to: &str) -> Vec<Mail> {
        let deadline = Instant::now() + DELIVERED;
        while ["incoming", "active", "deferred"]
            .iter()
            .any(|queue| holds_files(&self.folder.join("spool").join(queue)))
        {
            assert!(Instant::now() < deadline, "Postfix holds mail for longer than {DELIVERED:?}");
            tokio::time::sleep(Duration::from_millis(20)).await; // sleeps: another program delivers
        }
        let mails = files(&self.folder.join("mbox/all/new")).into_iter().map(|file| Mail::read(&file));
        mails.filter(|mail| mail.to == to).collect()
    }
}

impl Mail {
    fn read(file: &Path) -> Self {
        let whole = String::from_utf8_lossy(&std::fs::read(file).unwrap()).into_owned();
        let head = whole.split("\n\n").next().unwrap_or_default();
        let header = |name: &str| {
            let found = head.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(": "));
            found.unwrap_or_default().to_owned()
        };
        Self { to: header("X-Original-To"), subject: header("Subject"), id: header("Message-ID"), whole }
    }
}

fn holds_files(folder: &Path) -> bool {
    !files(folder).is_empty()
}

/// All files below a folder. What vanishes while it is looked at was on its way.
fn files(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
    let paths = entries.filter_map(Result::ok).map(|entry| entry.path());
    paths.flat_map(|path| if path.is_dir() { files(&path) } else { vec![path] }).collect()
}
