//! Media: uploaded, and waited for until the server has worked on them. Nobody sees them before a post names them.

use std::time::Duration;

use onceward::{Cause, Failure, SendError};
use onceward_http::Multipart;
use serde::Deserialize;
use tokio::time::{Instant, sleep, timeout};

use super::api::{Api, read};
use super::render::Picture;
use crate::channel::Sending;
use crate::channels::answer::unseen;

/// A film may be worked on for a while; after this time the job is put off.
const PATIENCE: Duration = Duration::from_mins(2);
/// The wait between two looks grows by this, up to ten times.
const GAP: Duration = Duration::from_millis(500);

#[derive(Deserialize)]
struct Media {
    id: String,
}

/// Uploads what was not uploaded yet, and waits for it.
pub(super) async fn upload(api: &Api, to: &Sending<'_>, pictures: &mut [Picture]) -> Result<(), Failure> {
    let mut fresh = Vec::new();
    for picture in pictures.iter_mut().filter(|picture| picture.id.is_none()) {
        let bytes = to.media(&picture.sha256).await?;
        let form = Multipart::new().file("file", &picture.name, &picture.mime, bytes);
        let form = match &picture.alt {
            Some(alt) => form.field("description", alt.as_str()),
            None => form,
        };
        let answer = api.upload("api/v2/media", form).await.map_err(unseen)?;
        let media: Media = read(&answer).map_err(unseen)?;
        fresh.push(media.id.clone());
        picture.id = Some(media.id);
    }
    wait(api, &fresh).await
}

async fn wait(api: &Api, ids: &[String]) -> Result<(), Failure> {
    let begun = Instant::now();
    for id in ids {
        let mut looks = 0;
        while is_processed(api, id).await.map_err(unseen)? == Some(false) {
            if begun.elapsed() > PATIENCE {
                let text = "the server still works on the media; they are sent again later";
                return Err(Failure::transient(Cause::new("media_not_ready", text)));
            }
            looks = 10.min(looks + 1);
            sleep(GAP * looks).await;
        }
    }
    Ok(())
}

/// Whether the server is done with an upload; `None`: it does not know it.
async fn is_processed(api: &Api, id: &str) -> Result<Option<bool>, SendError> {
    match api.get(&format!("api/v1/media/{id}"), &[]).await {
        Ok(answer) => Ok(Some(answer.status() != 206)),
        Err(SendError::Refused(Failure::Permanent { cause })) if cause.status == Some(404) => Ok(None),
        Err(error) => Err(error),
    }
}

/// Whether a post was refused only because its media were still worked on. The server says so in words of the account's
/// language, so it is asked for the media's state instead, within the time that is left.
pub(super) async fn too_early(api: &Api, pictures: &[Picture], left: Duration) -> bool {
    let ids = pictures.iter().filter_map(|picture| picture.id.as_deref());
    let ask = async {
        for id in ids {
            if let Ok(Some(false)) = is_processed(api, id).await {
                return true;
            }
        }
        false
    };
    timeout(left, ask).await.unwrap_or(false)
}
