//! Y-5: exports of other chats are read as people saw them, and what is left out is counted.

#![allow(clippy::unwrap_used, reason = "tests may fail")]

use std::io::{Cursor, Write};

use parlor_imports::{Export, ImportError, LeftOut, Product, Speaker, read};
use proptest::prelude::*;
use serde_json::{Value, json};

const MOST: usize = 1 << 20;

fn read_json(value: &Value) -> Export {
    read(value.to_string().as_bytes(), MOST).unwrap()
}

/// Who said what, a line for each message.
fn said(export: &Export) -> Vec<String> {
    let messages = export.conversations.iter().flat_map(|one| &one.messages);
    let line = |message: &parlor_imports::Message| {
        let who = if message.speaker == Speaker::Person { "person" } else { "assistant" };
        format!("{who}: {}", message.text)
    };
    messages.map(line).collect()
}

fn chatgpt() -> Value {
    let node = |id: &str, parent: Value, role: &str, content: Value| {
        json!({"id": id, "parent": parent, "children": [], "message": {
            "author": {"role": role}, "create_time": 1_700_000_000.5, "content": content,
            "recipient": "all", "metadata": {}}})
    };
    let text = |words: &str| json!({"content_type": "text", "parts": [words]});
    let mut hidden = node("context", json!("root"), "user", text("About me"));
    hidden["message"]["metadata"] = json!({"is_visually_hidden_from_conversation": true});
    let mut call = node(
        "call",
        json!("asks"),
        "assistant",
        json!({"content_type": "code", "text": "search('soup')"}),
    );
    call["message"]["recipient"] = json!("web.run");
    json!([{
        "title": "Soup", "create_time": 1_700_000_000.0, "conversation_id": "c-1",
        "current_node": "answer",
        "mapping": {
            "root": {"id": "root", "parent": null, "message": null, "children": ["context"]},
            "context": hidden,
            "first": node("first", json!("context"), "user", text("Soop?")),
            "asks": node("asks", json!("context"), "user", json!({"content_type":
                "multimodal_text", "parts": [{"content_type": "image_asset_pointer"}, "Soup?"]})),
            "call": call,
            "result": node("result", json!("call"), "tool", text("A page")),
            "thinks": node("thinks", json!("result"), "assistant",
                json!({"content_type": "thoughts", "thoughts": []})),
            "answer": node("answer", json!("thinks"), "assistant", text("Tomatoes, water.")),
        }
    }])
}

/// Y-5: of ChatGPT the branch that was shown last.
#[test]
fn chatgpt_is_read() {
    let export = read_json(&chatgpt());
    assert_eq!(export.product, Product::ChatGpt);
    assert_eq!(said(&export), ["person: Soup?", "assistant: Tomatoes, water."]);
    let conversation = &export.conversations[0];
    assert_eq!((conversation.id.as_str(), conversation.title.as_str()), ("c-1", "Soup"));
    assert_eq!(conversation.began_at, Some(1_700_000_000_000));
    assert_eq!(conversation.messages[0].at, Some(1_700_000_000_500));
    let expected = LeftOut {
        branches: 1,
        attachments: 1,
        tools: 2,
        thoughts: 1,
        hidden: 1,
        ..LeftOut::default()
    };
    assert_eq!(export.left_out, expected);
}

/// Y-5: of Claude the branch of the last message; older exports have no branches.
#[test]
fn claude_is_read() {
    let message = |id: &str, parent: &str, sender: &str, words: &str| {
        json!({"uuid": id, "parent_message_uuid": parent, "sender": sender, "text": "whole",
            "created_at": "2025-03-01T12:00:00.250Z",
            "content": [{"type": "thinking", "thinking": "…"}, {"type": "text", "text": words}],
            "attachments": [{"file_name": "a.txt"}], "files": []})
    };
    let export = read_json(&json!([{
        "uuid": "c-2", "name": "Bread", "created_at": "2025-03-01T11:59:00+00:00",
        "chat_messages": [
            message("a", "0", "human", "Bred?"),
            message("b", "0", "human", "Bread?"),
            message("c", "b", "assistant", "Flour."),
        ]
    }, {
        "uuid": "c-3", "name": "", "created_at": "2023-03-01T11:59:00Z", "chat_messages": [
            {"sender": "human", "text": "Old?"}, {"sender": "assistant", "text": "Yes."},
        ]
    }, {"uuid": "c-4", "name": "Nothing", "chat_messages": []}]));
    assert_eq!(export.product, Product::Claude);
    let expected = ["person: Bread?", "assistant: Flour.", "person: Old?", "assistant: Yes."];
    assert_eq!(said(&export), expected);
    assert_eq!(export.conversations[0].messages[0].at, Some(1_740_830_400_250));
    let expected =
        LeftOut { branches: 1, thoughts: 2, attachments: 2, empty: 1, ..LeftOut::default() };
    assert_eq!(export.left_out, expected);
}

/// Y-5: of Open WebUI the current branch, without what it folds into answers.
#[test]
fn open_webui_is_read() {
    let export = read_json(&json!([{
        "id": "c-5", "title": "Tea", "created_at": 1_700_000_000, "chat": {"history": {
            "currentId": "b", "messages": {
                "a": {"id": "a", "parentId": null, "role": "user", "content": "Tea?",
                    "timestamp": 1_700_000_001, "files": [{"type": "image"}]},
                "b": {"id": "b", "parentId": "a", "role": "assistant", "content":
                    "<details type=\"reasoning\" done=\"true\">\n<summary>Thought</summary>\nHm\n\
                     </details>\nFour minutes."},
                "x": {"id": "x", "parentId": "a", "role": "assistant", "content": "Other."},
            }}}
    }, {"id": "c-6", "chat": {"title": "Flat", "messages": [
        {"role": "system", "content": "Be short."}, {"role": "user", "content": "Hi"}]}}]));
    assert_eq!(export.product, Product::OpenWebUi);
    assert_eq!(said(&export), ["person: Tea?", "assistant: Four minutes.", "person: Hi"]);
    assert_eq!(export.conversations[1].title, "Flat");
    let expected =
        LeftOut { branches: 1, attachments: 1, thoughts: 1, hidden: 1, ..LeftOut::default() };
    assert_eq!(export.left_out, expected);
}

