//! Open WebUI: a tree of messages (`chat.history`), or the list of one branch (`chat.messages`).

use serde_json::Value;

use super::{Found, owned};
use crate::left_out::LeftOut;
use crate::path::{Tree, branch};
use crate::text::{count, list, message, text, time};
use crate::{Message, Speaker};

pub(super) fn read(value: &Value, left_out: &mut LeftOut) -> Found {
    let chat = value.get("chat").unwrap_or(&Value::Null);
    let history = chat.get("history").unwrap_or(&Value::Null);
    let mut tree = Tree::new();
    for (id, one) in history.get("messages").and_then(Value::as_object).into_iter().flatten() {
        tree.insert(id.as_str(), (one, text(one, "parentId")));
    }
    let messages: Vec<&Value> = match text(history, "currentId") {
        Some(last) if tree.contains_key(last) => {
            let path = branch(&tree, last);
            left_out.branches += path.others(&tree);
            path.messages
        }
        _ => list(chat, "messages").iter().collect(),
    };
    Found {
        id: owned(value, "id"),
        title: owned(value, "title").or_else(|| owned(chat, "title")),
        began_at: time(value, "created_at").or_else(|| time(chat, "timestamp")),
        messages: messages.into_iter().filter_map(|one| said(one, left_out)).collect(),
    }
}

fn said(value: &Value, left_out: &mut LeftOut) -> Option<Message> {
    left_out.attachments += count(value, "files");
    let speaker = match text(value, "role").unwrap_or_default() {
        "user" => Speaker::Person,
        "assistant" => Speaker::Assistant,
        "tool" => {
            left_out.tools += 1;
            return None;
        }
        _ => {
            left_out.hidden += 1;
            return None;
        }
    };
    let mut words = Vec::new();
    match value.get("content") {
        Some(Value::String(content)) => words.push(without_details(content, left_out)),
        Some(Value::Array(parts)) => {
            for part in parts {
                match text(part, "text") {
                    Some(content) => words.push(without_details(content, left_out)),
                    None => left_out.attachments += 1,
                }
            }
        }
        _ => {}
    }
    message(speaker, &words.join("\n\n"), time(value, "timestamp"), left_out)
}

/// Without the folded parts that it writes into an answer: what the model thought, and its calls.
fn without_details(content: &str, left_out: &mut LeftOut) -> String {
    const END: &str = "</details>";
    let mut rest = content;
    let mut words = String::new();
    while let Some(at) = rest.find("<details type=\"") {
        let kind = &rest[at + "<details type=\"".len()..];
        let Some(end) = rest[at..].find(END) else { break };
        match kind.split('"').next() {
            Some("tool_calls" | "code_interpreter") => left_out.tools += 1,
            _ => left_out.thoughts += 1,
        }
        words.push_str(&rest[..at]);
        rest = &rest[at + end + END.len()..];
    }
    words.push_str(rest);
    words
}
