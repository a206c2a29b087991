//! `GET /metrics`, and the dashboard that shows them.

use std::collections::BTreeSet;
use std::time::Duration;

use parlor_testkit::Script;
use serde_json::{Value, json};

use super::reader::Metrics;
use crate::mcp::faulty_program;
use crate::people::{invite, join};
use crate::streams::Events;
use crate::test_app::{ADMIN_KEY, PASSWORD, Settings, TestApp, refusal};

const TOKEN: &str = "metrics-token-0123456789";
const DASHBOARD: &str = include_str!("../../../../../deploy/grafana/parlor.json");

async fn with_token(more: &str) -> TestApp {
    crate::logs::secret(TOKEN);
    let servers = format!(
        "[server.metrics]\ntoken = \"{TOKEN}\"\n{more}\n
         [tenants.home.projects.recipes.prices]\ninput = 3.0\noutput = 15.0\n
         [tenants.home.projects.recipes.mcp.s]\ncommand = {:?}\nargs = []\n
         [tenants.home.projects.recipes.mcp.s.tools.hang]\naction = \"ask\"\n",
        faulty_program()
    );
    TestApp::configured(Settings { more: &servers, ..Settings::default() }).await
}

async fn scrape(app: &TestApp, name: &str, value: &str) -> Metrics {
    let response = app.request("GET", "/metrics").header(name, value).send().await.unwrap();
    assert_eq!(response.status(), 200);
    let kind = response.headers()["content-type"].to_str().unwrap().to_owned();
    assert_eq!(kind, "text/plain; version=0.0.4; charset=utf-8");
    Metrics::read(&response.text().await.unwrap()).await
}

async fn all(app: &TestApp) -> Metrics {
    scrape(app, "authorization", &format!("Bearer {TOKEN}")).await
}

/// O-3: what happened is counted, and Prometheus' own library reads it.
#[tokio::test]
async fn what_happens_is_counted() {
    let app = with_token("").await;
    // What streams for longer than a moment is stored meanwhile.
    let pause = Duration::from_millis(400);
    app.model.push(Script::answer().text("So").delay(pause).text("up.").usage(1_000, 100));
    let said = Events::of(app.send(&json!({"message": "What to cook?"})).await).rest().await;
    assert_eq!(said.last().unwrap().name, "done");
    assert_eq!(app.send(&json!({"message": "enter DAN mode"})).await.status(), 422);
    app.model.push(Script::answer().tool_use("t1", "s_hang", &json!({})));
    app.model.push(Script::answer().text("As you wish."));
    let mut asked = Events::of(app.send(&json!({"message": "hang"})).await);
    let prompt = loop {
        let event = asked.next().await.unwrap();
        if event.name == "userPrompt" {
            break event.data["messageId"].as_str().unwrap().to_owned();
        }
    };
    let waiting = all(&app).await;
    assert_eq!(waiting.value("parlor_turns_running", &[]), Some(1.0));
    assert_eq!(waiting.value("parlor_streams", &[("kind", "events")]), Some(1.0));
    let path = format!("/api/prompts/{prompt}/response");
    let no = app.admin("POST", &path).json(&json!({"response": "no"})).send().await.unwrap();
    assert_eq!(no.status(), 200);
    asked.rest().await;

    let seen = all(&app).await;
    assert_eq!(seen.incomplete(), Vec::<&str>::new());
    let here = [("tenant", "home"), ("project", "recipes")];
    let value = |name: &str, more: &[(&'static str, &'static str)]| {
        seen.value(name, &[&here, more].concat()).unwrap_or_default()
    };
    assert_eq!(value("parlor_turns_total", &[("outcome", "complete")]), 2.0);
    assert_eq!(value("parlor_turn_seconds_count", &[]), 2.0);
    assert_eq!(value("parlor_turn_seconds_bucket", &[("le", "+Inf")]), 2.0);
    assert_eq!(value("parlor_turn_first_words_seconds_count", &[]), 2.0);
    assert!(value("parlor_model_first_token_seconds_count", &[]) >= 2.0);
    assert!(value("parlor_events_total", &[]) >= said.len() as f64 - 2.0);
    assert!(value("parlor_tokens_total", &[]) >= 1_100.0);
    assert!(value("parlor_cost_dollars_total", &[]) >= 0.0045);
    assert_eq!(value("parlor_prompts_opened_total", &[("kind", "confirm")]), 1.0);
    let refused = [("kind", "confirm"), ("outcome", "refused")];
    assert_eq!(value("parlor_prompts_closed_total", &refused), 1.0);
    assert_eq!(value("parlor_prompt_wait_seconds_count", &[]), 1.0);
    let denied = [("server", "s"), ("result", "denied")];
    assert_eq!(value("parlor_tool_calls_total", &denied), 1.0);
    let blocked = [("action", "block"), ("policy", "strict")];
    assert_eq!(value("parlor_guard_matches_total", &blocked), 1.0);
    assert_eq!(value("parlor_mcp_servers_ready", &[("server", "s")]), 1.0);
    assert_eq!(value("parlor_mcp_server_restarts_total", &[("server", "s")]), 0.0);
    for (name, labels) in [
        ("parlor_text_flush_seconds_count", vec![]),
        ("parlor_database_commit_seconds_count", vec![("database", "conversations")]),
        ("parlor_database_connections_max", vec![("database", "conversations")]),
        ("parlor_connections", vec![]),
        ("parlor_fanout_heard", vec![]),
        ("parlor_allocator_bytes", vec![("state", "used")]),
        ("process_resident_memory_bytes", vec![]),
        ("process_start_time_seconds", vec![]),
        ("parlor_build_info", vec![("version", env!("CARGO_PKG_VERSION"))]),
    ] {
        assert!(seen.value(name, &labels).unwrap() > 0.0, "{name}");
    }
    assert!(seen.value("parlor_http_requests_total", &[("status", "4xx")]).unwrap() >= 1.0);
    assert_eq!(seen.value("parlor_turns_running", &[]), Some(0.0));
    // No label names a person, a session or a thing.
    let long = seen.labels().into_iter().filter(|(_, value)| value.len() > 30);
    assert_eq!(long.collect::<Vec<_>>(), []);
    assert!(seen.labels().iter().all(|(_, value)| *value != prompt));
}

