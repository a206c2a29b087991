//! Answers that are wrong, endless, late or from elsewhere.

use std::time::{Duration, SystemTime};

use axum::body::{Body, Bytes};
use axum::http::Response;
use futures_util::stream;
use parlor_oidc::{OidcError, Provider, ProviderSettings};
use serde_json::{Value, json};

use crate::fake_provider::{DISCOVERY, FakeProvider, KEYS, TOKEN, USER_INFO, status};
use crate::{log_in, provider, settings};

/// Claims that make the provider be asked for more.
fn lacking() -> Value {
    json!({"name": null})
}

/// A provider of which nobody is admitted without an answer about their groups.
fn asking(fake: &FakeProvider) -> Provider {
    let mut settings = settings(&fake.issuer);
    settings.claims.everyone = false;
    let rule = json!({"claim": "groups", "values": ["family"]});
    settings.claims.require = Some(serde_json::from_value(rule).unwrap());
    Provider::new(settings).unwrap()
}

async fn error(fake: &FakeProvider) -> OidcError {
    log_in(&asking(fake), fake).await.unwrap_err()
}

/// Y-1: an answer without an end is not read to its end.
#[tokio::test]
async fn endless_answers_are_cut_off() {
    for path in [DISCOVERY, KEYS, TOKEN, USER_INFO] {
        let fake = FakeProvider::start().await;
        fake.answer_with(path, || {
            let endless = stream::repeat_with(|| Ok::<_, String>(Bytes::from(vec![b' '; 65_536])));
            Response::new(Body::from_stream(endless))
        });
        let error = error(&fake).await;
        assert!(matches!(error, OidcError::TryLater(_)), "{path}: {error:?}");
        assert!(error.to_string().contains("longer than"), "{path}: {error}");
    }
}

