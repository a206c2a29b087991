//! Budgets of people, projects and tenants (Y-3).

mod in_turns;
mod messages;
mod programs;
mod several_nodes;
mod shown;

use std::time::{SystemTime, UNIX_EPOCH};

use parlor_testkit::Script;
use reqwest::{RequestBuilder, Response};
use serde_json::{Value, json};

use crate::people::{invite, join};
use crate::streams::{Event, Events};
use crate::test_app::{Settings, TestApp, json as body_of};

/// Many messages a minute.
const LIMITS: &str = "messages_per_minute = 1000\ntenant_messages_per_minute = 1000";

/// The section of a tenant's budgets with a time zone in which it is about noon: no test sees a
/// midnight that it does not bring about itself.
fn section(budgets: &str) -> String {
    let hour = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs() / 3_600 % 24;
    let east = 12 - i64::try_from(hour).unwrap();
    // Names of this kind count to the west.
    let zone = match east {
        0 => "UTC".to_owned(),
        1.. => format!("Etc/GMT-{east}"),
        _ => format!("Etc/GMT+{}", -east),
    };
    format!("[tenants.home.budgets]\ntime_zone = \"{zone}\"\n{budgets}\n")
}

async fn app(budgets: &str) -> TestApp {
    let more = section(budgets);
    TestApp::configured(Settings { limits: LIMITS, more: &more, ..Settings::default() }).await
}

/// An answer that costs a hundred tokens.
fn hundred() -> Script {
    Script::answer().text("Well.").usage(60, 40)
}

/// An answer that costs a hundred tokens and makes a call that is refused, so that the model is
/// asked again.
fn hundred_and_on() -> Script {
    Script::answer().text("Let me look.").tool_use("t1", "no_such_tool", &json!({})).usage(60, 40)
}

/// Somebody with an account; their cookie.
async fn somebody(app: &TestApp, name: &str, role: &str) -> String {
    let link = invite(app, role).await;
    join(app, &link, name, &format!("{name}'s own password")).await
}

fn message(app: &TestApp, cookie: &str, body: &Value) -> RequestBuilder {
    app.request("POST", "/api/chat").header("cookie", cookie).json(body)
}

/// Says something with this cookie.
async fn say(app: &TestApp, cookie: &str) -> Response {
    message(app, cookie, &json!({"message": "hello"})).send().await.unwrap()
}

/// The events of a message of the shared account, in a project.
async fn turn(app: &TestApp, project: &str) -> Vec<Event> {
    Events::of(app.send(&json!({"message": "hello", "project": project})).await).rest().await
}

/// A refusal that names a budget: scope, measure and period. The delay is the same wherever it is
/// said, and ends when the budget does.
async fn refused(response: Response) -> ([String; 3], u64) {
    assert_eq!(response.status(), 429);
    let header: u64 = response.headers()["retry-after"].to_str().unwrap().parse().unwrap();
    let error = body_of(response).await["error"].clone();
    assert_eq!(
        (&error["code"], &error["retry_after"]),
        (&json!("budget_exceeded"), &json!(header))
    );
    let message = error["message"].as_str().unwrap();
    assert!(message.contains("is used up") && message.contains("A new one begins on"), "{message}");
    (named(&error["budget"]), header)
}

/// The names of a budget.
fn named(budget: &Value) -> [String; 3] {
    assert!(budget["ends_at"].is_i64(), "{budget}");
    ["scope", "measure", "period"].map(|key| budget[key].as_str().unwrap().to_owned())
}

fn names(scope: &str, measure: &str, period: &str) -> [String; 3] {
    [scope, measure, period].map(str::to_owned)
}

/// What was used this month, by the first row of this scope.
async fn used(app: &TestApp, scope: &str) -> Value {
    let path = format!("/api/admin/budgets?scope={scope}");
    let page = body_of(app.admin("GET", &path).send().await.unwrap()).await;
    page["rows"][0]["used"].clone()
}
