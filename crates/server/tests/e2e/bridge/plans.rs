//! The real CLI in plan mode: a plan is refined, then executed (T-3, B-1).

use parlor_testkit::Script;
use serde_json::{Value, json};

use super::bridge_app::BridgeApp;
use super::person::{Person, model_saw};

/// Writes the plan to the file that the CLI has named to its model.
pub(super) fn write_plan(
    id: &'static str,
    plan: &'static str,
) -> impl FnOnce(&Value) -> Script + Send {
    move |request| {
        let told = request["messages"].to_string();
        let end = told.find(".md using").or(told.rfind(".md")).expect("a plan file is named") + 3;
        let begin = told[..end].rfind(" /").expect("its path is absolute") + 1;
        let input = json!({"file_path": told[begin..end], "content": plan});
        Script::answer().words("I write it down. ").tool_use(id, "Write", &input)
    }
}

pub(super) fn present(id: &str) -> Script {
    Script::answer().words("Here is my plan. ").tool_use(id, "ExitPlanMode", &json!({}))
}

/// T-2, T-3, S-5: a plan is a card; the person's changes lead to a new plan; once it is executed,
/// edits need no approval one by one. The file of the plan is not shown.
#[tokio::test]
async fn a_plan_is_refined_and_carried_out() {
    let app = BridgeApp::with_cli("permission_mode = \"plan\"", "").await;
    let mut person = Person::at(&app).await;
    app.model.push_for(write_plan("toolu_p1", "# Add a page\n\n1. Create `hello.html`\n"));
    app.model.push(present("toolu_p2"));
    person.begin("Plan a greeting page").await;
    let first = person.prompt().await;
    assert_eq!(first["promptType"], "plan", "{first}");

    let better = "# Add a page\n\nClaude will:\n\n1. Create `hello.html`\n2. Link it\n";
    app.model.push_for(write_plan("toolu_p3", better));
    app.model.push(present("toolu_p4"));
    person.answer(&first, json!({"response": "refine", "reason": "Link it, too."})).await;
    let second = person.prompt().await;
    assert_ne!(first["messageId"], second["messageId"]);

    let page = json!({"file_path": app.path("workspace").join("hello.html"), "content": "Hello"});
    app.model.push(Script::answer().tool_use("toolu_p5", "Write", &page));
    app.model.push(Script::answer().words("Done as planned."));
    person.answer(&second, json!({"response": "execute"})).await;
    assert_eq!(person.done().await["reason"], "complete");
    assert_eq!(app.file("hello.html").as_deref(), Some("Hello"), "no further question");
    let story = person.story().lines("model", &model_saw(&app));
    insta::assert_snapshot!(story.text());
}
