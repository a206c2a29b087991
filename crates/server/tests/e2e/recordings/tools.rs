//! Tools that run without approval, and a plan that uses them.

use parlor_testkit::{Gate, Script};
use serde_json::json;

use super::story::{Story, app, first, recipe_id, vault};

const SIX: &str = "You have **six recipes**:\n\n| Recipe | Servings | Time |\n| --- | --- | --- |\n\
    | Tomato Soup | 4 | 35 min |\n| Chocolate Chip Cookies | 12 | 27 min |\n\n\
    and four more. Shall I open one of them?";

#[tokio::test]
async fn list() {
    let (app, gate) = (vault().await, Gate::closed());
    app.model.push(first(&gate).text("Let me look.").tool_use("t1", "list_recipes", &json!({})));
    app.model.push(Script::answer().words(SIX));
    Story::begin(&app, &gate, "What recipes do I have?").await.ends_as("list").await;
}

/// A recipe that is shown beside the chat.
#[tokio::test]
async fn recipe() {
    let (app, gate) = (vault().await, Gate::closed());
    let soup = json!({"recipe_id": recipe_id(&app, "Tomato Soup").await});
    app.model.push(first(&gate).tool_use("t1", "display_recipe", &soup));
    let said = "Here is the **Tomato Soup**. The recipe is beside the chat.";
    app.model.push(Script::answer().words(said));
    Story::begin(&app, &gate, "Show me the tomato soup").await.ends_as("recipe").await;
}

/// A plan ends its turn; it is executed in the next one.
#[tokio::test]
async fn plan() {
    let (app, gate) = (vault().await, Gate::closed());
    let plan = json!({"goal": "Dinner for four", "steps": [
        {"step_number": 1, "action": "Pick two recipes", "reason": "To know what to buy",
            "tools_needed": ["list_recipes"], "estimated_time": "5 min"},
        {"step_number": 2, "action": "Scale them to four servings",
            "reason": "So that nothing is left over", "tools_needed": ["update_recipe"],
            "estimated_time": "2 min", "risks": ["The soup is written for six"]},
        {"step_number": 3, "action": "Write the shopping list",
            "reason": "One trip to the market is enough"},
    ], "tools_needed": ["list_recipes", "update_recipe"], "estimated_time": "1 h",
        "risks": ["The oven is small", "The market closes at six"]});
    let soup = json!({"recipe_id": recipe_id(&app, "Tomato Soup").await});
    app.model.push(first(&gate).text(&plan.to_string()));
    app.model.push(Script::answer().tool_use("t1", "list_recipes", &json!({})));
    app.model.push(Script::answer().tool_use("t2", "get_recipe", &soup));
    let said = "The plan is carried out: **soup and cookies**, for four.";
    app.model.push(Script::answer().words(said));
    let mut story = Story::begin(&app, &gate, "Plan a dinner for four").await;
    story.answer_after_the_turn(json!({"response": "execute"})).await;
    story.ends_as("plan").await;
}

/// A tool of the app that sent the message: the app answers.
#[tokio::test]
async fn client_call() {
    let (app, gate) = (app("", "").await, Gate::closed());
    app.model.push(first(&gate).tool_use("t1", "open_page", &json!({"page": "soups"})));
    app.model.push(Script::answer().words("The page shows **two soups**."));
    let tools = json!([{"name": "open_page", "description": "Opens a page of the app."}]);
    let request = json!({"message": "Which soups are there?", "client_tools": tools});
    let mut story = Story::begin_with(&app, &request).await;
    gate.release(1);
    story.answer(json!({"response": {"soups": ["leek", "tomato"]}})).await;
    story.ends_as("client_call").await;
}
