//! The mail server: our stand-in, or a Postfix. It alone is asked what was delivered.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use onceward_sandbox::{Options, Sandbox};

use crate::Fallible;

/// How long a Postfix may need to deliver what it took.
const DELIVERED: Duration = Duration::from_mins(1);

pub(crate) enum Server {
    Sandbox(Sandbox),
    Postfix {
        /// As `scripts/services/postfix.sh` makes it.
        folder: PathBuf,
        address: SocketAddr,
    },
}

impl Server {
    pub(crate) async fn start(postfix: Option<&Path>) -> Fallible<Self> {
        let Some(folder) = postfix else {
            let options = Options { platforms: Some(vec!["email".to_owned()]), ..Options::default() };
            return Ok(Self::Sandbox(Sandbox::start(options).await?));
        };
        let ports = std::fs::read_to_string(folder.join("ports"))?;
        let port: u16 = ports.lines().next().unwrap_or_default().parse()?;
        Ok(Self::Postfix { folder: folder.to_owned(), address: ([127, 0, 0, 1], port).into() })
    }

    pub(crate) fn address(&self) -> Fallible<SocketAddr> {
        Ok(match self {
            Self::Sandbox(sandbox) => sandbox.url("email").trim_start_matches("smtp://").parse()?,
            Self::Postfix { address, .. } => *address,
        })
    }

    /// The recipient of each mail that was delivered, once nothing is on its way any more.
    pub(crate) async fn mails(&self) -> Fallible<Vec<String>> {
        match self {
            Self::Sandbox(sandbox) => {
                let ledger = sandbox.ledger();
                Ok(ledger.visible("email").filter_map(|mail| mail.place.clone()).collect())
            }
            Self::Postfix { folder, .. } => delivered(folder).await,
        }
    }

    pub(crate) async fn stop(self) {
        if let Self::Sandbox(sandbox) = self {
            sandbox.stop().await;
        }
    }
}

async fn delivered(folder: &Path) -> Fallible<Vec<String>> {
    let deadline = Instant::now() + DELIVERED;
    while ["incoming", "active", "deferred"]
        .iter()
        .any(|queue| !files(&folder.join("spool").join(queue)).is_empty())
    {
        if Instant::now() > deadline {
            return Err(format!("Postfix holds mail for longer than {DELIVERED:?}").into());
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    let mut to = Vec::new();
    for file in files(&folder.join("mbox/all/new")) {
        let mail = std::fs::read(file)?;
        let mail = String::from_utf8_lossy(&mail);
        to.extend(mail.lines().find_map(|line| line.strip_prefix("X-Original-To: ")).map(str::to_owned));
    }
    Ok(to)
}

/// All files below a folder. What vanishes while it is looked at was on its way.
fn files(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
    let paths = entries.filter_map(Result::ok).map(|entry| entry.path());
    paths.flat_map(|path| if path.is_dir() { files(&path) } else { vec![path] }).collect()
}
