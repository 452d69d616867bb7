//! Files made from all that a channel has published: one at a time, whoever asks, in whatever process.

use std::fs::{self, File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};

use onceward::{Cause, Failure, Onceward, SendError};
use serde::{Deserialize, Serialize};
use tokio::runtime::Handle;

use super::{Entry, Picture as Shown, atomic_file, ours};
use crate::body::{self, Links};
use crate::channel::{Checked, Part, Reason, Sending};
use crate::dress::Dressed;
use crate::regular;
use crate::store::{entries, media};

/// The folder of pictures beside the files.
const MEDIA: &str = "media";

/// The frozen request of a feed or an archive.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Shelved {
    entry: Entry,
    /// The pictures that the entry shows: hash and file name.
    media: Vec<(String, String)>,
}

/// Files that were made, by path, or why they could not be.
pub(super) type Made = Result<Vec<(PathBuf, Vec<u8>)>, String>;

/// Where an entry is put, and what is made of all of them.
pub(super) struct Shelf<M> {
    /// One writer at a time holds the lock beside this file or folder.
    pub(super) path: PathBuf,
    /// Where pictures go.
    pub(super) folder: PathBuf,
    /// At most so many entries are asked for, the newest.
    pub(super) items: usize,
    /// Makes the files: their paths and bytes.
    pub(super) make: M,
}

/// The part that shows a post with its pictures below `base`, an address or nothing for pages in the same folder.
pub(super) fn part(post: &Dressed<'_>, base: &str, links: Option<&str>) -> Result<Vec<Part>, Reason> {
    let name =
        |picture: &crate::post::Picture| format!("{}.{}", picture.facts.sha256, picture.facts.kind.suffix());
    let url = |picture: &crate::post::Picture| format!("{base}{MEDIA}/{}", name(picture));
    let pictures = &post.post.media;
    let find = |path: &str| pictures.iter().find(|it| same_file(&it.given, path)).map(url);
    let relative = post.post.link.as_deref().or(links).and_then(|link| url::Url::parse(link).ok());
    let html = body::html(&post.post.body, &Links { base: relative.as_ref(), images: &find });
    let first = pictures.iter().find(|it| it.facts.kind.is_image());
    let image = first.map(|it| Shown {
        url: url(it),
        kind: it.facts.kind,
        bytes: it.facts.bytes,
        alt: it.alt.clone(),
    });
    let entry = Entry {
        id: post.post.content.clone(),
        title: post.post.title.clone(),
        link: post.link.clone(),
        html,
        text: post.text.clone(),
        tags: post.post.tags.clone(),
        published: post.at,
        updated: post.at,
        image,
    };
    let media = pictures.iter().map(|it| (it.facts.sha256.clone(), name(it))).collect();
    let (text, length) = (post.text.clone(), post.text.chars().count());
    let request = serde_json::to_value(Shelved { entry, media })
        .map_err(|error| Reason::new("request_not_json", error.to_string()))?;
    Ok(vec![Part { text, length, request }])
}

/// `./a.png` and `a.png` are one file.
fn same_file(left: &str, right: &str) -> bool {
    let steps =
        |path| Path::new(path).components().filter(|it| *it != std::path::Component::CurDir).collect();
    let (left, right): (Vec<_>, Vec<_>) = (steps(left), steps(right));
    left == right
}

