//! Every event as frames, byte for byte, and what a client that comes back gets.

use parlor_protocol::{Branch, DoneReason, ErrorCode};
use serde_json::{Value, json};

use super::*;

/// One of each, as `protocol` itself pins them down.
const EVENTS: &str = include_str!("../../../../protocol/tests/golden/events.json");

const CONVERSATION: &str = "0198c5a2-7b1e-7cc0-8000-000000000001";
const TURN: &str = "0198c5a2-7b1e-7cc0-8000-000000000002";
const MESSAGE: &str = "0198c5a2-7b1e-7cc0-8000-000000000003";
const PROMPT: &str = "0198c5a2-7b1e-7cc0-8000-000000000004";

fn encoder(after: &str) -> Encoder {
    Encoder::at(CONVERSATION.parse().unwrap(), after.parse().unwrap())
}

fn frames(encoder: &mut Encoder, id: &str, body: &EventBody) -> Vec<Value> {
    let mut to = Vec::new();
    encoder.body(id.parse().unwrap(), body, &mut to);
    to.iter().map(|frame| serde_json::from_str(frame).unwrap()).collect()
}

fn chunk(text: &str) -> EventBody {
    EventBody::Chunk { text: text.to_owned(), message_id: MESSAGE.parse().unwrap() }
}

fn snapshot(text: &str) -> EventBody {
    EventBody::Snapshot { text: text.to_owned(), message_id: MESSAGE.parse().unwrap() }
}

fn message(message_type: &str, content: &str, more: &Value) -> EventBody {
    let mut message = json!({
        "id": MESSAGE, "conversation_id": CONVERSATION, "turn_id": TURN, "role": "assistant",
        "message_type": message_type, "content": content, "metadata": {}, "created_at": 5,
    });
    message.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    EventBody::Message(Box::new(serde_json::from_value(message).unwrap()))
}

fn done() -> EventBody {
    EventBody::Done {
        conversation_id: CONVERSATION.parse().unwrap(),
        turn_id: TURN.parse().unwrap(),
        tokens_used: None,
        reason: DoneReason::Complete,
    }
}