/// Y-5: of LibreChat both forms of its export.
#[test]
fn librechat_is_read() {
    let flat = read_json(&json!({
    "conversationId": "c-7", "title": "Rice", "messages": [
        {"messageId": "a", "parentMessageId": "0", "sender": "User", "text": "Rice?",
            "isCreatedByUser": true, "createdAt": "2025-01-01T00:00:00.000Z"},
        {"messageId": "b", "parentMessageId": "a", "sender": "GPT", "isCreatedByUser": false,
            "content": [{"type": "think", "think": "Hm"},
                {"type": "text", "text": {"value": "Rinse it."}}]},
    ]}));
    let nested = read_json(&json!({
    "conversationId": "c-7", "title": "Rice", "recursive": true, "messages": [
        {"messageId": "a", "sender": "User", "text": "Rice?", "isCreatedByUser": true,
            "children": [{"messageId": "b", "sender": "GPT", "text": "Rinse it.",
                "children": []}]},
    ]}));
    assert_eq!(flat.product, Product::LibreChat);
    assert_eq!(said(&flat), ["person: Rice?", "assistant: Rinse it."]);
    assert_eq!(said(&nested), said(&flat));
    assert_eq!(flat.left_out.thoughts, 1);
}

fn zipped(name: &str, bytes: &[u8]) -> Vec<u8> {
    let mut archive = zip::ZipWriter::new(Cursor::new(Vec::new()));
    archive.start_file(name, zip::write::SimpleFileOptions::default()).unwrap();
    archive.write_all(bytes).unwrap();
    archive.finish().unwrap().into_inner()
}

/// Y-5: the archive is taken as it was downloaded; one that unfolds too far is refused.
#[test]
fn archives_are_unpacked_within_bounds() {
    let json = chatgpt().to_string();
    let export = read(&zipped("export/conversations.json", json.as_bytes()), MOST).unwrap();
    assert_eq!(export, read(json.as_bytes(), MOST).unwrap());
    let bomb = zipped("conversations.json", &vec![b' '; 4 * MOST]);
    assert!(bomb.len() < MOST / 10);
    assert_eq!(read(&bomb, MOST), Err(ImportError::TooLarge(1)));
    assert_eq!(read(&zipped("photos.json", b"[]"), MOST), Err(ImportError::Unknown));
    assert!(matches!(read(&bomb[..60], MOST), Err(ImportError::Damaged(_))));
}

/// Y-5: another file is refused with what to do.
#[test]
fn other_files_are_refused() {
    let refused = |file: &[u8]| read(file, MOST).unwrap_err();
    for file in [&b"[]"[..], b"{}", b"3", b"\"text\"", b"<html>", b"[{\"a\": 1}]", b"[1, 2]"] {
        assert_eq!(refused(file), ImportError::Unknown, "{}", String::from_utf8_lossy(file));
    }
    for cut in [&b""[..], b"[{\"mapping\": {"] {
        assert!(matches!(refused(cut), ImportError::Damaged(_)));
    }
    let deep = format!("{{\"conversationId\": 1, \"messages\": {}", "[".repeat(200));
    assert_eq!(refused(deep.as_bytes()), ImportError::TooDeep);
    assert_eq!(read(&[b' '; 20], 10), Err(ImportError::TooLarge(0)));
}

/// Y-5: messages in a circle end, and long texts are cut at a character.
#[test]
fn circles_end_and_long_texts_are_cut() {
    let mut value = chatgpt();
    value[0]["mapping"]["context"]["parent"] = json!("answer");
    value[0]["mapping"]["asks"]["message"]["content"]["parts"][1] = json!("é".repeat(400_000));
    let export = read(value.to_string().as_bytes(), 2 * MOST).unwrap();
    assert_eq!(export.conversations[0].messages.len(), 2);
    assert_eq!(export.conversations[0].messages[0].text.len(), parlor_imports::LONGEST_TEXT);
    assert_eq!(export.left_out.cut, 1);
}

proptest! {
    /// Y-5: whatever a field holds, the rest is read.
    #[test]
    fn no_field_is_believed(
        path in prop::sample::select(vec![
            "/0/title", "/0/create_time", "/0/current_node", "/0/mapping", "/0/mapping/asks",
            "/0/mapping/asks/parent", "/0/mapping/asks/message", "/0/mapping/asks/message/content",
            "/0/mapping/asks/message/author", "/0/mapping/asks/message/content/parts",
            "/0/mapping/asks/message/create_time", "/0/conversation_id",
        ]),
        other in prop::sample::select(vec![
            json!(null), json!(1e300), json!(-1), json!([]), json!({}), json!([[]]), json!("x"),
            json!({"role": []}), json!("9".repeat(1000)), json!("\0\0"),
        ]),
    ) {
        let mut value = chatgpt();
        *value.pointer_mut(path).unwrap() = other;
        let export = read(value.to_string().as_bytes(), MOST).unwrap();
        for conversation in &export.conversations {
            prop_assert!(conversation.messages.iter().all(|one| !one.text.trim().is_empty()));
            prop_assert!(conversation.id.chars().count() <= 200);
        }
    }
}