impl<M> Shelf<M>
where
    M: FnOnce(&[Entry]) -> Made + Send + 'static,
{
    /// Puts an entry on the shelf and makes the files from all that stands there.
    ///
    /// The files come first and the row second, both under the lock: a failure of the files leaves nothing behind,
    /// and a crash in between is repaired by the same request sent again.
    pub(super) async fn put(self, to: &Sending<'_>, request: &serde_json::Value) -> Result<Entry, SendError> {
        let shelved: Shelved = serde_json::from_value(request.clone())?;
        let (once, channel) = (to.once.clone(), to.channel.to_owned());
        let entry = shelved.entry.clone();
        let handle = Handle::current();
        // A thread of its own: nobody lets go of the lock half-way when a deadline drops this future.
        let work = move || self.put_now(&handle, &once, &channel, shelved);
        tokio::task::spawn_blocking(work)
            .await
            .map_err(|error| SendError::Unknown(cause(error.to_string())))??;
        Ok(entry)
    }

    fn put_now(
        self,
        runtime: &Handle,
        once: &Onceward,
        channel: &str,
        new: Shelved,
    ) -> Result<(), SendError> {
        let not_sent = |text: String| SendError::NotSent(cause(text));
        let _guard = lock(&self.path).map_err(|error| not_sent(error.to_string()))?;
        let mut entries = runtime
            .block_on(entries::newest(once.db(), channel, self.items))
            .map_err(|error| not_sent(error.to_string()))?;
        entries.retain(|entry| entry.id != new.entry.id);
        entries.push(new.entry.clone());
        self.write(runtime, once, &entries, &new.media).map_err(SendError::from)?;
        let put = runtime.block_on(entries::put(once.db(), channel, new.entry));
        put.map_err(|error| SendError::Unknown(cause(error.to_string())))
    }

    /// Makes the files from what stands on the shelf, with pictures that are missing; an empty shelf has no files.
    pub(super) async fn restore(self, once: &Onceward, channel: &str) -> Result<(), Failure> {
        let (once, channel, handle) = (once.clone(), channel.to_owned(), Handle::current());
        let work = move || {
            let _guard = lock(&self.path).map_err(not_written)?;
            let entries = handle.block_on(entries::newest(once.db(), &channel, self.items));
            let entries = entries.map_err(not_written)?;
            if entries.is_empty() { Ok(()) } else { self.write(&handle, &once, &entries, &[]) }
        };
        let done = tokio::task::spawn_blocking(work).await.unwrap_or_else(|error| Err(not_written(error)));
        done.map_err(Failure::from)
    }

    /// Makes all files, or none when one of them is somebody else's. The pictures in `needed` must be had; what is shown
    /// beside them may have left the store.
    fn write(
        self,
        runtime: &Handle,
        once: &Onceward,
        entries: &[Entry],
        needed: &[(String, String)],
    ) -> Result<(), Trouble> {
        let mut files = (self.make)(entries).map_err(not_written)?;
        files.retain(|(path, bytes)| !says(path, bytes));
        for (path, _) in &files {
            ours::refuse_others(path).map_err(Trouble::Others)?;
        }
        let media = self.folder.join(MEDIA);
        for (hash, name) in needed {
            if !picture(runtime, once, hash, &media.join(name)).map_err(not_written)? {
                return Err(not_written(format!("the picture {hash} is not in the store")));
            }
        }
        for (hash, name) in entries.iter().flat_map(pictures) {
            picture(runtime, once, &hash, &media.join(name)).map_err(not_written)?;
        }
        for (path, bytes) in files {
            atomic_file::write(&path, &bytes).map_err(not_written)?;
        }
        Ok(())
    }
}

/// Why files were not made. Either way, no reader sees the entry.
enum Trouble {
    /// The file system's or the store's reason.
    NotWritten(String),
    /// A file stands there that is not ours.
    Others(Failure),
}

#[expect(clippy::needless_pass_by_value, reason = "errors come by value from map_err")]
fn not_written(error: impl ToString) -> Trouble {
    Trouble::NotWritten(error.to_string())
}

impl From<Trouble> for SendError {
    fn from(trouble: Trouble) -> Self {
        match trouble {
            Trouble::NotWritten(text) => Self::NotSent(cause(text)),
            Trouble::Others(failure) => Self::Refused(failure),
        }
    }
}

impl From<Trouble> for Failure {
    fn from(trouble: Trouble) -> Self {
        match trouble {
            Trouble::NotWritten(text) => Self::transient(cause(text)),
            Trouble::Others(failure) => failure,
        }
    }
}

