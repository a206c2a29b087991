//! Signatures as Standard Webhooks has them: HMAC-SHA256 over id, time and body, so that a receiver
//! knows who says it, and that it is not an old message once more. Pure.

use data_encoding::BASE64;
use parlor_protocol::Timestamp;
use ring::hmac;
use secrecy::{ExposeSecret, SecretString};

/// How a secret begins that is base64.
const PREFIX: &str = "whsec_";
/// A key of fewer bytes could be guessed.
const SHORTEST: usize = 24;

/// What messages are signed with.
#[derive(Debug)]
pub(super) struct SigningKey(hmac::Key);

impl SigningKey {
    /// Of a secret: `whsec_` and base64, as receivers' libraries take it, or any other long text.
    pub(super) fn of(secret: &SecretString) -> Result<Self, String> {
        let secret = secret.expose_secret().trim();
        let bytes = match secret.strip_prefix(PREFIX) {
            Some(encoded) => BASE64
                .decode(encoded.as_bytes())
                .map_err(|_| format!("what follows {PREFIX} must be base64"))?,
            None => secret.as_bytes().to_vec(),
        };
        if bytes.len() < SHORTEST {
            return Err(format!(
                "it must have at least {SHORTEST} bytes; \
                 `echo {PREFIX}$(openssl rand -base64 32)` makes one"
            ));
        }
        Ok(Self(hmac::Key::new(hmac::HMAC_SHA256, &bytes)))
    }

    /// The value of `webhook-signature`; `at` is sent as `webhook-timestamp`.
    pub(super) fn sign(&self, id: &str, at: Timestamp, body: &str) -> String {
        let signed = format!("{id}.{}.{body}", seconds(at));
        let tag = hmac::sign(&self.0, signed.as_bytes());
        format!("v1,{}", BASE64.encode(tag.as_ref()))
    }
}

/// A time in seconds since 1970.
pub(super) fn seconds(at: Timestamp) -> i64 {
    at.0.div_euclid(1000)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// O-3: the example of the specification. End-to-end tests verify with a library of others.
    #[test]
    fn the_example_of_the_specification() {
        let secret = SecretString::from("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw");
        let key = SigningKey::of(&secret).unwrap();
        let at = Timestamp(1_614_265_330_000);
        let body = r#"{"test": 2432232314}"#;
        assert_eq!(
            key.sign("msg_p5jXN8AQM9LWM0D4loKWxJek", at, body),
            "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="
        );
        for wrong in ["whsec_***", "whsec_AAAA", "short", ""] {
            assert!(SigningKey::of(&SecretString::from(wrong)).is_err(), "{wrong}");
        }
        assert!(SigningKey::of(&SecretString::from("x".repeat(24))).is_ok());
    }
}
