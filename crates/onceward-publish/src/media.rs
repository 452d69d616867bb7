//! Pictures and films beside a text: where they lie, what they are, and how large.

use std::fmt;
use std::io::{self, Read};
use std::path::{Component, Path, PathBuf};

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::regular;

/// A single file may have this many bytes.
pub const MAX_MEDIA: u64 = 20 * 1024 * 1024;

/// What a file is, by its first bytes; its name says nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum MediaType {
    /// A PNG picture.
    Png,
    /// A JPEG picture.
    Jpeg,
    /// A GIF picture, moving or not.
    Gif,
    /// A WebP picture.
    Webp,
    /// An AVIF picture.
    Avif,
    /// A HEIC picture, as telephones take them.
    Heic,
    /// An MPEG-4 film.
    Mp4,
    /// A `WebM` film.
    Webm,
}

/// What is known of a media file from its bytes alone.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MediaFacts {
    /// SHA-256 of the bytes, in lower-case hexadecimal.
    pub sha256: String,
    /// The type by its first bytes.
    #[serde(rename = "type")]
    pub kind: MediaType,
    /// How many bytes.
    pub bytes: u64,
    /// Width in pixels, of pictures.
    pub width: Option<u32>,
    /// Height in pixels, of pictures.
    pub height: Option<u32>,
}

/// A path that stays inside the folder it may be read from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// The file.
    pub path: PathBuf,
    /// The folder that it must not leave, not even by a symbolic link.
    pub root: PathBuf,
}

/// Why a media file cannot be used.
#[derive(Debug)]
pub enum MediaError {
    /// Nothing is there.
    Missing(PathBuf),
    /// The path leaves the folder it must stay in.
    Outside(String),
    /// A path from the root, but no `[publish] static`.
    NoStatic(String),
    /// An address where a file is expected.
    Address(String),
    /// More bytes than [`MAX_MEDIA`].
    TooLarge(u64),
    /// None of the known types.
    UnknownType,
    /// The bytes begin like that type, but break off.
    Damaged(MediaType),
    /// The file system says no.
    Unreadable(PathBuf, io::Error),
}

impl MediaType {
    /// The type of these bytes, by their magic numbers.
    pub fn of(bytes: &[u8]) -> Option<Self> {
        match bytes {
            [0x89, b'P', b'N', b'G', 0x0d, 0x0a, 0x1a, 0x0a, ..] => Some(Self::Png),
            [0xff, 0xd8, 0xff, ..] => Some(Self::Jpeg),
            [b'G', b'I', b'F', b'8', b'7' | b'9', b'a', ..] => Some(Self::Gif),
            [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P', ..] => Some(Self::Webp),
            [0x1a, 0x45, 0xdf, 0xa3, ..] => Some(Self::Webm),
            [_, _, _, _, b'f', b't', b'y', b'p', brand @ ..] => Self::of_brand(brand.get(..4)?),
            _ => None,
        }
    }

    fn of_brand(brand: &[u8]) -> Option<Self> {
        match brand {
            b"avif" | b"avis" => Some(Self::Avif),
            b"heic" | b"heix" | b"heim" | b"heis" | b"mif1" | b"msf1" => Some(Self::Heic),
            b"isom" | b"iso2" | b"iso4" | b"iso5" | b"iso6" | b"mp41" | b"mp42" | b"avc1" | b"M4V "
            | b"dash" => Some(Self::Mp4),
            _ => None,
        }
    }

    /// The MIME type.
    pub fn mime(self) -> &'static str {
        match self {
            Self::Png => "image/png",
            Self::Jpeg => "image/jpeg",
            Self::Gif => "image/gif",
            Self::Webp => "image/webp",
            Self::Avif => "image/avif",
            Self::Heic => "image/heic",
            Self::Mp4 => "video/mp4",
            Self::Webm => "video/webm",
        }
    }

    /// The usual suffix of a file name, without the dot.
    pub fn suffix(self) -> &'static str {
        match self {
            Self::Jpeg => "jpg",
            other => other.mime().split_once('/').map_or("", |(_, suffix)| suffix),
        }
    }

    /// Pictures, as opposed to films.
    pub fn is_image(self) -> bool {
        self.mime().starts_with("image/")
    }
}

