//! Limits on messages and turns: per tenant, project and address beside those of a session, and
//! across a restart.

use std::time::Duration;

use parlor_testkit::{Gate, Script, ScriptedModel};
use reqwest::Response;
use rustix::process::{Signal, kill_process};
use serde_json::{Value, json};

use crate::server_process::Server;
use crate::streams::Events;
use crate::test_app::{PASSWORD, PATIENCE, Settings, TestApp, json as body_of};

/// The status of a refusal, and its retry delay, which must be the same in the header and in the
/// body.
async fn wait_of(response: Response) -> (u16, u64) {
    let status = response.status().as_u16();
    let header = response.headers()["retry-after"].to_str().unwrap().parse().unwrap();
    let body: Value = body_of(response).await;
    assert_eq!(body["error"]["code"], "rate_limited");
    assert_eq!(body["error"]["retry_after"], json!(header));
    (status, header)
}

async fn send_as(app: &TestApp, cookie: &str, from: &str) -> Response {
    let request = app.request("POST", "/api/chat").header("cookie", cookie);
    let request = request.header("content-type", "application/json");
    let request = request.header("x-forwarded-for", from);
    request.body(r#"{"message": "hello"}"#).send().await.unwrap()
}

/// FAULTS 14, 29: a new login does not reset the limit of a tenant.
#[tokio::test]
async fn a_tenant_is_limited_whoever_sends() {
    let app = TestApp::with("tenant_messages_per_minute = 3").await;
    for _ in 0..3 {
        assert_eq!(app.send(&json!({"message": "hello"})).await.status(), 200);
    }
    let cookie = app.log_in(PASSWORD).await;
    let (status, wait) = wait_of(send_as(&app, &cookie, "9.9.9.9").await).await;
    assert!(status == 429 && (1..=20).contains(&wait), "{status} {wait}");
    let key = app.other_tenants_key("user").await;
    let other = app.request("POST", "/api/chat").header("x-api-key", key);
    let other = other.header("content-type", "application/json").body(r#"{"message": "hello"}"#);
    assert_eq!(other.send().await.unwrap().status(), 200, "another tenant is not disturbed");
}

/// FAULTS 29: messages are limited by address across sessions, behind a trusted proxy by the
/// forwarded one; other addresses are not affected.
#[tokio::test]
async fn an_address_is_limited_across_sessions() {
    let app = TestApp::configured(Settings {
        limits: "address_messages_per_minute = 2",
        more: "[server]\ntrusted_proxies = [\"127.0.0.1\"]",
        ..Settings::default()
    })
    .await;
    let (first, second) = (app.log_in(PASSWORD).await, app.log_in(PASSWORD).await);
    assert_eq!(send_as(&app, &first, "9.9.9.9").await.status(), 200);
    assert_eq!(send_as(&app, &second, "9.9.9.9").await.status(), 200);
    let (status, wait) = wait_of(send_as(&app, &second, "9.9.9.9").await).await;
    assert!(status == 429 && (1..=30).contains(&wait), "{status} {wait}");
    assert_eq!(send_as(&app, &second, "8.8.8.8").await.status(), 200);
}

/// FAULTS 29: the number of parallel turns is limited; when one has ended, another may begin.
#[tokio::test]
async fn turns_at_the_same_time_are_limited() {
    let app = TestApp::with("project_turns = 1\nmessages_per_minute = 1000").await;
    let gate = Gate::closed();
    app.model.push(Script::answer().text("One moment. ").gate(&gate));
    let mut running = Events::of(app.send(&json!({"message": "hello"})).await);
    running.find("chunk").await;
    assert_eq!(wait_of(app.send(&json!({"message": "again"})).await).await, (429, 5));
    let sauces = json!({"message": "hello", "project": "sauces"});
    assert_eq!(app.send(&sauces).await.status(), 200, "another project has its own");
    gate.release(1);
    running.find("done").await;
    // A turn stops counting shortly after its `done`.
    let answered = async {
        while app.send(&json!({"message": "again"})).await.status() != 200 {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    tokio::time::timeout(PATIENCE, answered).await.unwrap();
}

/// FAULTS 29: the usage counts after a restart.
#[tokio::test]
async fn limits_hold_over_a_restart() {
    let dir = tempfile::tempdir().unwrap();
    let model = ScriptedModel::start().await.unwrap();
    model.always(Script::answer().text("Hello"));
    let limits = "[server.limits]\nmessages_per_minute = 1";
    let mut server = Server::start_with(dir.path(), &model, limits, &[]).await;
    assert_eq!(server.send(&json!({"message": "hello"})).await.status(), 200);
    assert_eq!(server.send(&json!({"message": "hello"})).await.status(), 429);
    kill_process(server.pid(), Signal::TERM).unwrap();
    let stopped = async {
        while !server.is_dead() {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    tokio::time::timeout(PATIENCE, stopped).await.unwrap();
    let server = Server::start_with(dir.path(), &model, limits, &[]).await;
    let (status, wait) = wait_of(server.send(&json!({"message": "hello"})).await).await;
    assert!(status == 429 && (1..=60).contains(&wait), "{status} {wait}");
}
