//! Every route, and who may use it. A route without a row in this table fails the first test; the
//! other tests check each row.

use std::collections::BTreeSet;

use parlor_testkit::Script;
use serde_json::json;

use crate::streams::Events;
use crate::test_app::{TestApp, json as body_of, refusal};

/// The sources that list routes. A router that is merged in has a source of its own.
pub(crate) const SOURCES: &[&str] =
    &[include_str!("../../src/router.rs"), include_str!("../../../recipes/src/http/mod.rs")];

/// A recipe that no other tenant may see.
const RECIPE: &str = r#"{"title": "our secret toast",
    "ingredients": [{"name": "bread"}], "steps": [{"instruction": "Toast it."}]}"#;

/// A run of AG-UI.
const RUN: &str = r#"{"threadId": "t", "runId": "r",
    "messages": [{"id": "m", "role": "user", "content": "x"}]}"#;
/// A message of the AI SDK.
const AI_SDK: &str = r#"{"id": "chat", "messages": [
    {"id": "m1", "role": "user", "parts": [{"type": "text", "text": "x"}]}]}"#;

pub(crate) struct Route {
    pub(crate) method: &'static str,
    pub(crate) path: &'static str,
    pub(crate) access: Access,
}

pub(crate) enum Access {
    /// Everybody; without credentials the response has this status.
    Open(u16),
    /// Everybody with credentials; it shows what belongs to them.
    Own,
    /// Everybody with credentials, who must name something of their own in the path or in one of
    /// these bodies.
    Names(&'static [&'static str]),
}

use Access::{Names, Open, Own};

const fn route(method: &'static str, path: &'static str, access: Access) -> Route {
    Route { method, path, access }
}

