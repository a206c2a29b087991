//! ChatGPT: a tree of messages (`mapping`) and its last one (`current_node`).

use serde_json::Value;

use super::{Found, owned};
use crate::left_out::LeftOut;
use crate::path::{Tree, branch};
use crate::text::{count, list, message, text, time};
use crate::{Message, Speaker};

pub(super) fn read(value: &Value, left_out: &mut LeftOut) -> Found {
    let mut tree = Tree::new();
    for (id, node) in value.get("mapping").and_then(Value::as_object).into_iter().flatten() {
        tree.insert(id.as_str(), (node, text(node, "parent")));
    }
    let last = text(value, "current_node").or_else(|| newest(value)).unwrap_or_default();
    let path = branch(&tree, last);
    // Many nodes hold no words: only those that do are missed.
    let others = tree.iter().filter(|(id, (node, _))| {
        !path.ids.contains(*id) && said(node, &mut LeftOut::default()).is_some()
    });
    left_out.branches += u32::try_from(others.count()).unwrap_or(u32::MAX);
    Found {
        id: owned(value, "conversation_id").or_else(|| owned(value, "id")),
        title: owned(value, "title"),
        began_at: time(value, "create_time"),
        messages: path.messages.iter().filter_map(|node| said(node, left_out)).collect(),
    }
}

/// The node without children that the file names last.
fn newest(value: &Value) -> Option<&str> {
    let nodes = value.get("mapping")?.as_object()?;
    let leaf = nodes.iter().rfind(|(_, node)| list(node, "children").is_empty());
    leaf.map(|(id, _)| id.as_str())
}

fn said(node: &Value, left_out: &mut LeftOut) -> Option<Message> {
    let value = node.get("message").filter(|message| message.is_object())?;
    let metadata = value.get("metadata").unwrap_or(&Value::Null);
    let role = text(value.get("author")?, "role").unwrap_or_default();
    let content = value.get("content")?;
    let kind = text(content, "content_type").unwrap_or_default();
    left_out.attachments += count(metadata, "attachments");
    let is_hidden = metadata.get("is_visually_hidden_from_conversation") == Some(&true.into())
        || role == "system"
        || kind.ends_with("_editable_context");
    let goes_to_tool = text(value, "recipient").is_some_and(|recipient| recipient != "all");
    if is_hidden {
        left_out.hidden += u32::from(content_text(content, left_out).is_some());
        return None;
    }
    if matches!(kind, "thoughts" | "reasoning_recap") {
        left_out.thoughts += 1;
        return None;
    }
    if role == "tool" || goes_to_tool {
        left_out.tools += 1;
        return None;
    }
    let speaker = if role == "user" { Speaker::Person } else { Speaker::Assistant };
    let words = content_text(content, left_out)?;
    message(speaker, &words, time(value, "create_time"), left_out)
}

fn content_text(content: &Value, left_out: &mut LeftOut) -> Option<String> {
    let mut words = Vec::new();
    for part in list(content, "parts") {
        match part {
            Value::String(words_of_part) => words.push(words_of_part.as_str()),
            // What was spoken, in words.
            part if text(part, "content_type") == Some("audio_transcription") => {
                words.extend(text(part, "text"));
            }
            _ => left_out.attachments += 1,
        }
    }
    words.extend(text(content, "text"));
    let words = words.join("\n\n");
    (!words.trim().is_empty()).then_some(words)
}
