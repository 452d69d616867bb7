//! The other side of an effect: it accepts what it is sent, remembers all of it, and can be asked.
//!
//! One line each way on a connection of its own: `post NAME KEY` gives `ok`, `look NAME` gives `found` or `absent`.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::JoinHandle;

use crate::Verdict;

/// What was posted: by name, the key of each post.
type Posts = Arc<Mutex<BTreeMap<u32, Vec<String>>>>;

/// A peer on a port of the loopback. Gone when dropped.
#[derive(Debug)]
pub struct Peer {
    port: u16,
    posts: Posts,
    holds: watch::Sender<bool>,
    listens: JoinHandle<()>,
}

impl Drop for Peer {
    fn drop(&mut self) {
        self.listens.abort();
    }
}

impl Peer {
    /// Listens on a free port.
    pub async fn start() -> Verdict<Self> {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let (posts, holds) = (Posts::default(), watch::Sender::new(false));
        let (port, accepted, held) = (listener.local_addr()?.port(), Arc::clone(&posts), holds.subscribe());
        let listens = tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(answer(stream, Arc::clone(&accepted), held.clone()));
            }
        });
        Ok(Self { port, posts, holds, listens })
    }

    /// Its port.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// Whether what it accepts from now on is not answered, until that is taken back.
    pub fn hold(&self, holds: bool) {
        self.holds.send_replace(holds);
    }

    /// How many of these names it has accepted.
    pub fn accepted(&self, names: impl IntoIterator<Item = u32>) -> usize {
        let posts = lock(&self.posts);
        names.into_iter().filter(|name| posts.contains_key(name)).count()
    }

    /// How often a name was posted.
    pub fn posts(&self, name: u32) -> usize {
        lock(&self.posts).get(&name).map_or(0, Vec::len)
    }

    /// Under how many keys it was.
    pub fn keys(&self, name: u32) -> usize {
        lock(&self.posts).get(&name).map_or(0, |keys| keys.iter().collect::<BTreeSet<_>>().len())
    }
}

fn lock(posts: &Posts) -> MutexGuard<'_, BTreeMap<u32, Vec<String>>> {
    posts.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Whoever hangs up before the answer has none.
async fn answer(stream: TcpStream, posts: Posts, mut holds: watch::Receiver<bool>) -> std::io::Result<()> {
    let (read, mut write) = stream.into_split();
    let mut line = String::new();
    BufReader::new(read).read_line(&mut line).await?;
    let mut words = line.split_whitespace();
    let (verb, name) = (words.next(), words.next().and_then(|name| name.parse().ok()));
    let said = match (verb, name) {
        (Some("post"), Some(name)) => {
            lock(&posts).entry(name).or_default().push(words.next().unwrap_or_default().to_owned());
            drop(holds.wait_for(|holds| !holds).await);
            "ok\n"
        }
        (Some("look"), Some(name)) if lock(&posts).contains_key(&name) => "found\n",
        _ => "absent\n",
    };
    write.write_all(said.as_bytes()).await
}

/// Says one line to the peer at this port, and gives its answer.
pub async fn ask(port: u16, line: &str) -> std::io::Result<String> {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).await?;
    stream.write_all(format!("{line}\n").as_bytes()).await?;
    let mut said = String::new();
    BufReader::new(stream).read_line(&mut said).await?;
    Ok(said.trim_end().to_owned())
}
