//! Subscribing: what is taken, what is refused, and what makes the page an app.

use serde_json::{Value, json};

use super::browser::Browser;
use super::{AT_ONCE, app_with, example, put, state, subscribed};
use crate::people::{invite, join};
use crate::test_app::{PASSWORD, TestApp, json as body_of, refusal};

/// U-11, FAULTS 27: an endpoint is a URL of a stranger, and keys are exact.
#[tokio::test]
async fn what_is_no_subscription_is_refused_with_a_reason() {
    let app = TestApp::start().await;
    let cookie = app.log_in(PASSWORD).await;
    let with = |pointer: &str, value: Value| {
        let mut body = example();
        *body.pointer_mut(pointer).unwrap() = value;
        body
    };
    let endpoint = |url: &str| with("/subscription/endpoint", json!(url));
    let key = |name: &str, value: &str| with(&format!("/subscription/keys/{name}"), json!(value));
    for (what, body, why) in [
        ("this machine", endpoint("https://127.0.0.1/push"), "private network"),
        ("a private network", endpoint("https://192.168.1.1/push"), "private network"),
        ("metadata of a cloud", endpoint("https://169.254.169.254/latest"), "private network"),
        ("plain http", endpoint("http://push.example.org/a"), "https"),
        ("a file", endpoint("file:///etc/passwd"), "endpoint"),
        ("a long endpoint", endpoint(&format!("https://a.example/{}", "a".repeat(2048))), "longer"),
        ("a short key", key("p256dh", "BAAA"), "p256dh"),
        ("a short secret", key("auth", "AAAA"), "auth"),
        ("no keys", json!({"subscription": {"endpoint": "https://a.example/"}}), "subscription"),
        ("no subscription", json!({"language": "en"}), "subscription"),
        ("another language", with("/language", json!("de")), "language"),
    ] {
        let response = put(&app, &cookie).json(&body).send().await.unwrap();
        assert_eq!(response.status(), 400, "{what}");
        let message = body_of(response).await["error"]["message"].as_str().unwrap().to_owned();
        assert!(message.contains(why), "{what}: {message}");
        assert!(!message.contains("passwd") && !message.contains("latest"), "{message}");
    }
    let large = with("/subscription/endpoint", json!("a".repeat(100_000)));
    // The server does not read on, so its connection is of no further use.
    let large = put(&app, &cookie).header("connection", "close").json(&large);
    let answer = refusal(large.send().await.unwrap()).await;
    assert_eq!(answer, (413, "too_large".to_owned()));
    assert_eq!(state(&app, &cookie).await["subscribed"], false);
    let key = app.admin("PUT", "/api/push/subscription").json(&example());
    assert_eq!(refusal(key.send().await.unwrap()).await, (403, "forbidden".to_owned()));
    let test = app.request("POST", "/api/push/test").header("cookie", &cookie);
    assert_eq!(refusal(test.send().await.unwrap()).await, (404, "not_found".to_owned()));
}

/// U-11: the key pair is the same after everything, and a browser has one subscription, whoever logs
/// in there.
#[tokio::test]
async fn a_browser_is_subscribed_once() {
    let app = app_with(AT_ONCE).await;
    let (first, second) = (app.log_in(PASSWORD).await, app.log_in(PASSWORD).await);
    assert_eq!(state(&app, &first).await["key"], state(&app, &second).await["key"]);
    let body = json!({"subscription": Browser::new().json("http://127.0.0.1:9/push/same")});
    for cookie in [&first, &second] {
        assert_eq!(put(&app, cookie).json(&body).send().await.unwrap().status(), 204);
    }
    assert_eq!(state(&app, &first).await["subscribed"], false, "somebody else is there now");
    assert_eq!(state(&app, &second).await["subscribed"], true);
    let off = app.request("DELETE", "/api/push/subscription").header("cookie", &second);
    assert_eq!(off.send().await.unwrap().status(), 204);
    assert_eq!(state(&app, &second).await["subscribed"], false);
    drop(subscribed(&app, &first).await);

    let off = app_with("[push]\nenabled = false\n").await;
    let cookie = off.log_in(PASSWORD).await;
    assert_eq!(
        state(&off, &cookie).await,
        json!({"available": false, "subscribed": false, "content": "none"})
    );
    let answer = refusal(put(&off, &cookie).json(&example()).send().await.unwrap()).await;
    assert_eq!(answer, (503, "unavailable".to_owned()));
}

/// U-11: the page can be installed: in the language of the browser, with the look of the project for
/// whoever is logged in; and the worker stores nothing that needs a login.
#[tokio::test]
async fn the_page_can_be_installed() {
    let look = "[tenants.home]\ndefault_project = \"bakery\"\n\
        [tenants.home.projects.bakery]\nname = \"The Bakery\"\nrecipe_vault = false\n\
        [tenants.home.projects.bakery.look]\naccent = \"#ffd400\"\n";
    let app = app_with(look).await;
    let link = invite(&app, "user").await;
    let cookie = join(&app, &link, "Ana", "Ana's own password").await;
    let manifest = async |cookie: &str| {
        let request = app.request("GET", "/manifest.webmanifest").header("cookie", cookie);
        let response = request.header("accept-language", "pt-BR").send().await.unwrap();
        assert_eq!(response.headers()["content-type"], "application/manifest+json");
        body_of(response).await
    };
    let (public, own) = (manifest("none=1").await, manifest(&cookie).await);
    assert_eq!((&public["name"], &public["lang"]), (&json!("Parlor"), &json!("pt-BR")));
    assert_eq!(own["name"], "The Bakery");
    assert_ne!(own["theme_color"], public["theme_color"]);
    let icons = public["icons"].as_array().unwrap();
    assert!(icons.iter().any(|icon| icon["purpose"] == "maskable"));
    for icon in icons {
        let response = app.request("GET", icon["src"].as_str().unwrap()).send().await.unwrap();
        assert_eq!(
            (response.status().as_u16(), &response.headers()["content-type"]),
            (200, &"image/png".parse().unwrap())
        );
    }
    let worker = app.request("GET", "/sw.js").send().await.unwrap();
    assert_eq!(worker.headers()["cache-control"], "no-cache");
    let policy = worker.headers()["content-security-policy"].to_str().unwrap().to_owned();
    assert!(
        policy.contains("worker-src 'self'; ") && policy.contains("trusted-types service-worker")
    );
    let text = worker.text().await.unwrap();
    assert!(!text.contains("{version}"));
    for file in [
        "/offline", "/assets/style.css", "/assets/theme.js", "/assets/offline.js",
        "/assets/icon.svg",
    ] {
        assert!(text.contains(file));
        assert_eq!(app.request("GET", file).send().await.unwrap().status(), 200, "{file}");
    }
}
