//! Recipe Vault over streamable HTTP (I-5): `/mcp/recipes` of the chat server, and
//! `parlor mcp recipes --http` without it.

use std::process::Stdio;

use reqwest::{Client, RequestBuilder, Response};
use rmcp::model::{CallToolRequestParams, ProtocolVersion};
use rmcp::service::{ClientLifecycleMode, ClientServiceExt};
use rmcp::transport::StreamableHttpClientTransport;
use rmcp::transport::streamable_http_client::StreamableHttpClientTransportConfig;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::process::{Child, Command};
use tokio::time::timeout;

use crate::server_process::storage;
use crate::test_app::{ADMIN_KEY, PASSWORD, PATIENCE, TestApp, json as body_of, refusal};

const PATH: &str = "/mcp/recipes";

/// A message of the protocol, as a client posts it.
fn posted(request: RequestBuilder, method: &str, params: &Value) -> RequestBuilder {
    let message = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params});
    request
        .header("content-type", "application/json")
        .header("accept", "application/json, text/event-stream")
        .header("mcp-protocol-version", "2025-11-25")
        .body(message.to_string())
}

async fn call(app: &TestApp, key: &str, tool: &str, arguments: Value) -> Response {
    let request = app.request("POST", PATH).header("x-api-key", key);
    let params = json!({"name": tool, "arguments": arguments});
    posted(request, "tools/call", &params).send().await.unwrap()
}

fn dish(title: &str) -> Value {
    json!({"title": title, "ingredients": [], "steps": []})
}

/// R-1, I-5: a client of either era uses the recipes of its key's tenant, which it may send as
/// `Authorization: Bearer`. Another tenant sees none of them.
#[tokio::test]
async fn clients_of_both_eras_use_the_recipes_of_their_tenant() {
    let app = TestApp::start().await;
    let other = app.other_tenants_key("user").await;
    let modern =
        ClientLifecycleMode::Discover { preferred_versions: vec![ProtocolVersion::V_2026_07_28] };
    for (lifecycle, version) in [
        (ClientLifecycleMode::Initialize, ProtocolVersion::V_2025_11_25),
        (modern, ProtocolVersion::V_2026_07_28),
    ] {
        let config =
            StreamableHttpClientTransportConfig::with_uri(app.url(PATH)).auth_header(ADMIN_KEY);
        let transport = StreamableHttpClientTransport::from_config(config);
        let client = ().serve_with_lifecycle(transport, lifecycle).await.unwrap();
        assert_eq!(client.peer_info().unwrap().protocol_version, version);
        let title = format!("Secret of {version}");
        let Value::Object(arguments) = dish(&title) else { panic!() };
        let create = CallToolRequestParams::new("create_recipe").with_arguments(arguments);
        let made = client.call_tool(create).await.unwrap().structured_content.unwrap();
        client.cancel().await.unwrap();
        let path = format!("/api/recipes/{}", made["id"].as_str().unwrap());
        assert_eq!(body_of(app.admin("GET", &path).send().await.unwrap()).await, made);
        let theirs = call(&app, &other, "list_recipes", json!({})).await;
        let theirs = body_of(theirs).await;
        assert!(theirs["result"]["structuredContent"]["recipes"].is_array(), "{theirs}");
        assert!(!theirs.to_string().contains("Secret"), "{theirs}");
        let read = call(&app, &other, "get_recipe", json!({"recipe_id": made["id"]})).await;
        assert_eq!(body_of(read).await["result"]["isError"], true);
    }
}

