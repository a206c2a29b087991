//! The real CLI and the server die at bad moments; the CLI session is resumed (B-1, FAULTS 1, 2 and
//! 4).

use parlor_testkit::{Gate, Script};
use serde_json::json;

use super::bridge_app::BridgeApp;
use super::person::{Person, model_saw};

fn asks() -> Script {
    let command = json!({"command": "touch done.txt", "description": "Make a file"});
    Script::answer().words("May I? ").tool_use("toolu_k1", "Bash", &command)
}

/// Asserts that the model got the earlier messages. How much of the interrupted turn the CLI had
/// stored is arbitrary.
fn remembers(app: &BridgeApp, lines: &[&str]) {
    let saw = model_saw(app);
    assert!(lines.iter().all(|line| saw.iter().any(|told| told == line)), "{saw:#?}");
}

/// The same, where the CLI may not have had the time to store its session: then it begins another
/// one, and gets the earlier messages.
fn knows(app: &BridgeApp, words: &[&str]) {
    let saw = model_saw(app);
    assert!(words.iter().all(|words| saw.iter().any(|told| told.contains(words))), "{saw:#?}");
}

/// B-1: a process that dies during a turn is reported; the next turn starts a new one, which has
/// the earlier messages.
#[tokio::test]
async fn a_dead_process_is_reported_and_the_session_resumed() {
    let app = BridgeApp::with_cli("", "").await;
    let mut person = Person::at(&app).await;
    app.model.push(Script::answer().words("My name is Desk."));
    person.say("Who are you?").await;
    let gate = Gate::closed();
    app.model.push(Script::answer().text("I was about to").gate(&gate));
    person.begin("And what do you do?").await;
    person.find("streamToken").await;
    app.kill_agent();
    assert_eq!(person.done().await["reason"], "error");
    app.is_left().await;
    app.model.push(Script::answer().words("As I said."));
    assert_eq!(person.say("Are you still there?").await["reason"], "complete");
    remembers(&app, &["user: Who are you?", "assistant: My name is Desk."]);
    insta::assert_snapshot!(person.story().text());
}

/// With this setting, questions expire with the process.
pub(super) const NOT_DURABLE: &str = "durable_approvals = false";

/// P-6, B-4: a permission request that was lost with its process expires with a notice; a late
/// approval is refused and nothing runs; the next turn works.
#[tokio::test]
async fn a_permission_dies_with_its_process() {
    let app = BridgeApp::with_cli(NOT_DURABLE, "").await;
    let mut person = Person::at(&app).await;
    app.model.push(asks());
    dies(&app, &mut person).await;
    insta::assert_snapshot!(person.story().text());
}

/// P-6: the same with durable approvals: of two calls in one message the CLI session would keep
/// only one, so both expire with the process.
#[tokio::test]
async fn two_permissions_of_one_message_die_with_their_process() {
    let app = BridgeApp::with_cli("", "").await;
    let mut person = Person::at(&app).await;
    let other = json!({"command": "touch other.txt", "description": "Make another file"});
    app.model.push(asks().tool_use("toolu_k2", "Bash", &other));
    dies(&app, &mut person).await;
    assert_eq!(app.file("other.txt"), None);
}

/// Waits for a permission request, then kills the process.
async fn dies(app: &BridgeApp, person: &mut Person) {
    person.begin("Make a file").await;
    let prompt = person.prompt().await;
    app.kill_agent();
    let closed = person.find("userPromptClosed").await;
    assert_eq!(
        (&closed["messageId"], &closed["outcome"]),
        (&prompt["messageId"], &json!("expired"))
    );
    person.done().await;
    person.answer(&prompt, json!({"response": "yes"})).await;
    let refusal = person.find("error").await;
    assert_eq!(refusal["code"], "prompt_closed");
    app.model.push(Script::answer().words("Let us try again."));
    assert_eq!(person.say("What happened?").await["reason"], "complete");
    assert_eq!(app.file("done.txt"), None);
    knows(app, &["Make a file", "What happened?"]);
}

/// B-1, FAULTS 2 and 3: a server that is stopped leaves no process behind; after its start the CLI
/// session continues. If it is killed while a permission request waits that is not durable, the
/// prompt has expired after its start.
#[tokio::test]
async fn the_session_outlives_the_server() {
    let mut app = BridgeApp::with_cli(NOT_DURABLE, "").await;
    let mut person = Person::at(&app).await;
    app.model.push(Script::answer().words("The number is 42."));
    person.say("Remember a number").await;
    let agents = app.agents();
    app.stop_server();
    assert!(!agents.iter().any(|agent| crate::mcp::runs(*agent)), "no process is left");

    app.start_server();
    person = person.back(&app).await;
    app.model.push(Script::answer().words("It was 42."));
    assert_eq!(person.say("Which one?").await["reason"], "complete");
    app.model.push(asks());
    person.begin("Make a file").await;
    let prompt = person.prompt().await;
    let agents = app.agents();
    app.kill_server();
    crate::mcp::gone(&agents).await;

    app.start_server();
    person = person.back(&app).await;
    let closed = person.find("userPromptClosed").await;
    assert_eq!(
        (&closed["messageId"], &closed["outcome"]),
        (&prompt["messageId"], &json!("expired"))
    );
    person.done().await;
    app.model.push(Script::answer().words("Nothing was made."));
    assert_eq!(person.say("What happened?").await["reason"], "complete");
    assert_eq!(app.file("done.txt"), None);
    remembers(&app, &["assistant: The number is 42.", "assistant: It was 42."]);
    insta::assert_snapshot!(person.story().text());
}
