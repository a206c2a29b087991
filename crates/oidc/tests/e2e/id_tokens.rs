//! ID tokens that are accepted, and those that are not.

use parlor_oidc::OidcError;
use ring::hmac;
use serde_json::{Value, json};

use crate::fake_provider::{FakeProvider, now};
use crate::signing::{TestKey, encode, unsigned};
use crate::{CLIENT_ID, log_in, provider};

/// Nothing of a token is in an error.
async fn is_refused(fake: &FakeProvider, what: &str) {
    let error = log_in(&provider(fake), fake).await.unwrap_err();
    assert!(matches!(error, OidcError::Untrusted(_)), "{what}: {error:?}");
    let printed = format!("{error} {error:?}");
    assert!(!printed.contains("eyJ") && !printed.contains("ana"), "{what}: {printed}");
}

/// Y-1: all algorithms with public keys that providers use.
#[tokio::test]
async fn every_accepted_algorithm_is_verified() {
    let keys: [fn() -> TestKey; 6] = [
        || TestKey::rsa("RS256"),
        || TestKey::rsa("RS512"),
        || TestKey::rsa("PS256"),
        TestKey::p256,
        TestKey::p384,
        TestKey::ed25519,
    ];
    let fake = FakeProvider::start().await;
    for make in keys {
        let key = make();
        let name = key.algorithm();
        fake.sign_with("k", key);
        let outcome = log_in(&provider(&fake), &fake).await;
        assert!(outcome.is_ok(), "{name}: {outcome:?}");
        // The same token by another key of the same kind and name.
        if !name.starts_with(['R', 'P']) {
            let other = make();
            fake.behaviour().id_token = Box::new(move |claims| other.token("k", claims));
            is_refused(&fake, name).await;
        }
    }
}

/// Y-1: a token is refused unless it is from the provider, for us, for this login, and of now.
#[tokio::test]
async fn claims_that_do_not_fit_are_refused() {
    let fake = FakeProvider::start().await;
    for (claims, what) in [
        (json!({"iss": "https://evil.example"}), "another issuer"),
        (json!({"iss": format!("{}/", fake.issuer)}), "almost the issuer"),
        (json!({"iss": null}), "no issuer"),
        (json!({"aud": "other"}), "another audience"),
        (json!({"aud": ["other"]}), "other audiences"),
        (json!({"aud": []}), "an empty audience"),
        (json!({"aud": null}), "no audience"),
        (json!({"aud": {CLIENT_ID: true}}), "an audience of another shape"),
        (json!({"aud": [CLIENT_ID, "other"]}), "several audiences without azp"),
        (json!({"aud": [CLIENT_ID, "other"], "azp": "other"}), "made for another"),
        (json!({"azp": "other"}), "made for another"),
        (json!({"nonce": "another"}), "another nonce"),
        (json!({"nonce": ""}), "an empty nonce"),
        (json!({"nonce": null}), "no nonce"),
        (json!({"nonce": ["a"]}), "a nonce of another shape"),
        (json!({"exp": now() - 61}), "expired"),
        (json!({"exp": null}), "never expires"),
        (json!({"exp": "9999999999"}), "a text for a time"),
        (json!({"iat": now() + 120}), "from the future"),
        (json!({"iat": null}), "from no time"),
        (json!({"nbf": now() + 120}), "not valid yet"),
        (json!({"sub": null}), "nobody"),
        (json!({"sub": 7}), "a number"),
    ] {
        fake.behaviour().claims = claims;
        is_refused(&fake, what).await;
    }
    for claims in [
        json!({"aud": [CLIENT_ID]}),
        json!({"aud": ["other", CLIENT_ID], "azp": CLIENT_ID}),
        json!({"exp": now() - 30}),
        json!({"iat": now() + 30}),
        json!({"iat": 0.5, "exp": 99_999_999_999.5}),
    ] {
        fake.behaviour().claims = claims.clone();
        let outcome = log_in(&provider(&fake), &fake).await;
        assert!(outcome.is_ok(), "{claims}: {outcome:?}");
    }
}