/// What these bytes are.
///
/// # Errors
/// [`MediaError`] when they are too many, of no known type, or a picture without a readable size.
pub fn facts(bytes: &[u8]) -> Result<MediaFacts, MediaError> {
    let length = bytes.len() as u64;
    if length > MAX_MEDIA {
        return Err(MediaError::TooLarge(length));
    }
    let kind = MediaType::of(bytes).ok_or(MediaError::UnknownType)?;
    let size = imagesize::blob_size(bytes).ok().filter(|_| kind.is_image());
    // The sizes of the older formats stand in their first bytes; without them the file is broken.
    if size.is_none() && matches!(kind, MediaType::Png | MediaType::Jpeg | MediaType::Gif | MediaType::Webp) {
        return Err(MediaError::Damaged(kind));
    }
    Ok(MediaFacts {
        sha256: hex::encode(Sha256::digest(bytes)),
        kind,
        bytes: length,
        width: size.and_then(|it| u32::try_from(it.width).ok()),
        height: size.and_then(|it| u32::try_from(it.height).ok()),
    })
}

/// Where a path of a content file leads: from `folder`, the file's own; or from `static_root` when it begins
/// with `/`. The decision is about names only; [`read`] also looks at symbolic links.
///
/// # Errors
/// [`MediaError`] for addresses, for paths that leave their folder, and for `/…` without a static folder.
pub fn locate(given: &str, folder: &Path, static_root: Option<&Path>) -> Result<Place, MediaError> {
    if given.contains("://") || given.starts_with("//") {
        return Err(MediaError::Address(given.to_owned()));
    }
    let (root, inner) = match given.strip_prefix('/') {
        Some(inner) => (static_root.ok_or_else(|| MediaError::NoStatic(given.to_owned()))?, inner),
        None => (folder, given),
    };
    let mut steps = Vec::new();
    for step in Path::new(inner).components() {
        match step {
            Component::CurDir => {}
            Component::Normal(name) => steps.push(name),
            Component::ParentDir if steps.pop().is_some() => {}
            _ => return Err(MediaError::Outside(given.to_owned())),
        }
    }
    if steps.is_empty() {
        return Err(MediaError::Outside(given.to_owned()));
    }
    Ok(Place { path: root.join(steps.iter().collect::<PathBuf>()), root: root.to_owned() })
}

/// Reads a media file, at most [`MAX_MEDIA`] bytes of it.
///
/// # Errors
/// [`MediaError`] when it is missing, too large, unreadable, or leads out of its root by a symbolic link.
pub fn read(place: &Place) -> Result<Vec<u8>, MediaError> {
    let real = |path: &Path| {
        path.canonicalize().map_err(|error| match error.kind() {
            io::ErrorKind::NotFound => MediaError::Missing(place.path.clone()),
            _ => MediaError::Unreadable(place.path.clone(), error),
        })
    };
    let path = real(&place.path)?;
    if !path.starts_with(real(&place.root)?) {
        return Err(MediaError::Outside(place.path.display().to_string()));
    }
    let unreadable = |error| MediaError::Unreadable(place.path.clone(), error);
    let file = regular::open(&path).map_err(unreadable)?;
    let length = file.metadata().map_err(unreadable)?.len();
    if length > MAX_MEDIA {
        return Err(MediaError::TooLarge(length));
    }
    let mut bytes = Vec::new();
    file.take(MAX_MEDIA + 1).read_to_end(&mut bytes).map_err(unreadable)?;
    Ok(bytes)
}

/// Reads a media file and says what it is.
///
/// # Errors
/// As [`read`] and [`facts`].
pub fn inspect(place: &Place) -> Result<MediaFacts, MediaError> {
    facts(&read(place)?)
}

impl MediaError {
    /// A stable word for programs.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Missing(_) => "media_missing",
            Self::Outside(_) => "media_outside",
            Self::NoStatic(_) => "media_no_static",
            Self::Address(_) => "media_is_address",
            Self::TooLarge(_) => "media_too_large",
            Self::UnknownType => "media_type_unknown",
            Self::Damaged(_) => "media_damaged",
            Self::Unreadable(..) => "media_unreadable",
        }
    }
}

impl fmt::Display for MediaError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Missing(path) => write!(f, "there is no file {}", path.display()),
            Self::Outside(given) => {
                write!(f, "{given:?} leaves its folder; keep media beside the text or in [publish] static")
            }
            Self::NoStatic(given) => {
                write!(f, "{given:?} begins with /; set [publish] static, or write a path from this file")
            }
            Self::Address(given) => write!(f, "{given:?} is an address; download the file and name its path"),
            Self::TooLarge(bytes) => write!(f, "the file has {bytes} bytes; at most {MAX_MEDIA} are taken"),
            Self::UnknownType => f.write_str(
                "the file is of no known type; expected PNG, JPEG, GIF, WebP, AVIF, HEIC, MP4 or WebM",
            ),
            Self::Damaged(kind) => write!(f, "the file begins like {} but breaks off", kind.mime()),
            Self::Unreadable(path, error) => write!(f, "{} cannot be read: {error}", path.display()),
        }
    }
}

impl std::error::Error for MediaError {}