/// I-5, X-1, X-2, FAULTS 21: no request without credentials, for another name or from another site.
#[tokio::test]
async fn strangers_are_refused() {
    let app = TestApp::start().await;
    let list = |headers: &[(&str, &str)]| {
        let mut request = app.request("POST", PATH);
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        posted(request, "tools/list", &json!({})).send()
    };
    let (cookie, own) = (app.log_in(PASSWORD).await, app.url(""));
    let key = ("x-api-key", ADMIN_KEY);
    for headers in [
        &[key][..],
        &[("authorization", &format!("Bearer {ADMIN_KEY}"))],
        &[("cookie", &cookie)],
        &[("cookie", &cookie), ("origin", &own)],
    ] {
        let answer = list(headers).await.unwrap();
        assert_eq!(answer.status(), 200, "{headers:?}");
        assert!(!answer.headers().contains_key("mcp-session-id"), "nothing is kept");
        let answer = body_of(answer).await;
        assert_eq!(answer["result"]["tools"].as_array().unwrap().len(), 7, "{answer}");
    }
    for (headers, status) in [
        (&[][..], 401),
        (&[("x-api-key", "wrong")], 401),
        (&[("authorization", "Bearer wrong"), ("cookie", &cookie)], 401),
        (&[key, ("origin", "https://evil.example")], 403),
        (&[key, ("sec-fetch-site", "cross-site")], 403),
        (&[("cookie", &cookie), ("origin", "null")], 403),
        (&[key, ("host", "evil.example")], 403),
    ] {
        assert_eq!(refusal(list(headers).await.unwrap()).await.0, status, "{headers:?}");
    }
}

/// I-5: a key that was revoked ends access; there is nothing that outlives it.
#[tokio::test]
async fn a_revoked_key_ends_access() {
    let app = TestApp::start().await;
    let key = app.other_tenants_key("user").await;
    assert_eq!(call(&app, &key, "list_recipes", json!({})).await.status(), 200);
    let listed = app.parlor(&["keys", "list", "--tenant", "other"], "").await;
    let id = listed.split_whitespace().next().unwrap().to_owned();
    app.parlor(&["keys", "revoke", "--tenant", "other", &id], "").await;
    let ended = async {
        while call(&app, &key, "list_recipes", json!({})).await.status() != 401 {
            tokio::time::sleep(std::time::Duration::from_millis(20)).await;
        }
    };
    timeout(PATIENCE, ended).await.expect("the key still works");
}

/// I-5, N-1: a change counts as a message, reading does not; bodies are limited; there is no other
/// method, because there is nothing to resume or to end.
#[tokio::test]
async fn requests_are_limited() {
    let app = TestApp::with("messages_per_minute = 2").await;
    for n in 0..2 {
        let made = call(&app, ADMIN_KEY, "create_recipe", dish(&format!("Toast {n}"))).await;
        assert_eq!(body_of(made).await["result"]["isError"], false);
    }
    let third = call(&app, ADMIN_KEY, "create_recipe", dish("Toast 3")).await;
    assert!(third.headers().contains_key("retry-after"));
    assert_eq!(refusal(third).await, (429, "rate_limited".into()));
    for _ in 0..5 {
        assert_eq!(call(&app, ADMIN_KEY, "list_recipes", json!({})).await.status(), 200);
    }
    let large = dish(&"x".repeat(3 << 20));
    let large = call(&app, ADMIN_KEY, "create_recipe", large).await;
    assert_eq!(refusal(large).await, (413, "too_large".into()));
    for method in ["GET", "DELETE", "PUT"] {
        let request = app.admin(method, PATH).header("mcp-session-id", "somebody's");
        assert_eq!(request.send().await.unwrap().status(), 405, "{method}");
    }
    for (body, status) in [("", 400), ("{", 400), ("[]", 400), ("\u{0}", 400)] {
        let request = posted(app.admin("POST", PATH), "ping", &json!({})).body(body);
        let answer = request.send().await.unwrap().status().as_u16();
        assert!(answer == status || answer == 415 || answer == 422, "{body:?}: {answer}");
    }
    let no_json = app.admin("POST", PATH).header("content-type", "text/plain").body("{}");
    assert!(no_json.send().await.unwrap().status().is_client_error());
}

/// A server without the chat.
pub(crate) struct Standalone {
    pub(crate) url: String,
    _child: Child,
    _dir: tempfile::TempDir,
}

impl Standalone {
    pub(crate) async fn start(arguments: &[&str], key: Option<&str>) -> Self {
        let _already = rustls::crypto::ring::default_provider().install_default();
        let dir = tempfile::tempdir().unwrap();
        let mut command = standalone(dir.path(), arguments, key);
        let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let line = timeout(PATIENCE, lines.next_line()).await.unwrap().unwrap().unwrap();
        let url = line.strip_prefix("listening on ").unwrap().to_owned();
        Self { url, _child: child, _dir: dir }
    }

