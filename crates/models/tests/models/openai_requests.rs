//! The requests to an OpenAI-compatible model.

use parlor_agent::{HistoryMessage, TurnContext, TurnStart};
use parlor_models::{ModelKind, ModelSettings, Thinking, build_agent};
use parlor_protocol::Role;
use parlor_testkit::{RecordedRequest, Script, ScriptedModel};
use serde_json::{Value, json};

use crate::harness::{BOTH, Harness, KEY, install_tls, open, rest};

fn says(role: Role, blocks: Value) -> HistoryMessage {
    HistoryMessage { role, blocks: serde_json::from_value(blocks).unwrap() }
}

/// The request for a history.
async fn seen(
    kind: ModelKind,
    history: &[HistoryMessage],
    change: impl FnOnce(&mut ModelSettings),
) -> RecordedRequest {
    let harness = Harness::over(kind, [Script::answer()], change).await;
    let mut session = harness.open();
    session.begin(TurnStart::Message(TurnContext {
        history: history.to_vec(),
        system_prompt: Some("You are kind.".into()),
        ..TurnContext::default()
    }));
    rest(&mut session).await;
    harness.model.recorded().pop().unwrap()
}

/// K-1, K-4: all message roles over several turns; two calls in one message, one that failed and
/// one that returned pictures; a call whose arguments are not JSON.
fn everything() -> Vec<HistoryMessage> {
    vec![
        says(
            Role::User,
            json!([
                {"type": "image", "media_type": "image/png", "data": "iVBORw0KGgo="},
                {"type": "document", "name": "a.pdf", "media_type": "application/pdf",
                 "data": "JVBERi0=", "text": "[File a.pdf]"},
                {"type": "document", "name": "b.txt", "media_type": "text/plain", "data": null,
                 "text": "[File b.txt]"},
                {"type": "text", "text": "What is this?"},
            ]),
        ),
        says(
            Role::Assistant,
            json!([
                {"type": "thinking", "text": "An old thought.", "signature": "b2xk"},
                {"type": "vendor", "vendor": "anthropic",
                 "block": {"type": "redacted_thinking", "data": "b2xk"}},
                {"type": "text", "text": "I look."},
                {"type": "tool_use", "id": "t1", "name": "look", "input": {"z": 1, "a": 2}},
                {"type": "tool_use", "id": "t2", "name": "list", "input": {}},
            ]),
        ),
        says(
            Role::Tool,
            json!([
                {"type": "tool_result", "tool_use_id": "t1", "is_error": false, "content": [
                    {"type": "text", "text": "a cat"},
                    {"type": "image", "media_type": "image/jpeg", "data": "/9j/"},
                ]},
                {"type": "tool_result", "tool_use_id": "t2", "is_error": true, "content": [
                    {"type": "text", "text": "too dark"},
                ]},
            ]),
        ),
        says(
            Role::Assistant,
            json!([{"type": "text", "text": "A cat."}, {"type": "text", "text": "I think."}]),
        ),
        HistoryMessage::user("And now?"),
        HistoryMessage::user("Quick!"),
        says(
            Role::Assistant,
            json!([
                {"type": "hologram"},
                {"type": "tool_use", "id": "t3", "name": "look", "input": "{\"at\": [1, "},
            ]),
        ),
        says(
            Role::Tool,
            json!([{"type": "tool_result", "tool_use_id": "t3", "is_error": false, "content": []}]),
        ),
    ]
}

#[tokio::test]
async fn a_history_with_everything_in_it() {
    let request = seen(ModelKind::Openai, &everything(), |_| {}).await;
    insta::assert_json_snapshot!(request.body);
}

/// A history becomes the same conversation over both wire formats.
#[tokio::test]
async fn both_wire_formats_tell_the_same_story() {
    let mut stories = Vec::new();
    for kind in BOTH {
        let request = seen(kind, &everything(), |_| {}).await;
        let mut story = request.transcript();
        // The formats differ in the position of tool pictures, in the text for an empty result, and in
        // how a text file comes: as a document, or as text.
        story.retain(|line| !line.starts_with("picture") && !line.contains("Pictures from"));
        let story = story.join("\n").replace("(The tool gave nothing back.)", "");
        stories.push(story.replace("\n\n[File b.txt]\n\n", ""));
    }
    assert_eq!(stories[0], stories[1]);
    let calls = "call t1: look {\"z\":1,\"a\":2}\ncall t2: list {}\nresult t1: a cat";
    assert!(stories[1].contains(calls), "{}", stories[1]);
}

#[tokio::test]
async fn what_servers_refuse_is_left_out() {
    let history = [
        HistoryMessage::user("One"),
        // A stopped turn of which only reasoning is left.
        says(Role::Assistant, json!([{"type": "thinking", "text": "Hm", "signature": null}])),
        HistoryMessage::user("Two"),
        HistoryMessage::assistant(" \n"),
        HistoryMessage::user("Three"),
        // An interrupted answer, and the one after it.
        HistoryMessage::assistant("Four"),
        HistoryMessage::assistant("Five"),
    ];
    let request = seen(ModelKind::Openai, &history, |_| {}).await;
    assert_eq!(
        request.body["messages"],
        json!([
            {"role": "system", "content": "You are kind."},
            {"role": "user", "content": "One\n\nTwo\n\nThree"},
            {"role": "assistant", "content": "Four\n\nFive"},
        ])
    );
}

