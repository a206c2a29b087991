//! Of a subscription only the host of its endpoint is ever printed.

use axum::body::Body;
use axum::http::Response;
use parlor_web_push::{AllowedServices, PushError, Subscription};
use secrecy::ExposeSecret as _;
use tokio::net::TcpListener;

use crate::browser::Browser;
use crate::push_service::{PushService, Received, SECRET_PATH, status};
use crate::{local_sender, options, sender};

/// Not even a part of the path, nor of a token.
fn has_no_secret(text: &str) {
    let name = SECRET_PATH.rsplit_once('/').unwrap().1;
    let parts = (0..=name.len() - 8).map(|at| &name[at..at + 8]);
    for secret in parts.chain(["eyJ", "vapid"]) {
        assert!(!text.contains(secret), "{text}");
    }
}

fn print(error: &PushError) -> String {
    format!("{error} {error:?}")
}

/// A subscription is printed as its host, and stored as a whole.
#[test]
fn a_subscription_prints_its_host_alone() {
    let browser = Browser::new();
    let subscription = browser.subscription(&format!("https://push.example.org{SECRET_PATH}"));
    let printed = format!("{subscription:?}");
    assert_eq!(printed, r#"Subscription { host: "push.example.org", .. }"#);
    let stored = subscription.to_json();
    has_no_secret(&format!("{stored:?}"));
    let again = stored.expose_secret().as_bytes();
    assert_eq!(Subscription::parse(again, AllowedServices::Public), Ok(subscription));
}

/// U-11: no error tells an endpoint or a token, whatever the push service repeats.
#[tokio::test]
async fn errors_tell_no_secrets() {
    let echoes: [fn(&Received) -> String; 4] = [
        |_| SECRET_PATH.to_owned(),
        |_| format!("no such subscription: {SECRET_PATH}"),
        |_| format!(r#"{{"reason": "unknown {}"}}"#, &SECRET_PATH[8..]),
        |received| received.headers["authorization"].to_str().unwrap()[8..].to_owned(),
    ];
    for (number, echo) in echoes.into_iter().enumerate() {
        let service = PushService::start(move |received| {
            Response::builder().status(400).body(Body::from(echo(received))).unwrap()
        })
        .await;
        let subscription = Browser::new().subscription(&service.endpoint());
        let outcome = local_sender().send(&subscription, b"hello", &options()).await;
        let error = outcome.unwrap_err();
        assert!(matches!(error, PushError::Refused { .. }), "{number}: {error:?}");
        has_no_secret(&print(&error));
    }
}

/// U-11: nor does a connection that fails.
#[tokio::test]
async fn failed_connections_tell_no_secrets() {
    let closed = {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        listener.local_addr().unwrap()
    };
    let service = PushService::start(|_| status(201)).await;
    let browser = Browser::new();
    for endpoint in [
        format!("http://{closed}{SECRET_PATH}"),
        format!("{}{SECRET_PATH}", service.origin.replace("http:", "https:")),
        format!("https://nowhere.invalid{SECRET_PATH}"),
    ] {
        let subscription = browser.subscription(&endpoint);
        let error = local_sender().send(&subscription, b"hello", &options()).await.unwrap_err();
        assert!(matches!(error, PushError::Unreachable { .. }), "{error:?}");
        has_no_secret(&print(&error));
    }
    let subscription = browser.subscription(&service.endpoint());
    let public = sender(AllowedServices::Public);
    has_no_secret(&print(&public.send(&subscription, b"", &options()).await.unwrap_err()));
}
