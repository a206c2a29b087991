//! The Gemini API.

use parlor_testkit::{Script, ScriptedModel};
use serde_json::{Value, json};

use crate::client::post;

const PATH: &str = "/v1beta/models/scripted:streamGenerateContent?alt=sse";

fn parts(events: &[Value]) -> Vec<&Value> {
    events.iter().map(|event| &event["candidates"][0]["content"]["parts"][0]).collect()
}

#[tokio::test]
async fn every_event_is_a_response_with_a_part() {
    let model = ScriptedModel::start().await.unwrap();
    let script = Script::answer().thinking("Hm").text("Hel").text("lo");
    model.push(script.tool_use("c1", "look", &json!({"at": 1})).usage(7, 3));
    let events = post(&model, PATH, &json!({"contents": []})).await.events();
    assert_eq!(
        parts(&events),
        [
            &json!({"text": "Hm", "thought": true}),
            &json!({"text": "Hel"}),
            &json!({"text": "lo"}),
            &json!({"functionCall": {"id": "c1", "name": "look", "args": {"at": 1}}}),
            &json!({"text": ""}),
        ]
    );
    let last = events.last().unwrap();
    assert_eq!(last["candidates"][0]["finishReason"], "STOP");
    assert_eq!(last["usageMetadata"]["totalTokenCount"], 10);
    let ends = events.iter().filter(|event| event["candidates"][0].get("finishReason").is_some());
    assert_eq!(ends.count(), 1);
}

#[tokio::test]
async fn ends_and_failures_are_named_as_the_api_does() {
    let model = ScriptedModel::start().await.unwrap();
    let ask = async || post(&model, PATH, &json!({"contents": []})).await;
    model.push(Script::answer().text("He").stop_reason("refusal"));
    let last = ask().await.events().pop().unwrap();
    assert_eq!(last["candidates"][0]["finishReason"], "SAFETY");
    model.push(Script::answer().text("He").error("INTERNAL", "broken"));
    let last = ask().await.events().pop().unwrap();
    assert_eq!(last, json!({"error": {"code": 500, "message": "broken", "status": "INTERNAL"}}));
    model.push(Script::failure(429));
    let refusal = ask().await;
    assert_eq!(refusal.status, 429);
    assert_eq!(refusal.json()["error"]["status"], "RESOURCE_EXHAUSTED");
}

#[tokio::test]
async fn a_request_is_read_as_a_transcript() {
    let model = ScriptedModel::start().await.unwrap();
    model.push(Script::answer().text("Done"));
    let contents = json!([
        {"role": "user", "parts": [
            {"text": "Look"}, {"inlineData": {"mimeType": "image/png", "data": "AA=="}}]},
        {"role": "model", "parts": [
            {"text": "Hm", "thought": true},
            {"functionCall": {"id": "c1", "name": "look", "args": {"at": 1}}},
            {"functionCall": {"id": "c2", "name": "look", "args": {"at": 2}}}]},
        {"role": "user", "parts": [
            {"functionResponse": {"id": "c1", "name": "look", "response": {"output": "seen"}}},
            {"functionResponse": {"id": "c2", "name": "look", "response": {"error": "dark"}}}]},
        {"role": "model", "parts": [{"text": "There"}]},
    ]);
    let system = json!({"parts": [{"text": "Be kind"}]});
    let tools = json!([{"functionDeclarations": [{"name": "look"}, {"name": "write_file"}]}]);
    let body = json!({"systemInstruction": system, "contents": contents, "tools": tools});
    post(&model, PATH, &body).await;
    let request = model.recorded().remove(0);
    assert_eq!(request.tools(), ["look", "write_file"]);
    assert_eq!(
        request.transcript(),
        [
            "system: Be kind", "user: Look", "picture image/png", r#"call c1: look {"at":1}"#,
            r#"call c2: look {"at":2}"#, "result c1: seen", "result c2: Error: dark",
            "assistant: There",
        ]
    );
}
