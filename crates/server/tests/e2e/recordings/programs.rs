//! An agent that is a program: it is queued for a process, begins a turn by itself, and presents a
//! plan in Markdown.

use serde_json::json;

use super::story::Story;
use crate::programs::testkit_program;
use crate::test_app::{Settings, TestApp};

/// A server with one process for the agent program of the tests.
async fn app() -> TestApp {
    let program = tokio::task::spawn_blocking(|| testkit_program("fake-agent")).await.unwrap();
    let place = std::env::temp_dir();
    let agent = format!(
        "kind = \"claude_code\"\n\
         claude_code = {{ command = {program:?}, working_dir = {place:?}, max_processes = 1 }}"
    );
    let limits = "messages_per_minute = 1000";
    TestApp::configured(Settings { limits, agent: &agent, ..Settings::default() }).await
}

#[tokio::test]
async fn agent_initiated() {
    let app = app().await;
    let mut other = Story::begin_behind(&app, "interruptible").await;
    other.until_text("So far").await;
    let mut story = Story::begin_behind(&app, "unasked").await;
    story.until("queued").await;
    other.stop().await;
    story.until("done").await;
    story.ends_as("agent_initiated").await;
}

#[tokio::test]
async fn plan_markdown() {
    let app = app().await;
    let mut story = Story::begin_behind(&app, "plan").await;
    story.answer(json!({"response": "execute"})).await;
    story.ends_as("plan_markdown").await;
}