/// The pictures that an entry shows, by the names that [`part`] gave them: hash and file name. A stranger's text may
/// look like one.
fn pictures(entry: &Entry) -> Vec<(String, String)> {
    let image = entry.image.as_ref().map(|it| it.url.as_str());
    let texts = [Some(entry.html.as_str()), image];
    let places = texts.into_iter().flatten().flat_map(|text| text.split(MEDIA).skip(1));
    places.filter_map(name_of_picture).collect()
}

fn name_of_picture(text: &str) -> Option<(String, String)> {
    let (hash, rest) = text.strip_prefix('/')?.split_once('.')?;
    let suffix: String = rest.chars().take_while(char::is_ascii_alphanumeric).collect();
    let is_hash = hash.len() == 64 && hash.bytes().all(|it| it.is_ascii_hexdigit());
    (is_hash && !suffix.is_empty()).then(|| (hash.to_owned(), format!("{hash}.{suffix}")))
}

fn cause(text: String) -> Cause {
    Cause::new("file_not_written", text)
}

/// Held until the file is dropped, by this process or its end.
fn lock(path: &Path) -> io::Result<File> {
    let folder = path.parent().unwrap_or(Path::new("."));
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let path = folder.join(format!(".{name}.lock"));
    let named = |error: io::Error| io::Error::new(error.kind(), format!("{}: {error}", path.display()));
    fs::create_dir_all(folder).map_err(named)?;
    let file = OpenOptions::new().create(true).truncate(false).write(true).open(&path).map_err(named)?;
    file.lock().map_err(named)?;
    Ok(file)
}

/// Writes a picture that is not there yet; says whether it is there now.
fn picture(runtime: &Handle, once: &Onceward, hash: &str, path: &Path) -> Result<bool, String> {
    if path.exists() {
        return Ok(true);
    }
    let bytes = runtime.block_on(media::get(once.db(), hash)).map_err(|error| error.to_string())?;
    let Some(bytes) = bytes else { return Ok(false) };
    atomic_file::write(path, &bytes).map_err(|error| error.to_string())?;
    Ok(true)
}

/// Whether a file says the same already: it keeps its time.
fn says(path: &Path, bytes: &[u8]) -> bool {
    let most = u64::try_from(bytes.len()).unwrap_or(u64::MAX - 1);
    regular::read(path, most).is_ok_and(|old| old == bytes)
}

/// Whether files can be made in the folder of `path`, or the folder itself in the nearest one that is there; `first` is
/// one of them, and may not be somebody else's.
pub(super) fn check(path: &Path, folder: &Path, first: &Path) -> Result<Checked, Failure> {
    let refuse = |code, text: String| Err(Failure::permanent(Cause::new(code, text)));
    let there = folder.ancestors().find(|above| above.exists()).unwrap_or(folder);
    if !there.is_dir() {
        return refuse("not_a_folder", format!("{} is no folder; change `path`", there.display()));
    }
    // Made unnamed and gone at once; only the file system can say whether it takes files.
    if let Err(error) = tempfile::tempfile_in(there) {
        return refuse(
            "not_writable",
            format!("{}: {error}; change its permissions or `path`", there.display()),
        );
    }
    ours::refuse_others(first)?;
    let resolved =
        path.strip_prefix(there).map_or_else(|_| path.to_owned(), |rest| resolved(there).join(rest));
    Ok(Checked { text: format!("writes {}", path.display()), account: Some(resolved.display().to_string()) })
}

/// The folder as the file system calls it, so that one file is one account however it is written.
fn resolved(folder: &Path) -> PathBuf {
    folder.canonicalize().unwrap_or_else(|_| folder.to_owned())
}

/// The address of a file of this machine.
pub(super) fn file_url(path: &Path) -> String {
    url::Url::from_file_path(path).map_or_else(|()| path.display().to_string(), String::from)
}
