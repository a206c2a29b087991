//! An agent CLI that misbehaves in every way (FAULTS 4): each time there is one readable error, no
//! process is left, and the next turn works.

use serde_json::{Value, json};

use super::bridge_app::BridgeApp;
use super::person::Person;
use crate::mcp::served::SECRETS;
use crate::mcp::{family, gone, runs};

/// The errors that a person saw.
pub(super) fn errors(person: &Person) -> Vec<&Value> {
    person.seen.iter().filter(|frame| frame["type"] == "error").collect()
}

/// The agent's complete messages, as a person saw them.
pub(super) fn said(person: &Person) -> Vec<&str> {
    let by_agent = person.seen.iter().filter(|frame| frame["role"] == "assistant");
    by_agent.filter_map(|frame| frame["content"].as_str()).collect()
}

/// Limits that end a turn that would not end by itself.
const SHORT: &str = "turn_timeout_seconds = 3\nmax_output_bytes = 1000000";

/// FAULTS 4: it dies in the middle of a line or of an answer, exits with 0 and no result, hangs,
/// writes 100 MB without a line break or an answer without an end, messages that are not valid text
/// or not JSON, leaves a grandchild on standard output. Each is one error, its processes are gone,
/// and the next message is answered.
#[tokio::test]
async fn whatever_goes_wrong_is_told_once_and_cleared_up() {
    let files = tempfile::tempdir().unwrap();
    let file = files.path().join("pids");
    let app = BridgeApp::with_fake(SHORT, &format!("FAKE_AGENT_FAMILY = {file:?}")).await;
    for abuse in [
        "half_line", "half_answer", "exit_zero", "hang", "long_line", "flood", "bad_utf8",
        "bad_json", "deep_json", "leave_grandchild",
    ] {
        let before = family(&file).len();
        let mut person = Person::at(&app).await;
        assert_eq!(person.say(abuse).await["reason"], "error", "{abuse}");
        assert_eq!(errors(&person).len(), 1, "{abuse}: {:#?}", errors(&person));
        let processes = family(&file)[before..].to_vec();
        assert_eq!(processes.len(), 3, "{abuse}");
        gone(&processes).await;
        assert_eq!(person.say("hello").await["reason"], "complete", "{abuse}");
        assert_eq!(said(&person).last(), Some(&"You said: hello"), "{abuse}");
        assert_eq!(errors(&person).len(), 1, "{abuse}");
    }
}

/// Lenient parsing: unknown types and shapes, blank lines, lines that are not messages, a flood on
/// standard error and a repeated result change nothing. Skipped lines are in the log, without the
/// agent's secrets.
#[tokio::test]
async fn what_is_not_known_is_passed_over() {
    let app = BridgeApp::with_fake("", "FAKE_AGENT = \"noise\"").await;
    let mut person = Person::at(&app).await;
    for (abuse, answer) in [
        ("garbage", "As if nothing had been."),
        ("not_an_object", "As if nothing had been."),
        ("unknown_types", "All good."),
        ("flood_stderr", "Still here."),
        ("no_pieces", "All at once."),
        ("result_twice", "Once."),
        ("hello", "You said: hello"),
    ] {
        assert_eq!(person.say(abuse).await["reason"], "complete", "{abuse}");
        assert_eq!(said(&person).last(), Some(&answer), "{abuse}");
    }
    assert_eq!(errors(&person), Vec::<&Value>::new());
    assert_eq!(said(&person).len(), 7, "nothing is said twice: {:?}", said(&person));
    assert_eq!(app.agents().len(), 1, "one process, all the time");
    let log = app.log();
    assert!(log.len() < 200_000, "a flood does not fill the log");
    assert!(log.contains("skipped a line that is not a message"), "{log}");
    assert!(!log.contains(SECRETS[0].1), "{log}");
}

/// B-1, B-2: an agent that does not start, does not answer or does not read its input is one error
/// each; its own error output is in the log only.
#[tokio::test]
async fn an_agent_that_never_starts_is_an_error() {
    for how in ["crash", "silent", "deaf"] {
        let app = BridgeApp::with_fake(SHORT, &format!("FAKE_AGENT = {how:?}")).await;
        let mut person = Person::at(&app).await;
        for number in 1..=2 {
            assert_eq!(person.say("hello").await["reason"], "error", "{how}");
            assert_eq!(errors(&person).len(), number, "{how}");
            app.is_left().await;
        }
    }
}

/// H-6: a stop is a request to the agent; if it does not comply, its process is ended.
#[tokio::test]
async fn a_stop_is_obeyed_or_enforced() {
    let app = BridgeApp::with_fake("", "").await;
    for (abuse, processes) in [("interruptible", 1), ("ignore_interrupt", 0), ("ask", 1)] {
        let mut person = Person::at(&app).await;
        let others = app.agents().len();
        person.begin(abuse).await;
        person.find(if abuse == "ask" { "userPrompt" } else { "streamToken" }).await;
        person.send(&json!({"type": "stop"})).await;
        assert_eq!(person.done().await["reason"], "stopped", "{abuse}");
        assert_eq!(errors(&person), Vec::<&Value>::new(), "{abuse}");
        crate::mcp::until(abuse, || app.agents().len() == others + processes).await;
        assert_eq!(person.say("hello").await["reason"], "complete", "{abuse}");
        assert_eq!(said(&person).last(), Some(&"You said: hello"), "{abuse}");
    }
}

