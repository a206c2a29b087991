//! Questions, plans and forms in an editor: as forms where it has them, otherwise as text that the
//! next message answers.

use parlor_testkit::{Script, ScriptedModel};
use serde_json::{Value, json};

use super::editor::{EditorProcess, in_process, to, tools};
use crate::server_process::{KEY, Server};

const QUESTION: &str = r#"{"question": "Soup or cake?", "options": ["Soup", "Cake"]}"#;
const PLAN: &str =
    r#"{"goal": "Dinner", "steps": [{"step_number": 1, "action": "Cook", "reason": "Hunger"}]}"#;
const FORMS: &str = "elicitation/create";

fn forms() -> Value {
    json!({"elicitation": {"form": {}}})
}

/// What the model read last.
fn last_message(model: &ScriptedModel) -> String {
    let requests = model.requests();
    let messages = requests.last().unwrap()["messages"].as_array().unwrap();
    messages.last().unwrap()["content"].to_string()
}

/// T-4: without forms a question is text, and the next message is the answer if it is one of the
/// options; otherwise it is a message.
#[tokio::test]
async fn a_question_as_text() {
    let (dir, model) = (tempfile::tempdir().unwrap(), ScriptedModel::start().await.unwrap());
    let command = in_process(dir.path(), &model, &tools());
    let mut editor = EditorProcess::initialized(command, json!({})).await;
    let session = editor.new_session("/work").await;
    model.push(Script::answer().text(QUESTION));
    assert_eq!(editor.prompt(&session, "What do I cook?").await["stopReason"], "end_turn");
    let said = editor.text(0, "agent_message_chunk");
    assert!(said.starts_with("Soup or cake?\n\n1. Soup\n2. Cake\n"), "{said}");
    model.push(Script::answer().text(QUESTION));
    assert_eq!(editor.prompt(&session, "2").await["stopReason"], "end_turn");
    assert!(last_message(&model).contains("Cake"), "{}", last_message(&model));
    assert_eq!(editor.text(0, "user_message_chunk"), "", "the editor knows what it sent");
    model.push(Script::answer().text("Bread it is."));
    editor.prompt(&session, "neither, bread").await;
    assert!(last_message(&model).contains("neither, bread"));
}

/// T-4: with forms the editor asks, and the turn that the answer begins belongs to the same prompt.
#[tokio::test]
async fn a_question_as_a_form() {
    let (dir, model) = (tempfile::tempdir().unwrap(), ScriptedModel::start().await.unwrap());
    let command = in_process(dir.path(), &model, &tools());
    let mut editor = EditorProcess::initialized(command, forms()).await;
    let session = editor.new_session("/work").await;
    model.push(Script::answer().text(QUESTION));
    model.push(Script::answer().text("Cake it is."));
    let id = editor.say(&session, "What do I cook?").await;
    let asked = editor.asked(FORMS).await;
    assert_eq!(asked["params"]["message"], "Soup or cake?");
    editor.answer(&asked, json!({"action": "accept", "content": {"answer": "Cake"}})).await;
    assert_eq!(editor.response(&id).await["result"]["stopReason"], "end_turn");
    assert_eq!(editor.text(0, "agent_message_chunk"), "Soup or cake?\n\nCake it is.");

    // One that is closed without an answer stays open until the next message passes it over.
    model.push(Script::answer().text(QUESTION));
    let id = editor.say(&session, "And tomorrow?").await;
    let asked = editor.asked(FORMS).await;
    editor.answer(&asked, json!({"action": "cancel"})).await;
    assert_eq!(editor.response(&id).await["result"]["stopReason"], "end_turn");
    model.push(Script::answer().text("Good night."));
    assert_eq!(editor.prompt(&session, "Good night").await["stopReason"], "end_turn");
    // A refusal needs no turn.
    model.push(Script::answer().text(QUESTION));
    let requests = model.requests().len();
    let id = editor.say(&session, "And then?").await;
    let asked = editor.asked(FORMS).await;
    editor.answer(&asked, json!({"action": "decline"})).await;
    assert_eq!(editor.response(&id).await["result"]["stopReason"], "end_turn");
    assert_eq!(model.requests().len(), requests + 1);
}