    async fn list(&self, headers: &[(&str, &str)]) -> Response {
        let mut request = Client::builder().no_proxy().build().unwrap().post(&self.url);
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        posted(request, "tools/list", &json!({})).send().await.unwrap()
    }
}

fn standalone(data: &std::path::Path, arguments: &[&str], key: Option<&str>) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_parlor"));
    command.args(["mcp", "recipes", "--data-dir"]).arg(data).args(arguments);
    command.env_clear().envs(storage(data)).envs(key.map(|key| ("PARLOR_MCP_KEY", key)));
    command.current_dir("/").kill_on_drop(true);
    command
}

/// I-5: on this machine it needs no key, and checks `Host` and `Origin`; with a key nobody is
/// answered without it.
#[tokio::test]
async fn it_is_served_without_the_chat() {
    let open = Standalone::start(&["--http", "0"], None).await;
    assert!(open.url.starts_with("http://127.0.0.1:") && open.url.ends_with(PATH), "{}", open.url);
    let tools = body_of(open.list(&[]).await).await;
    assert_eq!(tools["result"]["tools"].as_array().unwrap().len(), 7, "{tools}");
    for foreign in [("host", "evil.example"), ("origin", "https://evil.example")] {
        assert_eq!(refusal(open.list(&[foreign]).await).await, (403, "forbidden".into()));
    }
    let key = "a-key-of-many-letters-and-more";
    let locked = Standalone::start(&["--http", "127.0.0.1:0"], Some(key)).await;
    let bearer = format!("Bearer {key}");
    for headers in [[("x-api-key", key)], [("authorization", bearer.as_str())]] {
        assert_eq!(locked.list(&headers).await.status(), 200);
    }
    for headers in [&[][..], &[("x-api-key", "another-key-of-many-letters")]] {
        assert_eq!(refusal(locked.list(headers).await).await, (401, "unauthorized".into()));
    }
}

/// I-5: an address that others reach is refused without a key, before anything listens.
#[tokio::test]
async fn an_open_address_without_a_key_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    let refused = standalone(dir.path(), &["--http", "0.0.0.0:0"], None).output().await.unwrap();
    let said = String::from_utf8_lossy(&refused.stderr);
    assert_eq!(refused.status.code(), Some(1), "{said}");
    assert!(said.contains("PARLOR_MCP_KEY") && said.contains("without a key"), "{said}");
}

/// I-5: a person looks at a server through the client of the agents.
#[tokio::test]
async fn a_server_is_probed() {
    let vault = Standalone::start(&["--http", "0"], None).await;
    let probe = |arguments: &'static [&'static str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_parlor"));
        command.args(["mcp", "probe", &vault.url]).args(arguments).env_clear();
        async move { command.output().await.unwrap() }
    };
    let text = probe(&["--call", "list_recipes={}"]).await;
    let said = String::from_utf8(text.stdout).unwrap();
    assert!(text.status.success(), "{said}");
    for part in [
        "server: Recipe Vault", "protocol: 2025-11-25", "tools: 7", "  list_recipes: ",
        "call list_recipes: answered", "Feijoada",
    ] {
        assert!(said.contains(part), "{part}: {said}");
    }
    let report = probe(&["--json", "--protocol", "2026-07-28", "--call-all"]).await;
    let report: Value = serde_json::from_slice(&report.stdout).unwrap();
    assert_eq!(report["server"]["protocol"], "2026-07-28");
    let calls = report["calls"].as_array().unwrap();
    assert_eq!(calls.len(), 7);
    assert!(calls.iter().all(|call| call["outcome"] != "unknown"), "{report}");
    let nowhere = Command::new(env!("CARGO_BIN_EXE_parlor"))
        .args(["mcp", "probe", "http://127.0.0.1:1/mcp"])
        .output()
        .await
        .unwrap();
    assert_eq!(nowhere.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&nowhere.stdout).starts_with("cannot be used: "));
}
