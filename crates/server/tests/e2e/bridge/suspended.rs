//! Suspended turns, and what may happen to them meanwhile (P-4, P-9, H-6): they expire, they are
//! stopped, or the next process fails.

use std::fs;
use std::time::{SystemTime, UNIX_EPOCH};

use parlor_testkit::Script;
use serde_json::{Value, json};

use super::bridge_app::BridgeApp;
use super::durable_approvals::{count, saw, waiting};
use super::person::Person;
use super::program_killed::NOT_DURABLE;
use crate::mcp::until;

/// A short timeout for prompts.
const SHORT: &str = "\n[server]\nprompt_timeout = \"2s\"";
const NOT_ANSWERED: &str = "Nobody answered in time, so it was not run.";

/// A server whose agent handles a deferred call in this way.
async fn app_whose_agent(takes_up: &str, settings: &str) -> BridgeApp {
    BridgeApp::with_fake(settings, &format!("FAKE_AGENT_TAKES_UP = {takes_up:?}")).await
}

/// The current time, in the format of the wire.
fn now_in_ms() -> u128 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_millis()
}

/// The number of processes that were started so far.
fn starts(app: &BridgeApp) -> usize {
    app.log().matches("program started").count()
}

fn prompts(person: &Person) -> usize {
    person.seen.iter().filter(|frame| frame["type"] == "userPrompt").count()
}

/// The end of a prompt that nobody answered: the agent is told and continues, no call was made, a
/// late approval is refused, and the next message is answered.
async fn lapses(app: &BridgeApp, person: &mut Person, prompt: &Value) {
    let closed = person.find("userPromptClosed").await;
    let expired = json!("expired");
    assert_eq!((&closed["messageId"], &closed["outcome"]), (&prompt["messageId"], &expired));
    assert_eq!(person.done().await["reason"], "complete");
    saw(app, NOT_ANSWERED);
    person.answer(prompt, json!({"response": "yes"})).await;
    assert_eq!(person.find("error").await["code"], "prompt_closed");
    app.model.push(Script::answer().words("Here I am."));
    assert_eq!(person.say("Are you there?").await["reason"], "complete");
    assert_eq!(app.file("made.txt"), None);
}

/// P-4: a prompt expires in the same way with and without a process: the agent is told that nobody
/// answered, if necessary by a process that is started for it.
#[tokio::test]
async fn a_prompt_lapses_with_and_without_a_process() {
    for (settings, processes) in [(String::new(), 3), (NOT_DURABLE.to_owned(), 1)] {
        let app = BridgeApp::with_cli(&(settings + SHORT), "").await;
        let mut person = Person::at(&app).await;
        app.model.push(count("toolu_l1", ""));
        app.model.push(Script::answer().words("Then I leave it."));
        person.begin("Make a line").await;
        let prompt = person.prompt().await;
        lapses(&app, &mut person, &prompt).await;
        assert_eq!(starts(&app), processes);
    }
}

/// P-4, P-9: a prompt's deadline passes while the server is down. After the start it gets its full
/// time again, and then expires like any other.
#[tokio::test]
async fn a_prompt_lapses_after_its_server_was_down() {
    let mut app = BridgeApp::with_cli(SHORT, "").await;
    let mut person = Person::at(&app).await;
    app.model.push(count("toolu_l1", ""));
    app.model.push(Script::answer().words("Then I leave it."));
    person.begin("Make a line").await;
    let prompt = person.prompt().await;
    app.kill_server();
    let expires_at = prompt["expires_at"].as_u64().unwrap();
    until("the time of the prompt is up", || now_in_ms() > u128::from(expires_at)).await;
    app.start_server();
    person = person.back(&app).await;
    let updated = person.find("userPromptUpdated").await;
    assert_eq!(updated["messageId"], prompt["messageId"]);
    assert_ne!(updated["expires_at"], prompt["expires_at"], "{updated}");
    lapses(&app, &mut person, &prompt).await;
}

/// H-6: a stop after a call was deferred and before the person is asked: nobody is asked any more.
#[tokio::test]
async fn a_stop_comes_before_the_question() {
    let app = app_whose_agent("asks_late", "").await;
    let mut person = Person::at(&app).await;
    person.begin("defer").await;
    until("a process goes on with the call", || app.file("late.txt").is_some()).await;
    person.send(&json!({"type": "stop"})).await;
    assert_eq!(person.done().await["reason"], "stopped");
    assert_eq!(prompts(&person), 0, "{:#?}", person.seen);
    app.is_left().await;
    assert_eq!(person.say("hello").await["reason"], "complete");
}

/// H-6, B-4: a stop after an approval and before a process has it: no call is made.
#[tokio::test]
async fn a_stop_overtakes_a_yes() {
    let app = app_whose_agent("is_told_late", "").await;
    let mut person = Person::at(&app).await;
    person.begin("defer").await;
    let prompt = waiting(&app, &mut person).await;
    person.answer(&prompt, json!({"response": "yes"})).await;
    until("a process is started for the answer", || app.file("late.txt").is_some()).await;
    person.send(&json!({"type": "stop"})).await;
    assert_eq!(person.done().await["reason"], "stopped");
    assert_eq!(app.file("made.txt"), None);
    app.is_left().await;
    assert_eq!(person.say("hello").await["reason"], "complete");
}

