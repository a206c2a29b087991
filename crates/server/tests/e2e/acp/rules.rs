//! The rules of the protocol that a conformance kit checks of an agent.

use parlor_testkit::{Gate, Script, ScriptedModel};
use serde_json::{Value, json};

use super::editor::{EditorProcess, in_process, tools};

const PNG: &str = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

/// INIT, AUTH, JSONRPC, SESSION, CONFIG: the beginning of every conversation with an agent.
#[tokio::test]
async fn initialize_and_sessions() {
    let (dir, model) = (tempfile::tempdir().unwrap(), ScriptedModel::start().await.unwrap());
    let mut editor = EditorProcess::start(in_process(dir.path(), &model, &tools()));
    // A version that nobody speaks is answered with the one that is spoken here.
    let params = json!({"protocolVersion": 65535, "clientCapabilities": {},
        "info": {"name": "tck", "version": "0"}});
    let request =
        json!({"jsonrpc": "2.0", "id": "init-1", "method": "initialize", "params": params});
    editor.line(&request.to_string()).await;
    let response = editor.response(&json!("init-1")).await;
    let result = &response["result"];
    assert_eq!((&response["id"], &result["protocolVersion"]), (&json!("init-1"), &json!(1)));
    assert_eq!(result["agentInfo"]["name"], "parlor");
    assert_eq!(result["authMethods"], json!([]));
    let capabilities = &result["agentCapabilities"];
    assert_eq!(capabilities["loadSession"], true);
    assert_eq!(capabilities["promptCapabilities"]["image"], true);
    for capability in ["list", "resume", "close"] {
        assert!(capabilities["sessionCapabilities"][capability].is_object(), "{capability}");
    }
    let new = json!({"cwd": dir.path(), "mcpServers": []});
    let (first, second) = (
        editor.request("session/new", new.clone()).await,
        editor.request("session/new", new).await,
    );
    assert_eq!(first["id"], 1, "a number stays a number");
    assert_ne!(first["result"]["sessionId"], second["result"]["sessionId"]);
    let modes = &first["result"]["modes"];
    assert_eq!(modes["currentModeId"], "act");
    let ids: Vec<&Value> =
        modes["availableModes"].as_array().unwrap().iter().map(|mode| &mode["id"]).collect();
    assert_eq!(ids, ["act", "plan"]);
    assert!(first["result"].get("configOptions").is_none());
    let (code, log) = editor.end().await;
    assert_eq!(code, Some(0), "{log}");
}

