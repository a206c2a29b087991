//! The OpenAI Responses API.

use parlor_testkit::{Script, ScriptedModel};
use serde_json::{Value, json};

use crate::client::post;

const PATH: &str = "/v1/responses";

fn kinds(events: &[Value]) -> Vec<&str> {
    events.iter().map(|event| event["type"].as_str().unwrap()).collect()
}

#[tokio::test]
async fn reasoning_text_and_a_call_are_items_of_one_response() {
    let model = ScriptedModel::start().await.unwrap();
    let input = json!({"at": 1});
    let script =
        Script::answer().thinking("Hm").text("Hel").text("lo").tool_use("c1", "look", &input);
    model.push(script.usage(7, 3));
    let events = post(&model, PATH, &json!({"stream": true})).await.events();
    assert_eq!(
        kinds(&events),
        [
            "response.created", "response.in_progress", "response.output_item.added",
            "response.reasoning_summary_part.added", "response.reasoning_summary_text.delta",
            "response.reasoning_summary_text.done", "response.reasoning_summary_part.done",
            "response.output_item.done", "response.output_item.added",
            "response.content_part.added", "response.output_text.delta",
            "response.output_text.delta", "response.output_text.done",
            "response.content_part.done", "response.output_item.done",
            "response.output_item.added", "response.function_call_arguments.delta",
            "response.function_call_arguments.delta", "response.function_call_arguments.done",
            "response.output_item.done", "response.completed",
        ]
    );
    let numbers: Vec<_> = events.iter().map(|event| event["sequence_number"].as_u64()).collect();
    assert_eq!(numbers, (0..events.len() as u64).map(Some).collect::<Vec<_>>());
    let response = &events.last().unwrap()["response"];
    assert_eq!(response["usage"]["total_tokens"], 10);
    assert_eq!(response["output"][0]["summary"][0]["text"], "Hm");
    assert_eq!(response["output"][1]["content"][0]["text"], "Hello");
    assert_eq!(response["output"][2]["arguments"], r#"{"at":1}"#);
    assert_eq!(response["output"][2]["call_id"], "c1");
    let indexes = |kind: &str| {
        let done = events.iter().filter(|event| event["type"] == kind);
        done.map(|event| event["output_index"].as_u64().unwrap()).collect::<Vec<_>>()
    };
    assert_eq!(indexes("response.output_item.added"), [0, 1, 2]);
    assert_eq!(indexes("response.output_item.done"), [0, 1, 2]);
}

#[tokio::test]
async fn a_tool_that_takes_text_is_called_with_text() {
    let model = ScriptedModel::start().await.unwrap();
    model.push(Script::answer().tool_use_saying("c1", "patch", "*** Begin"));
    let tools = json!([{"type": "custom", "name": "patch"}]);
    let events = post(&model, PATH, &json!({"stream": true, "tools": tools})).await.events();
    let call = &events.last().unwrap()["response"]["output"][0];
    assert_eq!((&call["type"], &call["input"]), (&json!("custom_tool_call"), &json!("*** Begin")));
}

#[tokio::test]
async fn ends_and_failures_have_their_own_events() {
    let model = ScriptedModel::start().await.unwrap();
    let ask = async || post(&model, PATH, &json!({"stream": true})).await;
    model.push(Script::answer().text("He").stop_reason("max_tokens"));
    let last = ask().await.events().pop().unwrap();
    assert_eq!(last["type"], "response.incomplete");
    assert_eq!(last["response"]["incomplete_details"]["reason"], "max_output_tokens");
    model.push(Script::answer().text("He").error("server_error", "broken"));
    let last = ask().await.events().pop().unwrap();
    assert_eq!(last["type"], "response.failed");
    assert_eq!(last["response"]["error"]["message"], "broken");
    model.push(Script::failure(429));
    let refusal = ask().await;
    assert_eq!(
        (refusal.status, &refusal.json()["error"]["code"]),
        (429, &json!("rate_limit_exceeded"))
    );
}

#[tokio::test]
async fn a_request_is_read_as_a_transcript() {
    let model = ScriptedModel::start().await.unwrap();
    model.push(Script::answer().text("Done"));
    let input = json!([
        {"type": "message", "role": "user", "content": [
            {"type": "input_text", "text": "Look"},
            {"type": "input_image", "image_url": "data:image/png;base64,AA=="}]},
        {"type": "reasoning", "summary": []},
        {"type": "function_call", "call_id": "c1", "name": "look", "arguments": "{\"at\":1}"},
        {"type": "function_call_output", "call_id": "c1", "output": "seen"},
        {"type": "custom_tool_call", "call_id": "c2", "name": "patch", "input": "***"},
        {"type": "custom_tool_call_output", "call_id": "c2", "output": [{"text": "patched"}]},
        {"role": "assistant", "content": [{"type": "output_text", "text": "There"}]},
    ]);
    post(&model, PATH, &json!({"stream": true, "instructions": "Be kind", "input": input})).await;
    assert_eq!(
        model.recorded()[0].transcript(),
        [
            "system: Be kind", "user: Look", "picture image/png", r#"call c1: look {"at":1}"#,
            "result c1: seen", r#"call c2: patch "***""#, "result c2: patched", "assistant: There",
        ]
    );
}
