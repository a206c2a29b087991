//! What clients send as a subscription is checked, and refused with a reason.

use data_encoding::BASE64URL_NOPAD;
use parlor_web_push::{AllowedServices, EndpointError, Subscription, SubscriptionError};
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::browser::Browser;

const ENDPOINT: &str = "https://push.example.org/push/a";

fn parse(json: &Value) -> Result<Subscription, SubscriptionError> {
    Subscription::parse(json.to_string().as_bytes(), AllowedServices::Public)
}

fn with(path: &str, value: Value) -> Value {
    let mut json = Browser::new().json(ENDPOINT);
    *json.pointer_mut(path).unwrap() = value;
    json
}

fn public_key() -> Vec<u8> {
    let json = Browser::new().json(ENDPOINT);
    BASE64URL_NOPAD.decode(json["keys"]["p256dh"].as_str().unwrap().as_bytes()).unwrap()
}

/// U-11: keys have their exact length, and the public key is a point of the curve.
#[test]
fn keys_are_exact() {
    assert!(parse(&Browser::new().json(ENDPOINT)).is_ok());
    let good = public_key();
    let compressed = [&[2 + (good[64] & 1)], &good[1..33]].concat();
    let hybrid = [&[6 + (good[64] & 1)], &good[1..]].concat();
    let longer = [&good[..], &[0]].concat();
    for key in [vec![], vec![0], vec![4; 65], vec![0; 65], good[..64].to_vec()] {
        assert_public_key_is_refused(&BASE64URL_NOPAD.encode(&key));
    }
    for key in [compressed, hybrid, longer] {
        assert_public_key_is_refused(&BASE64URL_NOPAD.encode(&key));
    }
    assert_public_key_is_refused(&format!("{}=", BASE64URL_NOPAD.encode(&good)));
    assert_public_key_is_refused("not base64url!");
    for length in [0, 15, 17, 32] {
        let json = with("/keys/auth", BASE64URL_NOPAD.encode(&vec![7; length]).into());
        assert_eq!(parse(&json), Err(SubscriptionError::Auth), "{length}");
    }
}

fn assert_public_key_is_refused(key: &str) {
    let outcome = parse(&with("/keys/p256dh", key.into()));
    assert_eq!(outcome, Err(SubscriptionError::PublicKey), "{key}");
}

/// U-11: what is wrong is said, and nothing of the subscription is quoted.
#[test]
fn other_things_are_refused_with_a_reason() {
    use SubscriptionError::{Endpoint, NotASubscription, TooLong};
    for other in ["", "null", "[]", "{}", "{\"endpoint\": \"https://a.example\"}", "{"] {
        let outcome = Subscription::parse(other.as_bytes(), AllowedServices::Public);
        assert_eq!(outcome, Err(NotASubscription), "{other}");
    }
    for (path, value) in
        [("/endpoint", json!(7)), ("/keys", json!([])), ("/keys/auth", json!(null))]
    {
        assert_eq!(parse(&with(path, value)), Err(NotASubscription), "{path}");
    }
    let http = with("/endpoint", "http://push.example.org/secret".into());
    assert_eq!(parse(&http), Err(Endpoint(EndpointError::NotHttps)));
    let private = with("/endpoint", "https://10.0.0.1/secret".into());
    let error = parse(&private).unwrap_err().to_string();
    assert!(error.contains("private network") && !error.contains("secret"), "{error}");
    let long = with("/expirationTime", "a".repeat(5000).into());
    assert_eq!(parse(&long), Err(TooLong));
}

proptest! {
    /// U-11: no bytes are a subscription by accident, and none makes it panic.
    #[test]
    fn garbage_is_refused(bytes in prop::collection::vec(any::<u8>(), 0..5000)) {
        prop_assert!(Subscription::parse(&bytes, AllowedServices::PublicOrLoopback).is_err());
    }

    /// The form alone is not enough.
    #[test]
    fn garbage_in_the_right_form_is_refused(endpoint: String, p256dh: String, auth: String) {
        let json = json!({"endpoint": endpoint, "keys": {"p256dh": p256dh, "auth": auth}});
        prop_assert!(parse(&json).is_err());
    }

    /// A public key with one changed bit is off the curve.
    #[test]
    fn a_damaged_public_key_is_refused(bit in 0..65_usize * 8) {
        let mut key = public_key();
        key[bit / 8] ^= 1 << (bit % 8);
        let json = with("/keys/p256dh", BASE64URL_NOPAD.encode(&key).into());
        prop_assert_eq!(parse(&json), Err(SubscriptionError::PublicKey));
    }

    /// A subscription with one changed byte is refused, or is another one that can be stored.
    #[test]
    fn a_damaged_subscription_never_panics(at: prop::sample::Index, byte: u8) {
        let mut json = Browser::new().json(ENDPOINT).to_string().into_bytes();
        let at = at.index(json.len());
        json[at] = byte;
        if let Ok(subscription) = Subscription::parse(&json, AllowedServices::Public) {
            let stored = subscription.to_json();
            let stored = secrecy::ExposeSecret::expose_secret(&stored).as_bytes();
            prop_assert_eq!(Subscription::parse(stored, AllowedServices::Public), Ok(subscription));
        }
    }
}