/// Golden: the frames of each event, with id 7. No event may be left out.
fn golden(body: &EventBody) -> &'static [&'static str] {
    match body {
        EventBody::Start { app: Some(_), .. } => &[
            r#"{"type":"start","id":"7","conversation_id":"0198c5a2-7b1e-7cc0-8000-000000000001","turn_id":"0198c5a2-7b1e-7cc0-8000-000000000002","app":"clock"}"#,
        ],
        EventBody::Start { branch: Some(Branch { parent: Some(_) }), .. } => &[
            r#"{"type":"start","id":"7","conversation_id":"0198c5a2-7b1e-7cc0-8000-000000000001","turn_id":"0198c5a2-7b1e-7cc0-8000-000000000002","message_id":"0198c5a2-7b1e-7cc0-8000-000000000003","branch":{"parent":"0198c5a2-7b1e-7cc0-8000-000000000002"}}"#,
        ],
        EventBody::Start { branch: Some(_), .. } => &[
            r#"{"type":"start","id":"7","conversation_id":"0198c5a2-7b1e-7cc0-8000-000000000001","turn_id":"0198c5a2-7b1e-7cc0-8000-000000000002","message_id":"0198c5a2-7b1e-7cc0-8000-000000000003","branch":{}}"#,
        ],
        EventBody::BranchChosen { .. } => &[
            r#"{"type":"branch_chosen","id":"7","conversation_id":"0198c5a2-7b1e-7cc0-8000-000000000001","turn_id":"0198c5a2-7b1e-7cc0-8000-000000000002"}"#,
        ],
        EventBody::Start { message_id: None, .. } => &[
            r#"{"type":"start","id":"7","conversation_id":"0198c5a2-7b1e-7cc0-8000-000000000001","turn_id":"0198c5a2-7b1e-7cc0-8000-000000000002"}"#,
        ],
        EventBody::Queued { .. } => &[
            r#"{"type":"queued","id":"7","conversation_id":"0198c5a2-7b1e-7cc0-8000-000000000001","turn_id":"0198c5a2-7b1e-7cc0-8000-000000000002"}"#,
        ],
        EventBody::Start { .. } => &[
            r#"{"type":"start","id":"7","conversation_id":"0198c5a2-7b1e-7cc0-8000-000000000001","turn_id":"0198c5a2-7b1e-7cc0-8000-000000000002","message_id":"0198c5a2-7b1e-7cc0-8000-000000000003"}"#,
        ],
        EventBody::Chunk { .. } => &[
            r#"{"type":"streamStart","id":"7.0","conversation_id":"0198c5a2-7b1e-7cc0-8000-000000000001","message_id":"0198c5a2-7b1e-7cc0-8000-000000000003"}"#,
            r#"{"type":"streamToken","id":"7","conversation_id":"0198c5a2-7b1e-7cc0-8000-000000000001","token":"Hel","message_id":"0198c5a2-7b1e-7cc0-8000-000000000003"}"#,
        ],
        EventBody::Snapshot { .. } => &[
            r#"{"type":"streamStart","id":"7.0","conversation_id":"0198c5a2-7b1e-7cc0-8000-000000000001","message_id":"0198c5a2-7b1e-7cc0-8000-000000000003","replaces":true}"#,
            r#"{"type":"streamToken","id":"7","conversation_id":"0198c5a2-7b1e-7cc0-8000-000000000001","token":"Hel","message_id":"0198c5a2-7b1e-7cc0-8000-000000000003"}"#,
        ],
        EventBody::Thinking { .. } => &[
            r#"{"type":"thinking","id":"7","conversation_id":"0198c5a2-7b1e-7cc0-8000-000000000001","content":"Hel","text":"Hel","message_id":"0198c5a2-7b1e-7cc0-8000-000000000003"}"#,
        ],
        EventBody::ToolUse { progress: Some(_), .. } => &[
            r#"{"type":"tool_use","id":"7","conversation_id":"0198c5a2-7b1e-7cc0-8000-000000000001","tool":"list_recipes","call_id":"0198c5a2-7b1e-7cc0-8000-000000000005","status":"running","progress":{"done":3.0,"total":10.0,"message":"Reading"}}"#,
        ],
        EventBody::ToolUse { .. } => &[
            r#"{"type":"tool_use","id":"7","conversation_id":"0198c5a2-7b1e-7cc0-8000-000000000001","tool":"list_recipes","call_id":"0198c5a2-7b1e-7cc0-8000-000000000005","status":"running","input":{"tag":"soup"}}"#,
        ],
        EventBody::Artifact { .. } => &[
            r#"{"type":"recipe_artifact","id":"7","conversation_id":"0198c5a2-7b1e-7cc0-8000-000000000001","recipe_id":"r1"}"#,
        ],
        EventBody::Message(_) => &[
            r#"{"type":"info","id":"7","conversation_id":"0198c5a2-7b1e-7cc0-8000-000000000001","message_id":"0198c5a2-7b1e-7cc0-8000-000000000003","turn_id":"0198c5a2-7b1e-7cc0-8000-000000000002","role":"assistant","content":"Hello","metadata":{},"created_at":1794772800000}"#,
        ],
        EventBody::UserPrompt(_) => &[
            r#"{"id":"7","type":"userPrompt","promptType":"input","messageId":"0198c5a2-7b1e-7cc0-8000-000000000004","conversation_id":"0198c5a2-7b1e-7cc0-8000-000000000001","question":"Name?"}"#,
        ],
        EventBody::UserPromptUpdated(_) => &[
            r#"{"type":"userPromptUpdated","id":"7","conversation_id":"0198c5a2-7b1e-7cc0-8000-000000000001","messageId":"0198c5a2-7b1e-7cc0-8000-000000000004","expires_at":null}"#,
        ],
        EventBody::UserPromptClosed(_) => &[
            r#"{"type":"userPromptClosed","id":"7","conversation_id":"0198c5a2-7b1e-7cc0-8000-000000000001","messageId":"0198c5a2-7b1e-7cc0-8000-000000000004","outcome":"expired","at":1794772830000}"#,
        ],
        EventBody::Error { .. } => &[
            r#"{"type":"streamError","id":"7","conversation_id":"0198c5a2-7b1e-7cc0-8000-000000000001","error":"The model is overloaded.","code":"agent_failed","recoverable":true}"#,
        ],
        EventBody::Done { .. } => &[
            r#"{"type":"done","id":"7","conversation_id":"0198c5a2-7b1e-7cc0-8000-000000000001","turn_id":"0198c5a2-7b1e-7cc0-8000-000000000002","tokens_used":120,"reason":"complete"}"#,
        ],
    }
}

