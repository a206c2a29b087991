//! Approvals in an editor: allowed, refused, remembered, left open and taken up again.

use std::path::Path;
use std::time::Duration;

use parlor_testkit::{Script, ScriptedModel};
use serde_json::{Value, json};

use super::editor::{EditorProcess, in_process, to, tools};
use crate::server_process::{KEY, Server};
use crate::streams::Events;
use crate::test_app::{PATIENCE, json as body_of};

const PERMISSION: &str = "session/request_permission";

/// A model that calls `s_mark` once and then says something.
async fn marking(dir: &Path, after: &str) -> ScriptedModel {
    let model = ScriptedModel::start().await.unwrap();
    mark(&model, dir, 1);
    model.push(Script::answer().text(after));
    model
}

fn mark(model: &ScriptedModel, dir: &Path, number: u32) {
    let input = json!({"text": dir.join("marks"), "number": number});
    model.push(Script::answer().tool_use(&format!("t{number}"), "s_mark", &input));
}

fn marks(dir: &Path) -> usize {
    std::fs::read_to_string(dir.join("marks")).unwrap_or_default().lines().count()
}

async fn open_prompts(server: &Server) -> Vec<Value> {
    let open = server.get("/api/prompts?status=open").send().await.unwrap();
    body_of(open).await["prompts"].as_array().unwrap().clone()
}

