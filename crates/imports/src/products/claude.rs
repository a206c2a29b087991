//! Claude: messages in the order in which they were written, each with its parent.

use serde_json::Value;

use super::{Found, owned};
use crate::left_out::LeftOut;
use crate::path::{Tree, branch};
use crate::text::{count, list, message, text, time};
use crate::{Message, Speaker};

pub(super) fn read(value: &Value, left_out: &mut LeftOut) -> Found {
    let all = list(value, "chat_messages");
    let mut tree = Tree::new();
    for one in all {
        if let Some(id) = text(one, "uuid") {
            tree.insert(id, (one, text(one, "parent_message_uuid")));
        }
    }
    // Older exports name no parents: they have one branch.
    let is_tree = tree.len() == all.len() && tree.values().any(|(_, parent)| parent.is_some());
    let last = all.last().and_then(|last| text(last, "uuid")).filter(|_| is_tree);
    let messages: Vec<&Value> = match last {
        Some(last) => {
            let path = branch(&tree, last);
            left_out.branches += path.others(&tree);
            path.messages
        }
        None => all.iter().collect(),
    };
    Found {
        id: owned(value, "uuid"),
        title: owned(value, "name"),
        began_at: time(value, "created_at"),
        messages: messages.into_iter().filter_map(|one| said(one, left_out)).collect(),
    }
}

fn said(value: &Value, left_out: &mut LeftOut) -> Option<Message> {
    let files = if value.get("files_v2").is_some() { "files_v2" } else { "files" };
    left_out.attachments += count(value, "attachments") + count(value, files);
    let mut words = Vec::new();
    for block in list(value, "content") {
        match text(block, "type").unwrap_or_default() {
            "text" => words.extend(text(block, "text")),
            "thinking" => left_out.thoughts += 1,
            "tool_use" | "tool_result" => left_out.tools += 1,
            "image" | "document" => left_out.attachments += 1,
            _ => left_out.hidden += 1,
        }
    }
    if list(value, "content").is_empty() {
        words.extend(text(value, "text"));
    }
    let is_person = text(value, "sender") == Some("human");
    let speaker = if is_person { Speaker::Person } else { Speaker::Assistant };
    message(speaker, &words.join("\n\n"), time(value, "created_at"), left_out)
}
