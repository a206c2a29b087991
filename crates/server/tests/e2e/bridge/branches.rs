//! Branches behind a bridge (U-7, B-1): a CLI session knows one line of talk, so each version has a
//! session of its own.

use parlor_testkit::Script;
use reqwest::Method;
use serde_json::{Value, json};

use super::bridge_app::BridgeApp;
use super::person::{Person, was_told};

/// A message, and what the model answers.
async fn say(app: &BridgeApp, person: &mut Person, message: Value, answer: &str) -> String {
    app.model.push(Script::answer().words(answer));
    let words = message["message"].clone();
    let before = person.seen.len();
    person.send(&message).await;
    assert_eq!(person.done().await["reason"], "complete", "{message}");
    let said = person.seen[before..].iter().find(|frame| frame["content"] == words);
    said.unwrap()["message_id"].as_str().unwrap().to_owned()
}

async fn choose(app: &BridgeApp, person: &mut Person, message: &str) {
    let id = person.seen.last().unwrap()["conversation_id"].as_str().unwrap();
    let path = format!("/api/conversations/{id}/branch");
    let request = app.request(Method::PUT, &path).json(&json!({"message_id": message}));
    assert_eq!(request.send().await.unwrap().status(), 200);
    person.find("branch_chosen").await;
}

#[track_caller]
fn assert_told(app: &BridgeApp, told: &[&str], not: &[&str]) {
    for words in told {
        assert!(was_told(app, words), "{words} was not told");
    }
    for words in not {
        assert!(!was_told(app, words), "{words} was told");
    }
}

/// U-7, B-1: an edit begins a session that is told the words of its path; who goes back to the
/// first version goes on with the session of that one, also after a kill of the server.
#[tokio::test]
async fn each_version_has_a_session_of_its_own() {
    let mut app = BridgeApp::with_cli("", "").await;
    let mut person = Person::at(&app).await;
    say(&app, &mut person, json!({"message": "Cook something?"}), "Soup is good.").await;
    let with = say(&app, &mut person, json!({"message": "With what?"}), "With leeks.").await;

    let edit = json!({"message": "Bake instead?", "edit_of": with});
    let bake = say(&app, &mut person, edit, "With flour.").await;
    let path = ["Cook something?", "Soup is good.", "Bake instead?"];
    assert_told(&app, &path, &["With what?", "With leeks."]);
    let process = app.agents();
    say(&app, &mut person, json!({"message": "How hot?"}), "Quite hot.").await;
    assert_told(&app, &["Bake instead?", "With flour."], &["With leeks."]);
    assert_eq!(app.agents(), process, "the same session goes on in its process");

    choose(&app, &mut person, &with).await;
    say(&app, &mut person, json!({"message": "How long?"}), "An hour.").await;
    assert_told(&app, &["With what?", "With leeks."], &["Bake instead?", "Quite hot."]);
    assert_ne!(app.agents(), process, "another session is another process");

    app.kill_server();
    app.start_server();
    let mut person = person.back(&app).await;
    choose(&app, &mut person, &bake).await;
    say(&app, &mut person, json!({"message": "And then?"}), "Eat it.").await;
    assert_told(&app, &["With flour.", "Quite hot."], &["With leeks.", "An hour."]);

    // A version of the first message knows nothing of what followed it.
    let first = json!({"message": "", "regenerate": bake});
    app.model.push(Script::answer().words("With rye."));
    person.send(&first).await;
    assert_eq!(person.done().await["reason"], "complete");
    assert_told(&app, &path, &["With flour.", "Quite hot.", "Eat it.", "With leeks."]);
}
