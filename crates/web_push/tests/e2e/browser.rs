//! The browser's side of RFC 8291, written from the text of the standard: HKDF step by step, so
//! that a mistake of the sender is not made twice.

use data_encoding::BASE64URL_NOPAD;
use parlor_web_push::{AllowedServices, Subscription};
use ring::aead::{AES_128_GCM, Aad, LessSafeKey, Nonce, UnboundKey};
use ring::agreement::{ECDH_P256, EphemeralPrivateKey, UnparsedPublicKey, agree_ephemeral};
use ring::hmac;
use ring::rand::{SecureRandom as _, SystemRandom};
use serde_json::{Value, json};

/// A browser with one subscription. Its private key can be used once, so it reads one message.
pub(crate) struct Browser {
    private_key: EphemeralPrivateKey,
    public_key: Vec<u8>,
    auth: [u8; 16],
}

impl Browser {
    pub(crate) fn new() -> Self {
        let random = SystemRandom::new();
        let private_key = EphemeralPrivateKey::generate(&ECDH_P256, &random).unwrap();
        let public_key = private_key.compute_public_key().unwrap().as_ref().to_vec();
        let mut auth = [0; 16];
        random.fill(&mut auth).unwrap();
        Self { private_key, public_key, auth }
    }

    /// What it sends to the server.
    pub(crate) fn json(&self, endpoint: &str) -> Value {
        let encode = |bytes: &[u8]| BASE64URL_NOPAD.encode(bytes);
        let keys = json!({"p256dh": encode(&self.public_key), "auth": encode(&self.auth)});
        json!({"endpoint": endpoint, "expirationTime": null, "keys": keys})
    }

    pub(crate) fn subscription(&self, endpoint: &str) -> Subscription {
        let json = self.json(endpoint).to_string();
        Subscription::parse(json.as_bytes(), AllowedServices::PublicOrLoopback).unwrap()
    }

    /// Reads the body of a message.
    pub(crate) fn read(self, body: &[u8]) -> Vec<u8> {
        let (salt, rest) = body.split_at(16);
        let (record_size, rest) = rest.split_at(4);
        assert_eq!(record_size, 4096_u32.to_be_bytes());
        assert_eq!(rest[0], 65, "the length of the key");
        let (sender_key, record) = rest[1..].split_at(65);
        let peer = UnparsedPublicKey::new(&ECDH_P256, sender_key);
        let secret = agree_ephemeral(self.private_key, &peer, <[u8]>::to_vec).unwrap();

        let info = [b"WebPush: info\0", &*self.public_key, sender_key].concat();
        let input = expand(&hmac_sha256(&self.auth, &secret), &info, 32);
        let salted = hmac_sha256(salt, &input);
        let key = expand(&salted, b"Content-Encoding: aes128gcm\0", 16);
        let nonce = expand(&salted, b"Content-Encoding: nonce\0", 12);

        let key = LessSafeKey::new(UnboundKey::new(&AES_128_GCM, &key).unwrap());
        let nonce = Nonce::try_assume_unique_for_key(&nonce).unwrap();
        let mut record = record.to_vec();
        let text = key.open_in_place(nonce, Aad::empty(), &mut record).unwrap();
        let end = text.iter().rposition(|byte| *byte != 0).expect("a delimiter");
        assert_eq!(text[end], 2, "the delimiter of the last record");
        text[..end].to_vec()
    }
}

/// The first block of HKDF-Expand, which is all that is needed.
fn expand(key: &[u8], info: &[u8], length: usize) -> Vec<u8> {
    let mut block = hmac_sha256(key, &[info, &[1]].concat());
    block.truncate(length);
    block
}

fn hmac_sha256(key: &[u8], data: &[u8]) -> Vec<u8> {
    hmac::sign(&hmac::Key::new(hmac::HMAC_SHA256, key), data).as_ref().to_vec()
}
