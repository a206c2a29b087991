//! A login from its beginning to its end.

use std::time::{Duration, SystemTime};

use data_encoding::BASE64;
use parlor_oidc::{
    ClaimRules, Identity, OidcError, PendingLogin, Provider, ProviderSettings, RequiredClaim, Role,
};
use serde_json::json;

use crate::fake_provider::{DISCOVERY, FakeProvider, KEYS, USER_INFO, asked, status};
use crate::{CLIENT_ID, REDIRECT, log_in, provider, settings};

/// Y-1: somebody signs in, and is who the provider says.
#[tokio::test]
async fn a_person_signs_in() {
    let fake = FakeProvider::start().await;
    let provider = provider(&fake);
    let now = SystemTime::now();
    let begun = provider.begin(now).await.unwrap();
    let asked = asked(&begun.address);
    assert!(begun.address.starts_with(&format!("{}/authorize?theme=dark&", fake.issuer)));
    for (name, value) in [
        ("response_type", "code"),
        ("client_id", CLIENT_ID),
        ("redirect_uri", REDIRECT),
        ("scope", "openid email profile"),
        ("code_challenge_method", "S256"),
    ] {
        assert_eq!(asked[name], value);
    }
    // It travels through a cookie.
    let stored = serde_json::to_string(&begun.pending).unwrap();
    let pending: PendingLogin = serde_json::from_str(&stored).unwrap();
    let back = fake.authorize(&begun.address);
    let signed_in = provider.finish(&pending, &back, now).await.unwrap();
    let expected = Identity {
        subject: "ana-1".to_owned(),
        name: Some("Ana".to_owned()),
        email: Some("ana@example.org".to_owned()),
        email_verified: true,
        login: Some("ana".to_owned()),
        role: Role::User,
        named_roles: None,
    };
    assert_eq!(signed_in.identity, expected);
    // The code works once.
    let again = provider.finish(&pending, &back, now).await;
    assert_eq!(again.unwrap_err(), OidcError::BeginAgain);
    assert_eq!((fake.count(DISCOVERY), fake.count(KEYS)), (1, 1), "they are kept");
    assert_eq!(fake.count(USER_INFO), 0, "nothing was missing");
}

/// Y-1: no two logins share a secret.
#[tokio::test]
async fn every_login_has_its_own_secrets() {
    let fake = FakeProvider::start().await;
    let provider = provider(&fake);
    let one = asked(&provider.begin(SystemTime::now()).await.unwrap().address);
    let two = asked(&provider.begin(SystemTime::now()).await.unwrap().address);
    for name in ["state", "nonce", "code_challenge"] {
        assert_ne!(one[name], two[name]);
        assert_eq!(one[name].len(), 43, "256 bits");
    }
    assert_ne!(one["state"], one["nonce"]);
}

/// Y-1: the client proves itself as the provider wants it to.
#[tokio::test]
async fn the_client_proves_itself() {
    let fake = FakeProvider::start().await;
    log_in(&provider(&fake), &fake).await.unwrap();
    let sent = || fake.behaviour().token_request.clone().unwrap();
    let (headers, form) = sent();
    let basic = headers["authorization"].to_str().unwrap().strip_prefix("Basic ").unwrap();
    let basic = String::from_utf8(BASE64.decode(basic.as_bytes()).unwrap()).unwrap();
    assert_eq!(basic, "parlor+%26+friends:client%3Asecret%2Fof%2Bnobody");
    assert!(!form.contains("client"), "{form}");
    fake.behaviour().discovery["token_endpoint_auth_methods_supported"] =
        json!(["client_secret_post"]);
    log_in(&provider(&fake), &fake).await.unwrap();
    let (headers, form) = sent();
    assert!(!headers.contains_key("authorization"));
    assert!(form.contains("client_secret=client%3Asecret%2Fof%2Bnobody"), "{form}");
    let public = ProviderSettings { client_secret: None, ..settings(&fake.issuer) };
    log_in(&Provider::new(public).unwrap(), &fake).await.unwrap();
    let (headers, form) = sent();
    assert!(!headers.contains_key("authorization") && !form.contains("client_secret"), "{form}");
    assert!(form.contains("client_id=parlor+%26+friends"), "{form}");
    fake.behaviour().discovery["token_endpoint_auth_methods_supported"] =
        json!(["private_key_jwt"]);
    let outcome = log_in(&provider(&fake), &fake).await;
    assert!(matches!(outcome, Err(OidcError::Misconfigured(_))), "{outcome:?}");
}

