//! The keys of a vault: the first one seals, all of them open.

use std::fmt;
use std::sync::Arc;

use base64::Engine as _;
use base64::engine::GeneralPurpose;
use base64::engine::general_purpose::{STANDARD, STANDARD_NO_PAD, URL_SAFE, URL_SAFE_NO_PAD};
use secrecy::{ExposeSecret, SecretBox};
use sha2::{Digest, Sha256};

const BYTES: usize = 32;
const ENCODINGS: [&GeneralPurpose; 4] = [&STANDARD, &STANDARD_NO_PAD, &URL_SAFE, &URL_SAFE_NO_PAD];

/// One key, and the id by which what it sealed is known.
pub(super) struct Key {
    id: String,
    bytes: SecretBox<[u8; BYTES]>,
}

/// At least one key. Cheap to clone; shown by their ids alone.
#[derive(Clone)]
pub struct Keys(Arc<[Key]>);

/// A text that holds no keys. It names the place in the text and never the text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum KeyError {
    /// There is nothing in it.
    Empty,
    /// The word of that number, counted from 1, is no key.
    NoKey(usize),
}

impl Keys {
    /// Keys of 32 bytes each, in hexadecimal or base64, apart by spaces, commas or line breaks.
    ///
    /// # Errors
    /// When there is none, or one is no key.
    pub fn parse(text: &str) -> Result<Self, KeyError> {
        let words = text.split(|c: char| c.is_whitespace() || c == ',').filter(|word| !word.is_empty());
        let keys = words.enumerate().map(|(at, word)| decode(word).ok_or(KeyError::NoKey(at + 1)));
        let keys: Vec<Key> = keys.collect::<Result<_, _>>()?;
        if keys.is_empty() { Err(KeyError::Empty) } else { Ok(Self(keys.into())) }
    }

    /// The one that seals.
    pub(super) fn first(&self) -> &Key {
        &self.0[0]
    }

    pub(super) fn by_id(&self, id: &str) -> Option<&Key> {
        self.0.iter().find(|key| key.id == id)
    }

    /// Their ids, the first one first.
    pub fn ids(&self) -> Vec<String> {
        self.0.iter().map(|key| key.id.clone()).collect()
    }
}

impl Key {
    pub(super) fn id(&self) -> &str {
        &self.id
    }

    pub(super) fn expose(&self) -> &[u8; BYTES] {
        self.bytes.expose_secret()
    }
}

fn decode(word: &str) -> Option<Key> {
    let bytes: [u8; BYTES] = match word.len() {
        64 => hex::decode(word).ok()?.try_into().ok()?,
        _ => ENCODINGS.iter().find_map(|encoding| encoding.decode(word).ok())?.try_into().ok()?,
    };
    // A few bytes of a hash tell keys apart and say nothing of 256 random bits.
    let id = Sha256::new().chain_update(b"onceward key\0").chain_update(bytes).finalize();
    Some(Key { id: hex::encode(&id[..4]), bytes: SecretBox::new(Box::new(bytes)) })
}

impl fmt::Debug for Keys {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Keys").field(&self.ids()).finish()
    }
}

impl fmt::Display for KeyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const SHAPE: &str =
            "expected 32 random bytes in hexadecimal or base64, such as `openssl rand -hex 32` makes";
        match self {
            Self::Empty => write!(f, "no key in it; {SHAPE}"),
            Self::NoKey(at) => write!(f, "word {at} is no key; {SHAPE}"),
        }
    }
}

impl std::error::Error for KeyError {}

#[cfg(test)]
mod tests {
    use super::*;

    const HEX: &str = "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f";
    const BASE64: &str = "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8";

    #[test]
    fn one_key_has_one_id_however_it_is_written() {
        let id = Keys::parse(HEX).unwrap().ids();
        for text in
            [HEX.to_uppercase(), BASE64.to_owned(), format!("{BASE64}=\n"), format!("  {BASE64}= \r\n")]
        {
            assert_eq!(Keys::parse(&text).unwrap().ids(), id, "{text:?}");
        }
        let url_safe = Keys::parse(&STANDARD.encode([0xfb; 32]).replace('+', "-").replace('/', "_"));
        assert_eq!(url_safe.unwrap().ids(), Keys::parse(&hex::encode([0xfb; 32])).unwrap().ids());
    }

    #[test]
    fn several_keys_keep_their_order() {
        let other = hex::encode([7; 32]);
        let keys = Keys::parse(&format!("{other}\n{HEX},{BASE64}=\n")).unwrap();
        assert_eq!(keys.ids().len(), 3);
        assert_eq!(keys.first().id(), Keys::parse(&other).unwrap().ids()[0]);
        assert_eq!(keys.ids()[1], keys.ids()[2]);
    }

    #[test]
    fn what_is_no_key_is_refused_by_its_place_and_never_shown() {
        assert_eq!(Keys::parse(" \n,").unwrap_err(), KeyError::Empty);
        for text in ["hunter2", &HEX[..62], &format!("{HEX}00"), &HEX.replace('f', "g"), &BASE64[..42]] {
            assert_eq!(Keys::parse(text).unwrap_err(), KeyError::NoKey(1), "{text}");
        }
        let error = Keys::parse(&format!("{HEX} hunter2")).unwrap_err();
        assert_eq!(error, KeyError::NoKey(2));
        assert!(!error.to_string().contains("hunter2"), "{error}");
    }

    #[test]
    fn keys_are_shown_by_their_ids_alone() {
        let keys = Keys::parse(HEX).unwrap();
        let shown = format!("{keys:?}");
        assert!(shown.contains(&keys.ids()[0]) && !shown.contains("0405"), "{shown}");
    }
}
