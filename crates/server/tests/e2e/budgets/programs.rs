//! Agents that are programs: they call their models by themselves.

use serde_json::{Value, json};

use super::{named, names, refused, section};
use crate::bridge::bridge_app::BridgeApp;
use crate::bridge::person::Person;

fn desk(budget: &str) -> String {
    section(&format!("[tenants.home.projects.desk.budget.day]\n{budget}"))
}

fn error(person: &Person) -> &Value {
    person.seen.iter().rfind(|frame| frame["type"] == "error").unwrap()
}

async fn say(app: &BridgeApp) -> reqwest::Response {
    let request = app.request(reqwest::Method::POST, "/api/chat");
    request.json(&json!({"message": "hello"})).send().await.unwrap()
}

/// Y-3, B-1: what a program reports is counted; it is not started, and not told an answer, once a
/// budget is used up.
#[tokio::test]
async fn a_program_is_not_started_and_not_told_an_answer() {
    // A turn of this program uses eight.
    let app = BridgeApp::with_fake("", &desk("tokens = 10")).await;
    let mut asked = Person::at(&app).await;
    asked.begin("ask").await;
    let prompt = asked.prompt().await;
    let mut other = Person::at(&app).await;
    assert_eq!(other.say("hello").await["reason"], "complete");
    assert_eq!(other.say("hello").await["reason"], "complete");
    assert_eq!(refused(say(&app).await).await.0, names("project", "tokens", "day"));

    asked.answer(&prompt, json!({"response": "yes"})).await;
    assert_eq!(asked.done().await["reason"], "error");
    let card = error(&asked);
    assert_eq!(card["code"], "budget_exceeded", "{card}");
    assert_eq!(named(&card["metadata"]["budget"]), names("project", "tokens", "day"));
    let told = |frame: &Value| frame.to_string().contains("The answer was");
    assert!(!asked.seen.iter().any(told), "{:#?}", asked.seen);
}

/// Y-3, B-1: a program that works is looked after: it is interrupted when its time is up.
#[tokio::test]
async fn a_program_is_interrupted() {
    // 600 ms.
    let app = BridgeApp::with_fake("", &desk("agent_minutes = 0.01")).await;
    let mut person = Person::at(&app).await;
    assert_eq!(person.say("interruptible").await["reason"], "error");
    assert_eq!(error(&person)["code"], "budget_exceeded");
    assert_eq!(refused(say(&app).await).await.0, names("project", "agent_minutes", "day"));
}
