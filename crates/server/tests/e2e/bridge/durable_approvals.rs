//! Questions of the real CLI outlive its process and the server (P-9, B-1, FAULTS 1 and 2): the
//! prompt stays open, its answer counts, and no call is made twice.

use std::fs;

use parlor_testkit::Script;
use serde_json::{Map, Value, json};

use super::bridge_app::BridgeApp;
use super::person::{Person, model_saw, was_told};
use super::plans::{present, write_plan};
use crate::mcp::until;

/// A call that appends a line to a file, which shows how often it ran.
pub(super) fn count(id: &str, then: &str) -> Script {
    let command = format!("echo made >> made.txt{then}");
    let input = json!({"command": command, "description": "Make a line"});
    Script::answer().words("May I? ").tool_use(id, "Bash", &input)
}

/// Waits for a prompt whose turn has no process.
pub(super) async fn waiting(app: &BridgeApp, person: &mut Person) -> Value {
    let prompt = person.prompt().await;
    app.is_left().await;
    prompt
}

/// Kills the server as a crash would, restarts it, and reconnects the person.
pub(super) async fn restarted(app: &mut BridgeApp, person: Person) -> Person {
    let agents = app.agents();
    app.kill_server();
    crate::mcp::gone(&agents).await;
    app.start_server();
    person.back(app).await
}

pub(super) fn saw(app: &BridgeApp, words: &str) {
    let saw = model_saw(app);
    assert!(saw.iter().any(|line| line.contains(words)), "no '{words}': {saw:#?}");
}

/// P-9, B-1: while a permission request waits, no process runs. The process that is started for the
/// answer is killed at once, and the next one makes the call, once. There is one message, one call
/// and one prompt, as always.
#[tokio::test]
async fn a_permission_needs_no_process() {
    let app = BridgeApp::with_cli("", "").await;
    let mut person = Person::at(&app).await;
    app.model.push(count("toolu_d1", ""));
    app.model.push(Script::answer().words("Made."));
    person.begin("Make a line").await;
    let prompt = waiting(&app, &mut person).await;
    person.answer(&prompt, json!({"response": "yes"})).await;
    until("a process is started for the answer", || !app.agents().is_empty()).await;
    app.kill_agent();
    assert_eq!(person.done().await["reason"], "complete");
    assert_eq!(app.file("made.txt").as_deref(), Some("made\n"));
    let story = person.story().lines("model", &model_saw(&app));
    insta::assert_snapshot!(story.text());
}

/// P-9, FAULTS 2: the server is killed twice while a permission request waits; the prompt is still
/// open, and the approved call is made once. Then the same turn asks again, and is refused after
/// another kill.
#[tokio::test]
async fn a_permission_outlives_the_server() {
    let mut app = BridgeApp::with_cli("", "").await;
    let mut person = Person::at(&app).await;
    app.model.push(count("toolu_d1", ""));
    app.model.push(count("toolu_d2", ""));
    app.model.push(Script::answer().words("Made one line."));
    person.begin("Make two lines").await;
    let first = waiting(&app, &mut person).await;
    for _ in 0..2 {
        person = restarted(&mut app, person).await;
        assert_eq!(person.find("userPromptUpdated").await["messageId"], first["messageId"]);
    }
    assert!(app.agents().is_empty(), "nothing is started before somebody answers");
    person.answer(&first, json!({"response": "yes"})).await;
    let second = waiting(&app, &mut person).await;
    assert_eq!(app.file("made.txt").as_deref(), Some("made\n"));

    person = restarted(&mut app, person).await;
    person.find("userPromptUpdated").await;
    person.answer(&second, json!({"response": "no", "reason": "One is enough."})).await;
    assert_eq!(person.done().await["reason"], "complete");
    assert_eq!(app.file("made.txt").as_deref(), Some("made\n"));
    saw(&app, "One is enough.");
    let story = person.story().lines("model", &model_saw(&app));
    insta::assert_snapshot!(story.text());
}

