//! HMAC-SHA256 (RFC 2104) and base64, written out: the adapter has its own from libraries.

use sha2::{Digest as _, Sha256};

const BLOCK: usize = 64;
const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// `v1,` and the signature over `id.timestamp.body`.
pub(super) fn sign(secret: &str, id: &str, timestamp: &str, body: &[u8]) -> String {
    let key = decoded(secret.trim_start_matches("whsec_"));
    let message = [id.as_bytes(), b".", timestamp.as_bytes(), b".", body].concat();
    format!("v1,{}", encoded(&hmac(&key, &message)))
}

fn hmac(key: &[u8], message: &[u8]) -> Vec<u8> {
    let mut padded = if key.len() > BLOCK { Sha256::digest(key).to_vec() } else { key.to_vec() };
    padded.resize(BLOCK, 0);
    let masked = |mask: u8| padded.iter().map(|byte| byte ^ mask).collect::<Vec<_>>();
    let inner = Sha256::digest([masked(0x36), message.to_vec()].concat());
    Sha256::digest([masked(0x5c), inner.to_vec()].concat()).to_vec()
}

fn encoded(bytes: &[u8]) -> String {
    let mut text = String::new();
    for chunk in bytes.chunks(3) {
        let bits =
            chunk.iter().fold(0_u32, |bits, byte| bits << 8 | u32::from(*byte)) << (8 * (3 - chunk.len()));
        for place in 0..4 {
            let letter = LETTERS[(bits >> (18 - 6 * place) & 63) as usize];
            text.push(if place > chunk.len() { '=' } else { char::from(letter) });
        }
    }
    text
}

fn decoded(text: &str) -> Vec<u8> {
    let (mut bytes, mut bits, mut count) = (Vec::new(), 0_u32, 0);
    for value in text.bytes().filter_map(|byte| LETTERS.iter().position(|letter| *letter == byte)) {
        bits = bits << 6 | u32::try_from(value).unwrap_or(0);
        count += 6;
        if count >= 8 {
            count -= 8;
            bytes.push((bits >> count & 0xff) as u8);
        }
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The example of the specification's own libraries.
    #[test]
    fn the_published_example_is_signed_alike() {
        let secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
        let signature =
            sign(secret, "msg_p5jXN8AQM9LWM0D4loKWxJek", "1614265330", br#"{"test": 2432232314}"#);
        assert_eq!(signature, "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=");
    }

    /// RFC 4231, cases 1 and 6 (a key longer than a block).
    #[test]
    fn the_codes_of_rfc_4231_come_out() {
        assert_eq!(
            hex::encode(hmac(&[0x0b; 20], b"Hi There")),
            "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"
        );
        assert_eq!(
            hex::encode(hmac(&[0xaa; 131], b"Test Using Larger Than Block-Size Key - Hash Key First")),
            "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"
        );
    }

    #[test]
    fn base64_goes_both_ways() {
        for (bytes, text) in
            [(&b""[..], ""), (b"f", "Zg=="), (b"fo", "Zm8="), (b"foo", "Zm9v"), (b"foob", "Zm9vYg==")]
        {
            assert_eq!((encoded(bytes).as_str(), decoded(text).as_slice()), (text, bytes));
        }
    }
}
