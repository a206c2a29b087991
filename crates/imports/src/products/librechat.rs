//! LibreChat: one conversation for each file, its messages in a list or within one another.

use serde_json::Value;

use super::{Found, owned};
use crate::left_out::LeftOut;
use crate::path::{Tree, branch};
use crate::text::{count, list, message, text, time};
use crate::{Message, Speaker};

pub(super) fn read(value: &Value, left_out: &mut LeftOut) -> Found {
    let mut all = Vec::new();
    flatten(list(value, "messages"), None, &mut all);
    let tree: Tree<'_> = all
        .iter()
        .filter_map(|(one, parent)| Some((text(one, "messageId")?, (*one, *parent))))
        .collect();
    let last = all.last().and_then(|(last, _)| text(last, "messageId"));
    let messages: Vec<&Value> = match last {
        Some(last) if tree.len() == all.len() => {
            let path = branch(&tree, last);
            left_out.branches += path.others(&tree);
            path.messages
        }
        _ => all.iter().map(|(one, _)| *one).collect(),
    };
    let messages: Vec<Message> =
        messages.into_iter().filter_map(|one| said(one, left_out)).collect();
    Found {
        id: owned(value, "conversationId"),
        title: owned(value, "title"),
        began_at: messages.first().and_then(|first| first.at),
        messages,
    }
}

/// All messages with their parents, in the order of the file. The file is read with a bound on its
/// depth, so this is one too.
fn flatten<'v>(
    messages: &'v [Value],
    parent: Option<&'v str>,
    all: &mut Vec<(&'v Value, Option<&'v str>)>,
) {
    for one in messages {
        all.push((one, text(one, "parentMessageId").or(parent)));
        flatten(list(one, "children"), text(one, "messageId"), all);
    }
}

fn said(value: &Value, left_out: &mut LeftOut) -> Option<Message> {
    left_out.attachments += count(value, "files");
    let mut words = Vec::new();
    for part in list(value, "content") {
        match text(part, "type").unwrap_or_default() {
            "text" => {
                let nested = part.get("text").and_then(|inner| text(inner, "value"));
                words.extend(text(part, "text").or(nested));
            }
            "think" => left_out.thoughts += 1,
            "tool_call" => left_out.tools += 1,
            _ => left_out.attachments += 1,
        }
    }
    if words.is_empty() {
        words.extend(text(value, "text"));
    }
    let is_person = value.get("isCreatedByUser") == Some(&true.into())
        || text(value, "sender").is_some_and(|sender| sender.eq_ignore_ascii_case("user"));
    let speaker = if is_person { Speaker::Person } else { Speaker::Assistant };
    message(speaker, &words.join("\n\n"), time(value, "createdAt"), left_out)
}
