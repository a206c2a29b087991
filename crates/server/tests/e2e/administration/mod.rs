//! What administrators see and do (Y-4, X-4).

mod audit;
mod configuration;
mod keys;
mod people;
mod servers;
mod usage;

use serde_json::{Value, json};

use crate::streams::Events;
use crate::test_app::{TestApp, json as body_of};

/// Reads an address with these headers.
async fn get(app: &TestApp, path: &str, header: (&str, &str)) -> Value {
    let response = app.request("GET", path).header(header.0, header.1).send().await.unwrap();
    assert_eq!(response.status(), 200, "{path}");
    body_of(response).await
}

/// The same with the admin's key.
async fn admin_gets(app: &TestApp, path: &str) -> Value {
    get(app, path, ("x-api-key", crate::test_app::ADMIN_KEY)).await
}

/// Sends a message with a key, and returns its events.
async fn say(app: &TestApp, key: &str, message: &str) -> Vec<crate::streams::Event> {
    let request = app.request("POST", "/api/chat").header("x-api-key", key);
    let response = request.json(&json!({"message": message})).send().await.unwrap();
    assert_eq!(response.status(), 200);
    Events::of(response).rest().await
}

/// The acts of administrators, oldest first, as their names.
async fn acts(app: &TestApp) -> Vec<String> {
    let page = admin_gets(app, "/api/admin/acts").await;
    let acts = page["acts"].as_array().unwrap().iter().rev();
    acts.map(|act| act["act"].as_str().unwrap().to_owned()).collect()
}