/// Waits until a conversation has no running turn.
async fn idle(server: &Server, conversation: &str) -> Value {
    let idle = async {
        loop {
            let view = server.conversation(conversation).await;
            if view["running"] == false {
                return view;
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    };
    tokio::time::timeout(PATIENCE, idle).await.expect("the turn does not end")
}

/// P-2, P-11: allowed once, refused, and always in this conversation.
#[tokio::test]
async fn a_permission_is_allowed_refused_and_remembered() {
    let dir = tempfile::tempdir().unwrap();
    let model = marking(dir.path(), "Marked.").await;
    let command = in_process(dir.path(), &model, &tools());
    let mut editor = EditorProcess::initialized(command, json!({})).await;
    let session = editor.new_session("/work").await;

    let id = editor.say(&session, "mark it").await;
    let asked = editor.asked(PERMISSION).await;
    let call = &asked["params"]["toolCall"];
    assert_eq!(call["rawInput"]["number"], 1, "{asked}");
    assert_eq!((marks(dir.path()), &asked["params"]["sessionId"]), (0, &json!(session)));
    let shown = editor.updates(0);
    let begun = shown.iter().find(|update| update["sessionUpdate"] == "tool_call").unwrap();
    assert_eq!((&begun["toolCallId"], &begun["name"]), (&call["toolCallId"], &json!("s_mark")));
    editor.choose(&asked, "allow_once").await;
    assert_eq!(editor.response(&id).await["result"]["stopReason"], "end_turn");
    assert_eq!(marks(dir.path()), 1);
    let statuses: Vec<Value> = editor
        .updates(0)
        .iter()
        .filter(|update| update["toolCallId"] == call["toolCallId"])
        .filter_map(|update| update.get("status").cloned())
        .collect();
    assert_eq!(statuses.last().unwrap(), "completed", "{statuses:?}");

    mark(&model, dir.path(), 2);
    model.push(Script::answer().text("As you wish."));
    let id = editor.say(&session, "again").await;
    let asked = editor.asked(PERMISSION).await;
    editor.choose(&asked, "reject_once").await;
    assert_eq!(editor.response(&id).await["result"]["stopReason"], "end_turn");
    assert_eq!(marks(dir.path()), 1, "it was refused");
    let failed =
        json!({"toolCallId": asked["params"]["toolCall"]["toolCallId"], "status": "failed"});
    let is_failed = |update: &Value| {
        update["toolCallId"] == failed["toolCallId"] && update["status"] == failed["status"]
    };
    assert!(editor.updates(0).iter().any(is_failed));

    mark(&model, dir.path(), 3);
    mark(&model, dir.path(), 4);
    model.push(Script::answer().text("Twice."));
    let id = editor.say(&session, "always").await;
    let asked = editor.asked(PERMISSION).await;
    editor.choose(&asked, "allow_always").await;
    assert_eq!(editor.response(&id).await["result"]["stopReason"], "end_turn");
    assert_eq!(marks(dir.path()), 3, "the second one was not asked");
}

/// B-4, P-2: a permission that is dismissed or that the editor cannot ask is no consent. It stays
/// open, and the next prompt asks it again before it is sent.
#[tokio::test]
async fn a_dismissed_permission_stays_open() {
    let dir = tempfile::tempdir().unwrap();
    let model = marking(dir.path(), "Marked.").await;
    model.push(Script::answer().text("You said more."));
    let command = in_process(dir.path(), &model, &tools());
    let mut editor = EditorProcess::initialized(command, json!({})).await;
    let session = editor.new_session("/work").await;
    let id = editor.say(&session, "mark it").await;
    let asked = editor.asked(PERMISSION).await;
    editor.answer(&asked, json!({"outcome": {"outcome": "cancelled"}})).await;
    assert_eq!(editor.response(&id).await["result"]["stopReason"], "cancelled");

    let id = editor.say(&session, "more").await;
    let asked = editor.asked(PERMISSION).await;
    let error = json!({"code": -32603, "message": "no window"});
    editor.line(&json!({"jsonrpc": "2.0", "id": asked["id"], "error": error}).to_string()).await;
    let refused = editor.response(&id).await;
    assert_eq!(refused["error"]["data"]["code"], "prompt_open", "{refused}");
    assert_eq!((marks(dir.path()), model.requests().len()), (0, 1), "nothing was sent");

    let id = editor.say(&session, "more").await;
    let asked = editor.asked(PERMISSION).await;
    editor.choose(&asked, "allow_once").await;
    assert_eq!(editor.response(&id).await["result"]["stopReason"], "end_turn");
    assert_eq!(marks(dir.path()), 1);
    let said = editor.text(0, "agent_message_chunk");
    assert!(said.ends_with("Marked.\n\nYou said more."), "{said}");
}

/// CANCEL: a cancel while a permission waits ends the turn, and nothing runs.
#[tokio::test]
async fn a_cancel_while_a_permission_waits() {
    let dir = tempfile::tempdir().unwrap();
    let model = marking(dir.path(), "never").await;
    let command = in_process(dir.path(), &model, &tools());
    let mut editor = EditorProcess::initialized(command, json!({})).await;
    let session = editor.new_session("/work").await;
    let id = editor.say(&session, "mark it").await;
    let asked = editor.asked(PERMISSION).await;
    editor.notify("session/cancel", json!({"sessionId": session})).await;
    editor.answer(&asked, json!({"outcome": {"outcome": "cancelled"}})).await;
    assert_eq!(editor.response(&id).await["result"]["stopReason"], "cancelled");
    let (code, log) = editor.end().await;
    assert_eq!((code, marks(dir.path())), (Some(0), 0), "{log}");
    let server = Server::start_with(dir.path(), &model, &tools(), &[]).await;
    assert!(open_prompts(&server).await.is_empty(), "it was closed with the turn");
}

/// P-9: an editor that goes away leaves its question open: it is answered in the browser.
#[tokio::test]
async fn a_question_outlives_the_editor() {
    let dir = tempfile::tempdir().unwrap();
    let model = marking(dir.path(), "Marked.").await;
    let server = Server::start_with(dir.path(), &model, &tools(), &[]).await;
    let mut editor = EditorProcess::initialized(to(&server, KEY), json!({})).await;
    let session = editor.new_session("/work").await;
    editor.say(&session, "mark it").await;
    editor.asked(PERMISSION).await;
    editor.kill().await;
    let open = open_prompts(&server).await;
    assert_eq!((open.len(), &open[0]["turn_waits"]), (1, &json!(true)), "{open:?}");
    let path =
        format!("/api/prompts/{}/response", open[0]["prompt"]["messageId"].as_str().unwrap());
    let answered = server.post(&path).json(&json!({"response": "yes"})).send().await.unwrap();
    assert_eq!(answered.status(), 200);
    let view = idle(&server, &session).await;
    assert_eq!(view["messages"].as_array().unwrap().last().unwrap()["content"], "Marked.");
    assert_eq!(marks(dir.path()), 1);
}

/// P-9: the same with the server in the editor's process: the next server has the question, and
/// `session/load` asks it again.
#[tokio::test]
async fn a_question_outlives_the_process() {
    let dir = tempfile::tempdir().unwrap();
    let model = marking(dir.path(), "Marked.").await;
    let command = || in_process(dir.path(), &model, &tools());
    let mut editor = EditorProcess::initialized(command(), json!({})).await;
    let session = editor.new_session("/work").await;
    editor.say(&session, "mark it").await;
    editor.asked(PERMISSION).await;
    let (code, log) = editor.end().await;
    assert_eq!(code, Some(0), "{log}");
    let server = Server::start_with(dir.path(), &model, &tools(), &[]).await;
    assert_eq!(open_prompts(&server).await.len(), 1, "a browser finds it");
    server.terminate();
    assert_eq!(server.ended().await, Some(0));

    let mut editor = EditorProcess::initialized(command(), json!({})).await;
    let load = json!({"sessionId": session, "cwd": "/work", "mcpServers": []});
    let loaded = editor.request("session/load", load).await;
    assert!(loaded["result"].is_object(), "{loaded}");
    let asked = editor.asked(PERMISSION).await;
    let place = |wanted: &Value| editor.messages().iter().position(|it| it == wanted).unwrap();
    assert!(place(&asked) > place(&loaded), "it is asked once the session is loaded");
    assert_eq!(asked["params"]["toolCall"]["rawInput"]["number"], 1);
    editor.choose(&asked, "allow_once").await;
    editor.updated("the answer", |update| update["content"]["text"] == "Marked.").await;
    assert_eq!(marks(dir.path()), 1, "it ran once");
}

/// P-5: an answer in the browser withdraws the question in the editor, and the turn goes on there.
#[tokio::test]
async fn an_answer_elsewhere_withdraws_the_question() {
    let dir = tempfile::tempdir().unwrap();
    let model = marking(dir.path(), "Marked.").await;
    let server = Server::start_with(dir.path(), &model, &tools(), &[]).await;
    let mut editor = EditorProcess::initialized(to(&server, KEY), json!({})).await;
    let session = editor.new_session("/work").await;
    let id = editor.say(&session, "mark it").await;
    let asked = editor.asked(PERMISSION).await;
    let open = open_prompts(&server).await;
    let path =
        format!("/api/prompts/{}/response", open[0]["prompt"]["messageId"].as_str().unwrap());
    let answered = server.post(&path).json(&json!({"response": "yes"})).send().await.unwrap();
    assert_eq!(answered.status(), 200);
    assert_eq!(editor.response(&id).await["result"]["stopReason"], "end_turn");
    let withdrawn = json!({"requestId": asked["id"]});
    let messages = editor.messages();
    let is_it = |it: &&Value| it["method"] == "$/cancel_request" && it["params"] == withdrawn;
    assert_eq!(messages.iter().filter(is_it).count(), 1);
    // An answer that comes too late changes nothing.
    editor.choose(&asked, "reject_once").await;
    model.push(Script::answer().text("Fine."));
    assert_eq!(editor.prompt(&session, "and now?").await["stopReason"], "end_turn");
    assert_eq!(marks(dir.path()), 1);
}

/// H-5: a question that was opened by a message in the browser is asked in the editor before its
/// own message is sent.
#[tokio::test]
async fn a_question_of_the_browser_is_asked_in_the_editor() {
    let dir = tempfile::tempdir().unwrap();
    let model = marking(dir.path(), "Marked.").await;
    model.push(Script::answer().text("Second."));
    let server = Server::start_with(dir.path(), &model, &tools(), &[]).await;
    let mut editor = EditorProcess::initialized(to(&server, KEY), json!({})).await;
    let session = editor.new_session("/work").await;
    let message = json!({"message": "mark it", "conversation_id": session});
    Events::of(server.send(&message).await).find("userPrompt").await;
    let id = editor.say(&session, "hello").await;
    let asked = editor.asked(PERMISSION).await;
    assert_eq!(editor.text(0, "user_message_chunk"), "mark it");
    editor.choose(&asked, "allow_once").await;
    assert_eq!(editor.response(&id).await["result"]["stopReason"], "end_turn");
    assert_eq!(editor.text(0, "agent_message_chunk"), "Marked.\n\nSecond.");
}