/// M-3, B-4: a turn waits for a tool server's question. As text, whatever is not an answer leaves
/// it open; `/cancel` refuses.
#[tokio::test]
async fn a_turn_waits_for_the_next_message() {
    let (dir, model) = (tempfile::tempdir().unwrap(), ScriptedModel::start().await.unwrap());
    let server = Server::start_with(dir.path(), &model, &tools(), &[]).await;
    let mut editor = EditorProcess::initialized(to(&server, KEY), json!({})).await;
    let session = editor.new_session("/work").await;
    let ask = || Script::answer().tool_use("t1", "s_ask", &json!({"text": "Which size?"}));
    model.push(ask());
    assert_eq!(editor.prompt(&session, "order it").await["stopReason"], "end_turn");
    let said = editor.text(0, "agent_message_chunk");
    assert!(said.contains("Which size?") && said.contains("`size`"), "{said}");
    assert!(said.contains(&format!("http://{}/c/{session}", server.address())), "{said}");
    for unclear in ["large", "colour: red", " "] {
        let before = editor.messages().len();
        assert_eq!(editor.prompt(&session, unclear).await["stopReason"], "end_turn");
        let said = editor.text(before, "agent_message_chunk");
        assert!(said.contains("was not sent"), "{unclear}: {said}");
    }
    assert_eq!(model.requests().len(), 1, "the turn waits");
    model.push(Script::answer().text("Large it is."));
    let before = editor.messages().len();
    assert_eq!(editor.prompt(&session, "size: large").await["stopReason"], "end_turn");
    assert_eq!(editor.text(before, "agent_message_chunk"), "Large it is.");
    assert!(last_message(&model).contains("large"));

    // The editor goes away; the next process shows the question again, and takes the answer.
    model.push(ask());
    editor.prompt(&session, "one more").await;
    editor.kill().await;
    let mut editor = EditorProcess::initialized(to(&server, KEY), json!({})).await;
    let load = json!({"sessionId": session, "cwd": "/work", "mcpServers": []});
    assert!(editor.request("session/load", load.clone()).await["result"].is_object());
    let said = editor.text(0, "agent_message_chunk");
    assert!(said.trim_end().ends_with(&format!("/c/{session}")), "{said}");
    // Resuming shows nothing, so the next message cannot have meant to answer.
    assert!(editor.request("session/resume", load).await["result"].is_object());
    let id = editor.say(&session, "size: small").await;
    let refused = editor.response(&id).await;
    assert_eq!(refused["error"]["data"]["code"], "prompt_open", "{refused}");
    model.push(Script::answer().text("Never mind."));
    let before = editor.messages().len();
    editor.prompt(&session, "/cancel").await;
    assert_eq!(editor.text(before, "agent_message_chunk"), "Never mind.");
    assert!(last_message(&model).contains("decline"), "{}", last_message(&model));
}

/// M-3: with forms the editor asks while the turn waits; an answer that does not fit is asked for
/// again.
#[tokio::test]
async fn a_form_of_a_tool_server() {
    let (dir, model) = (tempfile::tempdir().unwrap(), ScriptedModel::start().await.unwrap());
    let command = in_process(dir.path(), &model, &tools());
    let mut editor = EditorProcess::initialized(command, forms()).await;
    let session = editor.new_session("/work").await;
    model.push(Script::answer().tool_use("t1", "s_ask", &json!({"text": "Which size?"})));
    model.push(Script::answer().text("Large it is."));
    let id = editor.say(&session, "order it").await;
    let asked = editor.asked(FORMS).await;
    assert_eq!(asked["params"]["requestedSchema"]["properties"]["size"]["type"], "string");
    editor.answer(&asked, json!({"action": "accept", "content": {"size": 7}})).await;
    let asked = editor.asked(FORMS).await;
    editor.answer(&asked, json!({"action": "accept", "content": {"size": "large"}})).await;
    assert_eq!(editor.response(&id).await["result"]["stopReason"], "end_turn");
    assert!(last_message(&model).contains("large"));
}

/// T-3: a plan is shown with its steps. Executing it leaves plan mode; any other message does not.
#[tokio::test]
async fn a_plan() {
    let (dir, model) = (tempfile::tempdir().unwrap(), ScriptedModel::start().await.unwrap());
    let server = Server::start_with(dir.path(), &model, &tools(), &[]).await;
    let mut editor = EditorProcess::initialized(to(&server, KEY), json!({})).await;
    let session = editor.new_session("/work").await;
    let mode = json!({"sessionId": session, "modeId": "plan"});
    editor.request("session/set_mode", mode).await;
    model.push(Script::answer().text(PLAN));
    editor.prompt(&session, "Plan a dinner").await;
    let shown = editor.updates(0);
    let plan = shown.iter().find(|update| update["sessionUpdate"] == "plan").unwrap();
    assert_eq!(plan["entries"][0]["content"], "Cook");
    let said = editor.text(0, "agent_message_chunk");
    assert!(said.contains("## Dinner") && said.contains("`execute`"), "{said}");
    model.push(Script::answer().text(PLAN));
    editor.prompt(&session, "execute it, but without onions").await;
    assert_eq!(server.conversation(&session).await["mode"], "plan");
    model.push(Script::answer().text("Dinner is ready."));
    editor.prompt(&session, "execute").await;
    assert_eq!(server.conversation(&session).await["mode"], "act");
    let is_act = |update: &Value| update["currentModeId"] == "act";
    assert!(editor.updates(0).iter().any(is_act));
}