/// P-5, P-9: an orderly stop leaves the prompt open too; arguments that the person edits after the
/// restart are those that run.
#[tokio::test]
async fn a_permission_is_edited_after_a_restart() {
    let mut app = BridgeApp::with_cli("", "").await;
    let mut person = Person::at(&app).await;
    app.model.push(count("toolu_d1", ""));
    app.model.push(Script::answer().words("Made."));
    person.begin("Make a line").await;
    let prompt = waiting(&app, &mut person).await;
    app.stop_server();
    app.start_server();
    person = person.back(&app).await;
    let edited = json!({"command": "echo other > other.txt", "description": "Make a line"});
    person.answer(&prompt, json!({"response": "yes", "input": edited})).await;
    assert_eq!(person.done().await["reason"], "complete");
    assert_eq!((app.file("made.txt"), app.file("other.txt")), (None, Some("other\n".into())));
    assert!(was_told(&app, "echo other > other.txt"), "the model is told what ran");
}

/// Invariant 23: the server stops at each fail point of a call. Before the answer counts, nothing
/// is lost; after that the outcome is unknown, and the call is not repeated.
#[tokio::test]
async fn a_call_is_made_once_at_whichever_fail_point_the_server_stops() {
    for (step, made, told) in [
        ("proposed", Some("made\n"), "(Bash completed with no output)"),
        ("answered", Some("made\n"), "(Bash completed with no output)"),
        ("started", None, "It is not known whether Bash took effect"),
    ] {
        let mut app = BridgeApp::with_cli("", "").await;
        let mut person = Person::at(&app).await;
        app.model.push(Script::answer().words("Hello."));
        person.say("Hello").await;
        app.stop_server();
        app.start_server_until(step);
        person = person.back(&app).await;
        app.model.push(count("toolu_d1", ""));
        person.begin("Make a line").await;
        let answer = json!({"response": "yes"});
        let known = match step {
            "proposed" => None,
            _ => Some(person.prompt().await),
        };
        if let Some(prompt) = &known {
            person.answer(prompt, answer.clone()).await;
        }
        app.is_cut_off().await;
        app.model.push(Script::answer().words("That is that."));
        app.start_server();
        person = person.back(&app).await;
        if known.is_none() {
            let prompt = person.prompt().await;
            person.answer(&prompt, answer).await;
        }
        assert_eq!(person.done().await["reason"], "complete", "{step}");
        assert_eq!(app.file("made.txt").as_deref(), made, "{step}");
        saw(&app, told);
    }
}

/// Invariant 23: if the server is killed while an approved call runs, its outcome is unknown;
/// whatever the CLI session does, the call is not repeated.
#[tokio::test]
async fn a_call_that_ran_when_the_server_died_is_not_repeated() {
    let mut app = BridgeApp::with_cli("", "").await;
    let mut person = Person::at(&app).await;
    app.model.push(count("toolu_d1", "; sleep 60"));
    person.begin("Make a line").await;
    let prompt = waiting(&app, &mut person).await;
    person.answer(&prompt, json!({"response": "yes"})).await;
    until("it runs", || app.file("made.txt").is_some()).await;
    app.model.push(Script::answer().words("I will look first."));
    person = restarted(&mut app, person).await;
    // If the server had not yet heard that the call began, the turn goes on: the agent is told that
    // the outcome is unknown. Either way the call is not made again.
    let reason = person.done().await["reason"].clone();
    if reason == "complete" {
        app.model.push(Script::answer().words("I looked."));
    } else {
        assert_eq!(reason, "interrupted");
    }
    assert_eq!(person.say("And?").await["reason"], "complete");
    assert_eq!(app.file("made.txt").as_deref(), Some("made\n"));
}

