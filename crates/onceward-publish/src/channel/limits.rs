//! What a channel can take, and whether a post's media fit.

use super::Reason;
use crate::media::MediaType;
use crate::post::Picture;

/// What a channel can take; `None`: no limit of its own.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Limits {
    /// The longest text of one part, counted as the platform counts.
    pub text: Option<usize>,
    /// Pictures and films; `None`: whatever there is.
    pub media: Option<MediaLimits>,
}

/// Which media a channel takes with one part.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MediaLimits {
    /// At most this many.
    pub count: usize,
    /// Of these types.
    pub types: Vec<MediaType>,
    /// At most this many bytes each.
    pub bytes: u64,
    /// At most this many pixels each, width times height.
    pub pixels: Option<u64>,
    /// The longest text for those who cannot see it, in characters.
    pub alt: Option<usize>,
    /// Whether there must be such a text.
    pub alt_required: bool,
}

impl MediaLimits {
    /// Whether all of these fit, by what is known of them without decoding.
    ///
    /// # Errors
    /// The first that does not fit: what it is, what is taken, what to do.
    pub fn fit(&self, media: &[Picture]) -> Result<(), Reason> {
        if media.len() > self.count {
            let text = format!("there are {} media; at most {} go with one post", media.len(), self.count);
            return Err(Reason::new("too_many_media", text).of("media"));
        }
        media.iter().try_for_each(|picture| self.fits(picture))
    }

    fn fits(&self, picture: &Picture) -> Result<(), Reason> {
        let (given, facts) = (&picture.given, &picture.facts);
        let refuse = |code, text: String| Err(Reason::new(code, format!("{given}: {text}")).of("media"));
        if !self.types.contains(&facts.kind) {
            let taken: Vec<_> = self.types.iter().map(|kind| kind.mime()).collect();
            let text = format!("this is {}; taken are {}", facts.kind.mime(), taken.join(", "));
            return refuse("media_type_not_taken", text);
        }
        if facts.bytes > self.bytes {
            let text = format!("{} bytes; at most {} are taken: make it smaller", facts.bytes, self.bytes);
            return refuse("media_too_large", text);
        }
        let pixels =
            facts.width.zip(facts.height).map(|(width, height)| u64::from(width) * u64::from(height));
        if let (Some(pixels), Some(most)) = (pixels, self.pixels)
            && pixels > most
        {
            return refuse("media_too_many_pixels", format!("{pixels} pixels; at most {most} are taken"));
        }
        let alt = picture.alt.as_deref().map_or(0, |alt| alt.chars().count());
        if self.alt_required && alt == 0 {
            return refuse(
                "alt_missing",
                "no alt text; say what it shows, for those who cannot see it".to_owned(),
            );
        }
        match self.alt {
            Some(most) if alt > most => {
                refuse("alt_too_long", format!("the alt text has {alt} characters; at most {most} are taken"))
            }
            _ => Ok(()),
        }
    }
}
