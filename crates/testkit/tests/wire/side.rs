//! Requests beside the conversation take no script.

use parlor_testkit::{Script, ScriptedModel};
use serde_json::{Value, json};

use crate::client::{get, post};

const CHAT: &str = "/v1/chat/completions";

/// The text of an answer that is not streamed.
fn text(body: &Value) -> &str {
    let places = [
        "/content/0/text", "/choices/0/message/content", "/output/0/content/0/text",
        "/candidates/0/content/parts/0/text",
    ];
    places.iter().find_map(|place| body.pointer(place)?.as_str()).unwrap()
}

#[tokio::test]
async fn lists_and_counts_take_no_script() {
    let model = ScriptedModel::start().await.unwrap();
    model.push(Script::answer().text("Hello"));
    assert_eq!(get(&model, "/v1/models").await.json()["data"][0]["id"], "scripted");
    assert_eq!(get(&model, "/api.json").await.json(), json!({}));
    assert_eq!(get(&model, "/elsewhere").await.status, 404);
    let counted = post(&model, "/v1/messages/count_tokens", &json!({})).await;
    assert_eq!(counted.json()["input_tokens"], 5);
    let counted = post(&model, "/v1beta/models/scripted:countTokens", &json!({})).await;
    assert_eq!(counted.json()["totalTokens"], 5);
    assert!(model.recorded().is_empty());
    assert_eq!(model.side_requests().len(), 5);
    let answer = post(&model, CHAT, &json!({"stream": true, "messages": []})).await;
    assert!(answer.body.contains("Hello"), "the script is still there: {}", answer.body);
}

#[tokio::test]
async fn what_agents_ask_beside_their_conversation_takes_no_script() {
    let model = ScriptedModel::for_agents().await.unwrap();
    model.push(Script::answer().text("Hello"));
    for path in ["/v1/messages", CHAT, "/v1/responses", "/v1beta/models/m:generateContent"] {
        let whole = post(&model, path, &json!({"messages": []})).await.json();
        assert_eq!(text(&whole), "A short answer", "{path}");
    }
    let config = json!({"responseMimeType": "application/json"});
    let body = json!({"contents": [], "generationConfig": config});
    let whole = post(&model, "/v1beta/models/m:generateContent", &body).await.json();
    assert!(serde_json::from_str::<Value>(text(&whole)).unwrap().is_object());
    let title = post(&model, CHAT, &json!({"stream": true, "messages": []})).await;
    assert!(title.body.contains("A short answer"), "without tools: {}", title.body);
    let suggestion = json!({"stream": true, "tools": [{"name": "Bash"}],
        "messages": [{"role": "user", "content": "[SUGGESTION MODE: what next?]"}]});
    let suggestion = post(&model, "/v1/messages", &suggestion).await;
    assert!(suggestion.body.contains("A short answer"), "{}", suggestion.body);
    assert!(model.recorded().is_empty());

    let tools = json!([{"type": "function", "function": {"name": "bash"}}]);
    let body = json!({"stream": true, "messages": [], "tools": tools});
    let answer = post(&model, CHAT, &body).await;
    assert!(answer.body.contains("Hello"), "the conversation has the script: {}", answer.body);
    assert_eq!(model.recorded().len(), 1);
}