/// B-2: a process that was started for an answer hangs, or dies each time: retries are limited,
/// there is one error, and the next message is answered.
#[tokio::test]
async fn a_process_for_an_answer_does_not_do_its_part() {
    for (takes_up, processes) in [("hangs", 3), ("dies", 5)] {
        let app = app_whose_agent(takes_up, "turn_timeout_seconds = 5").await;
        let mut person = Person::at(&app).await;
        person.begin("defer").await;
        let prompt = waiting(&app, &mut person).await;
        person.answer(&prompt, json!({"response": "yes"})).await;
        assert_eq!(person.done().await["reason"], "error", "{takes_up}");
        assert_eq!(starts(&app), processes, "{takes_up}");
        app.is_left().await;
        assert_eq!(person.say("hello").await["reason"], "complete", "{takes_up}");
        assert_eq!(app.file("made.txt"), None);
    }
}

/// P-9: with a version that cannot defer calls, questions expire with the process: the log, the
/// status and the prompt itself say so. With a version that can, none of them does.
#[tokio::test]
async fn a_version_that_falls_short_is_told() {
    for (version, falls_short) in [("2.1.197", true), ("2.1.325", false), ("3.0", false)] {
        let env = format!("FAKE_AGENT_VERSION = {version:?}");
        let app = BridgeApp::with_fake("", &env).await;
        let mut person = Person::at(&app).await;
        person.begin(if falls_short { "ask" } else { "defer" }).await;
        let prompt = person.prompt().await;
        assert_eq!(prompt["ends_with_agent"] == true, falls_short, "{version}: {prompt}");
        assert_eq!(app.agents().is_empty(), !falls_short, "{version}");
        person.answer(&prompt, json!({"response": "yes"})).await;
        assert_eq!(person.done().await["reason"], "complete", "{version}");
        if falls_short {
            while app.agent_status().await["warnings"] == json!([]) {
                tokio::task::yield_now().await;
            }
            let warnings = app.agent_status().await["warnings"].to_string();
            assert!(warnings.contains("2.1.197") && warnings.contains("2.1.325"), "{warnings}");
            assert!(app.log().contains("expire if its process or the server ends"));
        } else {
            assert_eq!(app.agent_status().await["warnings"], json!([]), "{version}");
        }
    }
}

/// P-9: however often the server is restarted, in an orderly way or not, the prompt stays open.
#[tokio::test]
async fn a_prompt_outlives_many_restarts() {
    let mut app = app_whose_agent("", "").await;
    let mut person = Person::at(&app).await;
    person.begin("defer").await;
    let prompt = waiting(&app, &mut person).await;
    for number in 0..6 {
        match number % 2 {
            0 => app.stop_server(),
            _ => app.kill_server(),
        }
        app.start_server();
        person = person.back(&app).await;
        assert_eq!(person.find("userPromptUpdated").await["messageId"], prompt["messageId"]);
    }
    person.answer(&prompt, json!({"response": "yes"})).await;
    assert_eq!(person.done().await["reason"], "complete");
    assert_eq!(app.file("made.txt").as_deref(), Some("made\n"));
}

/// P-9: many turns wait across a restart, and are answered at the same time; each call is made
/// once, and no process is left.
#[tokio::test]
async fn many_are_answered_at_once() {
    let mut app =
        app_whose_agent("", "idle_timeout_seconds = 1\n[server]\nprompt_timeout = \"0\"").await;
    let mut people = Vec::new();
    for _ in 0..50 {
        let mut person = Person::at(&app).await;
        person.begin("defer").await;
        people.push(person);
    }
    let mut waiting = Vec::new();
    for mut person in people {
        let prompt = person.prompt().await;
        waiting.push((person, prompt));
    }
    app.is_left().await;
    app.stop_server();
    app.start_server();
    let mut answered = Vec::new();
    for (person, prompt) in waiting {
        answered.push((person.back(&app).await, prompt));
    }
    for (person, prompt) in &mut answered {
        person.answer(prompt, json!({"response": "yes"})).await;
    }
    for (person, _) in &mut answered {
        assert_eq!(person.done().await["reason"], "complete");
    }
    assert_eq!(app.file("made.txt"), Some("made\n".repeat(50)));
    app.is_left().await;
}

/// B-1: the CLI session is gone when the answer comes: there is an error, no call is made, and the
/// next message begins another CLI session with the earlier messages.
#[tokio::test]
async fn a_session_is_gone_when_the_answer_comes() {
    let app = BridgeApp::with_cli("", "").await;
    let mut person = Person::at(&app).await;
    app.model.push(count("toolu_g1", ""));
    person.begin("Make a line").await;
    let prompt = waiting(&app, &mut person).await;
    fs::remove_dir_all(app.path("home/.claude/projects")).unwrap();
    person.answer(&prompt, json!({"response": "yes"})).await;
    assert_eq!(person.done().await["reason"], "error");
    app.model.push(Script::answer().words("I remember."));
    assert_eq!(person.say("And now?").await["reason"], "complete");
    assert_eq!(app.file("made.txt"), None);
    saw(&app, "Make a line");
    insta::assert_snapshot!(person.story().text());
}

/// A conversation is deleted while its turn waits: nothing of it is left, and no process is started
/// for it.
#[tokio::test]
async fn a_conversation_is_deleted_while_it_waits() {
    let mut app = app_whose_agent("", "").await;
    let mut person = Person::at(&app).await;
    person.begin("defer").await;
    let prompt = waiting(&app, &mut person).await;
    let conversation = prompt["conversation_id"].as_str().unwrap();
    assert_eq!(app.delete(conversation).await, 204);
    let mut other = Person::at(&app).await;
    other.answer(&prompt, json!({"response": "yes"})).await;
    assert_eq!(other.find("error").await["code"], "not_found");
    assert_eq!(starts(&app), 2);
    app.stop_server();
    assert!(!app.log().contains("ERROR"), "{}", app.log());
}