/// W-3: every event, byte for byte.
#[test]
fn every_event_is_written_like_this() {
    let events: Vec<EventBody> = serde_json::from_str(EVENTS).unwrap();
    let mut kinds = std::collections::HashSet::new();
    for body in &events {
        kinds.insert(std::mem::discriminant(body));
        let mut written = Vec::new();
        encoder("6").body(EventId::durable(7), body, &mut written);
        assert_eq!(written, golden(body));
    }
    assert_eq!(kinds.len(), 14, "one of each");
}

/// W-3: text streams between its start and its end, then its message comes.
#[test]
fn text_has_a_start_and_an_end() {
    let mut encoder = encoder("40");
    let mut all = Vec::new();
    for (id, body) in [
        ("41.3", chunk("Hel")),
        ("41.5", chunk("lo")),
        ("42", message("question", "Hello?", &json!({}))),
        ("43", done()),
    ] {
        all.extend(frames(&mut encoder, id, &body));
    }
    let seen: Vec<(&str, &str)> = all
        .iter()
        .map(|frame| (frame["type"].as_str().unwrap(), frame["id"].as_str().unwrap()))
        .collect();
    let expected = [
        ("streamStart", "41.0"),
        ("streamToken", "41.3"),
        ("streamToken", "41.5"),
        ("streamEnd", "41.5"),
        ("question", "42"),
        ("done", "43"),
    ];
    assert_eq!(seen, expected);
    assert!(all.iter().all(|frame| frame["conversation_id"] == CONVERSATION));
    assert!(all[..5].iter().all(|frame| frame["message_id"] == MESSAGE));
}

/// H-5: from the place of any frame on, nothing is missing; only an end without
/// its message is said again.
#[test]
fn whoever_comes_back_inside_a_text_gets_its_rest() {
    let hello = message("info", "Hello", &json!({}));
    let types = |after: &str, events: &[(&str, EventBody)]| -> Vec<String> {
        let mut encoder = encoder(after);
        let frames = events.iter().flat_map(|(id, body)| frames(&mut encoder, id, body));
        frames.map(|frame| frame["type"].as_str().unwrap().to_owned()).collect()
    };
    let rest = [("41.5", chunk("lo")), ("42", hello.clone())];
    for after in ["41.0", "41.3"] {
        assert_eq!(types(after, &rest), ["streamToken", "streamEnd", "info"], "after {after}");
    }
    assert_eq!(types("41.5", &rest[1..]), ["streamEnd", "info"]);
    assert_eq!(types("41", &rest[1..]), ["info"]);
    // Thinking has neither a start nor an end, also after a reconnect inside it.
    let thought = message("thinking", "Hm", &json!({}));
    assert_eq!(types("41.2", &[("42", thought)]), ["thinking"]);
    let persons = message("text", "Hi", &json!({"role": "user"}));
    assert_eq!(types("41.2", &[("42", persons)]), ["text"]);
    assert_eq!(types("41.2", &[("42", done())]), ["done"]);
}

