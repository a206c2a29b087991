//! Pages of other sites that may use a project with a key, and no other.

use reqwest::Response;
use serde_json::json;

use crate::test_app::{ADMIN_KEY, Settings, TestApp, json as body_of, refusal};

const OF_RECIPES: &str = "https://cook.example";
const OF_SAUCES: &str = "https://dip.example";
const OF_SERVER: &str = "https://app.example";

async fn app() -> TestApp {
    let more = "[tenants.home.projects.sauces]\nallowed_origins = [\"https://dip.example\"]\n\
        [server]\nallowed_origins = [\"https://app.example\"]";
    TestApp::configured(Settings {
        limits: "messages_per_minute = 1000",
        project: "allowed_origins = [\"https://cook.example\"]",
        more,
        ..Settings::default()
    })
    .await
}

async fn preflight(app: &TestApp, method: &str, path: &str, origin: &str) -> Response {
    let asked = app.request("OPTIONS", path).header("origin", origin);
    let asked = asked.header("access-control-request-method", method);
    asked.header("access-control-request-headers", "x-api-key").send().await.unwrap()
}

fn allows(answer: &Response, origin: &str) -> bool {
    let allowed = answer.headers().get("access-control-allow-origin");
    allowed.is_some_and(|value| value == origin)
}

/// I-7: where the path names the project, its list is asked; elsewhere a browser that asks first is
/// answered if some project allows the origin; and what is of no project is for the server's list.
#[tokio::test]
async fn a_browser_that_asks_first_is_answered_by_the_list_of_the_project() {
    let app = app().await;
    let run = "/agui/home/agent/recipes/run";
    for (method, path, origin, yes) in [
        ("POST", run, OF_RECIPES, true),
        ("POST", run, OF_SAUCES, false),
        ("POST", run, OF_SERVER, true),
        ("POST", run, "https://evil.example", false),
        ("POST", "/agui/other/agent/recipes/run", OF_RECIPES, false),
        ("POST", "/ai-sdk/home/sauces", OF_SAUCES, true),
        ("POST", "/ai-sdk/home/sauces", OF_RECIPES, false),
        ("POST", "/ai-sdk/home/%73auces", OF_SAUCES, false),
        ("POST", "/v1/chat/completions", OF_RECIPES, true),
        ("POST", "/api/chat", OF_SAUCES, true),
        ("DELETE", "/api/conversations/x", OF_SAUCES, true),
        ("GET", "/api/admin/status", OF_RECIPES, false),
        ("POST", "/api/admin/keys", OF_RECIPES, false),
        ("POST", "/api/embed/tokens", OF_RECIPES, false),
        ("GET", "/api/recipes", OF_RECIPES, false),
        ("POST", "/login", OF_RECIPES, false),
        ("GET", "/nowhere", OF_RECIPES, false),
        ("GET", "/api/admin/status", OF_SERVER, true),
    ] {
        let answer = preflight(&app, method, path, origin).await;
        assert_eq!(allows(&answer, origin), yes, "{method} {path} {origin}: {answer:?}");
        assert_eq!(answer.status() == 204, yes, "{method} {path} {origin}");
    }
}

/// I-7: the request itself is held to the projects that allow its origin, wherever the project stands:
/// in the path, in the body, or in the conversation; and to the tenant of its key.
#[tokio::test]
async fn a_page_uses_the_projects_that_allow_it() {
    let app = app().await;
    let send = async |path: &str, body: serde_json::Value, origin: &str, key: &str| {
        let request = app.request("POST", path).header("x-api-key", key).header("origin", origin);
        request.json(&body).send().await.unwrap()
    };
    let completion =
        |model: &str| json!({"model": model, "messages": [{"role": "user", "content": "Hi"}]});
    let chat = |project: &str| json!({"message": "Hi", "project": project});
    let said = send("/api/chat", chat("sauces"), OF_SAUCES, ADMIN_KEY).await;
    assert!(allows(&said, OF_SAUCES));
    let text = said.text().await.unwrap();
    let id = text.split("conversation_id\":\"").nth(1).unwrap().get(..36).unwrap().to_owned();
    // Without a name it is the one that allows the page.
    let said = send("/api/chat", json!({"message": "Hi"}), OF_SAUCES, ADMIN_KEY).await;
    assert_eq!(said.status(), 200);
    for (path, body) in [
        ("/api/chat", chat("recipes")),
        ("/api/conversations", json!({"project": "recipes"})),
        ("/v1/chat/completions", completion("recipes")),
        ("/v1/chat/completions", completion("home/recipes")),
    ] {
        let answer = send(path, body.clone(), OF_SAUCES, ADMIN_KEY).await;
        assert_eq!(answer.status(), 404, "{path} {body}");
        assert!(allows(&answer, OF_SAUCES), "the page can read why");
    }
    let answer = send("/v1/chat/completions", completion("recipes"), OF_RECIPES, ADMIN_KEY).await;
    assert_eq!(answer.status(), 200);
    // What is said in one project is not there for a page of the other.
    let path = format!("/api/conversations/{id}");
    let read = async |path: &str, origin: &str| {
        let request = app.admin("GET", path).header("origin", origin);
        request.send().await.unwrap()
    };
    assert_eq!(read(&path, OF_SAUCES).await.status(), 200);
    assert_eq!(read(&path, OF_RECIPES).await.status(), 404);
    assert_eq!(read(&path, OF_SERVER).await.status(), 200);
    let body = json!({"message": "x", "conversation_id": id});
    assert_eq!(send("/api/chat", body, OF_RECIPES, ADMIN_KEY).await.status(), 404);
    let listed = body_of(read("/api/conversations", OF_RECIPES).await).await;
    let rows = listed["conversations"].as_array().unwrap();
    assert!(!rows.is_empty() && rows.iter().all(|row| row["project"] == "recipes"), "{rows:?}");
    let me = body_of(read("/api/me", OF_SAUCES).await).await;
    assert_eq!(
        (&me["default_project"], me["projects"].as_array().unwrap().len()),
        (&json!("sauces"), 1)
    );
    let models = read("/v1/models", OF_SAUCES).await.text().await.unwrap();
    assert!(models.contains("home/sauces") && !models.contains("recipes"), "{models}");
    // A key of another tenant finds no project that allows the page.
    let other = app.other_tenants_key("admin").await;
    let answer = send("/api/chat", json!({"message": "Hi"}), OF_SAUCES, &other).await;
    assert_eq!(refusal(answer).await, (403, "forbidden".to_owned()));
    // An administrator's key is no way around it, and a page that nobody allows gets nowhere.
    let status = read("/api/admin/status", OF_SAUCES).await;
    assert!(!allows(&status, OF_SAUCES), "the page cannot read it");
    let answer = send("/api/admin/keys", json!({"name": "x"}), OF_SAUCES, ADMIN_KEY).await;
    assert_eq!(refusal(answer).await, (403, "forbidden".to_owned()));
    let answer = send("/api/chat", chat("sauces"), "https://evil.example", ADMIN_KEY).await;
    assert_eq!(refusal(answer).await, (403, "forbidden".to_owned()));
}

/// I-7: a person's cookie is never taken from another site, whoever allows it.
#[tokio::test]
async fn a_cookie_is_not_taken_from_a_page_of_a_project() {
    let app = app().await;
    let cookie = app.log_in(crate::test_app::PASSWORD).await;
    let request = app.request("GET", "/api/me").header("cookie", cookie);
    let answer = request.header("origin", OF_RECIPES).send().await.unwrap();
    assert_eq!(refusal(answer).await, (401, "unauthorized".to_owned()));
}