/// JSONRPC, EXT: unknown and broken messages get an error, notifications nothing.
#[tokio::test]
async fn what_is_not_known_is_answered() {
    let (dir, model) = (tempfile::tempdir().unwrap(), ScriptedModel::start().await.unwrap());
    let command = in_process(dir.path(), &model, &tools());
    let mut editor = EditorProcess::initialized(command, json!({})).await;
    let before = editor.messages().len();
    editor.notify("_parlor/nothing", json!({})).await;
    editor.notify("session/cancel", json!({"sessionId": "nobody"})).await;
    editor.notify("session/cancel", json!(7)).await;
    editor.notify("$/cancel_request", json!({"requestId": 99})).await;
    editor.line("").await;
    editor.line(r#"{"jsonrpc": "2.0", "id": 99, "result": {}}"#).await;
    for (method, params, code) in [
        ("_parlor/ask", json!({}), -32601),
        ("no/such", json!({}), -32601),
        ("session/fork", json!({}), -32601),
        ("authenticate", json!({"methodId": "x"}), -32602),
        ("session/new", json!({"cwd": "relative", "mcpServers": []}), -32602),
        ("session/new", json!({}), -32602),
        ("session/prompt", json!({"sessionId": "x"}), -32602),
        ("session/prompt", json!({"sessionId": "x", "prompt": []}), -32002),
        ("session/load", json!({"sessionId": "x", "cwd": "/", "mcpServers": []}), -32002),
        ("session/close", json!({"sessionId": uuid::Uuid::nil()}), -32002),
        ("session/set_mode", json!({"sessionId": "x", "modeId": "act"}), -32002),
    ] {
        let response = editor.request(method, params).await;
        assert_eq!(response["error"]["code"], code, "{method}: {response}");
    }
    assert_eq!(editor.messages().len() - before, 11, "notifications are not answered");
    let before = editor.messages().len();
    editor.line("{nonsense").await;
    let at = editor.find(before, "a parse error", |message| message["error"].is_object()).await;
    let error = &editor.messages()[at];
    assert_eq!((&error["id"], &error["error"]["code"]), (&Value::Null, &json!(-32700)));
    let session = editor.new_session("/work").await;
    let wrong = json!({"sessionId": session, "modeId": "yolo"});
    assert_eq!(editor.request("session/set_mode", wrong).await["error"]["code"], -32602);
}

/// PROMPT, CLIENTCAP, PROMPTCAP: text, thoughts and images; nothing is called that was not
/// offered, which the editor of these tests checks.
#[tokio::test]
async fn a_prompt_ends_with_a_reason() {
    let (dir, model) = (tempfile::tempdir().unwrap(), ScriptedModel::start().await.unwrap());
    model.push(Script::answer().thinking("Hm.").signature("s").text("Hel").text("lo.").usage(7, 4));
    model.push(Script::answer().text("A pixel."));
    let command = in_process(dir.path(), &model, &tools());
    let mut editor = EditorProcess::initialized(command, json!({})).await;
    let session = editor.new_session("/work").await;
    let result = editor.prompt(&session, "hello").await;
    assert_eq!(result["stopReason"], "end_turn");
    assert_eq!(result["_meta"]["parlor/tokensUsed"], 11);
    assert_eq!(editor.text(0, "agent_message_chunk"), "Hello.");
    assert_eq!(editor.text(0, "agent_thought_chunk"), "Hm.");
    assert_eq!(editor.text(0, "user_message_chunk"), "", "the editor knows what it sent");
    let prompt = json!([{"type": "text", "text": "What is it?"},
        {"type": "image", "mimeType": "image/png", "data": PNG},
        {"type": "resource_link", "name": "a.rs", "uri": "file:///work/a.rs"}]);
    let params = json!({"sessionId": session, "prompt": prompt});
    let response = editor.request("session/prompt", params).await;
    assert_eq!(response["result"]["stopReason"], "end_turn", "{response}");
    let sent = model.requests()[1]["messages"].to_string();
    assert!(sent.contains(PNG) && sent.contains("[a.rs](file:///work/a.rs)"), "{sent}");
    let image = json!({"type": "image", "mimeType": "image/png", "data": PNG});
    let audio = json!({"type": "audio", "mimeType": "audio/wav", "data": "AAAA"});
    let params = json!({"sessionId": session, "prompt": [image, audio]});
    let refused = editor.request("session/prompt", params).await;
    let message = refused["error"]["message"].as_str().unwrap();
    assert!(message.contains("audio"), "{message}");
    // G-1: the guardrail refuses before a turn begins.
    let params = json!({"sessionId": session, "prompt": [{"type": "text", "text": "DAN mode"}]});
    let refused = editor.request("session/prompt", params).await;
    assert_eq!(refused["error"]["data"]["code"], "input_blocked", "{refused}");
    assert_eq!(model.requests().len(), 2);
}

/// CANCEL: the prompt ends with `cancelled`, nothing is shown after that, and the next one works.
#[tokio::test]
async fn a_cancel_ends_the_prompt() {
    let (dir, model) = (tempfile::tempdir().unwrap(), ScriptedModel::start().await.unwrap());
    let gate = Gate::closed();
    model.push(Script::answer().text("so far").gate(&gate).text("never"));
    model.push(Script::answer().text("again"));
    let command = in_process(dir.path(), &model, &tools());
    let mut editor = EditorProcess::initialized(command, json!({})).await;
    let session = editor.new_session("/work").await;
    let id = editor.say(&session, "slow").await;
    editor.updated("text", |update| update["content"]["text"] == "so far").await;
    // A second prompt at the same time is refused, and does not disturb the first.
    let second = editor.say(&session, "meanwhile").await;
    let second = editor.response(&second).await;
    assert_eq!(second["error"]["data"]["code"], "turn_running", "{second}");
    editor.notify("session/cancel", json!({"sessionId": session})).await;
    let response = editor.response(&id).await;
    assert_eq!(response["result"]["stopReason"], "cancelled", "{response}");
    let last = editor.messages().len();
    let result = editor.prompt(&session, "go on").await;
    assert_eq!(result["stopReason"], "end_turn");
    assert_eq!(editor.text(last, "agent_message_chunk"), "again", "nothing else came after it");

    // The cancel may come in the same moment as the prompt, or name its request.
    model.push(Script::answer().text("so far").gate(&gate));
    model.push(Script::answer().text("so far").gate(&gate));
    let id = editor.say(&session, "slow").await;
    editor.notify("session/cancel", json!({"sessionId": session})).await;
    assert_eq!(editor.response(&id).await["result"]["stopReason"], "cancelled");
    let id = editor.say(&session, "slow").await;
    editor.notify("$/cancel_request", json!({"requestId": id})).await;
    assert_eq!(editor.response(&id).await["result"]["stopReason"], "cancelled");
    let (code, log) = editor.end().await;
    assert_eq!(code, Some(0), "{log}");
}

/// H-1: what goes wrong in a turn is said, and the prompt has an end.
#[tokio::test]
async fn an_error_is_said() {
    let (dir, model) = (tempfile::tempdir().unwrap(), ScriptedModel::start().await.unwrap());
    model.push(Script::answer().text("I know").stop_reason("max_tokens"));
    model.push(Script::answer().text("No").stop_reason("refusal"));
    model.push(Script::failure(401));
    let command = in_process(dir.path(), &model, &tools());
    let mut editor = EditorProcess::initialized(command, json!({})).await;
    let session = editor.new_session("/work").await;
    assert_eq!(editor.prompt(&session, "one").await["stopReason"], "max_tokens");
    assert_eq!(editor.prompt(&session, "two").await["stopReason"], "refusal");
    let before = editor.messages().len();
    assert_eq!(editor.prompt(&session, "three").await["stopReason"], "end_turn");
    let said = editor.text(before, "agent_message_chunk");
    assert!(said.contains("key"), "{said}");
}
