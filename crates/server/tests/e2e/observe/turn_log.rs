//! The log of a real server as JSON: which lines name what.

use parlor_testkit::{Script, ScriptedModel};
use serde_json::{Value, json};

use crate::server_process::Server;
use crate::streams::Events;

/// O-3: every line is an object; a line of a turn names its tenant, project, conversation and turn,
/// and the request that began it.
#[tokio::test]
async fn a_line_of_a_turn_names_it() {
    let model = ScriptedModel::start().await.unwrap();
    let data = tempfile::tempdir().unwrap();
    let json = [("PARLOR_LOG_FORMAT", "json")];
    let more = "max_attempts = 1\n";
    let server = Server::start_with(data.path(), &model, more, &json).await;
    model.push(Script::failure_saying(400, "invalid_request_error", "no such thing"));
    let response = server.send(&json!({"message": "Hello"})).await;
    let request: u64 = response.headers()["x-request-id"].to_str().unwrap().parse().unwrap();
    let events = Events::of(response).rest().await;
    let begun = &events[0].data;
    let log = server.log();
    let lines: Vec<Value> = log
        .lines()
        .map(|line| serde_json::from_str(line).unwrap_or_else(|_| panic!("not JSON: {line}")))
        .collect();
    let failed = lines.iter().find(|line| line["message"] == "a turn failed");
    let failed = failed.unwrap_or_else(|| panic!("{log}"));
    assert_eq!(failed["level"], "WARN");
    assert_eq!((&failed["tenant"], &failed["project"]), (&json!("home"), &json!("recipes")));
    assert_eq!(failed["conversation"], begun["conversation_id"]);
    assert_eq!(failed["turn"], begun["turn_id"]);
    assert_eq!(failed["request"], request);
    let alone = lines.iter().filter(|line| line["turn"].is_null());
    assert!(alone.clone().all(|line| line["time"].is_string() && line["target"].is_string()));
}