/// P-8, T-2, P-9: questions and plans are answered after a restart.
#[tokio::test]
async fn questions_and_plans_outlive_the_server() {
    let mut app = BridgeApp::with_cli("", "").await;
    let mut person = Person::at(&app).await;
    let questions = json!({"questions": [
        {"question": "Which size?", "header": "Size", "multiSelect": false, "options": [
            {"label": "Small", "description": "For one"},
            {"label": "Large", "description": "For all"}]}]});
    app.model.push(Script::answer().tool_use("toolu_q1", "AskUserQuestion", &questions));
    app.model.push(Script::answer().words("Large it is."));
    person.begin("Cook for us").await;
    let prompt = waiting(&app, &mut person).await;
    person = restarted(&mut app, person).await;
    let asked = prompt["questions"][0].clone();
    let (id, value) = (asked["id"].as_str().unwrap(), asked["options"][1]["value"].clone());
    let answers = Map::from_iter([(id.to_owned(), value)]);
    person.answer(&prompt, json!({"response": answers})).await;
    // Before a process can have the answer: the agent still gets it, and it is not shown twice.
    person.find("userPromptClosed").await;
    person = restarted(&mut app, person).await;
    assert_eq!(person.done().await["reason"], "complete");
    saw(&app, "\"Which size?\"=\"Large\"");
    let answers = person.seen.iter().filter(|frame| frame["content"] == "Size: Large").count();
    assert_eq!(answers, 1, "{:#?}", person.seen);

    let page = json!({"file_path": app.path("workspace").join("hello.html"), "content": "Hello"});
    app.model.push_for(write_plan("toolu_p0", "# Add a page\n\n1. Create `hello.html`\n"));
    app.model.push(present("toolu_p1"));
    app.model.push(Script::answer().tool_use("toolu_p2", "Write", &page));
    app.model.push(Script::answer().words("Done as planned."));
    person.send(&json!({"message": "Plan a page", "mode": "plan"})).await;
    let prompt = waiting(&app, &mut person).await;
    assert_eq!(prompt["promptType"], "plan", "{prompt}");
    person = restarted(&mut app, person).await;
    person.answer(&prompt, json!({"response": "execute"})).await;
    assert_eq!(person.done().await["reason"], "complete");
    assert_eq!(app.file("hello.html").as_deref(), Some("Hello"), "edits are not asked for");
}

/// H-6, B-4: a turn that is stopped while it waits leaves a call behind in the CLI session. The
/// next turn refuses that call before anything else, in every mode.
#[tokio::test]
async fn a_stop_takes_the_question_with_it() {
    let app = BridgeApp::with_cli("", "").await;
    let mut person = Person::at(&app).await;
    let note = app.path("workspace").join("note.txt");
    let write = json!({"file_path": note, "content": "one\n"});
    app.model.push(Script::answer().words("May I? ").tool_use("toolu_w1", "Write", &write));
    person.begin("Write a note").await;
    waiting(&app, &mut person).await;
    person.send(&json!({"type": "stop"})).await;
    assert_eq!(person.done().await["reason"], "stopped");
    app.model.push(Script::answer().words("As you like."));
    assert_eq!(person.say("Never mind").await["reason"], "complete");
    assert!(fs::metadata(&note).is_err(), "it was not made");
    let story = person.story().lines("model", &model_saw(&app));
    insta::assert_snapshot!(story.text());
}

/// P-2: a tool that is always allowed is asked about once; after that its calls run in the process
/// that proposed them.
#[tokio::test]
async fn what_is_always_allowed_keeps_its_process() {
    let app = BridgeApp::with_cli("", "").await;
    let mut person = Person::at(&app).await;
    for id in ["toolu_a1", "toolu_a2", "toolu_a3"] {
        app.model.push(count(id, ""));
    }
    app.model.push(Script::answer().words("Made."));
    person.begin("Make three lines").await;
    let prompt = waiting(&app, &mut person).await;
    person.answer(&prompt, json!({"response": "yes", "remember": "conversation"})).await;
    assert_eq!(person.done().await["reason"], "complete");
    assert_eq!(app.file("made.txt").as_deref(), Some("made\nmade\nmade\n"));
    let started = app.log().matches("program started").count();
    assert_eq!(started, 5, "the first, two for the question, and two until it is known");
}

/// B-1: a deferred call that the CLI may make by its own rules is made without approval, and once.
#[tokio::test]
async fn what_its_own_rules_allow_is_not_asked() {
    let app = BridgeApp::with_cli("", "").await;
    let mut person = Person::at(&app).await;
    fs::write(app.path("workspace").join("note.txt"), "two\none\n").unwrap();
    let sort = json!({"command": "sort note.txt", "description": "Sort the note"});
    app.model.push(Script::answer().words("Let me see. ").tool_use("toolu_s1", "Bash", &sort));
    app.model.push(Script::answer().words("One, two."));
    assert_eq!(person.say("Sort it").await["reason"], "complete");
    assert_eq!(app.log().matches("program started").count(), 2, "it was put off");
    let story = person.story().lines("model", &model_saw(&app));
    insta::assert_snapshot!(story.text());
}
