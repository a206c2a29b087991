//! Sessions are conversations: listed, loaded, resumed, closed, and shared with a browser.

use parlor_testkit::{Script, ScriptedModel};
use serde_json::{Value, json};

use super::editor::{EditorProcess, in_process, to, tools};
use crate::server_process::{KEY, Server};
use crate::streams::Events;

async fn list(editor: &mut EditorProcess, params: Value) -> Vec<Value> {
    let response = editor.request("session/list", params).await;
    response["result"]["sessions"].as_array().unwrap_or_else(|| panic!("{response}")).clone()
}

/// LOAD, RESUME, LIST: a later process finds the sessions of an earlier one. All of a session is
/// shown before `session/load` responds, and nothing of it by `session/resume`.
#[tokio::test]
async fn sessions_outlive_the_process() {
    let (dir, model) = (tempfile::tempdir().unwrap(), ScriptedModel::start().await.unwrap());
    model.push(Script::answer().text("Hello, Ana."));
    model.push(Script::answer().text("You are Ana."));
    let command = || in_process(dir.path(), &model, &tools());
    let mut editor = EditorProcess::initialized(command(), json!({})).await;
    let session = editor.new_session("/work/kitchen").await;
    let unused = editor.new_session("/work/garden").await;
    editor.prompt(&session, "I am Ana").await;
    assert_eq!(editor.end().await.0, Some(0));

    let mut editor = EditorProcess::initialized(command(), json!({})).await;
    let all = list(&mut editor, json!({})).await;
    let [found] = &all[..] else { panic!("{all:?}") };
    assert_eq!((&found["sessionId"], &found["title"]), (&json!(session), &json!("I am Ana")));
    assert_eq!(found["cwd"], "/work/kitchen");
    let updated = found["updatedAt"].as_str().unwrap();
    assert!(updated.starts_with("20") && updated.ends_with('Z'), "{updated}");
    assert_eq!(list(&mut editor, json!({"cwd": "/work/kitchen"})).await, all);
    for cwd in ["/work", "/work/garden", "/nowhere"] {
        assert!(list(&mut editor, json!({"cwd": cwd})).await.is_empty(), "{cwd}");
    }

    let load = |id: &str| json!({"sessionId": id, "cwd": "/work/kitchen", "mcpServers": []});
    let id = editor.begin("session/load", load(&session)).await;
    let response = editor.response(&id).await;
    assert_eq!(response["result"]["modes"]["currentModeId"], "act", "{response}");
    assert_eq!(editor.text(0, "user_message_chunk"), "I am Ana");
    assert_eq!(editor.text(0, "agent_message_chunk"), "Hello, Ana.");
    assert_eq!(editor.messages().last(), Some(&response), "nothing is shown after it");
    let before = editor.messages().len();
    let resumed = editor.request("session/resume", load(&session)).await;
    assert!(resumed["result"].is_object(), "{resumed}");
    assert_eq!(editor.messages().len(), before + 1, "nothing is shown");
    let before = editor.messages().len();
    editor.prompt(&session, "Who am I?").await;
    assert_eq!(editor.text(before, "agent_message_chunk"), "You are Ana.");
    assert!(model.requests()[1]["messages"].to_string().contains("I am Ana"));
    // One that was never used is there too, and shows nothing.
    let response = editor.request("session/load", load(&unused)).await;
    assert!(response["result"].is_object(), "{response}");
}

/// W-1, T-3: a browser and an editor share a conversation. What was said in the browser is shown
/// with the next prompt, and modes are those of the conversation.
#[tokio::test]
async fn a_browser_and_an_editor_share_a_conversation() {
    let (dir, model) = (tempfile::tempdir().unwrap(), ScriptedModel::start().await.unwrap());
    let server = Server::start_with(dir.path(), &model, &tools(), &[]).await;
    for text in ["One.", "Two.", "Three."] {
        model.push(Script::answer().text(text));
    }
    let mut editor = EditorProcess::initialized(to(&server, KEY), json!({})).await;
    let session = editor.new_session("/work").await;
    editor.prompt(&session, "first").await;
    let plan = json!({"sessionId": session, "modeId": "plan"});
    assert_eq!(editor.request("session/set_mode", plan).await["result"], json!({}));
    assert_eq!(server.conversation(&session).await["mode"], "plan");

    let message = json!({"message": "from the browser", "conversation_id": session});
    Events::of(server.send(&message).await).rest().await;
    let before = editor.messages().len();
    editor.prompt(&session, "third").await;
    assert_eq!(editor.text(before, "user_message_chunk"), "from the browser");
    assert_eq!(editor.text(before, "agent_message_chunk"), "Two.\n\nThree.");
    // A conversation of the browser has no folder, and can be loaded.
    let events = Events::of(server.send(&json!({"message": "elsewhere"})).await).rest().await;
    let other = events[0].data["conversation_id"].as_str().unwrap().to_owned();
    let all = list(&mut editor, json!({})).await;
    assert_eq!(all.len(), 2, "{all:?}");
    let here = std::env::current_dir().unwrap();
    let browsers = all.iter().find(|found| found["sessionId"] == other.as_str()).unwrap();
    assert_eq!(browsers["cwd"], json!(here), "the folder in which the process was started");
    let load = json!({"sessionId": other, "cwd": "/work", "mcpServers": []});
    let before = editor.messages().len();
    assert!(editor.request("session/load", load).await["result"].is_object());
    assert_eq!(editor.text(before, "user_message_chunk"), "elsewhere");
    let closed = editor.request("session/close", json!({"sessionId": other})).await;
    assert_eq!(closed["result"], json!({}), "{closed}");
    let id = editor.say(&other, "gone").await;
    assert_eq!(editor.response(&id).await["error"]["code"], -32002);
    assert_eq!(server.conversation(&other).await["title"], "elsewhere", "it stays in Parlor");
}
