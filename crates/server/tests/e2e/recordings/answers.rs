//! Turns without a prompt: an answer, and every way in which a turn can fail.

use std::time::Duration;

use parlor_testkit::{Gate, Script, ScriptedModel};
use serde_json::json;

use super::check;
use super::story::{Story, app, first};
use crate::server_process::Server;
use crate::streams::{Event, Events};

const BREAD: &str = "Bread rises because **yeast** eats sugar and gives off *carbon dioxide*, \
    which the gluten holds like a thousand small balloons.\n\n## In short\n\n1. Yeast wakes up in \
    warm water\n2. It eats, and gives off gas\n3. The dough holds the gas\n\n> Give it time; warmth \
    only hurries it.\n\n```python\ndef rise(dough, hours):\n    # Twice the size is enough.\n    \
    return dough.volume * min(2.0, 1 + hours / 2)\n```\n\nMore in [a book about \
    bread](https://example.org/bread).";

#[tokio::test]
async fn thinking() {
    let (app, gate) = (app("", "").await, Gate::closed());
    let thought =
        "The person asks about bread. Yeast eats sugar and gives off gas; gluten holds it.";
    let script = first(&gate).thinking(thought).signature("c2ln").words(BREAD);
    app.model.push(script.usage(12, 408));
    let story = Story::begin(&app, &gate, "Why does bread rise?").await;
    story.ends_as("thinking").await;
}

#[tokio::test]
async fn stopped() {
    let (app, gate) = (app("", "").await, Gate::closed());
    app.model.push(first(&gate).text("1, 2, 3, 4, 5, 6, 7,").silence());
    let mut story = Story::begin(&app, &gate, "Count to 50").await;
    story.until_text("7,").await;
    story.stop().await;
    story.ends_as("stopped").await;
}

/// The model's stream breaks in the middle of its answer.
#[tokio::test]
async fn error() {
    let (app, gate) = (app("", "").await, Gate::closed());
    app.model.push(first(&gate).text("Let me see").error("overloaded_error", "Overloaded"));
    let story = Story::begin(&app, &gate, "What is the weather?").await;
    story.ends_as("error").await;
}

/// The text that a model wrote before it declined is withheld.
#[tokio::test]
async fn declined() {
    let (app, gate) = (app("", "").await, Gate::closed());
    let script = first(&gate).thinking("A bad idea").text("First, take");
    app.model.push(script.stop_reason("refusal"));
    let story = Story::begin(&app, &gate, "How do I do that?").await;
    story.ends_as("declined").await;
}

/// The server is killed when the page has more text than the database: a snapshot removes the rest.
/// If the shown text had just been stored, the recording is repeated.
#[tokio::test]
async fn interrupted() {
    for _ in 0..20 {
        let seen = killed_in_the_middle().await;
        if seen.iter().any(|event| event.name == "snapshot") {
            return check("interrupted", &seen);
        }
    }
    panic!("all that was shown was stored, twenty times");
}

async fn killed_in_the_middle() -> Vec<Event> {
    let (data, gate) = (tempfile::tempdir().unwrap(), Gate::closed());
    let model = ScriptedModel::start().await.unwrap();
    let script = Script::answer().text("1, 2, 3, 4, ").gate(&gate).text("5, 6, 7, ");
    model.push(script.silence());
    let server = Server::start(data.path(), &model).await;
    let mut stream = Events::of(server.send(&json!({"message": "Count to 50"})).await);
    let mut seen = Vec::new();
    while !shows(&seen, "4, ") {
        seen.push(stream.next().await.unwrap());
    }
    // The first part is stored, the second is only shown.
    tokio::time::sleep(Duration::from_millis(600)).await;
    gate.release(1);
    while !shows(&seen, "7, ") {
        seen.push(stream.next().await.unwrap());
    }
    server.kill();
    let conversation = seen[0].data["conversation_id"].as_str().unwrap();
    let server = Server::start(data.path(), &model).await;
    let last = &seen.last().unwrap().id;
    let mut rest = Events::of(server.resume(conversation, last).await);
    let mut seen = seen.clone();
    while seen.last().is_none_or(|event| event.name != "done") {
        seen.push(rest.next().await.unwrap());
    }
    seen
}

fn shows(seen: &[Event], end: &str) -> bool {
    crate::streams::text(seen).ends_with(end)
}