/// A call with a field that its server sent beside it, its result, and another turn.
fn noted(model: &str, note: Value) -> Vec<HistoryMessage> {
    let mut block = json!({"model": model});
    block.as_object_mut().unwrap().extend(note.as_object().unwrap().clone());
    vec![
        HistoryMessage::user("?"),
        says(
            Role::Assistant,
            json!([
                {"type": "thinking", "text": "I must look.", "signature": null},
                {"type": "vendor", "vendor": "openai", "block": block},
                {"type": "tool_use", "id": "t1", "name": "look", "input": {}},
            ]),
        ),
        says(
            Role::Tool,
            json!([{"type": "tool_result", "tool_use_id": "t1", "is_error": false, "content": []}]),
        ),
    ]
}

/// A server that wants a field back beside a call gets it: within the turn, and DeepSeek's
/// reasoning in later turns too. Another model does not get it.
#[tokio::test]
async fn what_belongs_to_a_call_goes_back_with_it() {
    let content = json!({"reasoning_field": "reasoning_content"});
    let plain = json!({"reasoning_field": "reasoning"});
    let details = json!([{"type": "reasoning.encrypted", "data": "eA=="}]);
    let detailed = json!({"reasoning_field": "reasoning", "reasoning_details": details});
    let signed = json!({"extra_content": {"t1": {"google": {"thought_signature": "c2ln"}}}});
    let back = |answer: &Value| {
        let keys = ["reasoning_content", "reasoning", "reasoning_details"];
        let mut back: Vec<Value> = keys.iter().filter_map(|key| answer.get(key)).cloned().collect();
        back.extend(answer.pointer("/tool_calls/0/extra_content").cloned());
        back
    };
    for (note, within, after) in [
        (&content, vec![json!("I must look.")], vec![json!("I must look.")]),
        (&plain, vec![json!("I must look.")], vec![]),
        (&detailed, vec![details.clone()], vec![]),
        (&signed, vec![json!({"google": {"thought_signature": "c2ln"}})], vec![]),
    ] {
        for (model, later, expected) in [
            ("claude-test", false, within),
            ("claude-test", true, after),
            ("another", false, vec![]),
        ] {
            let mut history = noted(model, note.clone());
            if later {
                history.extend([HistoryMessage::assistant("A cat."), HistoryMessage::user("Oh?")]);
            }
            let request = seen(ModelKind::Openai, &history, |_| {}).await;
            assert_eq!(back(&request.body["messages"][2]), expected, "{note} {model} {later}");
        }
    }
    // A server that insists on the field gets it with every call, even if it is empty.
    let mut history = noted("claude-test", content);
    history.push(says(
        Role::Assistant,
        json!([{"type": "tool_use", "id": "t2", "name": "look", "input": {}}]),
    ));
    let request = seen(ModelKind::Openai, &history, |_| {}).await;
    assert_eq!(back(&request.body["messages"][4]), [json!("")]);
}

#[tokio::test]
async fn settings_become_fields() {
    let history = [HistoryMessage::user("Hi")];
    let body = seen(ModelKind::Openai, &history, |_| {}).await.body;
    assert_eq!(body["max_tokens"], 4_096);
    assert_eq!(body.get("reasoning_effort"), None);
    let body = seen(ModelKind::Openai, &history, |settings| {
        settings.max_tokens = None;
        settings.thinking = Thinking::Off;
    })
    .await
    .body;
    // The token limit of a small model is left to its server.
    assert_eq!(body.get("max_tokens").or(body.get("max_completion_tokens")), None);
    assert_eq!(body["reasoning_effort"], "none");
    assert_eq!(body["stream_options"], json!({"include_usage": true}));
}

#[tokio::test]
async fn the_key_goes_into_its_header_and_a_server_without_one_gets_none() {
    let request = seen(ModelKind::Openai, &[HistoryMessage::user("Hi")], |_| {}).await;
    assert_eq!(request.path, "/v1/chat/completions");
    assert_eq!(request.headers["authorization"], format!("Bearer {KEY}"));
    assert!(!request.body.to_string().contains(KEY));

    install_tls();
    let model = ScriptedModel::start().await.unwrap();
    model.push(Script::answer());
    let base_url = Some(model.base_url());
    let settings = ModelSettings { kind: ModelKind::Openai, base_url, ..ModelSettings::default() };
    let mut session = open(&*build_agent(&settings, |_| None, None).unwrap());
    session.begin(crate::harness::start([HistoryMessage::user("Hi")]));
    rest(&mut session).await;
    let request = model.recorded().pop().unwrap();
    assert!(!request.headers.contains_key("authorization"), "{:?}", request.headers);
}
