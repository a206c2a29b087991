//! The encryption of a message for one browser (RFC 8291, content coding `aes128gcm` of RFC 8188).
//!
//! 1. A key pair that is used once agrees a secret with the public key of the subscription.
//! 2. The secret, the subscription's `auth` and both public keys give the input of the content keys;
//!    a random salt makes a key and a nonce of it.
//! 3. The payload is padded to a length that many others have, and sealed as one record.
//!
//! Body: salt (16), record size (4), length of the key (1), our public key (65), sealed record.

use ring::aead::{AES_128_GCM, Aad, LessSafeKey, NONCE_LEN, Nonce, UnboundKey};
use ring::agreement::{ECDH_P256, EphemeralPrivateKey, UnparsedPublicKey, agree_ephemeral};
use ring::error::Unspecified;
use ring::hkdf::{HKDF_SHA256, KeyType, Prk, Salt};
use ring::rand::{SecureRandom as _, SystemRandom};

use crate::error::PushError;
use crate::subscription::{PUBLIC_KEY_BYTES, Subscription};

/// The largest payload: every push service takes a body of 4096 bytes, of which the header takes
/// 86, the tag 16 and the delimiter 1.
pub const LARGEST_PAYLOAD: usize = 3993;

const SALT_BYTES: usize = 16;
const KEY_BYTES: usize = 16;
const INPUT_KEY_BYTES: usize = 32;
const RECORD_SIZE: u32 = 4096;
/// The byte between payload and padding in the last record.
const LAST_RECORD: u8 = 2;

/// To what lengths payloads are padded: a push service sees the class of a message and not its
/// length. Small classes, because every byte is sent to a phone.
const PADDED: [usize; 6] = [128, 256, 512, 1024, 2048, LARGEST_PAYLOAD];

/// Encrypts a payload for a browser: the body of a request to its push service.
pub fn encrypt(subscription: &Subscription, payload: &[u8]) -> Result<Vec<u8>, PushError> {
    let padded = PADDED.into_iter().find(|padded| payload.len() <= *padded);
    let padded = padded.ok_or(PushError::TooLarge)?;
    let random = SystemRandom::new();
    let mut salt = [0; SALT_BYTES];
    random.fill(&mut salt)?;
    let private_key = EphemeralPrivateKey::generate(&ECDH_P256, &random)?;
    let public_key = private_key.compute_public_key()?;
    let browser = UnparsedPublicKey::new(&ECDH_P256, subscription.public_key());
    let body = agree_ephemeral(private_key, &browser, |secret| {
        let agreed = Agreed { secret, public_key: public_key.as_ref(), salt: &salt };
        agreed.seal(subscription, payload, padded)
    })?;
    Ok(body?)
}

/// What a message is encrypted with.
struct Agreed<'a> {
    secret: &'a [u8],
    /// Of the pair that is used once.
    public_key: &'a [u8],
    salt: &'a [u8; SALT_BYTES],
}

impl Agreed<'_> {
    fn seal(
        &self,
        subscription: &Subscription,
        payload: &[u8],
        padded: usize,
    ) -> Result<Vec<u8>, Unspecified> {
        let (key, nonce) = self.content_keys(subscription)?;
        let mut record = Vec::with_capacity(padded + 1 + AES_128_GCM.tag_len());
        record.extend_from_slice(payload);
        record.push(LAST_RECORD);
        record.resize(padded + 1, 0);
        key.seal_in_place_append_tag(nonce, Aad::empty(), &mut record)?;
        let mut body = Vec::with_capacity(SALT_BYTES + 5 + PUBLIC_KEY_BYTES + record.len());
        body.extend_from_slice(self.salt);
        body.extend_from_slice(&RECORD_SIZE.to_be_bytes());
        body.push(PUBLIC_KEY_BYTES as u8);
        body.extend_from_slice(self.public_key);
        body.append(&mut record);
        Ok(body)
    }

    fn content_keys(&self, to: &Subscription) -> Result<(LessSafeKey, Nonce), Unspecified> {
        let shared = Salt::new(HKDF_SHA256, to.auth()).extract(self.secret);
        let info = [b"WebPush: info\0".as_slice(), to.public_key(), self.public_key];
        let input: [u8; INPUT_KEY_BYTES] = expand(&shared, &info)?;
        let salted = Salt::new(HKDF_SHA256, self.salt).extract(&input);
        let key: [u8; KEY_BYTES] = expand(&salted, &[b"Content-Encoding: aes128gcm\0"])?;
        let nonce: [u8; NONCE_LEN] = expand(&salted, &[b"Content-Encoding: nonce\0"])?;
        let key = LessSafeKey::new(UnboundKey::new(&AES_128_GCM, &key)?);
        // Unique for the key, because a key is used for one record.
        Ok((key, Nonce::assume_unique_for_key(nonce)))
    }
}

/// A number of bytes, as `ring` wants to be told.
struct Length(usize);

impl KeyType for Length {
    fn len(&self) -> usize {
        self.0
    }
}

fn expand<const N: usize>(from: &Prk, info: &[&[u8]]) -> Result<[u8; N], Unspecified> {
    let mut bytes = [0; N];
    from.expand(info, Length(N))?.fill(&mut bytes)?;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use data_encoding::BASE64URL_NOPAD;

    use super::*;
    use crate::endpoint::AllowedServices;

    fn bytes(text: &str) -> Vec<u8> {
        BASE64URL_NOPAD.decode(text.as_bytes()).unwrap()
    }

    /// U-11: the example of RFC 8291, section 5, with the intermediate values of its appendix A.
    #[test]
    fn the_example_of_the_standard_comes_out() {
        let json = br#"{"endpoint": "https://push.example.net/push/JzLQ3raZJfFBR0aqvOMsLrt54w4rJUsV",
            "keys": {"auth": "BTBZMqHH6r4Tts7J_aSIgg", "p256dh":
            "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4"}}"#;
        let subscription = Subscription::parse(json, AllowedServices::Public).unwrap();
        let public_key = bytes(
            "BP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A8",
        );
        let agreed = Agreed {
            secret: &bytes("kyrL1jIIOHEzg3sM2ZWRHDRB62YACZhhSlknJ672kSs"),
            public_key: &public_key,
            salt: &bytes("DGv6ra1nlYgDCS1FRnbzlw").try_into().unwrap(),
        };
        let payload = b"When I grow up, I want to be a watermelon";
        let body = agreed.seal(&subscription, payload, payload.len()).unwrap();
        let expected = "DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27ml\
            mlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A_yl95bQpu6cVPT\
            pK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN";
        assert_eq!(BASE64URL_NOPAD.encode(&body), expected);
    }
}
