//! The names of the AT Protocol, made by hand: accounts, contents, record keys.

use sha2::{Digest as _, Sha256};

const BASE32: &[u8; 32] = b"abcdefghijklmnopqrstuvwxyz234567";
const BASE64: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
/// The alphabet of record keys, whose order is that of the values.
const SORTABLE: &str = "234567abcdefghijklmnopqrstuvwxyz";

/// The account of a handle.
pub(super) fn did(handle: &str) -> String {
    let digest = Sha256::digest(handle.to_ascii_lowercase().as_bytes());
    format!("did:plc:{}", &coded(&digest, BASE32, 5)[..24])
}

/// The content identifier of a record: version 1, DAG-CBOR, SHA-256. A stand-in hashes the JSON.
pub(super) fn record_cid(bytes: &[u8]) -> String {
    cid(&[0x01, 0x71, 0x12, 0x20], bytes)
}

/// The content identifier of a blob: version 1, raw, SHA-256.
pub(super) fn blob_cid(bytes: &[u8]) -> String {
    cid(&[0x01, 0x55, 0x12, 0x20], bytes)
}

fn cid(head: &[u8], bytes: &[u8]) -> String {
    format!("b{}", coded(&[head, Sha256::digest(bytes).as_slice()].concat(), BASE32, 5))
}

/// Base64 for addresses, without padding.
pub(super) fn base64(bytes: &[u8]) -> String {
    coded(bytes, BASE64, 6)
}

/// Bytes in characters of so many bits each.
fn coded(bytes: &[u8], alphabet: &[u8], bits: u32) -> String {
    let (mut held, mut count, mut text) = (0_u32, 0, String::new());
    let mut push = |value: u32| text.push(char::from(alphabet[value as usize]));
    for byte in bytes {
        held = held << 8 | u32::from(*byte);
        count += 8;
        while count >= bits {
            count -= bits;
            push(held >> count & ((1 << bits) - 1));
        }
        held &= (1 << count) - 1;
    }
    if count > 0 {
        push(held << (bits - count));
    }
    text
}

/// Whether this can be the key of a post: a timestamp identifier.
pub(super) fn is_tid(text: &str) -> bool {
    text.len() == 13
        && text.chars().all(|char| SORTABLE.contains(char))
        && text.starts_with(|char| SORTABLE[..16].contains(char))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_blob_has_the_name_that_everybody_gives_it() {
        // By `base32` over the same bytes in another language.
        assert_eq!(blob_cid(b"hello world"), "bafkreifzjut3te2nhyekklss27nh3k72ysco7y32koao5eei66wof36n5e");
        assert_eq!(base64(b"{\"a\":1}"), "eyJhIjoxfQ");
    }

    #[test]
    fn record_keys_are_timestamps() {
        for (text, is) in [
            ("3jzfcijpj2z2a", true),
            ("7777777777777", true),
            ("2222222222222", true),
            ("3jzfcijpj2z21", false),
            ("3JZFCIJPJ2Z2A", false),
            ("3jzfcijpj2z2aa", false),
            ("3jzf-cij-pj2z-2a", false),
            ("zzzzzzzzzzzzz", false),
        ] {
            assert_eq!(is_tid(text), is, "{text}");
        }
    }
}
