//! Who sends: the key pair of this server and the tokens that it signs (VAPID, RFC 8292).
//!
//! A browser subscribes with the public key, and its push service then takes messages only with a
//! token of that key. With another key all subscriptions are lost, so it is stored.

use std::fmt;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use data_encoding::BASE64URL_NOPAD;
use reqwest::Url;
use reqwest::header::HeaderValue;
use ring::rand::SystemRandom;
use ring::signature::{ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, KeyPair as _};
use secrecy::{ExposeSecret as _, SecretSlice};
use serde::Serialize;

use crate::error::PushError;

/// Half of the 24 hours that are allowed: clocks may differ by as much, either way.
const TOKEN_LIFE: Duration = Duration::from_secs(12 * 60 * 60);
const LONGEST_CONTACT: usize = 256;

/// The key pair of a server.
pub struct VapidKeys {
    pkcs8: SecretSlice<u8>,
    pair: EcdsaKeyPair,
    random: SystemRandom,
}

/// A key pair cannot be made or read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum VapidKeysError {
    /// The system gives no randomness.
    #[error("no key can be made: the system gives no randomness")]
    NoRandomness,
    /// It is damaged, or something else.
    #[error("this is not a private key of P-256 in the form PKCS#8")]
    NotAKey,
}

/// Whom the operators of a push service can write to if messages cause trouble.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Contact(String);

/// Something is not a contact.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the contact for push services must be mailto: with an address, or an https address")]
pub struct ContactError;

impl VapidKeys {
    /// A new key pair.
    pub fn generate() -> Result<Self, VapidKeysError> {
        let random = SystemRandom::new();
        let pkcs8 = EcdsaKeyPair::generate_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, &random)
            .map_err(|_| VapidKeysError::NoRandomness)?;
        Self::from_pkcs8(pkcs8.as_ref().to_vec().into())
    }

    /// A stored key pair.
    pub fn from_pkcs8(pkcs8: SecretSlice<u8>) -> Result<Self, VapidKeysError> {
        let random = SystemRandom::new();
        let bytes = pkcs8.expose_secret();
        let pair = EcdsaKeyPair::from_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, bytes, &random)
            .map_err(|_| VapidKeysError::NotAKey)?;
        Ok(Self { pkcs8, pair, random })
    }

    /// The key pair, to be stored encrypted.
    pub fn pkcs8(&self) -> &SecretSlice<u8> {
        &self.pkcs8
    }

    /// The `applicationServerKey` of browsers: 65 bytes in base64url.
    pub fn public_key(&self) -> String {
        BASE64URL_NOPAD.encode(self.pair.public_key().as_ref())
    }

    /// The `Authorization` of a request to an origin.
    pub(crate) fn authorization(
        &self,
        origin: &str,
        contact: &Contact,
        now: SystemTime,
    ) -> Result<HeaderValue, PushError> {
        let expires = now.checked_add(TOKEN_LIFE).and_then(|at| at.duration_since(UNIX_EPOCH).ok());
        let expires = expires.unwrap_or_default().as_secs();
        let claims = Claims { aud: origin, exp: expires, sub: &contact.0 };
        let claims = serde_json::to_vec(&claims).map_err(|_| PushError::Crypto)?;
        let header = BASE64URL_NOPAD.encode(br#"{"typ":"JWT","alg":"ES256"}"#);
        let signed = format!("{header}.{}", BASE64URL_NOPAD.encode(&claims));
        let signature = self.pair.sign(&self.random, signed.as_bytes())?;
        let signature = BASE64URL_NOPAD.encode(signature.as_ref());
        let value = format!("vapid t={signed}.{signature}, k={}", self.public_key());
        let mut value = HeaderValue::try_from(value).map_err(|_| PushError::Crypto)?;
        value.set_sensitive(true);
        Ok(value)
    }
}

#[derive(Serialize)]
struct Claims<'a> {
    aud: &'a str,
    exp: u64,
    sub: &'a str,
}

impl fmt::Debug for VapidKeys {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.debug_struct("VapidKeys").field("public_key", &self.public_key()).finish_non_exhaustive()
    }
}

impl Contact {
    /// `mailto:` with an address, or an https address.
    pub fn parse(text: &str) -> Result<Self, ContactError> {
        let is_plain = text.len() <= LONGEST_CONTACT && text.chars().all(|c| c.is_ascii_graphic());
        let is_contact = match text.strip_prefix("mailto:") {
            Some(mail) => mail.split_once('@').is_some_and(|(name, host)| {
                !name.is_empty() && !host.is_empty() && !host.contains('@')
            }),
            None => Url::parse(text).is_ok_and(|url| url.scheme() == "https"),
        };
        if is_plain && is_contact { Ok(Self(text.to_owned())) } else { Err(ContactError) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// U-11: the key pair survives storing, and prints its public half alone.
    #[test]
    fn a_key_pair_is_stored_and_not_printed() {
        let keys = VapidKeys::generate().unwrap();
        let bytes = keys.pkcs8().expose_secret().to_vec();
        let again = VapidKeys::from_pkcs8(bytes.clone().into()).unwrap();
        assert_eq!(again.public_key(), keys.public_key());
        assert_eq!(BASE64URL_NOPAD.decode(keys.public_key().as_bytes()).unwrap().len(), 65);
        assert_ne!(VapidKeys::generate().unwrap().public_key(), keys.public_key());
        let printed = format!("{keys:?} {:?}", keys.pkcs8());
        assert!(printed.contains(&keys.public_key()));
        // The private number of a P-256 key in PKCS#8 is at this place.
        let private = &bytes[36..68];
        for encoded in [BASE64URL_NOPAD.encode(private), format!("{private:?}")] {
            assert!(!printed.contains(&encoded), "{printed}");
        }
        let damaged = VapidKeys::from_pkcs8(bytes[1..].to_vec().into()).unwrap_err();
        assert_eq!(damaged, VapidKeysError::NotAKey);
    }

    #[test]
    fn a_contact_is_a_mail_address_or_a_page() {
        for good in ["mailto:admin@example.org", "https://example.org/contact"] {
            assert!(Contact::parse(good).is_ok(), "{good}");
        }
        for bad in [
            "", "admin@example.org", "mailto:", "mailto:admin", "mailto:@example.org", "mailto:a@",
            "mailto:a b@example.org", "mailto:a@b@c", "http://example.org", "https://",
            "mailto:a@example.org\nx",
        ] {
            assert_eq!(Contact::parse(bad), Err(ContactError), "{bad}");
        }
        assert!(Contact::parse(&format!("mailto:{}@example.org", "a".repeat(300))).is_err());
    }
}
