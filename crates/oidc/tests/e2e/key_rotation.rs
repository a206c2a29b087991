//! Providers change their keys.

use std::time::Duration;

use parlor_oidc::OidcError;
use serde_json::json;

use crate::fake_provider::{DISCOVERY, FakeProvider, KEYS};
use crate::signing::TestKey;
use crate::{log_in, provider};

async fn pass(time: Duration) {
    tokio::time::pause();
    tokio::time::advance(time).await;
    tokio::time::resume();
}

/// Y-1: a new key is found when the first token names it; unknown ones cause a request a minute.
#[tokio::test]
async fn a_new_key_is_fetched_when_it_is_named() {
    let fake = FakeProvider::start().await;
    let provider = provider(&fake);
    log_in(&provider, &fake).await.unwrap();
    assert_eq!(fake.count(KEYS), 1);
    fake.sign_with("2", TestKey::ed25519());
    log_in(&provider, &fake).await.unwrap();
    log_in(&provider, &fake).await.unwrap();
    assert_eq!(fake.count(KEYS), 2);
    // A key that is nowhere: nobody makes us ask again and again.
    let stranger = TestKey::p256();
    fake.behaviour().id_token = Box::new(move |claims| stranger.token("3", claims));
    for _ in 0..3 {
        let error = log_in(&provider, &fake).await.unwrap_err();
        assert!(matches!(error, OidcError::Untrusted(_)), "{error:?}");
    }
    assert_eq!(fake.count(KEYS), 2);
    fake.sign_with("4", TestKey::p256());
    assert!(log_in(&provider, &fake).await.is_err());
    pass(Duration::from_secs(61)).await;
    log_in(&provider, &fake).await.unwrap();
    assert_eq!((fake.count(KEYS), fake.count(DISCOVERY)), (3, 1));
}

/// Y-1: some providers name no key: there must be only one, and it may be a new one.
#[tokio::test]
async fn a_token_without_the_name_of_a_key_is_of_the_only_one() {
    let fake = FakeProvider::start().await;
    let provider = provider(&fake);
    let key = TestKey::p256();
    let unnamed = |key: TestKey| {
        move |claims: &serde_json::Value| key.token_with(&json!({"alg": key.algorithm()}), claims)
    };
    let (jwk, other) = (key.jwk("a"), TestKey::ed25519().jwk("b"));
    fake.behaviour().keys = json!({"keys": [jwk, other]});
    fake.behaviour().id_token = Box::new(unnamed(key));
    log_in(&provider, &fake).await.unwrap();
    let newer = TestKey::p256();
    fake.behaviour().keys = json!({"keys": [newer.jwk("c")]});
    fake.behaviour().id_token = Box::new(unnamed(newer));
    log_in(&provider, &fake).await.unwrap();
    let (one, two) = (TestKey::p256(), TestKey::p256());
    fake.behaviour().keys = json!({"keys": [one.jwk("d"), two.jwk("e")]});
    fake.behaviour().id_token = Box::new(unnamed(one));
    pass(Duration::from_secs(61)).await;
    let error = log_in(&provider, &fake).await.unwrap_err();
    assert!(matches!(error, OidcError::Untrusted(_)), "{error:?}");
}

/// Y-1: addresses and keys are looked up again after a while.
#[tokio::test]
async fn what_is_known_is_renewed() {
    let fake = FakeProvider::start().await;
    let provider = provider(&fake);
    log_in(&provider, &fake).await.unwrap();
    pass(Duration::from_secs(59 * 60)).await;
    log_in(&provider, &fake).await.unwrap();
    assert_eq!((fake.count(KEYS), fake.count(DISCOVERY)), (1, 1));
    // A key that was withdrawn is not believed for ever.
    fake.behaviour().keys = json!({"keys": []});
    pass(Duration::from_secs(2 * 60)).await;
    assert!(log_in(&provider, &fake).await.is_err());
    assert_eq!(fake.count(DISCOVERY), 2);
}
