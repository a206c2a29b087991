//! Recorded conversations as an editor is shown them: the recordings that the server writes
//! for the tests of the web interface, and one snapshot for each.

use std::path::Path;

use agent_client_protocol_schema::v1::SessionUpdate;
use serde::Deserialize;
use serde_json::{Value, json};

use super::*;

const RECORDINGS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../web/tests/recordings");
/// Longer texts are shown by their beginning and their length.
const LONGEST: usize = 160;

fn events(file: &Path) -> Vec<EventBody> {
    let text = std::fs::read_to_string(file).unwrap();
    let event = |line: &str| {
        let mut line: Value = serde_json::from_str(line).unwrap();
        if line["event"] == "recipe_artifact" {
            line = json!({"event": "artifact", "data": {"kind": "recipe", "id": "r"}});
        }
        EventBody::deserialize(line).ok()
    };
    text.lines().filter_map(event).collect()
}

fn shorten(value: &mut Value) {
    match value {
        Value::String(text) if text.chars().count() > LONGEST => {
            let beginning: String = text.chars().take(40).collect();
            *text = format!("{beginning}… ({} characters)", text.chars().count());
        }
        Value::Array(items) => items.iter_mut().for_each(shorten),
        Value::Object(fields) => fields.values_mut().for_each(shorten),
        _ => {}
    }
}

/// One line for each update. Every one is what the protocol says.
fn shown(updates: Vec<SessionUpdate>) -> String {
    let line = |update: &SessionUpdate| {
        let mut json = serde_json::to_value(update).unwrap();
        assert_eq!(SessionUpdate::deserialize(&json).unwrap(), *update);
        let name = json["sessionUpdate"].take();
        json.as_object_mut().unwrap().shift_remove("sessionUpdate");
        shorten(&mut json);
        // Ids differ in their last digits.
        let json = json.to_string().replace("0198c5a2-7b1e-7cc0-8000-0000000000", "#");
        format!("{} {json}\n", name.as_str().unwrap())
    };
    updates.iter().map(line).collect()
}

/// B-5: what an editor is shown of every kind of conversation.
#[test]
fn recordings_as_an_editor_is_shown_them() {
    let mut count = 0;
    for file in std::fs::read_dir(RECORDINGS).unwrap() {
        let path = file.unwrap().path();
        if path.extension().is_none_or(|extension| extension != "jsonl") {
            continue;
        }
        let mut all = Shown::default();
        let updates = events(&path).iter().flat_map(|event| all.updates(event)).collect();
        insta::assert_snapshot!(path.file_stem().unwrap().to_str().unwrap(), shown(updates));
        count += 1;
    }
    assert!(count >= 20, "{count} recordings");
}

fn id(n: u128) -> MessageId {
    MessageId::new(uuid::Uuid::from_u128(n))
}

fn texts(updates: &[SessionUpdate]) -> String {
    let text = |update: &SessionUpdate| match update {
        SessionUpdate::AgentMessageChunk(chunk) => match &chunk.content {
            ContentBlock::Text(text) => text.text.clone(),
            other => panic!("{other:?}"),
        },
        other => panic!("{other:?}"),
    };
    updates.iter().map(text).collect()
}

/// H-5: whatever comes twice after a lost connection is shown once.
#[test]
fn text_is_shown_once() {
    let mut shown = Shown::default();
    let chunk = |text: &str| EventBody::Chunk { text: text.into(), message_id: id(1) };
    let snapshot = |text: &str| EventBody::Snapshot { text: text.into(), message_id: id(1) };
    let mut all = Vec::new();
    for event in [chunk("one "), snapshot("one two "), chunk("three"), snapshot("one two three")] {
        all.extend(shown.updates(&event));
    }
    assert_eq!(texts(&all), "one two three");
    let replaced = shown.updates(&snapshot("withheld"));
    assert_eq!(texts(&replaced), "\n\nwithheld", "an editor can only append");
    assert!(shown.updates(&snapshot("with")).is_empty(), "what was shown stays");
}

/// What this editor's person wrote or answered is not repeated, what others wrote is.
#[test]
fn own_messages_are_not_repeated() {
    let file = Path::new(RECORDINGS).join("question.jsonl");
    let events = events(&file);
    let mut shown = Shown::default();
    let messages: Vec<&Message> = events
        .iter()
        .filter_map(|event| match event {
            EventBody::Message(message) if message.role == Role::User => Some(&**message),
            _ => None,
        })
        .collect();
    shown.own_message(messages[0].id);
    shown.own_answer(metadata::ANSWERS.get(&messages[1].metadata).unwrap());
    let is_user = |update: &SessionUpdate| matches!(update, SessionUpdate::UserMessageChunk(_));
    let updates: Vec<SessionUpdate> =
        events.iter().flat_map(|event| shown.updates(event)).collect();
    assert!(!updates.iter().any(is_user), "{updates:?}");
    let mut foreign = Shown::default();
    let updates: Vec<_> = events.iter().flat_map(|event| foreign.updates(event)).collect();
    assert_eq!(updates.iter().filter(|update| is_user(update)).count(), 2);
}

/// Two calls of one tool that wait at the same time keep their arguments apart.
#[test]
fn calls_of_one_tool_are_told_apart() {
    let mut shown = Shown::default();
    let call = |n: u128| CallId::new(uuid::Uuid::from_u128(n));
    let waiting = |n: u128| EventBody::ToolUse {
        tool: "mark".into(),
        call_id: call(n),
        status: parlor_protocol::ToolStatus::Waiting,
        input: None,
        progress: None,
    };
    let proposed = |n: u128| {
        let message = json!({"id": id(n), "conversation_id": uuid::Uuid::nil(),
            "turn_id": uuid::Uuid::nil(), "role": "assistant", "message_type": "tool_call",
            "content": "Allow?", "data": {"name": "mark", "input": {"number": n}},
            "metadata": {"prompt_id": uuid::Uuid::from_u128(n)}, "created_at": 0});
        EventBody::Message(serde_json::from_value(message).unwrap())
    };
    for event in [waiting(11), proposed(1), waiting(12), proposed(2)] {
        shown.updates(&event);
    }
    for (prompt, expected) in [(1, 11), (2, 12)] {
        let prompt = PromptId::new(uuid::Uuid::from_u128(prompt));
        assert_eq!(shown.call_of(prompt), Some(call(expected)));
    }
}
