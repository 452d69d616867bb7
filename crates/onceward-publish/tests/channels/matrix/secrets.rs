//! Whether a secret is anywhere where it must not be: in any of the forms in which it travels.

use std::collections::BTreeSet;
use std::io::{self, Write};
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD_NO_PAD, URL_SAFE_NO_PAD};
use onceward::JobId;
use tracing_subscriber::fmt::MakeWriter;

use super::places::{ALL, CANARY, Which};
use crate::stage::{Stage, Verdict};

/// Every form in which the secrets of a channel could stand somewhere. All that we made up have the canary in them, and
/// it alone finds what was cut, quoted or escaped as well.
pub(crate) fn forms(which: Which) -> Vec<String> {
    let given = which.secrets().into_iter().filter(|secret| !secret.contains(CANARY));
    sorted(given.chain([CANARY.to_owned()]).flat_map(|secret| forms_of(&secret)))
}

fn sorted(forms: impl Iterator<Item = String>) -> Vec<String> {
    forms.collect::<BTreeSet<_>>().into_iter().collect()
}

fn forms_of(secret: &str) -> Vec<String> {
    let mut forms = vec![secret.to_owned(), hex::encode(secret), hex::encode_upper(secret)];
    forms.push(secret.bytes().map(|byte| format!("%{byte:02X}")).collect::<Vec<_>>().concat());
    forms.push(url::form_urlencoded::byte_serialize(secret.as_bytes()).collect());
    // Inside something longer, such as the two names of a login, base64 begins at any of three places.
    for before in 0..3 {
        let bytes = [&vec![0; before][..], secret.as_bytes()].concat();
        for coded in [STANDARD_NO_PAD.encode(&bytes), URL_SAFE_NO_PAD.encode(&bytes)] {
            let (first, last) = (if before == 0 { 0 } else { 4 }, coded.len() - 3);
            forms.push(coded[first..last].to_owned());
        }
    }
    // A shorter one could be there by chance.
    forms.retain(|form| form.len() >= 8);
    forms
}

/// The first of these forms that is in the bytes.
pub(crate) fn found<'f>(forms: &'f [String], bytes: &[u8]) -> Option<&'f str> {
    let text = String::from_utf8_lossy(bytes);
    forms.iter().map(String::as_str).find(|form| text.contains(form))
}

/// What every line of the log is looked through for, and the lines in which something was.
#[derive(Debug, Default)]
struct Log {
    forms: Vec<String>,
    lines: AtomicUsize,
    leaks: Mutex<Vec<String>>,
}

static LOG: OnceLock<Log> = OnceLock::new();

/// One line on its way into the log.
struct Line;

impl<'a> MakeWriter<'a> for Line {
    type Writer = Self;

    fn make_writer(&'a self) -> Self {
        Self
    }
}

impl Write for Line {
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        let Some(log) = LOG.get() else { return Ok(line.len()) };
        log.lines.fetch_add(1, Ordering::Relaxed);
        if let Some(form) = found(&log.forms, line) {
            let leak = format!("{form:?} in the log: {}", String::from_utf8_lossy(line));
            log.leaks.lock().unwrap_or_else(PoisonError::into_inner).push(leak);
        }
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// From now on every line that this process logs, at the finest level, is looked through.
pub(crate) fn watch() {
    LOG.get_or_init(|| {
        let level = tracing_subscriber::fmt().with_max_level(tracing_subscriber::filter::LevelFilter::TRACE);
        // Another test of this process may have been first.
        drop(level.with_ansi(false).with_writer(Line).try_init());
        Log { forms: sorted(ALL.into_iter().flat_map(forms)), ..Log::default() }
    });
}

/// How many lines were looked through, and what was found in them until now.
pub(crate) fn logged() -> (usize, Vec<String>) {
    let Some(log) = LOG.get() else { return (0, Vec::new()) };
    let mut leaks = log.leaks.lock().unwrap_or_else(PoisonError::into_inner);
    (log.lines.load(Ordering::Relaxed), std::mem::take(&mut *leaks))
}

/// Where a secret of this channel is among what a stage keeps and shows: the store's files, all that commands show of
/// the job and its queue, and what `Debug` prints.
pub(crate) async fn leaks(which: Which, stage: &Stage, job: JobId) -> Verdict<Vec<String>> {
    let forms = forms(which);
    let mut leaks = in_files(&forms, stage.own.as_ref().ok_or("no store of its own")?.folder())?;
    let details = stage.store.details(job).await?;
    let shown = [
        ("job", serde_json::to_string(&details)?),
        ("standing", serde_json::to_string(&stage.standing(job).await?)?),
        ("queues", serde_json::to_string(&stage.store.queues().await?)?),
        ("events", serde_json::to_string(&stage.store.events(None, None, 1000).await?)?),
        ("dead", serde_json::to_string(&stage.store.dead_groups().await?)?),
        ("doubt", serde_json::to_string(&stage.store.doubt_groups().await?)?),
        ("debug of the job", format!("{details:?} {details:#?}")),
        ("debug of the publisher", format!("{:?} {:#?}", stage.publisher, stage.publisher)),
        ("debug of the store", format!("{:?}", stage.store)),
    ];
    for (place, text) in shown {
        leaks.extend(found(&forms, text.as_bytes()).map(|form| format!("{form:?} in {place}: {text}")));
    }
    Ok(leaks)
}

fn in_files(forms: &[String], folder: &Path) -> Verdict<Vec<String>> {
    let mut leaks = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_file() {
            let leak = found(forms, &std::fs::read(&path)?);
            leaks.extend(leak.map(|form| format!("{form:?} in {}", path.display())));
        }
    }
    Ok(leaks)
}

#[tokio::test]
async fn a_planted_leak_is_found_in_every_form_and_place() -> Verdict {
    watch();
    for which in ALL {
        let (forms, secret) = (forms(which), which.secret());
        let encoded: String = url::form_urlencoded::byte_serialize(secret.as_bytes()).collect();
        let blob = STANDARD_NO_PAD.encode(format!("\0me\0{secret}"));
        for planted in [secret.clone(), format!("/bot{secret}/send"), format!("?k={encoded}&x"), blob] {
            assert!(found(&forms, format!("x{planted}y").as_bytes()).is_some(), "{which:?}: {planted}");
        }
        assert_eq!(found(&forms, b"s3cret, access, refresh, /api/v1/statuses"), None, "{which:?}");
    }
    let folder = tempfile::tempdir()?;
    std::fs::write(folder.path().join("test.db-wal"), [&[0, 255, 7][..], CANARY.as_bytes(), &[0]].concat())?;
    assert_eq!(in_files(&forms(Which::Telegram), folder.path())?.len(), 1);
    tracing::trace!(token = Which::SlackBot.secret(), "planted");
    let (lines, leaks) = logged();
    assert!(lines > 0 && leaks.iter().any(|leak| leak.contains("planted")), "{lines} lines: {leaks:?}");
    Ok(())
}
