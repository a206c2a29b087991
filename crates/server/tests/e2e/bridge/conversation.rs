//! A conversation with the real CLI: turns, a stop, an overload (B-1, W, S-5).

use parlor_testkit::{Gate, Script};
use serde_json::json;

use super::bridge_app::BridgeApp;
use super::person::{Person, model_saw};

/// An answer that reveals the agent: the words of S-1 to S-3.
const TELLTALE: &str = "I am Claude Code by Anthropic, model claude-opus-5-5, \
    key sk-ant-api03-abcdefgh12345678, call toolu_01ABCDEFGHIJ of msg_01ABCDEFGHIJ.";

/// B-1, W-3, S-5: a turn with reasoning and text, and one that continues in the same process;
/// nothing that the person saw names the agent.
#[tokio::test]
async fn turns_go_on_in_one_process() {
    let app = BridgeApp::with_cli("", "").await;
    let mut person = Person::at(&app).await;
    let first = Script::answer().thinking("The person greets. ").thinking("I am Claude.");
    app.model.push(first.signature("c2ln").words("Hello. ").words(TELLTALE).usage(120, 25));
    assert_eq!(person.say("Good morning").await["reason"], "complete");
    let agents = app.agents();
    assert_eq!(agents.len(), 1);
    app.model.push(Script::answer().words("As I said, good morning."));
    assert_eq!(person.say("What did you say?").await["reason"], "complete");
    assert_eq!(app.agents(), agents, "the process goes on");
    let story = person.story().lines("model", &model_saw(&app));
    insta::assert_snapshot!(story.text());
}

/// H-6, B-1: a stop interrupts the CLI and keeps the text so far; the CLI session continues.
#[tokio::test]
async fn a_stop_interrupts_and_the_session_goes_on() {
    let app = BridgeApp::with_cli("", "").await;
    let mut person = Person::at(&app).await;
    let gate = Gate::closed();
    app.model.push(Script::answer().text("So far so good.").gate(&gate).text("Never said."));
    person.begin("Tell me everything").await;
    person.find("streamToken").await;
    let agents = app.agents();
    person.send(&json!({"type": "stop"})).await;
    assert_eq!(person.done().await["reason"], "stopped");
    app.model.push(Script::answer().words("Where were we?"));
    assert_eq!(person.say("Go on").await["reason"], "complete");
    assert_eq!(app.agents(), agents, "the process goes on");
    let story = person.story().lines("model", &model_saw(&app));
    insta::assert_snapshot!(story.text());
}

/// B-1, H-3: the model declines twice, and the CLI gives up. The error says so, the earlier text is
/// withheld, and the CLI session continues.
#[tokio::test]
async fn a_refusal_of_the_model_is_told_as_such() {
    let app = BridgeApp::with_cli("", "").await;
    let mut person = Person::at(&app).await;
    let declines = |words: &str| Script::answer().words(words).stop_reason("refusal");
    app.model.push(declines("First, take a match"));
    app.model.push(declines("Then a candle"));
    assert_eq!(person.say("Tell me how").await["reason"], "error");
    insta::assert_snapshot!("a_refusal", person.story().text());
    app.model.push(declines("Take a match"));
    app.model.push(Script::answer().words("I would rather not."));
    assert_eq!(person.say("And now?").await["reason"], "complete");
    insta::assert_snapshot!("a_refusal_that_the_agent_goes_on_after", person.story().text());
}

/// B-1: an overloaded API is a readable error once the CLI has given up; one that recovers is no
/// error. The CLI session continues after both.
#[tokio::test]
async fn an_overload_is_readable_and_passes() {
    let app = BridgeApp::with_cli("", "CLAUDE_CODE_MAX_RETRIES = \"1\"").await;
    let mut person = Person::at(&app).await;
    app.model.push(Script::failure_saying(529, "overloaded_error", "Claude is overloaded"));
    app.model.push(Script::failure_saying(529, "overloaded_error", "Claude is overloaded"));
    assert_eq!(person.say("Anyone there?").await["reason"], "error");
    app.model.push(Script::failure(529));
    app.model.push(Script::answer().words("Here I am."));
    assert_eq!(person.say("And now?").await["reason"], "complete");
    insta::assert_snapshot!(person.story().text());
}
