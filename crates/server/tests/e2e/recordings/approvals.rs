//! Calls that wait for approval, and questions of a tool server.

use parlor_testkit::{Gate, Script};
use serde_json::{Value, json};

use super::story::{Story, app, first, ready, recipe_id, vault};
use crate::test_app::TestApp;

/// A server whose tools compute previews (`workshop.mjs`).
async fn workshop() -> TestApp {
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/e2e/recordings/workshop.mjs");
    let server = format!(
        "[tenants.home.projects.recipes.mcp.workshop]\ncommand = \"node\"\nargs = [{script:?}]\n\
         prefix = \"\"\ntrust_annotations = true\n\
         [tenants.home.projects.recipes.mcp.workshop.tools.write_file]\n\
         prompt_timeout_seconds = 1\n"
    );
    ready(app("", &server).await).await
}

/// The model makes a call, the person decides, and the model answers.
async fn calls(
    app: &TestApp,
    name: &str,
    message: &str,
    call: (&str, Value),
    answer: Option<Value>,
    after: &str,
) {
    let gate = Gate::closed();
    app.model.push(first(&gate).tool_use("t1", call.0, &call.1));
    app.model.push(Script::answer().words(after));
    let mut story = Story::begin(app, &gate, message).await;
    if let Some(answer) = answer {
        story.answer(answer).await;
    }
    story.ends_as(name).await;
}

#[tokio::test]
async fn approval() {
    let app = vault().await;
    let soup = json!({"recipe_id": recipe_id(&app, "Tomato Soup").await});
    let (yes, after) = (json!({"response": "yes"}), "Done: **Tomato Soup** is deleted.");
    let call = ("delete_recipe", soup);
    calls(&app, "approval", "Delete the tomato soup recipe", call, Some(yes), after).await;
}

/// A person edits arguments of which a part is masked.
#[tokio::test]
async fn approval_edit() {
    let app = vault().await;
    let soup = recipe_id(&app, "Tomato Soup").await;
    let ingredients = json!([{"name": "tomatoes", "quantity": 1.5, "unit": "kg"},
        {"name": "onions", "quantity": 3}]);
    let secret = "sk-ant-api03-0123456789abcdef0123456789abcdef";
    let input = json!({"recipe_id": soup, "servings": 6, "description": secret,
        "ingredients": ingredients});
    let edited = json!({"recipe_id": soup, "servings": 5, "description": "[token]",
        "ingredients": ingredients});
    let answer = json!({"response": "yes", "input": edited});
    let (message, after) = ("Make the soup for six and note my key", "The soup is for five now.");
    calls(&app, "approval_edit", message, ("update_recipe", input), Some(answer), after).await;
}

#[tokio::test]
async fn approval_expired() {
    let app = workshop().await;
    let call = ("write_file", json!({"path": "hello.txt", "content": "hello\nworld\n"}));
    let after = "I did not get an answer in time, so nothing was written.";
    calls(&app, "approval_expired", "Write a greeting to hello.txt", call, None, after).await;
}

/// The preview is a list of files to delete, with a file name that a control character disguises.
#[tokio::test]
async fn approval_refused() {
    let app = workshop().await;
    let call = ("delete_files", json!({"pattern": "*.log"}));
    let no = json!({"response": "no", "reason": "These are still needed."});
    let after = "All right, I left the files as they are.";
    calls(&app, "approval_refused", "Clean up the log files", call, Some(no), after).await;
}

/// A tool server asks with a schema.
#[tokio::test]
async fn form() {
    let app = workshop().await;
    let answer = json!({"response": {"name": "Ana", "city": "Porto", "ring": true}});
    calls(&app, "form", "Register me", ("ask_address", json!({})), Some(answer), "Thank you.")
        .await;
}
