//! The requests to the model.

use parlor_agent::{ContentBlock, HistoryMessage, TurnContext, TurnStart};
use parlor_models::Thinking;
use parlor_protocol::Role;
use parlor_testkit::Script;
use serde_json::{Value, json};

use crate::harness::{Harness, KEY, rest};

fn says(role: Role, blocks: Value) -> HistoryMessage {
    HistoryMessage { role, blocks: serde_json::from_value(blocks).unwrap() }
}

async fn seen(harness: &Harness, history: Vec<HistoryMessage>, system: Option<&str>) -> Value {
    let mut session = harness.open();
    session.begin(TurnStart::Message(TurnContext {
        history,
        system_prompt: system.map(str::to_owned),
        ..TurnContext::default()
    }));
    rest(&mut session).await;
    harness.model.requests().pop().unwrap()
}

/// K-1, K-4: all message roles over several turns, one system prompt.
#[tokio::test]
async fn a_history_with_everything_in_it() {
    let harness = Harness::new([Script::answer().text("ok")]).await;
    let history = vec![
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
            ]),
        ),
        says(
            Role::Tool,
            json!([
                {"type": "tool_result", "tool_use_id": "t1", "is_error": true, "content": [
                    {"type": "text", "text": "too dark"},
                    {"type": "image", "media_type": "image/jpeg", "data": "/9j/"},
                ]},
            ]),
        ),
        says(Role::User, json!([{"type": "text", "text": "And now?"}])),
        says(
            Role::Assistant,
            json!([
                {"type": "thinking", "text": "A new thought.", "signature": "bmV3"},
                {"type": "thinking", "text": "cut o", "signature": null},
                {"type": "vendor", "vendor": "anthropic",
                 "block": {"type": "redacted_thinking", "data": "bmV3"}},
                {"type": "vendor", "vendor": "other", "block": {"type": "secret"}},
                {"type": "hologram"},
                {"type": "tool_use", "id": "t2", "name": "look", "input": {}},
            ]),
        ),
        says(
            Role::Tool,
            json!([
                {"type": "tool_result", "tool_use_id": "t2", "is_error": false, "content": []},
            ]),
        ),
    ];
    insta::assert_json_snapshot!(seen(&harness, history, Some("You are kind.")).await);
}

#[tokio::test]
async fn what_the_api_refuses_is_left_out() {
    let harness =
        Harness::with([Script::answer().text("ok")], |settings| settings.prompt_cache = false)
            .await;
    let history = vec![
        HistoryMessage::user("One"),
        // A stopped turn of which only reasoning is left.
        says(Role::Assistant, json!([{"type": "thinking", "text": "Hm", "signature": null}])),
        HistoryMessage::user("Two"),
        HistoryMessage::assistant(" \n"),
        HistoryMessage::user("Three"),
    ];
    insta::assert_json_snapshot!(seen(&harness, history, Some("  ")).await);
}

#[tokio::test]
async fn reasoning_is_asked_for_as_it_is_set() {
    for (setting, expected) in [
        (Thinking::Default, Value::Null),
        (Thinking::Off, json!({"type": "disabled"})),
        (Thinking::Adaptive, json!({"type": "adaptive", "display": "summarized"})),
        (Thinking::Budget(2_000), json!({"type": "enabled", "budget_tokens": 2_000})),
    ] {
        let harness =
            Harness::with([Script::answer()], |settings| settings.thinking = setting).await;
        let request = seen(&harness, vec![HistoryMessage::user("Hi")], None).await;
        assert_eq!(request["thinking"], expected);
    }
}

#[tokio::test]
async fn the_key_goes_into_its_header_and_nowhere_else() {
    let harness = Harness::new([Script::answer()]).await;
    harness.ask("Hi").await;
    let request = harness.model.recorded().pop().unwrap();
    assert_eq!(request.path, "/v1/messages");
    assert_eq!(request.headers["x-api-key"], KEY);
    assert_eq!(request.headers["anthropic-version"], "2023-06-01");
    assert!(!request.body.to_string().contains(KEY));
}

/// A message may consist of a picture alone.
#[tokio::test]
async fn a_picture_without_words() {
    let harness = Harness::new([Script::answer()]).await;
    let picture = ContentBlock::Image { media_type: "image/webp".into(), data: "UklGRg==".into() };
    let history = vec![HistoryMessage { role: Role::User, blocks: vec![picture] }];
    let request = seen(&harness, history, None).await;
    assert_eq!(
        request["messages"][0]["content"][0]["source"],
        json!({"type": "base64", "media_type": "image/webp", "data": "UklGRg=="})
    );
}