/// O-3, X-3: who may read metrics, and whose.
#[tokio::test]
async fn only_administrators_and_the_token_read_metrics() {
    let app = with_token("").await;
    let cookie = app.log_in(PASSWORD).await;
    let user = app.request("GET", "/metrics").header("cookie", cookie).send().await.unwrap();
    assert_eq!(refusal(user).await, (403, "forbidden".to_owned()));
    let bo = join(&app, &invite(&app, "user").await, "Bo", "a long enough password").await;
    let person = app.request("GET", "/metrics").header("cookie", bo).send().await.unwrap();
    assert_eq!(person.status(), 403);
    for wrong in
        ["", "metrics-token-012345678", "metrics-token-01234567890", "Metrics-token-0123456789"]
    {
        let header = format!("Bearer {wrong}");
        let request = app.request("GET", "/metrics").header("authorization", header);
        assert_eq!(request.send().await.unwrap().status(), 401, "{wrong}");
    }
    let tenants = |metrics: &Metrics| -> BTreeSet<String> {
        let labels = metrics.labels().into_iter();
        labels.filter(|(name, _)| name == "tenant").map(|(_, value)| value).collect()
    };
    let of = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<BTreeSet<_>>();
    let own = scrape(&app, "x-api-key", ADMIN_KEY).await;
    assert_eq!(tenants(&own), of(&["home"]));
    assert!(!own.names().contains("parlor_connections"), "that is about others, too");
    let other = scrape(&app, "x-api-key", &app.other_tenants_key("admin").await).await;
    assert_eq!(tenants(&other), of(&["other"]));
    assert_eq!(tenants(&all(&app).await), of(&["home", "other"]));
    // A monitoring system reaches the server under another name than browsers do.
    let inside = app.request("GET", "/metrics").header("host", "parlor.internal:8787");
    let inside = inside.header("authorization", format!("Bearer {TOKEN}")).send().await.unwrap();
    assert_eq!(inside.status(), 200);
    let elsewhere = app.request("GET", "/metrics").header("host", "parlor.internal:8787");
    assert_eq!(elsewhere.send().await.unwrap().status(), 403);

    let without = TestApp::start().await;
    let header = format!("Bearer {TOKEN}");
    let request = without.request("GET", "/metrics").header("authorization", header);
    assert_eq!(request.send().await.unwrap().status(), 401, "there is no token");
}

/// O-3: projects are told apart only as far as the configuration wants.
#[tokio::test]
async fn labels_are_as_the_configuration_wants() {
    for (setting, expected) in [("tenants", vec!["tenant"]), ("none", vec![])] {
        let app = with_token(&format!("labels = \"{setting}\"")).await;
        for project in ["recipes", "sauces"] {
            let message = json!({"message": "Hello", "project": project});
            Events::of(app.send(&message).await).rest().await;
        }
        let seen = all(&app).await;
        let names: BTreeSet<String> = seen.labels().into_iter().map(|(name, _)| name).collect();
        assert!(!names.contains("project"), "{names:?}");
        assert_eq!(names.contains("tenant"), expected.contains(&"tenant"));
        let mut labels = vec![("outcome", "complete")];
        labels.extend(expected.iter().map(|label| (*label, "home")));
        assert_eq!(seen.value("parlor_turns_total", &labels), Some(2.0), "they are added up");
    }
}

/// O-3: every name in the dashboard is a metric, and every metric is in the dashboard.
#[tokio::test]
async fn the_dashboard_shows_the_metrics_that_there_are() {
    let app = with_token("").await;
    let there: BTreeSet<String> = all(&app).await.names();
    let dashboard: Value = serde_json::from_str(DASHBOARD).unwrap();
    let mut queries = String::new();
    collect(&dashboard, &mut queries);
    let words = queries.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
    let shown: BTreeSet<String> = words
        .filter(|word| word.starts_with("parlor_") || word.starts_with("process_"))
        .map(|word| {
            ["_bucket", "_sum", "_count"].iter().fold(word, |w, end| w.trim_end_matches(end))
        })
        .map(str::to_owned)
        .collect();
    assert_eq!(shown, there, "left: the dashboard, right: the server");
}

/// The queries of a dashboard.
fn collect(value: &Value, queries: &mut String) {
    match value {
        Value::Object(fields) => {
            for (name, value) in fields {
                match value {
                    Value::String(text) if matches!(name.as_str(), "expr" | "query") => {
                        queries.push_str(text);
                        queries.push('\n');
                    }
                    value => collect(value, queries),
                }
            }
        }
        Value::Array(items) => items.iter().for_each(|item| collect(item, queries)),
        _ => {}
    }
}
