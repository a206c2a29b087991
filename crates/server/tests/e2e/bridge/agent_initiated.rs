//! Agent-initiated turns: background work has ended, and the agent speaks at once, to every reader
//! (B-1).

use parlor_testkit::Script;
use serde_json::{Value, json};

use super::abuses::{errors, said};
use super::bridge_app::BridgeApp;
use super::durable_approvals::waiting;
use super::person::{Person, model_saw};
use crate::mcp::until;

/// The agent-initiated turn that begins now.
async fn begins(person: &mut Person) -> Value {
    let start = person.find("start").await;
    assert_eq!(start["message_id"], Value::Null, "{start}");
    start
}

/// B-1: it is a turn of its own, shown as it is streamed, also to clients that only read; the next
/// message comes after it.
#[tokio::test]
async fn it_is_a_turn_of_its_own() {
    let app = BridgeApp::with_fake("", "").await;
    let mut person = Person::at(&app).await;
    let first = person.say("unasked").await;
    let mut reader = Person::reading(&app, &first).await;
    for reads in [&mut person, &mut reader] {
        let start = begins(reads).await;
        let done = reads.done().await;
        assert_eq!((&done["turn_id"], &done["reason"]), (&start["turn_id"], &json!("complete")));
        assert_eq!(said(reads).last(), Some(&"And one more thing."));
    }
    assert_eq!(person.say("hello").await["reason"], "complete");
    assert_eq!(said(&person), ["First.", "And one more thing.", "You said: hello"]);
    assert_eq!(app.agents().len(), 1, "one process, all the time");
}

/// B-1, B-4: its calls need approval like any other. Until the answer the turn runs, and a message
/// is refused.
#[tokio::test]
async fn it_asks_like_any_other_turn() {
    let app = BridgeApp::with_fake("", "").await;
    let mut person = Person::at(&app).await;
    person.say("unasked_ask").await;
    begins(&mut person).await;
    let prompt = person.prompt().await;
    person.begin("hello").await;
    assert_eq!(person.find("error").await["code"], "prompt_open");
    person.answer(&prompt, json!({"response": "yes"})).await;
    assert_eq!(person.done().await["reason"], "complete");
    assert_eq!(said(&person).last(), Some(&"The answer was \"allow\"."));
    assert_eq!(person.say("hello").await["reason"], "complete");
}

/// H-6, B-1: it can be stopped like any other turn, and a message is refused while it runs.
#[tokio::test]
async fn it_can_be_stopped() {
    let app = BridgeApp::with_fake("", "").await;
    let mut person = Person::at(&app).await;
    person.say("unasked_half").await;
    begins(&mut person).await;
    person.find("streamToken").await;
    person.begin("hello").await;
    assert_eq!(person.find("error").await["code"], "turn_running");
    person.send(&json!({"type": "stop"})).await;
    assert_eq!(person.done().await["reason"], "stopped");
    assert_eq!(said(&person).last(), Some(&"And one"));
    assert_eq!(person.say("hello").await["reason"], "complete");
}

/// FAULTS 1, P-9: the server is killed during such a turn. The text so far stays, and the turn is
/// interrupted; one that waits for a person keeps waiting.
#[tokio::test]
async fn it_is_taken_over_like_any_other_turn() {
    let mut app = BridgeApp::with_fake("", "").await;
    let mut person = Person::at(&app).await;
    person.say("unasked_half").await;
    begins(&mut person).await;
    person.find("streamToken").await;
    app.kill_server();
    app.start_server();
    person = person.back(&app).await;
    assert_eq!(person.done().await["reason"], "interrupted");
    assert_eq!(person.say("unasked_defer").await["reason"], "complete");
    begins(&mut person).await;
    let prompt = waiting(&app, &mut person).await;
    app.kill_server();
    app.start_server();
    person = person.back(&app).await;
    assert_eq!(person.find("userPromptUpdated").await["messageId"], prompt["messageId"]);
    person.answer(&prompt, json!({"response": "yes"})).await;
    assert_eq!(person.done().await["reason"], "complete");
    assert_eq!(app.file("made.txt").as_deref(), Some("made\n"));
    assert_eq!(errors(&person), Vec::<&Value>::new());
}

/// B-1, P-9: a message comes while the agent works by itself, and that work defers a call. The
/// server is killed, then stopped, while the call waits for a person: after the answer the agent
/// gets the message.
#[tokio::test]
async fn a_message_that_waits_for_it_outlives_the_server() {
    let mut app = BridgeApp::with_fake("", "").await;
    let mut person = Person::at(&app).await;
    person.say("unasked_defer_later").await;
    until("it works by itself", || app.file("busy.txt").is_some()).await;
    person.begin("hello").await;
    person.find("start").await;
    std::fs::write(app.path("workspace/go.txt"), "").unwrap();
    let prompt = waiting(&app, &mut person).await;
    for end_server in [BridgeApp::kill_server, BridgeApp::stop_server] {
        end_server(&mut app);
        app.start_server();
        person = person.back(&app).await;
        assert_eq!(person.find("userPromptUpdated").await["messageId"], prompt["messageId"]);
    }
    person.answer(&prompt, json!({"response": "yes"})).await;
    assert_eq!(person.done().await["reason"], "complete");
    let said = said(&person);
    assert!(said.ends_with(&["The answer was \"allow\".", "You said: hello"]), "{said:?}");
    assert_eq!(app.file("made.txt").as_deref(), Some("made\n"));
    assert_eq!(errors(&person), Vec::<&Value>::new());
}

/// If the conversation is deleted during such a turn, its process ends.
#[tokio::test]
async fn it_ends_with_its_conversation() {
    let app = BridgeApp::with_fake("", "").await;
    let mut person = Person::at(&app).await;
    person.say("unasked_half").await;
    let start = begins(&mut person).await;
    assert_eq!(app.delete(start["conversation_id"].as_str().unwrap()).await, 204);
    app.is_left().await;
}

/// B-1: the real CLI. A background command ends after the turn; the agent reports it, and asks for
/// approval of its next call.
#[tokio::test]
async fn background_work_of_the_real_cli_ends() {
    let app = BridgeApp::with_cli("", "").await;
    let mut person = Person::at(&app).await;
    let command = |id: &str, command: &str, background: bool| {
        let input =
            json!({"command": command, "description": "Work", "run_in_background": background});
        Script::answer().words("I do. ").tool_use(id, "Bash", &input)
    };
    app.model.push(command("toolu_b1", "until [ -e go ]; do sleep 0.1; done; echo finished", true));
    app.model.push(Script::answer().words("It runs."));
    assert_eq!(person.say("Work in the background").await["reason"], "complete");
    app.model.push(command("toolu_b2", "touch noted.txt", false));
    app.model.push(Script::answer().words("It is noted."));
    std::fs::write(app.path("workspace/go"), "").unwrap();
    begins(&mut person).await;
    let prompt = person.prompt().await;
    assert_eq!(prompt["toolCall"]["input"]["command"], "touch noted.txt");
    person.answer(&prompt, json!({"response": "yes"})).await;
    assert_eq!(person.done().await["reason"], "complete");
    assert!(app.file("noted.txt").is_some());
    assert_eq!(said(&person).last(), Some(&"It is noted."));
    app.model.push(Script::answer().words("Gladly."));
    assert_eq!(person.say("Thank you").await["reason"], "complete");
    assert!(model_saw(&app).iter().any(|told| told.contains("It is noted.")));
}