/// FAULTS 1: text that was lost is replaced, and a stream never stays open.
#[test]
fn lost_text_is_replaced() {
    let mut resumed = encoder("41.9");
    let replaced = frames(&mut resumed, "41.2", &snapshot("He"));
    assert_eq!(
        replaced,
        [
            json!({"type": "streamStart", "id": "41.0", "conversation_id": CONVERSATION,
                "message_id": MESSAGE, "replaces": true}),
            json!({"type": "streamToken", "id": "41.2", "conversation_id": CONVERSATION,
                "token": "He", "message_id": MESSAGE}),
        ]
    );
    let mut lost = encoder("41.9");
    assert_eq!(frames(&mut lost, "41.0", &snapshot("")), replaced[..1]);
    let ended = frames(&mut lost, "42", &done());
    assert_eq!(
        (&ended[0]["type"], &ended[0]["id"], &ended[1]["type"]),
        (&json!("streamEnd"), &json!("41.0"), &json!("done"))
    );
    let failure =
        EventBody::Error { message: "no".into(), code: ErrorCode::Internal, recoverable: false };
    frames(&mut lost, "43.1", &chunk("a"));
    let ended = frames(&mut lost, "44", &failure);
    assert_eq!((ended.len(), &ended[0]["message_id"]), (1, &json!(MESSAGE)));
}

/// WIRE: an error is an error wherever it comes from.
#[test]
fn errors_have_one_shape() {
    let words = "The model is overloaded.";
    let known = json!({"metadata": {"code": "agent_failed", "recoverable": true}});
    let frame = frames(&mut encoder("6"), "7", &message("error", words, &known)).remove(0);
    let refusal = ErrorBody {
        code: ErrorCode::RateLimited,
        message: words.to_owned(),
        retry_after: Some(3),
        prompt_id: None,
        problems: None,
        budget: None,
    };
    let mark = InReplyTo::Message("mark-1".parse().unwrap());
    let refused: Value =
        serde_json::from_str(&encoder("6").refusal(&refusal, true, &mark)).unwrap();
    for (error, code) in [(&frame, "agent_failed"), (&refused, "rate_limited")] {
        assert_eq!((&error["type"], &error["code"]), (&json!("error"), &json!(code)));
        assert_eq!((&error["message"], &error["content"]), (&json!(words), &json!(words)));
        assert_eq!(error["recoverable"], true);
    }
    assert_eq!(
        refused,
        json!({"type": "error", "id": "6", "conversation_id": CONVERSATION, "message": words,
            "content": words, "code": "rate_limited", "recoverable": true, "retry_after": 3,
            "client_message_id": "mark-1"})
    );
    let nowhere =
        Encoder::new().refusal(&refusal, true, &InReplyTo::Prompt(PROMPT.parse().unwrap()));
    let nowhere: Value = serde_json::from_str(&nowhere).unwrap();
    assert_eq!(
        (&nowhere["id"], &nowhere["conversation_id"], &nowhere["messageId"]),
        (&json!("0"), &Value::Null, &json!(PROMPT))
    );
}

/// C-4, T-2: what a message holds besides words comes along.
#[test]
fn a_message_keeps_its_structure() {
    let options = json!([{"label": "SQLite", "value": "sqlite"}]);
    let question = json!({"question": "Which?", "options": options});
    let more = json!({"data": question, "options": options, "metadata": {"a": 1}});
    let frame = frames(&mut encoder("6"), "7", &message("question", "Which?", &more)).remove(0);
    assert_eq!((&frame["options"], &frame["metadata"]["a"]), (&options, &json!(1)));
    assert_eq!(frame["data"]["question"], "Which?");
    let many = json!([{"id": "q1", "question": "Which?", "options": options,
        "multi_select": false, "allow_other": true}]);
    let body = message("multi_question", "Which?", &json!({"questions": many}));
    assert_eq!(frames(&mut encoder("6"), "7", &body)[0]["questions"], many);
    let other = EventBody::Artifact { kind: "chart".into(), id: "c1".into() };
    let frame = frames(&mut encoder("6"), "7", &other).remove(0);
    assert_eq!(
        (&frame["type"], &frame["id"], &frame["artifact_id"]),
        (&json!("artifact"), &json!("7"), &json!("c1"))
    );
}
