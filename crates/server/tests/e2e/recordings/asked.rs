//! Questions of an agent to a person: in its text, and with the tool `ask_user`.

use parlor_testkit::{Gate, Script};
use serde_json::{Value, json};

use super::story::{Story, app, first};

/// The model asks with its tool, gets the answer, and answers itself.
async fn asks(name: &str, message: &str, before: &str, ask: Value, answer: Value, after: &str) {
    let (app, gate) = (app("", "").await, Gate::closed());
    let script = if before.is_empty() { first(&gate) } else { first(&gate).text(before) };
    app.model.push(script.tool_use("t1", "ask_user", &ask));
    app.model.push(Script::answer().text(after));
    let mut story = Story::begin(&app, &gate, message).await;
    story.answer(answer).await;
    story.ends_as(name).await;
}

#[tokio::test]
async fn confirm() {
    let ask = json!({"type": "confirm", "question": "Send the invitations to 12 people now?",
        "context": "They are written for Saturday.", "severity": "major"});
    asks("confirm", "Send the invitations", "", ask, json!({"response": "yes"}), "Sent.").await;
}

#[tokio::test]
async fn input() {
    let ask = json!({"type": "input", "question": "What is the component called?"});
    let (before, answer) = ("One thing I need to know first.", json!({"response": "RecipeCard"}));
    asks("input", "Create a component", before, ask, answer, "Created `RecipeCard`.").await;
}

#[tokio::test]
async fn wizard() {
    let kinds = json!([{"label": "Starter", "value": "starter"}, {"label": "Main", "value": "main"},
        {"label": "Dessert", "value": "dessert"}]);
    let ask = json!({"type": "wizard", "question": "A new recipe", "steps": [
        {"id": "title", "title": "Title", "type": "input", "question": "What is it called?"},
        {"id": "kind", "title": "Kind", "type": "select", "question": "What kind of dish is it?",
            "options": kinds},
        {"id": "public", "title": "Share", "type": "confirm",
            "question": "May the whole family see it?"},
    ]});
    let answer = json!({"response": {"title": "Bread", "kind": "main", "public": "yes"}});
    asks("wizard", "I want to add a recipe", "", ask, answer, "**Bread** is written down.").await;
}

#[tokio::test]
async fn multi_question() {
    let ask = json!({"type": "multi_question", "question": "Two decisions", "questions": [
        {"id": "q1", "question": "Which database?", "header": "Database", "allow_other": true,
            "options": [{"label": "SQLite", "value": "SQLite", "description": "One file"},
                {"label": "PostgreSQL", "value": "PostgreSQL", "description": "A server"}]},
        {"id": "q2", "question": "Which diets should I know?", "header": "Diets",
            "multi_select": true, "options": [{"label": "Vegetarian", "value": "vegetarian"},
                {"label": "Vegan", "value": "vegan"},
                {"label": "No gluten", "value": "gluten_free"}]},
    ]});
    let answer = json!({"response": {"q1": "SQLite", "q2": ["vegetarian", "vegan"]}});
    asks("multi_question", "Set up my kitchen project", "", ask, answer, "Noted.").await;
}

/// A question in the agent's text ends its turn; the answer begins the next one.
#[tokio::test]
async fn question() {
    let question = json!({"question": "What should I cook?", "options": [
        {"label": "Soup", "value": "soup", "description": "Warm, and ready in half an hour"},
        {"label": "Cookies", "value": "cookies", "description": "For the afternoon"},
        {"label": "Feijoada", "value": "option-3", "description": "When there is time"},
    ], "context": "Everything for these is in the pantry.", "severity": "minor", "default": "soup"});
    let (app, gate) = (app("", "").await, Gate::closed());
    app.model.push(first(&gate).text(&question.to_string()));
    app.model.push(Script::answer().words("Good choice. The cookies take **27 minutes**."));
    let mut story = Story::begin(&app, &gate, "Help me choose what to cook").await;
    story.answer_after_the_turn(json!({"response": "cookies"})).await;
    story.ends_as("question").await;
}