/// Y-1: what the ID token lacks is asked for, and is about the same person.
#[tokio::test]
async fn missing_claims_are_asked_for() {
    let fake = FakeProvider::start().await;
    let rule = RequiredClaim { claim: "groups".to_owned(), values: vec!["family".to_owned()] };
    let claims = ClaimRules { require: Some(rule), ..ClaimRules::default() };
    let strict = ProviderSettings { claims, ..settings(&fake.issuer) };
    let strict = Provider::new(strict).unwrap();
    let refused = log_in(&strict, &fake).await.unwrap_err();
    assert_eq!((refused, fake.count(USER_INFO)), (OidcError::NotAdmitted, 1));
    fake.behaviour().user_info = json!({"sub": "ana-1", "groups": ["family"], "name": "Eve"});
    let identity = log_in(&strict, &fake).await.unwrap().identity;
    assert_eq!(identity.name.as_deref(), Some("Ana"), "what is signed counts first");
    for other in [json!({"sub": "eve-1", "groups": ["family"]}), json!({"groups": ["family"]})] {
        fake.behaviour().user_info = other;
        let outcome = log_in(&strict, &fake).await;
        assert!(matches!(outcome, Err(OidcError::Untrusted(_))), "{outcome:?}");
    }
    // If it cannot be asked, only a person who is admitted without the answer comes in.
    fake.answer_with(USER_INFO, || status(500, ""));
    let outcome = log_in(&strict, &fake).await;
    assert!(matches!(outcome, Err(OidcError::TryLater(_))), "{outcome:?}");
    fake.behaviour().claims = json!({"name": null});
    let identity = log_in(&provider(&fake), &fake).await.unwrap().identity;
    assert_eq!((identity.name, identity.role), (None, Role::User));
}

/// Y-1: a login is finished in time, with the provider and the client that it was begun with.
#[tokio::test]
async fn a_login_lapses() {
    let fake = FakeProvider::start().await;
    let provider = provider(&fake);
    let now = SystemTime::now();
    let begun = provider.begin(now).await.unwrap();
    let back = fake.authorize(&begun.address);
    let late = now + PendingLogin::patience() + Duration::from_secs(1);
    let outcome = provider.finish(&begun.pending, &back, late).await;
    assert_eq!(outcome.unwrap_err(), OidcError::BeginAgain);
    let others = [
        ProviderSettings { id: "other".parse().unwrap(), ..settings(&fake.issuer) },
        ProviderSettings { client_id: "other".to_owned(), ..settings(&fake.issuer) },
        settings("http://127.0.0.1:1"),
    ];
    for other in others {
        let other = Provider::new(other).unwrap();
        let outcome = other.finish(&begun.pending, &back, now).await;
        assert_eq!(outcome.unwrap_err(), OidcError::BeginAgain);
    }
    let stranger = provider.begin(now).await.unwrap();
    let outcome = provider.finish(&stranger.pending, &back, now).await;
    assert_eq!(outcome.unwrap_err(), OidcError::BeginAgain, "another browser's login");
    provider.finish(&begun.pending, &back, now).await.unwrap();
}

/// Y-1: logging out ends the session at the provider too, if it has a page for that.
#[tokio::test]
async fn a_person_logs_out_at_the_provider() {
    let fake = FakeProvider::start().await;
    let provider = provider(&fake);
    let signed_in = log_in(&provider, &fake).await.unwrap();
    let back = "https://chat.example.org/login";
    let address = provider.log_out_address(Some(&signed_in.id_token), back).await.unwrap().unwrap();
    assert!(address.starts_with(&format!("{}/end?", fake.issuer)));
    let said = asked(&address);
    assert_eq!(said["post_logout_redirect_uri"], back);
    assert_eq!(said["client_id"], CLIENT_ID);
    assert_eq!(said["id_token_hint"].split('.').count(), 3);
    let without = provider.log_out_address(None, back).await.unwrap().unwrap();
    assert!(!without.contains("id_token_hint"));
    fake.behaviour().discovery.as_object_mut().unwrap().remove("end_session_endpoint");
    let outcome = crate::provider(&fake).log_out_address(None, back).await;
    assert_eq!(outcome, Ok(None));
}
