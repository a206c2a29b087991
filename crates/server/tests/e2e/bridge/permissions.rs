//! The real CLI asks for permission, and the person answers (P-2, P-5, B-1, B-4).

use parlor_testkit::Script;
use serde_json::{Value, json};

use super::bridge_app::BridgeApp;
use super::person::{Person, model_saw, was_told};

fn call(id: &str, tool: &str, input: &Value) -> Script {
    Script::answer().words("Let me see. ").tool_use(id, tool, input)
}

/// P-2, P-5, S-5: a file is written after the person has seen its content; a command is refused,
/// and the agent reads why; another one runs as the person edited it. Paths of the agent are not
/// shown.
#[tokio::test]
async fn what_is_asked_is_approved_refused_and_edited() {
    let app = BridgeApp::with_cli("", "").await;
    let mut person = Person::at(&app).await;
    let workspace = app.path("workspace");
    let write = json!({"file_path": workspace.join("note.txt"), "content": "one\ntwo\n"});
    app.model.push(call("toolu_w1", "Write", &write));
    app.model.push(Script::answer().words("Written."));
    person.begin("Write me a note").await;
    let prompt = person.prompt().await;
    assert_eq!(app.file("note.txt"), None, "nothing happens before the answer");
    person.answer(&prompt, json!({"response": "yes"})).await;
    assert_eq!(person.done().await["reason"], "complete");
    assert_eq!(app.file("note.txt").as_deref(), Some("one\ntwo\n"));

    let edit = json!({"file_path": workspace.join("note.txt"), "old_string": "two",
        "new_string": "three"});
    app.model.push(call("toolu_e1", "Edit", &edit));
    app.model.push(Script::answer().words("I left it alone."));
    person.begin("Change it").await;
    let prompt = person.prompt().await;
    person.answer(&prompt, json!({"response": "no", "reason": "Ana needs it as it is."})).await;
    person.done().await;
    assert_eq!(app.file("note.txt").as_deref(), Some("one\ntwo\n"));

    let bash = json!({"command": "touch first.txt", "description": "Make a file"});
    app.model.push(call("toolu_b1", "Bash", &bash));
    app.model.push(Script::answer().words("Made."));
    person.begin("Make a file").await;
    let prompt = person.prompt().await;
    let edited = json!({"command": "touch second.txt", "description": "Make a file"});
    person.answer(&prompt, json!({"response": "yes", "input": edited})).await;
    person.done().await;
    assert_eq!((app.file("first.txt"), app.file("second.txt").as_deref()), (None, Some("")));
    let told = "The person changed the arguments of this call";
    assert!(was_told(&app, told) && was_told(&app, "touch second.txt"), "what ran is told");
    let story = person.story().lines("model", &model_saw(&app));
    insta::assert_snapshot!(story.text());
}

/// P-8, B-1: questions of the agent are one prompt, and the answers reach it.
#[tokio::test]
async fn questions_are_answered() {
    let app = BridgeApp::with_cli("", "").await;
    let mut person = Person::at(&app).await;
    let questions = json!({"questions": [
        {"question": "Which size?", "header": "Size", "multiSelect": false, "options": [
            {"label": "Small", "description": "For one"},
            {"label": "Large", "description": "For all, says Claude"}]},
        {"question": "Which extras?", "header": "Extras", "multiSelect": true, "options": [
            {"label": "Salt", "description": "A pinch"},
            {"label": "Pepper", "description": "A lot"}]},
    ]});
    app.model.push(call("toolu_q1", "AskUserQuestion", &questions));
    app.model.push(Script::answer().words("Thank you."));
    person.begin("Cook for us").await;
    let prompt = person.prompt().await;
    let asked = prompt["questions"].as_array().unwrap();
    let answers: serde_json::Map<String, Value> = asked
        .iter()
        .map(|question| {
            let value = |number: usize| question["options"][number]["value"].clone();
            let several = question["multi_select"] == true;
            let answer = if several { json!([value(0), value(1)]) } else { value(1) };
            (question["id"].as_str().unwrap().to_owned(), answer)
        })
        .collect();
    person.answer(&prompt, json!({"response": answers})).await;
    assert_eq!(person.done().await["reason"], "complete");
    let story = person.story().lines("model", &model_saw(&app));
    insta::assert_snapshot!(story.text());
}
