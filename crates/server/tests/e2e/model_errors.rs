//! The model fails in every possible way: people read what happened and what to do, and the turn
//! ends once.

use insta::assert_snapshot;
use parlor_testkit::Script;
use serde_json::json;

use crate::streams::{Event, Events};
use crate::test_app::{Settings, TestApp};
use crate::transcript::Transcript;

/// Plays the scripts for one message; returns what the client saw, and how often the model was
/// asked.
async fn play(app: &TestApp, scripts: impl IntoIterator<Item = Script>) -> (String, Vec<Event>) {
    let before = app.model.requests().len();
    scripts.into_iter().for_each(|script| app.model.push(script));
    let events = Events::of(app.send(&json!({"message": "hello"})).await).rest().await;
    let asked = app.model.requests().len() - before;
    let shown = Transcript::default().client(&events).line(&format!("model: asked {asked} ×"));
    (shown.text(), events)
}

/// H-1, X-3: an error is a message, an event and one `done`.
#[tokio::test]
async fn errors_of_the_model_are_readable() {
    let app = TestApp::with("messages_per_minute = 100").await;
    let failures = |status: u16| std::iter::repeat_n(Script::failure(status), 3);
    let (shown, _) = play(&app, [Script::failure(401)]).await;
    assert_snapshot!("a_refused_key", shown);
    let (shown, _) = play(&app, [Script::failure(429).retry_after(60)]).await;
    assert_snapshot!("too_many_requests", shown);
    let (shown, _) = play(&app, failures(500)).await;
    assert_snapshot!("a_server_that_fails", shown);
    let (shown, _) = play(&app, failures(529)).await;
    assert_snapshot!("an_overloaded_model", shown);
    let reset = Script::answer().text("Once upon ").text("a ti").reset();
    let (shown, events) = play(&app, [reset]).await;
    assert_snapshot!("a_connection_that_breaks", shown);
    assert_eq!(events.iter().filter(|event| event.name == "done").count(), 1);
}

/// H-1, H-3: if a model declines, that is shown as such, and its earlier text is withheld: from the
/// log, from the conversation, and from what the model reads next.
#[tokio::test]
async fn a_refusal_of_the_model_is_told_and_its_text_withheld() {
    let app = TestApp::start().await;
    let declines = Script::answer().thinking("A bad idea").text("First, take").text(" a match");
    let (shown, events) = play(&app, [declines.stop_reason("refusal")]).await;
    assert_snapshot!("a_model_that_declines", shown);
    let conversation = events[0].data["conversation_id"].as_str().unwrap();
    let path = format!("/api/conversations/{conversation}");
    let read = app.admin("GET", &path).send().await.unwrap().text().await.unwrap();
    assert!(!["a match", "A bad idea"].iter().any(|gone| read.contains(gone)), "{read}");
    app.model.push(Script::answer().text("Gladly."));
    let next = json!({"message": "A cake, then", "conversation_id": conversation});
    Events::of(app.send(&next).await).rest().await;
    let asked = app.model.requests().last().unwrap().to_string();
    assert!(asked.contains("A cake, then") && !asked.contains("a match"), "{asked}");
    // The text is kept in memory for live readers until the last of them is gone.
    while replay(&app, &path).await.contains("a match") {
        tokio::task::yield_now().await;
    }
}

/// The log of a conversation of two turns, from its beginning.
async fn replay(app: &TestApp, path: &str) -> String {
    let log = app.admin("GET", &format!("{path}/events")).send().await.unwrap();
    let (mut log, mut seen) = (Events::of(log), Vec::new());
    while seen.iter().filter(|event: &&Event| event.name == "done").count() < 2 {
        seen.extend(log.next().await);
    }
    format!("{seen:?}")
}

/// FAULTS 11: an error that a retry resolves is not shown.
#[tokio::test]
async fn errors_that_pass_are_not_shown() {
    let app = TestApp::start().await;
    let answer = || Script::answer().text("Here I am.");
    let (plain, _) = play(&app, [answer()]).await;
    for passing in [
        Script::failure(429).retry_after(0),
        Script::failure(500),
        Script::failure(529).retry_after(0),
        Script::answer().reset(),
    ] {
        let (shown, _) = play(&app, [passing, answer()]).await;
        // The tokens of a failed attempt are counted.
        let shown = shown.replace("\"tokens_used\":22", "\"tokens_used\":11");
        assert_eq!(shown, plain.replace("asked 1 ×", "asked 2 ×"));
    }
}

/// FAULTS 11: a model that sends nothing times out, and its connection is closed.
#[tokio::test]
async fn a_silent_model_is_given_up() {
    let agent = "idle_timeout_seconds = 0.5";
    let app = TestApp::configured(Settings { agent, ..Settings::default() }).await;
    let (shown, _) = play(&app, [Script::answer().text("Once upon ").silence()]).await;
    assert_snapshot!("a_model_that_falls_silent", shown);
    let (shown, _) = play(&app, [Script::mute()]).await;
    assert_snapshot!("a_model_that_says_nothing", shown);
    app.model.wait_until_unconnected().await;
}
