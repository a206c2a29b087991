//! What a browser gives to those who may send it messages: an endpoint and two keys.

use std::fmt;

use data_encoding::BASE64URL_NOPAD;
use ring::agreement::{ECDH_P256, EphemeralPrivateKey, UnparsedPublicKey, agree_ephemeral};
use ring::rand::SystemRandom;
use secrecy::SecretString;
use serde::{Deserialize, Serialize};

use crate::endpoint::{AllowedServices, Endpoint, EndpointError};

/// The longest JSON: the longest endpoint, the keys, and room for fields that are not read.
const LONGEST: usize = 4096;
/// An uncompressed point of P-256.
pub(crate) const PUBLIC_KEY_BYTES: usize = 65;
pub(crate) const AUTH_BYTES: usize = 16;

/// A subscription of one browser, checked.
#[derive(Clone, PartialEq, Eq)]
pub struct Subscription {
    endpoint: Endpoint,
    public_key: [u8; PUBLIC_KEY_BYTES],
    auth: [u8; AUTH_BYTES],
}

/// Why something is not a subscription. It quotes nothing of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum SubscriptionError {
    /// It is too long.
    #[error("the subscription is longer than {LONGEST} bytes")]
    TooLong,
    /// Its form is another.
    #[error("this is not a push subscription; send the JSON of PushSubscription.toJSON()")]
    NotASubscription,
    /// Its endpoint cannot be used.
    #[error("the endpoint of the subscription cannot be used: {0}")]
    Endpoint(#[from] EndpointError),
    /// Its public key is not one.
    #[error("keys.p256dh is not an uncompressed public key of P-256 in base64url")]
    PublicKey,
    /// Its authentication secret is not one.
    #[error("keys.auth is not 16 bytes in base64url")]
    Auth,
}

/// The form that `PushSubscription.toJSON()` has. Fields that are not needed are ignored.
#[derive(Serialize, Deserialize)]
struct Json {
    endpoint: String,
    keys: Keys,
}

#[derive(Serialize, Deserialize)]
struct Keys {
    p256dh: String,
    auth: String,
}

impl Subscription {
    /// Checks the JSON that a browser sends.
    pub fn parse(json: &[u8], allowed: AllowedServices) -> Result<Self, SubscriptionError> {
        if json.len() > LONGEST {
            return Err(SubscriptionError::TooLong);
        }
        let json: Json =
            serde_json::from_slice(json).map_err(|_| SubscriptionError::NotASubscription)?;
        let public_key = bytes(&json.keys.p256dh).ok_or(SubscriptionError::PublicKey)?;
        if !is_on_the_curve(&public_key) {
            return Err(SubscriptionError::PublicKey);
        }
        Ok(Self {
            endpoint: Endpoint::parse(&json.endpoint, allowed)?,
            public_key,
            auth: bytes(&json.keys.auth).ok_or(SubscriptionError::Auth)?,
        })
    }

    /// The JSON again, to be stored as a secret; [`Self::parse`] reads it.
    pub fn to_json(&self) -> SecretString {
        let json = Json {
            endpoint: self.endpoint.url().to_string(),
            keys: Keys {
                p256dh: BASE64URL_NOPAD.encode(&self.public_key),
                auth: BASE64URL_NOPAD.encode(&self.auth),
            },
        };
        // Strings alone can always be written as JSON.
        SecretString::from(serde_json::to_string(&json).unwrap_or_default())
    }

    /// The push service: the only part of a subscription that may be shown.
    pub fn host(&self) -> &str {
        self.endpoint.host()
    }

    pub(crate) fn endpoint(&self) -> &Endpoint {
        &self.endpoint
    }

    pub(crate) fn public_key(&self) -> &[u8; PUBLIC_KEY_BYTES] {
        &self.public_key
    }

    pub(crate) fn auth(&self) -> &[u8; AUTH_BYTES] {
        &self.auth
    }
}

impl fmt::Debug for Subscription {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.debug_struct("Subscription").field("host", &self.host()).finish_non_exhaustive()
    }
}

/// Exactly so many bytes.
fn bytes<const N: usize>(text: &str) -> Option<[u8; N]> {
    BASE64URL_NOPAD.decode(text.as_bytes()).ok()?.try_into().ok()
}

/// `ring` checks a point only when a secret is agreed with it, so one is, and thrown away: a key
/// that cannot be used is then refused now, and not with the first message.
fn is_on_the_curve(public_key: &[u8; PUBLIC_KEY_BYTES]) -> bool {
    let peer = UnparsedPublicKey::new(&ECDH_P256, public_key);
    EphemeralPrivateKey::generate(&ECDH_P256, &SystemRandom::new())
        .and_then(|private| agree_ephemeral(private, &peer, |_| ()))
        .is_ok()
}
