//! `GET /api/admin/status` (M-2, X-4).

use serde_json::{Value, json};

use super::faulty_program;
use crate::test_app::{PASSWORD, Settings, TestApp, json as body, refusal};

async fn status(app: &TestApp) -> Value {
    let response = app.admin("GET", "/api/admin/status").send().await.unwrap();
    assert_eq!(response.status(), 200);
    body(response).await
}

/// M-2: the health of each server is visible, to admins only, of their tenant only.
#[tokio::test]
async fn admins_see_how_the_servers_are() {
    let section = "[tenants.home.projects.recipes.mcp";
    let program = faulty_program();
    let more = format!(
        "{section}.good]\ncommand = {program:?}\n
         {section}.bad]\ncommand = {program:?}\nargs = [\"--crash-at-start\"]\n
         {section}.talks]\ncommand = {program:?}\n\
         args = [\"--complain\", \"no such key: sk-ant-api03-abcdefgh12345678\", \"--crash-at-start\"]\n\
         env = {{ TOKEN = \"hunter2-hunter2\" }}\n
         {section}.era]\ncommand = {program:?}\nargs = [\"--other-era\"]\n
         {section}.endless]\ncommand = {program:?}\nargs = [\"--endless-list\"]\n
         {section}.secret]\ncommand = \"sk-ant-api03-abcdefgh12345678\"\n
         [tenants.other.projects.recipes.mcp.theirs]\ncommand = {program:?}\n"
    );
    let app = TestApp::configured(Settings { more: &more, ..Settings::default() }).await;
    let server = |status: &Value, name: &str| {
        let all = status["projects"][0]["mcp"].as_array().unwrap().clone();
        all.into_iter().find(|server| server["server"] == name).unwrap()
    };
    let mut last = status(&app).await;
    let started = tokio::time::Instant::now();
    while server(&last, "good")["state"] != "ready"
        || server(&last, "bad")["problem"].is_null()
        || server(&last, "secret")["problem"].is_null()
        || server(&last, "era")["problem"].is_null()
        || server(&last, "endless")["state"] != "ready"
        || !server(&last, "talks")["problem"].to_string().contains("said last")
    {
        assert!(started.elapsed() < crate::test_app::PATIENCE, "{last:#}");
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
        last = status(&app).await;
    }
    assert_eq!(last["version"], env!("CARGO_PKG_VERSION"));
    assert!(last["uptime_seconds"].is_u64());
    let ids: Vec<&Value> = last["projects"].as_array().unwrap().iter().map(|p| &p["id"]).collect();
    assert_eq!(ids, ["recipes", "sauces"], "the tenant's own");
    let project = &last["projects"][0];
    assert_eq!((&project["id"], &project["name"]), (&json!("recipes"), &json!("Recipes")));
    assert_eq!(project["agent"]["kind"], "anthropic");
    let good = server(&last, "good");
    assert_eq!((&good["restarts"], &good["problem"]), (&json!(0), &Value::Null));
    assert!(good["tools"].as_u64().unwrap() > 10, "{good}");
    assert!(good["warnings"][0].as_str().unwrap().contains("odd was left out"), "{good}");
    assert_eq!(server(&last, "bad")["problem"], "it ended with code 3");
    assert_eq!(server(&last, "secret")["problem"], "there is no program '[token]'");
    let talks = &server(&last, "talks")["problem"];
    assert_eq!(*talks, "it ended with code 3; it said last: no such key: [token] […]");
    let era = "it refused to begin: Unknown method; it may speak another era: try protocol = \
               \"2026-07-28\"";
    assert_eq!(server(&last, "era")["problem"], era);
    let endless = &server(&last, "endless")["warnings"][0];
    assert_eq!(*endless, "its list of tools has more than 50 pages; the rest is unread");
    let good = good["warnings"].to_string();
    assert!(good.contains("task was left out: it can only be called as a task"), "{good}");
    assert!(!last.to_string().contains("theirs"), "X-3: {last}");

    let cookie = app.log_in(PASSWORD).await;
    let user = app.request("GET", "/api/admin/status").header("cookie", cookie).send().await;
    assert_eq!(refusal(user.unwrap()).await.0, 403);
}