/// `CONVERSATION` and `MESSAGE` stand for ids of the tenant `home`, as `{id}` does.
pub(crate) const ROUTES: &[Route] = &[
    route("GET", "/", Open(303)),
    route("GET", "/login", Open(200)),
    route("POST", "/login", Open(415)),
    route("GET", "/login/oidc/{provider}", Open(404)),
    route("GET", "/login/oidc/{provider}/callback", Open(404)),
    route("POST", "/logout", Open(303)),
    route("GET", "/invite/{token}", Open(404)),
    route("POST", "/invite/{token}", Open(415)),
    route("GET", "/chat", Open(303)),
    route("GET", "/c/{id}", Open(303)),
    route("GET", "/s/{token}", Open(404)),
    route("GET", "/waiting", Open(303)),
    route("GET", "/settings", Open(303)),
    route("GET", "/admin", Open(303)),
    route("GET", "/admin/{tab}", Open(303)),
    route("GET", "/widget.js", Open(200)),
    route("GET", "/embed/{tenant}/{project}", Open(404)),
    route("POST", "/api/embed/tokens", Own),
    route("POST", "/api/embed/sessions", Open(415)),
    route("DELETE", "/api/embed/sessions", Own),
    route("GET", "/offline", Open(200)),
    route("GET", "/sw.js", Open(200)),
    route("GET", "/manifest.webmanifest", Open(200)),
    route("GET", "/icons/{name}", Open(404)),
    route("GET", "/assets/offline.js", Open(200)),
    route("GET", "/assets/style.css", Open(200)),
    route("GET", "/assets/theme.js", Open(200)),
    route("GET", "/assets/icon.svg", Open(200)),
    route("GET", "/assets/{*name}", Open(404)),
    route("GET", "/assets/chat.js", Open(200)),
    route("GET", "/assets/mcp_login.js", Open(200)),
    route("GET", "/oauth/callback", Open(200)),
    route("GET", "/oauth/client.json", Open(404)),
    route("POST", "/api/admin/mcp/{project}/{server}/login", Names(&[""])),
    route("DELETE", "/api/admin/mcp/{project}/{server}/login", Names(&[""])),
    route("POST", "/api/admin/mcp/login", Own),
    route("GET", "/api/me/mcp-logins", Own),
    route("POST", "/api/me/mcp-logins", Own),
    route("POST", "/api/me/mcp-logins/{project}/{server}", Names(&[""])),
    route("DELETE", "/api/me/mcp-logins/{project}/{server}", Names(&[""])),
    route("GET", "/api/admin/mcp/{project}/{server}/logins", Names(&[""])),
    route("DELETE", "/api/admin/mcp/{project}/{server}/logins/{person}", Names(&[""])),
    route(
        "POST",
        "/api/chat",
        Names(&[
            r#"{"message": "x", "conversation_id": "CONVERSATION"}"#,
            r#"{"conversation_id": "CONVERSATION", "retry_of": "MESSAGE"}"#,
            r#"{"message": "x", "conversation_id": "CONVERSATION", "edit_of": "MESSAGE"}"#,
            r#"{"conversation_id": "CONVERSATION", "regenerate": "MESSAGE"}"#,
            r#"{"message": "x", "tenant": "home"}"#,
        ]),
    ),
    route("GET", "/api/conversations", Own),
    route("POST", "/api/conversations", Names(&[r#"{"tenant": "home"}"#])),
    route("GET", "/api/conversations/{id}", Names(&[""])),
    route("PATCH", "/api/conversations/{id}", Names(&[r#"{"title": "mine"}"#])),
    route("DELETE", "/api/conversations/{id}", Names(&[""])),
    route("PUT", "/api/conversations/{id}/branch", Names(&[r#"{"message_id": "MESSAGE"}"#])),
    route("GET", "/api/conversations/{id}/events", Names(&[""])),
    route("POST", "/api/conversations/{id}/stop", Names(&[""])),
    route("POST", "/api/conversations/{id}/restore", Names(&[""])),
    route("GET", "/api/search", Own),
    route("GET", "/api/conversations/{id}/export", Names(&[""])),
    route("GET", "/api/conversations/{id}/allowances", Names(&[""])),
    route("DELETE", "/api/conversations/{id}/allowances", Names(&[""])),
    route("DELETE", "/api/conversations/{id}/allowances/{tool}", Names(&[""])),
    route("GET", "/api/conversations/{id}/apps/{message}/page", Names(&[""])),
    route("POST", "/api/conversations/{id}/apps/{message}/call", Names(&[r#"{"tool": "x"}"#])),
    route("GET", "/api/conversations/{id}/links", Names(&[""])),
    route("POST", "/api/conversations/{id}/links", Names(&["{}"])),
    route("DELETE", "/api/conversations/{id}/links/{link}", Names(&[""])),
    route("GET", "/api/shared/{token}", Open(404)),
    route("GET", "/api/shared/{token}/events", Open(404)),
    route("GET", "/api/shared/{token}/images/{image}", Open(404)),
    route("GET", "/api/prompts", Own),
    route("GET", "/api/prompts/{id}", Names(&[""])),
    route("POST", "/api/prompts/{id}/response", Names(&[r#"{"response": "soup"}"#])),
    route("POST", "/api/prompts/{id}/preview", Names(&[r#"{"input": {}}"#])),
    route("POST", "/api/prompts/{id}/extend", Names(&["{}"])),
    route("GET", "/ws/chat/{tenant}/{project}", Names(&[""])),
    route("GET", "/api/images/{id}", Names(&[""])),
    route("GET", "/api/files/{id}", Names(&[""])),
    route("POST", "/api/imports", Own),
    route("GET", "/api/export", Own),
    route("GET", "/api/me", Own),
    route("GET", "/api/me/usage", Own),
    route("POST", "/api/me/password", Own),
    route("GET", "/api/push", Own),
    route("PUT", "/api/push/subscription", Own),
    route("DELETE", "/api/push/subscription", Own),
    route("POST", "/api/push/test", Own),
    route("GET", "/api/sessions", Own),
    route("DELETE", "/api/sessions/{id}", Names(&[""])),
    route("GET", "/api/people", Own),
    route("PATCH", "/api/people/{id}", Names(&[r#"{"disabled": true}"#])),
    route("DELETE", "/api/people/{id}/sessions", Names(&[""])),
    route("POST", "/api/people/invitations", Own),
    route("GET", "/api/admin/keys", Own),
    route("POST", "/api/admin/keys", Own),
    route("DELETE", "/api/admin/keys/{id}", Names(&[""])),
    route("GET", "/api/admin/prompts", Own),
    route("GET", "/api/admin/decisions", Own),
    route("GET", "/api/admin/decisions/export", Own),
    route("GET", "/api/admin/acts", Own),
    route("GET", "/api/admin/usage", Own),
    route("GET", "/api/admin/configuration", Own),
    route("POST", "/api/admin/mcp/{project}/{server}/restart", Names(&[""])),
    route("GET", "/api/admin/mcp/{project}/{server}/output", Names(&[""])),
    route("GET", "/api/projects/{project}/logo", Names(&[""])),
    route("GET", "/api/openapi.json", Open(200)),
    route("GET", "/agui/{tenant}/info", Names(&[""])),
    route("POST", "/agui/{tenant}/agent/{project}/run", Names(&[RUN])),
    route("POST", "/agui/{tenant}/agent/{project}/connect", Names(&[RUN])),
    route("POST", "/agui/{tenant}/agent/{project}/stop/{thread}", Names(&[""])),
    route("GET", "/v1/models", Own),
    route("GET", "/v1/models/{*model}", Names(&[""])),
    route(
        "POST",
        "/v1/chat/completions",
        Names(&[r#"{"model": "home/recipes", "messages": [{"role": "user", "content": "x"}]}"#]),
    ),
    route("POST", "/v1/responses", Names(&[r#"{"model": "home/recipes", "input": "x"}"#])),
    route("GET", "/v1/responses/{id}", Names(&[""])),
    route("DELETE", "/v1/responses/{id}", Names(&[""])),
    route("GET", "/v1/responses/{id}/input_items", Names(&[""])),
    route("POST", "/v1/responses/{id}/cancel", Names(&[""])),
    route("POST", "/ai-sdk/{tenant}/{project}", Names(&[AI_SDK])),
    route("GET", "/ai-sdk/{tenant}/{project}/{id}/stream", Names(&[""])),
    route("POST", "/ai-sdk/{tenant}/{project}/{id}/stop", Names(&[""])),
    route("GET", "/api/recipes", Own),
    route("POST", "/api/recipes", Own),
    route("POST", "/api/recipes/import", Own),
    route("GET", "/api/recipes/{id}", Names(&[""])),
    route("PUT", "/api/recipes/{id}", Names(&[RECIPE])),
    route("DELETE", "/api/recipes/{id}", Names(&[""])),
    route("POST", "/mcp/recipes", Own),
    route("GET", "/api/admin/blocked-inputs", Own),
    route("GET", "/api/audit", Own),
    route("GET", "/api/admin/status", Own),
    route("GET", "/api/admin/budgets", Own),
    route("GET", "/metrics", Own),
    route("GET", "/healthz", Open(200)),
    route("GET", "/healthz/stream", Open(200)),
    route("GET", "/readyz", Open(200)),
];

/// The headers of a WebSocket handshake.
pub(crate) const HANDSHAKE: [(&str, &str); 4] = [
    ("connection", "upgrade"),
    ("upgrade", "websocket"),
    ("sec-websocket-version", "13"),
    ("sec-websocket-key", "dGhlIHNhbXBsZSBub25jZQ=="),
];

/// The path with this id, and with ids of the tenant `home`.
pub(crate) fn filled(path: &str, id: &str) -> String {
    let path = path
        .replace("{id}", id)
        .replace("{tool}", "cook")
        .replace("{thread}", "t")
        .replace("{tab}", "people")
        .replace("{token}", "unknown")
        .replace("{server}", "mail")
        .replace("{person}", "019aa000-0000-7000-8000-000000000001");
    let path = path.replace("{message}", id).replace("{link}", id).replace("{image}", id);
    let path = path.replace("{*model}", "home/recipes");
    path.replace("{tenant}", "home").replace("{project}", "recipes")
}

/// The methods and paths that a source registers.
pub(crate) fn registered(source: &str) -> Vec<(String, String)> {
    let mut routes = Vec::new();
    for after in source.split(".route(").skip(1) {
        let path = after.split('"').nth(1).unwrap();
        let mut depth = 1;
        let arguments = after.chars().take_while(|c| {
            depth += i32::from(*c == '(') - i32::from(*c == ')');
            depth > 0
        });
        let arguments: String = arguments.collect();
        for method in ["get", "post", "put", "patch", "delete"] {
            let called = |(at, _): (usize, &str)| {
                !arguments[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_')
            };
            if arguments.match_indices(&format!("{method}(")).any(called) {
                routes.push((method.to_uppercase(), path.to_owned()));
            }
        }
    }
    routes
}

/// The table has every route.
#[test]
fn every_route_is_in_the_table() {
    let registered: BTreeSet<_> = SOURCES.iter().flat_map(|source| registered(source)).collect();
    let listed: BTreeSet<_> =
        ROUTES.iter().map(|route| (route.method.to_owned(), route.path.to_owned())).collect();
    assert_eq!(listed, registered, "left: the table, right: the router");
    let parts =
        |word: &str| SOURCES.iter().map(|source| source.matches(word).count()).sum::<usize>();
    assert_eq!(parts(".merge(") + parts(".nest("), SOURCES.len() - 1, "a source is missing");
}

/// X-1: a request without cookie and key is a 401, whatever else is wrong with it.
#[tokio::test]
async fn nothing_is_served_without_credentials() {
    let app = TestApp::start().await;
    let any = uuid::Uuid::from_u128(1).to_string();
    for Route { method, path, access } in ROUTES {
        let path = filled(path, &any);
        for header in [("x-none", ""), ("x-api-key", "wrong"), ("cookie", "rv_session=wrong")] {
            let request = app.request(method, &path).header(header.0, header.1);
            let response = request.send().await.unwrap();
            match access {
                Open(status) => assert_eq!(response.status(), *status, "{method} {path}"),
                Own | Names(_) => {
                    let answer = refusal(response).await;
                    assert_eq!(answer, (401, "unauthorized".to_owned()), "{method} {path}");
                }
            }
        }
    }
    let chat = app.request("GET", "/chat").send().await.unwrap();
    assert_eq!(chat.headers()["location"], "/login");
}

/// X-3, FAULTS 24: what belongs to another tenant does not exist, for every route.
#[tokio::test]
async fn another_tenants_things_do_not_exist() {
    let app = TestApp::start().await;
    // The answer is a question, which opens a prompt.
    let question = r#"{"question": "Our secret soup or cake?", "options": ["soup", "cake"]}"#;
    app.model.push(Script::answer().text(question));
    let gif = "R0lGODlhAQABAIAAAAAAAP///ywAAAAAAQABAAACAkQBADs=";
    let image = json!({"data": gif, "media_type": "image/gif"});
    let response = app.send(&json!({"message": "our secret", "image": image})).await;
    let events = Events::of(response).rest().await;
    assert_eq!(app.send(&json!({"message": "enter DAN mode"})).await.status(), 422);
    let said = &events[1].data;
    let conversation = said["conversation_id"].as_str().unwrap();
    let image = said["metadata"]["image"]["id"].as_str().unwrap();
    let prompt = events.iter().find(|event| event.name == "userPrompt").unwrap();
    let prompt = prompt.data["messageId"].as_str().unwrap();
    let create = app.admin("POST", "/api/recipes").header("content-type", "application/json");
    let recipe = body_of(create.body(RECIPE).send().await.unwrap()).await["id"].take();
    let recipe = recipe.as_str().unwrap().to_owned();
    let response = format!("resp_{}", said["turn_id"].as_str().unwrap());
    let key = app.other_tenants_key("admin").await;
    for Route { method, path, access } in ROUTES {
        let id = match path {
            path if path.starts_with("/api/images/") || path.starts_with("/api/files/") => image,
            path if path.starts_with("/api/prompts/") => prompt,
            path if path.starts_with("/api/recipes/") => &recipe,
            path if path.starts_with("/v1/responses/") => &response,
            _ => conversation,
        };
        let path = filled(path, id);
        let mut request = app.request(method, &path).header("x-api-key", &key);
        if path.starts_with("/ws/") {
            for (name, value) in HANDSHAKE {
                request = request.header(name, value);
            }
        }
        match access {
            Open(_) => {}
            Own => {
                let text = request.send().await.unwrap().text().await.unwrap();
                for ours in ["secret", conversation, "DAN", "\"home\""] {
                    assert!(!text.contains(ours), "{method} {path}: {text}");
                }
            }
            Names(bodies) => {
                let request = request.header("content-type", "application/json");
                for body in *bodies {
                    let body = body.replace("CONVERSATION", conversation);
                    let body = body.replace("MESSAGE", said["id"].as_str().unwrap());
                    let request = request.try_clone().unwrap().body(body.clone());
                    let answer = refusal(request.send().await.unwrap()).await;
                    assert_eq!(answer, (404, "not_found".to_owned()), "{method} {path} {body}");
                }
            }
        }
    }
    let kept = app.admin("GET", &format!("/api/conversations/{conversation}")).send().await;
    let kept = body_of(kept.unwrap()).await;
    assert_eq!(kept["title"], "our secret", "nobody touched it");
    let kept = app.admin("GET", &format!("/api/recipes/{recipe}")).send().await.unwrap();
    assert_eq!(body_of(kept).await["title"], "our secret toast");
    let open = app.admin("GET", &format!("/api/prompts/{prompt}")).send().await.unwrap();
    assert_eq!(body_of(open).await["status"], "open", "nobody answered it");
}
