//! A script says what is to be done, and the offered tool that does it is called.

use parlor_testkit::{Script, ScriptedModel};
use serde_json::{Value, json};

use crate::client::post;

/// A tool of the Messages API with these arguments.
fn tool(name: &str, arguments: &[&str]) -> Value {
    let arguments = arguments.iter().map(|name| ((*name).to_owned(), json!({"type": "string"})));
    let properties: serde_json::Map<String, Value> = arguments.collect();
    json!({"name": name, "input_schema": {"type": "object", "properties": properties}})
}

/// The name and the arguments of the call that the model makes.
async fn called(script: Script, tools: Value) -> (String, Value) {
    let model = ScriptedModel::start().await.unwrap();
    model.push(script);
    let body = json!({"stream": true, "messages": [], "tools": tools});
    let events = post(&model, "/v1/messages", &body).await.events();
    let start = events.iter().find(|event| event["content_block"]["type"] == "tool_use");
    let start = start.unwrap_or_else(|| panic!("nothing is called: {events:#?}"));
    let pieces = events.iter().filter_map(|event| event["delta"]["partial_json"].as_str());
    let arguments: String = pieces.collect();
    let name = start["content_block"]["name"].as_str().unwrap().to_owned();
    (name, serde_json::from_str(&arguments).unwrap())
}

#[tokio::test]
async fn a_command_goes_to_the_tool_for_commands() {
    let script = || Script::answer().shell("c1", "ls");
    let other = tool("Read", &["file_path"]);
    let call = called(script(), json!([other, tool("Bash", &["command", "description"])])).await;
    let described = json!({"command": "ls", "description": "A command of the script"});
    assert_eq!(call, ("Bash".to_owned(), described));

    let escalating = tool("exec_command", &["cmd", "sandbox_permissions", "justification"]);
    let (name, arguments) = called(script(), json!([other, escalating])).await;
    assert_eq!((name.as_str(), &arguments["cmd"]), ("exec_command", &json!("ls")));
    assert_eq!(arguments["sandbox_permissions"], "require_escalated");

    let words = json!({"type": "array", "items": {"type": "string"}});
    let shell = json!({"name": "shell", "input_schema": {"properties": {"command": words}}});
    let (_, arguments) = called(script(), json!([shell])).await;
    assert_eq!(arguments, json!({"command": ["bash", "-lc", "ls"]}));
}

#[tokio::test]
async fn a_file_goes_to_the_tool_for_files() {
    let script = || Script::answer().write_file("c1", "/w/a.txt", "one\ntwo\n");
    let call = called(script(), json!([tool("write", &["filePath", "content"])])).await;
    let written = json!({"filePath": "/w/a.txt", "content": "one\ntwo\n"});
    assert_eq!(call, ("write".to_owned(), written));

    let (_, arguments) = called(script(), json!([tool("apply_patch", &["input"])])).await;
    let patch = "*** Begin Patch\n*** Add File: /w/a.txt\n+one\n+two\n*** End Patch\n";
    assert_eq!(arguments, json!({"input": patch}));
}

#[tokio::test]
async fn what_no_tool_can_do_is_said() {
    let model = ScriptedModel::start().await.unwrap();
    model.push(Script::answer().shell("c1", "ls"));
    let body = json!({"stream": true, "messages": [], "tools": [tool("Read", &["path"])]});
    let answer = post(&model, "/v1/messages", &body).await;
    assert!(answer.body.contains("no offered tool can do this"), "{}", answer.body);
}