/// B-2, S-5, X-3: the agent's environment has only the configured variables, and their values are
/// masked: in text, in arguments and in results of tools.
#[tokio::test]
async fn what_is_in_its_environment_is_not_shown() {
    let app = BridgeApp::with_fake("", "GREETING = \"good morning\"").await;
    let mut person = Person::at(&app).await;
    assert_eq!(person.say("secrets").await["reason"], "complete");
    let told = said(&person).last().unwrap().to_owned();
    assert!(told.contains("GREETING=good morning"), "{told}");
    assert!(!told.contains("PARLOR"), "{told}");
    assert!(SECRETS.iter().all(|(_, secret)| !app.log().contains(secret)));
}

/// S-3, S-5, B-2, X-3: what an agent CLI writes for its model is not shown: no CLI session, no
/// working directory, no tags, no terminal codes, no invisible characters. A configured token is
/// not even stored.
#[tokio::test]
async fn what_a_harness_tells_its_model_is_not_shown_and_its_token_not_stored() {
    const TOKEN: &str = "words-that-look-like-no-key";
    let mut app = BridgeApp::with_fake("", &format!("SITE_TOKEN = {TOKEN:?}")).await;
    let mut person = Person::at(&app).await;
    assert_eq!(person.say("internals").await["reason"], "complete");
    let result = person.seen.iter().find(|frame| frame["type"] == "tool_result").unwrap();
    let expected = "Started‹U+0000› in [config] for [session]: a.txt [note] [token]\n[config]";
    assert_eq!(result["data"]["output"], expected);
    assert_eq!(
        said(&person).last(),
        Some(&"I am [assistant] in [session], my token is [token], txt.‹U+202E›gpj")
    );
    let frames = serde_json::to_string(&person.seen).unwrap();
    for hidden in [TOKEN, "8c3f7c1e", "-workspace", "\\u001b", "\\u0000", "\u{202E}"] {
        assert!(!frames.contains(hidden), "{hidden}: {frames}");
    }
    app.stop_server();
    assert!(!app.log().contains(TOKEN));
    let stored = std::fs::read(app.path("parlor.db")).unwrap();
    let holds = |words: &str| stored.windows(words.len()).any(|at| at == words.as_bytes());
    assert!(holds("my token is") && !holds(TOKEN), "the database holds the token");
}

/// B-4, P-5: permission requests that are repeated, malformed, of an unknown kind or withdrawn, or
/// whose process exits.
#[tokio::test]
async fn odd_permissions_are_settled() {
    let app = BridgeApp::with_fake("", "").await;
    let yes = json!({"response": "yes"});
    for (abuse, answer, outcome, reason) in [
        ("ask", Some(&yes), "answered", "complete"),
        ("ask_twice", Some(&yes), "answered", "complete"),
        ("ask_and_withdraw", None, "cancelled", "complete"),
        ("ask_and_leave", None, "expired", "error"),
    ] {
        let mut person = Person::at(&app).await;
        person.begin(abuse).await;
        let prompt = person.prompt().await;
        if let Some(answer) = answer {
            person.answer(&prompt, answer.clone()).await;
        }
        let closed = person.find("userPromptClosed").await;
        assert_eq!(closed["outcome"], outcome, "{abuse}");
        assert_eq!(person.done().await["reason"], reason, "{abuse}");
        let prompts = person.seen.iter().filter(|frame| frame["type"] == "userPrompt").count();
        assert_eq!(prompts, 1, "{abuse}: what is asked twice is asked once");
        let unknown = |frame: &&Value| frame["metadata"]["code"] == "outcome_unknown";
        assert_eq!(person.seen.iter().find(unknown), None, "{abuse}: it was made, or was not");
        if answer.is_some() {
            assert_eq!(said(&person).last(), Some(&"The answer was \"allow\"."), "{abuse}");
        }
    }
    let mut person = Person::at(&app).await;
    assert_eq!(person.say("ask_oddly").await["reason"], "complete");
    assert_eq!(said(&person).last(), Some(&"Answered."));
}

/// B-1, B-2: an idle process is ended, with all its children; the next turn resumes its CLI
/// session.
#[tokio::test]
async fn an_idle_process_is_ended_and_its_session_resumed() {
    let files = tempfile::tempdir().unwrap();
    let (notes, pids) = (files.path().join("notes"), files.path().join("pids"));
    let env = format!("FAKE_AGENT_NOTES = {notes:?}\nFAKE_AGENT_FAMILY = {pids:?}");
    let app = BridgeApp::with_fake("idle_timeout_seconds = 1", &env).await;
    let mut person = Person::at(&app).await;
    person.say("hello").await;
    let first = family(&pids);
    assert!(first.len() == 3 && runs(first[0]));
    gone(&first).await;
    assert_eq!(person.say("hello again").await["reason"], "complete");
    let starts = std::fs::read_to_string(&notes).unwrap();
    let starts: Vec<&str> = starts.lines().collect();
    assert_eq!(starts.len(), 2);
    assert!(!starts[0].contains("--resume") && starts[1].contains("--resume"), "{starts:?}");
    assert!(starts.iter().all(|words| !words.contains("hello")), "no argument of what was said");
}