/// Y-1: an answer that does not come is not waited for.
#[tokio::test]
async fn late_answers_are_not_waited_for() {
    for path in [DISCOVERY, KEYS, TOKEN, USER_INFO] {
        let fake = FakeProvider::start().await;
        fake.answer_with(path, || {
            Response::new(Body::from_stream(stream::pending::<Result<Bytes, String>>()))
        });
        let attempt = error(&fake);
        tokio::pin!(attempt);
        // Once it waits for this answer, hours may pass in no time.
        let asked = async {
            while fake.count(path) == 0 {
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
            tokio::time::pause();
        };
        tokio::select! {
            error = &mut attempt => panic!("{path}: {error:?}"),
            () = asked => {}
        }
        let began = tokio::time::Instant::now();
        let error = attempt.await;
        tokio::time::resume();
        assert!(matches!(error, OidcError::TryLater(_)), "{path}: {error:?}");
        assert!(began.elapsed() <= Duration::from_secs(9), "{path}");
    }
}

/// Y-1: what a provider says decides what to do next.
#[tokio::test]
async fn refusals_say_what_to_do() {
    type Is = fn(&OidcError) -> bool;
    let later: Is = |error| matches!(error, OidcError::TryLater(_));
    let wrong: Is = |error| matches!(error, OidcError::Misconfigured(_));
    let untrusted: Is = |error| matches!(error, OidcError::Untrusted(_));
    let again: Is = |error| *error == OidcError::BeginAgain;
    for (path, code, body, is) in [
        (DISCOVERY, 500, "", later),
        (DISCOVERY, 429, "", later),
        (DISCOVERY, 404, "", wrong),
        (DISCOVERY, 200, "<html>", wrong),
        (DISCOVERY, 200, "[]", wrong),
        (KEYS, 503, "", later),
        (KEYS, 200, "{}", wrong),
        (TOKEN, 400, r#"{"error": "invalid_grant"}"#, again),
        (TOKEN, 401, r#"{"error": "invalid_client"}"#, wrong),
        (TOKEN, 400, "no json", wrong),
        (TOKEN, 502, "", later),
        (TOKEN, 200, "{}", untrusted),
        (TOKEN, 200, r#"{"id_token": 7}"#, untrusted),
        (USER_INFO, 401, "", wrong),
        (USER_INFO, 200, "eyJhbGciOiJSUzI1NiJ9.e30.", wrong),
    ] {
        let fake = FakeProvider::start().await;
        fake.answer_with(path, move || status(code, body));
        let error = error(&fake).await;
        assert!(is(&error), "{path} {code} {body}: {error:?}");
    }
}

/// Y-1: a redirect would lead past the addresses that were checked.
#[tokio::test]
async fn redirects_are_not_followed() {
    let elsewhere = FakeProvider::start().await;
    for path in [DISCOVERY, KEYS, TOKEN, USER_INFO] {
        let fake = FakeProvider::start().await;
        let to = format!("{}{path}", elsewhere.issuer);
        fake.answer_with(path, move || {
            Response::builder().status(307).header("location", &to).body(Body::empty()).unwrap()
        });
        let error = error(&fake).await;
        assert!(matches!(error, OidcError::Misconfigured(_)), "{path}: {error:?}");
    }
    assert!(elsewhere.behaviour().requests.is_empty());
}

/// Y-1: a provider that calls itself otherwise is another one.
#[tokio::test]
async fn the_issuer_is_the_configured_one() {
    for other in ["https://evil.example", "HTTP", ""] {
        let fake = FakeProvider::start().await;
        fake.behaviour().discovery["issuer"] = json!(other);
        let error = error(&fake).await;
        assert!(matches!(error, OidcError::Misconfigured(_)), "{other}: {error:?}");
        assert_eq!(fake.count(KEYS), 0);
    }
    let fake = FakeProvider::start().await;
    fake.behaviour().discovery["issuer"] = json!(format!("{}/", fake.issuer));
    let said = error(&fake).await.to_string();
    assert!(said.contains(&format!("{:?}", format!("{}/", fake.issuer))), "{said}");
}

/// Y-1, FAULTS 27: the addresses that a provider names are checked like its own.
#[tokio::test]
async fn addresses_that_a_provider_names_are_checked() {
    for name in [
        "authorization_endpoint", "token_endpoint", "jwks_uri", "userinfo_endpoint",
        "end_session_endpoint",
    ] {
        for bad in ["http://login.example.org/", "javascript:alert(1)", "", "https://a@b.example/"]
        {
            let fake = FakeProvider::start().await;
            fake.behaviour().discovery[name] = json!(bad);
            let error = error(&fake).await;
            assert!(matches!(error, OidcError::Misconfigured(_)), "{name} {bad}: {error:?}");
            assert!(error.to_string().contains(name), "{error}");
        }
    }
    for name in ["authorization_endpoint", "token_endpoint", "jwks_uri"] {
        let fake = FakeProvider::start().await;
        fake.behaviour().discovery.as_object_mut().unwrap().remove(name);
        assert!(error(&fake).await.to_string().contains(name));
    }
}

/// FAULTS 27: a name that leads to this machine is refused when the connection is made.
#[tokio::test]
async fn a_private_address_needs_the_setting() {
    let public =
        |issuer: &str| ProviderSettings { allow_private_addresses: false, ..settings(issuer) };
    assert!(Provider::new(public("http://127.0.0.1:1")).is_err());
    // Resolved by the system, to this machine.
    let name = format!("{}.localhost", "login");
    let provider = Provider::new(public(&format!("https://{name}:9"))).unwrap();
    let error = provider.begin(SystemTime::now()).await.unwrap_err();
    let is_refused =
        matches!(&error, OidcError::Misconfigured(why) if why.contains("allow_private"));
    // Not every system resolves names below localhost.
    assert!(is_refused || matches!(error, OidcError::TryLater(_)), "{error:?}");
}

/// Y-1: everybody can begin a login, so a provider that fails is left alone for a moment.
#[tokio::test]
async fn a_provider_that_fails_is_not_pestered() {
    let fake = FakeProvider::start().await;
    let provider = provider(&fake);
    fake.answer_with(DISCOVERY, || status(500, ""));
    for _ in 0..5 {
        let error = provider.begin(SystemTime::now()).await.unwrap_err();
        assert!(matches!(error, OidcError::TryLater(_)), "{error:?}");
    }
    assert_eq!(fake.count(DISCOVERY), 1);
    fake.behaviour().answers.clear();
    tokio::time::pause();
    tokio::time::advance(Duration::from_secs(6)).await;
    tokio::time::resume();
    provider.begin(SystemTime::now()).await.unwrap();
    fake.behaviour().claims = lacking();
    log_in(&provider, &fake).await.unwrap();
}
