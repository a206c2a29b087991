//! What only some agents ask: questions and plans.

use std::time::Duration;

use parlor_testkit::Script;
use serde_json::{Value, json};

use super::agents::{CLAUDE, QWEN};
use super::app::start;
use super::stories::saw;
use super::unnamed::nothing_is_named;
use crate::bridge::person::Person;
use crate::test_app::PATIENCE;

fn which_size() -> Value {
    json!({"questions": [{"question": "Which size?", "header": "Size", "multiSelect": false,
        "options": [{"label": "Small", "description": "One room"},
            {"label": "Large", "description": "A house"}]}]})
}

/// B-3, P-3, P-9: a question of the agent is a form. The answer reaches the model: at once, or by
/// another process if the person takes longer than the process is kept.
#[tokio::test]
#[ignore = "deep: `cargo xtask agents` runs it"]
async fn a_form_is_answered_at_once_and_later() {
    let app = start(&CLAUDE).await;
    let mut person = Person::at(&app).await;
    for (number, waits) in [(1, false), (2, true)] {
        let call = format!("toolu_ask{number}");
        app.model.push(Script::answer().words("One thing: ").tool_use(
            &call,
            "AskUserQuestion",
            &which_size(),
        ));
        app.model.push(Script::answer().words("As you like."));
        person.begin("Build it").await;
        let prompt = person.prompt().await;
        assert_eq!(prompt["promptType"], "form", "{prompt}");
        assert!(prompt.to_string().contains("Which size?"), "{prompt}");
        if waits {
            let gone = async {
                while !app.agents().is_empty() {
                    tokio::time::sleep(Duration::from_millis(50)).await;
                }
            };
            tokio::time::timeout(PATIENCE, gone).await.expect("a process waits for the answer");
        }
        person.answer(&prompt, json!({"response": {"question_0": "Small"}})).await;
        assert_eq!(person.done().await["reason"], "complete");
        saw(&app, "Small");
    }
    nothing_is_named(&app, &person).await;
}

/// B-3, C-4: questions that come as a permission are asked as questions.
#[tokio::test]
#[ignore = "deep: `cargo xtask agents` runs it"]
async fn questions_are_answered_together() {
    let app = start(&QWEN).await;
    let mut person = Person::at(&app).await;
    let asks = Script::answer().words("One thing: ");
    app.model.push(asks.tool_use("call_ask1", "ask_user_question", &which_size()));
    app.model.always(Script::answer().words("As you like."));
    person.begin("Build it").await;
    let prompt = person.prompt().await;
    assert_eq!(prompt["promptType"], "multi_question", "{prompt}");
    let question = prompt["questions"][0]["id"].as_str().unwrap().to_owned();
    person.answer(&prompt, json!({"response": {question: "Small"}})).await;
    assert_eq!(person.done().await["reason"], "complete");
    saw(&app, "Small");
    nothing_is_named(&app, &person).await;
}

/// B-3, T-3: a plan is decided on; once it is approved the conversation may change things, and the
/// agent asks before it does.
#[tokio::test]
#[ignore = "deep: `cargo xtask agents` runs it"]
async fn a_plan_is_carried_out_with_questions() {
    let app = start(&QWEN).await;
    let mut person = Person::at(&app).await;
    let plan = json!({"plan": "# Make a line\n1. Run the command"});
    app.model
        .push(Script::answer().words("My plan: ").tool_use("call_plan1", "exit_plan_mode", &plan));
    app.model.push(Script::answer().words("Now: ").shell("call_shell1", "echo made > made.txt"));
    app.model.always(Script::answer().words("Made."));
    person.send(&json!({"message": "Plan it", "mode": "plan"})).await;
    let prompt = person.prompt().await;
    assert_eq!(prompt["promptType"], "plan", "{prompt}");
    assert_eq!(prompt["plan"]["goal"], "Make a line");
    person.answer(&prompt, json!({"response": "execute"})).await;
    let prompt = person.prompt().await;
    assert_eq!(prompt["promptType"], "confirm", "{prompt}");
    person.answer(&prompt, json!({"response": "yes"})).await;
    assert_eq!(person.done().await["reason"], "complete");
    assert_eq!(app.file("made.txt").as_deref(), Some("made\n"));
    nothing_is_named(&app, &person).await;
}
