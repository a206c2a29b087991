//! Turns that wait without a process, and what may happen to them meanwhile (P-4, P-9,
//! H-6): their time is up, they are stopped, the next process does not do its part.

use std::fs;
use std::time::Duration;

use parlor_testkit::Script;
use serde_json::{Value, json};

use super::deaths::NOT_DURABLE;
use super::desk::Desk;
use super::durable::{count, saw, waiting};
use super::person::Person;
use crate::mcp::until;

/// What is asked lapses soon.
const SHORT: &str = "\n[server]\nprompt_timeout = \"2s\"";
const NOT_ANSWERED: &str = "Nobody answered in time, so it was not run.";

/// A desk whose agent does this about a call that it was left with.
async fn desk_that(takes_up: &str, settings: &str) -> Desk {
    Desk::with_fake(settings, &format!("FAKE_AGENT_TAKES_UP = {takes_up:?}")).await
}

/// How many processes were started so far.
fn starts(desk: &Desk) -> usize {
    desk.log().matches("program started").count()
}

fn prompts(person: &Person) -> usize {
    person.seen.iter().filter(|frame| frame["type"] == "userPrompt").count()
}

/// The end of a prompt that nobody answered: the agent is told and goes on, nothing was
/// made, a late yes is refused, and the next message is answered.
async fn lapses(desk: &Desk, person: &mut Person, prompt: &Value) {
    let closed = person.find("userPromptClosed").await;
    let expired = json!("expired");
    assert_eq!((&closed["messageId"], &closed["outcome"]), (&prompt["messageId"], &expired));
    assert_eq!(person.done().await["reason"], "complete");
    saw(desk, NOT_ANSWERED);
    person.answer(prompt, json!({"response": "yes"})).await;
    assert_eq!(person.find("error").await["code"], "prompt_closed");
    desk.model.push(Script::answer().words("Here I am."));
    assert_eq!(person.say("Are you there?").await["reason"], "complete");
    assert_eq!(desk.file("made.txt"), None);
}

/// P-4: a prompt whose time is up while its turn has no process ends as one of a process
/// that waits: the agent is told that nobody answered, by a process that is started for it.
#[tokio::test]
async fn a_prompt_lapses_with_and_without_a_process() {
    for (settings, processes) in [(String::new(), 3), (NOT_DURABLE.to_owned(), 1)] {
        let desk = Desk::with_cli(&(settings + SHORT), "").await;
        let mut person = Person::at(&desk).await;
        desk.model.push(count("toolu_l1", ""));
        desk.model.push(Script::answer().words("Then I leave it."));
        person.begin("Make a line").await;
        let prompt = person.prompt().await;
        lapses(&desk, &mut person, &prompt).await;
        assert_eq!(starts(&desk), processes);
    }
}

/// P-4, P-9: the time of a prompt is up while the server is down. It gets its full time
/// again, and then lapses as any other.
#[tokio::test]
async fn a_prompt_lapses_after_its_server_was_down() {
    let mut desk = Desk::with_cli(SHORT, "").await;
    let mut person = Person::at(&desk).await;
    desk.model.push(count("toolu_l1", ""));
    desk.model.push(Script::answer().words("Then I leave it."));
    person.begin("Make a line").await;
    let prompt = person.prompt().await;
    desk.kill_server();
    tokio::time::sleep(Duration::from_secs(2)).await;
    desk.start_server();
    person = person.back(&desk).await;
    let updated = person.find("userPromptUpdated").await;
    assert_eq!(updated["messageId"], prompt["messageId"]);
    assert_ne!(updated["expires_at"], prompt["expires_at"], "{updated}");
    lapses(&desk, &mut person, &prompt).await;
}

/// H-6: a stop that comes after a call was put off and before it is asked about: nobody
/// is asked any more.
#[tokio::test]
async fn a_stop_comes_before_the_question() {
    let desk = desk_that("asks_late", "").await;
    let mut person = Person::at(&desk).await;
    person.begin("put_off").await;
    until("a process goes on with the call", || desk.file("late.txt").is_some()).await;
    person.send(&json!({"type": "stop"})).await;
    assert_eq!(person.done().await["reason"], "stopped");
    assert_eq!(prompts(&person), 0, "{:#?}", person.seen);
    desk.is_left().await;
    assert_eq!(person.say("hello").await["reason"], "complete");
}

/// H-6, B-4: a stop that comes after a yes and before a process has it: nothing is made.
#[tokio::test]
async fn a_stop_overtakes_a_yes() {
    let desk = desk_that("is_told_late", "").await;
    let mut person = Person::at(&desk).await;
    person.begin("put_off").await;
    let prompt = waiting(&desk, &mut person).await;
    person.answer(&prompt, json!({"response": "yes"})).await;
    until("a process is started for the answer", || desk.file("late.txt").is_some()).await;
    person.send(&json!({"type": "stop"})).await;
    assert_eq!(person.done().await["reason"], "stopped");
    assert_eq!(desk.file("made.txt"), None);
    desk.is_left().await;
    assert_eq!(person.say("hello").await["reason"], "complete");
}

/// B-2: a process that was started for an answer hangs, or dies each time: there is an
/// end to it, one error, and the next message is answered.
#[tokio::test]
async fn a_process_for_an_answer_does_not_do_its_part() {
    for (takes_up, processes) in [("hangs", 3), ("dies", 5)] {
        let desk = desk_that(takes_up, "turn_timeout_seconds = 5").await;
        let mut person = Person::at(&desk).await;
        person.begin("put_off").await;
        let prompt = waiting(&desk, &mut person).await;
        person.answer(&prompt, json!({"response": "yes"})).await;
        assert_eq!(person.done().await["reason"], "error", "{takes_up}");
        assert_eq!(starts(&desk), processes, "{takes_up}");
        desk.is_left().await;
        assert_eq!(person.say("hello").await["reason"], "complete", "{takes_up}");
        assert_eq!(desk.file("made.txt"), None);
    }
}

