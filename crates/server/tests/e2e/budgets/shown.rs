//! What people and administrators are shown, and what external clients are told.

use std::time::Duration;

use reqwest::Response;
use serde_json::{Value, json};

use super::{app, hundred, refused, say, somebody, turn};
use crate::test_app::{ADMIN_KEY, PASSWORD, TestApp, json as body_of};

async fn mine(app: &TestApp, cookie: &str) -> Value {
    let request = app.request("GET", "/api/me/usage").header("cookie", cookie);
    body_of(request.send().await.unwrap()).await["budgets"].clone()
}

async fn page(app: &TestApp, query: &str) -> Value {
    body_of(app.admin("GET", &format!("/api/admin/budgets?{query}")).send().await.unwrap()).await
}

/// Y-3: people see their own budgets in numbers, and of those that others use too the share alone.
#[tokio::test]
async fn people_see_what_is_left() {
    let app = app("[tenants.home.budgets.person.day]\ntokens = 400\nmessages = 3\n\
         [tenants.home.budgets.tenant.month]\ntokens = 1000\n\
         [tenants.home.projects.recipes.budget.month]\ntokens = 150")
    .await;
    app.model.always(hundred());
    let ana = somebody(&app, "Ana", "user").await;
    let family = app.log_in(PASSWORD).await;
    let before = mine(&app, &ana).await;
    let percents = |budgets: &Value| -> Vec<u64> {
        let budgets = budgets.as_array().unwrap().iter();
        budgets.map(|budget| budget["percent"].as_u64().unwrap()).collect()
    };
    assert_eq!(percents(&before), [0; 4]);
    say(&app, &ana).await.text().await.unwrap();
    say(&app, &ana).await.text().await.unwrap();
    let seen = mine(&app, &ana).await;
    let without_end: Vec<Value> = seen
        .as_array()
        .unwrap()
        .iter()
        .map(|budget| {
            assert!(budget["ends_at"].as_i64() > Some(1_700_000_000_000), "{budget}");
            let mut budget = budget.clone();
            budget.as_object_mut().unwrap().remove("ends_at");
            budget
        })
        .collect();
    assert_eq!(
        without_end,
        [
            json!({"scope": "person", "measure": "messages", "period": "day", "percent": 66, "used": 2.0, "limit": 3.0}),
            json!({"scope": "person", "measure": "tokens", "period": "day", "percent": 50, "used": 200.0, "limit": 400.0}),
            json!({"scope": "project", "project": "recipes", "measure": "tokens", "period": "month", "percent": 100}),
            json!({"scope": "tenant", "measure": "tokens", "period": "month", "percent": 20}),
        ]
    );
    assert_eq!(percents(&mine(&app, &family).await), [0, 0, 100, 20], "the others' own are theirs");
}

/// Y-3, Y-4: administrators see who used what in which period, most tokens first, with the limits;
/// others do not.
#[tokio::test]
async fn administrators_see_who_used_what() {
    let app = app("[tenants.home.budgets.person.day]\ntokens = 1000\n\
         [tenants.home.budgets.people.ana.month]\ncost_usd = 5.5\n\
         [tenants.home.projects.recipes.prices]\ninput = 1\noutput = 1\n\
         [tenants.home.projects.sauces.prices]\ninput = 1\noutput = 1")
    .await;
    app.model.always(hundred());
    let ana = somebody(&app, "Ana", "user").await;
    for _ in 0..2 {
        say(&app, &ana).await.text().await.unwrap();
    }
    turn(&app, "sauces").await;

    let people = page(&app, "period=day").await;
    let rows = people["rows"].as_array().unwrap();
    assert_eq!(rows.len(), 2, "{people}");
    assert_eq!((&rows[0]["name"], &rows[0]["used"]["tokens"]), (&json!("Ana"), &json!(200)));
    assert_eq!(rows[0]["limits"], json!({"tokens": 1000}));
    assert_eq!((rows[1].get("id"), rows[1].get("name")), (None, None), "the shared account");
    assert_eq!(rows[1]["used"]["messages"], 1);
    let month = page(&app, "").await;
    assert_eq!((&month["scope"], &month["period"]), (&json!("person"), &json!("month")));
    assert_eq!(month["rows"][0]["limits"], json!({"cost_usd": 5.5}));
    assert_eq!(month["name"].as_str().unwrap().len(), "2026-11".len());
    let projects = page(&app, "scope=project").await;
    let ids: Vec<&Value> =
        projects["rows"].as_array().unwrap().iter().map(|row| &row["id"]).collect();
    assert_eq!(ids, ["recipes", "sauces"]);
    let tenant = page(&app, "scope=tenant").await;
    let row = &tenant["rows"][0];
    assert_eq!((&row["name"], &row["used"]["tokens"]), (&json!("Home"), &json!(300)));
    assert_eq!(row["used"]["cost_usd"], 0.0003);

    let today = page(&app, "scope=tenant&period=day").await;
    app.clock.advance(Duration::from_secs(86_400));
    assert_eq!(page(&app, "scope=tenant&period=day").await["rows"], json!([]), "a new day");
    let yesterday = page(&app, "scope=tenant&period=day&back=1").await;
    assert_eq!((&yesterday["name"], &yesterday["rows"]), (&today["name"], &today["rows"]));

    let request = app.request("GET", "/api/admin/budgets").header("cookie", &ana);
    assert_eq!(request.send().await.unwrap().status(), 403);
}

async fn as_openai(app: &TestApp, path: &str, body: Value) -> Response {
    let request = app.request("POST", path).bearer_auth(ADMIN_KEY).json(&body);
    request.send().await.unwrap()
}

/// Y-3, I-1 to I-4: external clients are told in their own words, before the turn and in it.
#[tokio::test]
async fn external_clients_are_told_in_their_words() {
    let app = app("[tenants.home.budgets.person.day]\ntokens = 150").await;
    app.model.always(super::hundred_and_on());
    let chat = |stream: bool| json!({"model": "recipes", "stream": stream, "messages": [{"role": "user", "content": "hello"}]});
    let quota = json!("insufficient_quota");
    // The first turn ends in the middle.
    let streamed = as_openai(&app, "/v1/chat/completions", chat(true)).await.text().await.unwrap();
    assert!(streamed.contains(r#""code":"insufficient_quota""#), "{streamed}");
    for (path, body) in [
        ("/v1/chat/completions", chat(false)),
        ("/v1/chat/completions", chat(true)),
        ("/v1/responses", json!({"model": "recipes", "input": "hello"})),
    ] {
        let response = as_openai(&app, path, body).await;
        assert_eq!(response.status(), 429, "{path}");
        assert_eq!(response.headers()["x-should-retry"], "false");
        assert!(response.headers().contains_key("retry-after"));
        let error = body_of(response).await["error"].clone();
        assert_eq!((&error["type"], &error["code"]), (&quota, &quota), "{error}");
    }
    let run = json!({"threadId": "t", "runId": "r", "messages": [{"id": "m", "role": "user", "content": "hello"}],
        "tools": [], "context": [], "state": {}, "forwardedProps": {}});
    refused(as_openai(&app, "/agui/home/agent/recipes/run", run).await).await;
    let ai_sdk = json!({"id": "c1", "messages": [{"id": "m1", "role": "user",
        "parts": [{"type": "text", "text": "hello"}]}], "trigger": "submit-message"});
    refused(as_openai(&app, "/ai-sdk/home/recipes", ai_sdk).await).await;
}
