//! Notifications to browsers that are closed (U-11): a push service on loopback, and browsers that
//! decrypt what it gets.

#[path = "../../../../web_push/tests/e2e/browser.rs"]
#[allow(dead_code, reason = "the tests of web_push share this file and use more of it")]
mod browser;
mod delivery;
mod devices;
mod kills;
mod nodes;
#[path = "../../../../web_push/tests/e2e/push_service.rs"]
mod push_service;

use std::time::Duration;

use data_encoding::BASE64URL_NOPAD;
use reqwest::RequestBuilder;
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use self::browser::Browser;
use self::push_service::{PushService, status};
use crate::streams::Events;
use crate::test_app::{PATIENCE, Settings, TestApp};

/// An answer that opens a prompt.
const QUESTION: &str = r#"{"question": "Soup or cake?", "options": ["soup", "cake"]}"#;
/// Settings under which everything is told at once, on this machine.
const AT_ONCE: &str =
    "[push]\ndelay = \"0s\"\nlong_turn = \"1h\"\nlocal_services = true\ncontent = \"title\"\n";

/// A subscription as a browser sends it, to a push service that is on the internet.
pub(crate) fn example() -> Value {
    let subscription = Browser::new().json("https://push.invalid/push/a");
    json!({"subscription": subscription, "language": "pt"})
}

/// A browser that is subscribed, with a push service of its own.
struct Device {
    service: PushService,
    browser: Browser,
}

impl Device {
    /// Subscribes by the request that [`TestApp`] or a process takes.
    async fn subscribe(put: RequestBuilder) -> Self {
        Self::at(PushService::start(|_| status(201)).await, put).await
    }

    async fn at(service: PushService, put: RequestBuilder) -> Self {
        let browser = Browser::new();
        let subscription = browser.json(&service.endpoint());
        let body = json!({"subscription": subscription, "language": "en"});
        let response = put.json(&body).send().await.unwrap();
        assert_eq!(response.status(), 204, "{}", response.text().await.unwrap());
        Self { service, browser }
    }

    /// The next message, decrypted; a browser of these tests reads one.
    async fn told(self) -> Value {
        let mut arrived = arrived(&self.service, 1).await;
        let body = arrived.remove(0).body;
        serde_json::from_slice(&self.browser.read(&body)).unwrap()
    }
}

/// The next messages at a push service.
async fn arrived(service: &PushService, most: usize) -> Vec<push_service::Received> {
    let mut all = Vec::new();
    eventually("no message arrives", async || {
        all.extend(service.take());
        (all.len() >= most).then_some(())
    })
    .await;
    all
}

/// The header by which a push service knows what is about the same.
fn topic(tag: &str) -> String {
    BASE64URL_NOPAD.encode(&Sha256::digest(tag.as_bytes())[..24])
}

async fn eventually(otherwise: &str, mut look: impl AsyncFnMut() -> Option<()>) {
    let looking = async {
        while look().await.is_none() {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    tokio::time::timeout(3 * PATIENCE, looking).await.unwrap_or_else(|_| panic!("{otherwise}"));
}

async fn app_with(push: &str) -> TestApp {
    let limits = "messages_per_minute = 1000";
    TestApp::configured(Settings { limits, more: push, ..Settings::default() }).await
}

fn put(app: &TestApp, cookie: &str) -> RequestBuilder {
    app.request("PUT", "/api/push/subscription").header("cookie", cookie)
}

async fn subscribed(app: &TestApp, cookie: &str) -> Device {
    Device::subscribe(put(app, cookie)).await
}

/// Sends a message and reads the answer to its end; returns the conversation and the prompt.
async fn ask(app: &TestApp, cookie: &str, message: &str) -> (String, Option<String>) {
    let request = app.request("POST", "/api/chat").header("cookie", cookie);
    let response = request.json(&json!({"message": message})).send().await.unwrap();
    let events = Events::of(response).rest().await;
    let conversation = events[0].data["conversation_id"].as_str().unwrap().to_owned();
    let prompt = events.iter().find(|event| event.name == "userPrompt");
    let prompt = prompt.map(|event| event.data["messageId"].as_str().unwrap().to_owned());
    (conversation, prompt)
}

async fn state(app: &TestApp, cookie: &str) -> Value {
    let response = app.request("GET", "/api/push").header("cookie", cookie).send().await.unwrap();
    assert_eq!(response.status(), 200);
    crate::test_app::json(response).await
}