/// P-9: with a version that cannot put off calls, what is asked expires with the process:
/// the log, the status and the prompt itself say so. With one that can, none does.
#[tokio::test]
async fn a_version_that_falls_short_is_told() {
    for (version, falls_short) in [("2.1.197", true), ("2.1.325", false), ("3.0", false)] {
        let env = format!("FAKE_AGENT_VERSION = {version:?}");
        let desk = Desk::with_fake("", &env).await;
        let mut person = Person::at(&desk).await;
        person.begin(if falls_short { "ask" } else { "put_off" }).await;
        let prompt = person.prompt().await;
        assert_eq!(prompt["ends_with_agent"] == true, falls_short, "{version}: {prompt}");
        assert_eq!(desk.agents().is_empty(), !falls_short, "{version}");
        person.answer(&prompt, json!({"response": "yes"})).await;
        assert_eq!(person.done().await["reason"], "complete", "{version}");
        if falls_short {
            while desk.agent_status().await["warnings"] == json!([]) {
                tokio::task::yield_now().await;
            }
            let warnings = desk.agent_status().await["warnings"].to_string();
            assert!(warnings.contains("2.1.197") && warnings.contains("2.1.325"), "{warnings}");
            assert!(desk.log().contains("expire if its process or the server ends"));
        } else {
            assert_eq!(desk.agent_status().await["warnings"], json!([]), "{version}");
        }
    }
}

/// P-9: however often the server is restarted, stopped well or not, the prompt waits.
#[tokio::test]
async fn a_prompt_outlives_many_restarts() {
    let mut desk = desk_that("", "").await;
    let mut person = Person::at(&desk).await;
    person.begin("put_off").await;
    let prompt = waiting(&desk, &mut person).await;
    for number in 0..6 {
        match number % 2 {
            0 => desk.stop_server(),
            _ => desk.kill_server(),
        }
        desk.start_server();
        person = person.back(&desk).await;
        assert_eq!(person.find("userPromptUpdated").await["messageId"], prompt["messageId"]);
    }
    person.answer(&prompt, json!({"response": "yes"})).await;
    assert_eq!(person.done().await["reason"], "complete");
    assert_eq!(desk.file("made.txt").as_deref(), Some("made\n"));
}

/// P-9: many turns wait, over a restart, and are answered in one moment; each call is
/// made once, and no process is left.
#[tokio::test]
async fn many_are_answered_at_once() {
    let mut desk =
        desk_that("", "idle_timeout_seconds = 1\n[server]\nprompt_timeout = \"0\"").await;
    let mut people = Vec::new();
    for _ in 0..50 {
        let mut person = Person::at(&desk).await;
        person.begin("put_off").await;
        people.push(person);
    }
    let mut waiting = Vec::new();
    for mut person in people {
        let prompt = person.prompt().await;
        waiting.push((person, prompt));
    }
    desk.is_left().await;
    desk.stop_server();
    desk.start_server();
    let mut answered = Vec::new();
    for (person, prompt) in waiting {
        answered.push((person.back(&desk).await, prompt));
    }
    for (person, prompt) in &mut answered {
        person.answer(prompt, json!({"response": "yes"})).await;
    }
    for (person, _) in &mut answered {
        assert_eq!(person.done().await["reason"], "complete");
    }
    assert_eq!(desk.file("made.txt"), Some("made\n".repeat(50)));
    desk.is_left().await;
}

/// B-1: the session is gone when the answer comes: that is told, nothing is made, and the
/// next message begins another session, which knows what was said.
#[tokio::test]
async fn a_session_is_gone_when_the_answer_comes() {
    let desk = Desk::with_cli("", "").await;
    let mut person = Person::at(&desk).await;
    desk.model.push(count("toolu_g1", ""));
    person.begin("Make a line").await;
    let prompt = waiting(&desk, &mut person).await;
    fs::remove_dir_all(desk.path("home/.claude/projects")).unwrap();
    person.answer(&prompt, json!({"response": "yes"})).await;
    assert_eq!(person.done().await["reason"], "error");
    desk.model.push(Script::answer().words("I remember."));
    assert_eq!(person.say("And now?").await["reason"], "complete");
    assert_eq!(desk.file("made.txt"), None);
    saw(&desk, "Make a line");
    insta::assert_snapshot!(person.story().text());
}

/// A conversation is deleted while its turn waits: nothing of it is left, and nothing is
/// started for it any more.
#[tokio::test]
async fn a_conversation_is_deleted_while_it_waits() {
    let mut desk = desk_that("", "").await;
    let mut person = Person::at(&desk).await;
    person.begin("put_off").await;
    let prompt = waiting(&desk, &mut person).await;
    let conversation = prompt["conversation_id"].as_str().unwrap();
    assert_eq!(desk.delete(conversation).await, 204);
    let mut other = Person::at(&desk).await;
    other.answer(&prompt, json!({"response": "yes"})).await;
    assert_eq!(other.find("error").await["code"], "not_found");
    assert_eq!(starts(&desk), 2);
    desk.stop_server();
    assert!(!desk.log().contains("ERROR"), "{}", desk.log());
}