/// Y-1: a header cannot talk its way past the signature.
#[tokio::test]
async fn forged_signatures_are_refused() {
    type Forge = fn(&Value, &Value) -> String;
    fn hs256(secret: &[u8], claims: &Value) -> String {
        let signed = unsigned(&json!({"alg": "HS256", "kid": "k"}), claims);
        let key = hmac::Key::new(hmac::HMAC_SHA256, secret);
        format!("{signed}.{}", encode(hmac::sign(&key, signed.as_bytes()).as_ref()))
    }
    fn changed(header: &Value, claims: &Value) -> String {
        let token = TestKey::rsa("RS256").token_with(header, claims);
        let mut other = claims.clone();
        other["sub"] = json!("eve-1");
        let signature = token.rsplit_once('.').unwrap().1;
        format!("{}.{signature}", unsigned(header, &other))
    }
    let forged: [(&str, Forge); 14] = [
        ("none", |_, claims| format!("{}.", unsigned(&json!({"alg": "none"}), claims))),
        ("None", |_, claims| format!("{}.", unsigned(&json!({"alg": "NONE", "kid": "k"}), claims))),
        ("none with a signature", |_, claims| {
            TestKey::rsa("RS256").token_with(&json!({"alg": "none", "kid": "k"}), claims)
        }),
        ("no algorithm", |_, claims| {
            TestKey::rsa("RS256").token_with(&json!({"kid": "k"}), claims)
        }),
        ("HS256 with the modulus", |jwk, claims| {
            hs256(&data_encoding::BASE64URL_NOPAD.decode(text(&jwk["n"])).unwrap(), claims)
        }),
        ("HS256 with the text of the modulus", |jwk, claims| hs256(text(&jwk["n"]), claims)),
        ("HS256 with the whole key", |jwk, claims| hs256(jwk.to_string().as_bytes(), claims)),
        ("HS256 with nothing", |_, claims| hs256(b"", claims)),
        ("another kind of key", |_, claims| {
            TestKey::p256().token_with(&json!({"alg": "ES256", "kid": "k"}), claims)
        }),
        ("another padding", |_, claims| {
            TestKey::rsa("PS256").token_with(&json!({"alg": "RS256", "kid": "k"}), claims)
        }),
        ("other claims", |_, claims| changed(&json!({"alg": "RS256", "kid": "k"}), claims)),
        ("no signature", |_, claims| {
            format!("{}.", unsigned(&json!({"alg": "RS256", "kid": "k"}), claims))
        }),
        ("extensions", |_, claims| {
            let header = json!({"alg": "RS256", "kid": "k", "crit": ["exp"], "exp": 1});
            TestKey::rsa("RS256").token_with(&header, claims)
        }),
        ("a key of its own", |_, claims| {
            let own = TestKey::p256();
            own.token_with(&json!({"alg": "ES256", "jwk": own.jwk("k")}), claims)
        }),
    ];
    let fake = FakeProvider::start().await;
    for (what, forge) in forged {
        fake.sign_with("k", TestKey::rsa("RS256"));
        assert!(log_in(&provider(&fake), &fake).await.is_ok());
        let jwk = TestKey::rsa("RS256").jwk("k");
        fake.behaviour().id_token = Box::new(move |claims| forge(&jwk, claims));
        is_refused(&fake, what).await;
    }
}

fn text(value: &Value) -> &[u8] {
    value.as_str().unwrap().as_bytes()
}

/// Y-1: what is no token at all is refused.
#[tokio::test]
async fn broken_tokens_are_refused() {
    let fake = FakeProvider::start().await;
    let tokens: [fn(&Value) -> String; 9] = [
        |_| String::new(),
        |_| "..".to_owned(),
        |_| "a.b".to_owned(),
        |_| "a.b.c.d.e".to_owned(),
        |_| format!("{}.{}.", encode(b"[]"), encode(b"{}")),
        |claims| TestKey::p256().token_with(&json!("x"), claims),
        |claims| TestKey::p256().token("1", claims) + "=",
        |claims| TestKey::p256().token("1", claims).replace('.', ". "),
        |_| "a".repeat(70_000),
    ];
    for (number, token) in tokens.into_iter().enumerate() {
        fake.behaviour().id_token = Box::new(token);
        is_refused(&fake, &format!("number {number}")).await;
    }
}

/// Y-1: keys that say that they are for something else verify nothing.
#[tokio::test]
async fn a_key_is_used_for_what_it_is() {
    let fake = FakeProvider::start().await;
    for (name, value) in [
        ("use", json!("enc")),
        ("key_ops", json!(["encrypt"])),
        ("alg", json!("PS256")),
        ("kty", json!("oct")),
        ("n", json!("?")),
    ] {
        fake.sign_with("k", TestKey::rsa("RS256"));
        fake.behaviour().keys["keys"][0][name] = value;
        is_refused(&fake, name).await;
    }
    fake.sign_with("k", TestKey::rsa("RS256"));
    fake.behaviour().keys["keys"][0]["alg"] = json!("RS256");
    fake.behaviour().keys["keys"][0]["key_ops"] = json!(["verify"]);
    log_in(&provider(&fake), &fake).await.unwrap();
}
