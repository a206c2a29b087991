//! The messages of a conversation, for a CLI session that does not know them.

use parlor_agent::{ContentBlock, HistoryMessage, TurnContext};
use parlor_protocol::Role;

const SO_FAR: &str = "What was said in this conversation so far:";
/// How much of the earlier messages is repeated, in bytes.
const MOST_REPEATED: usize = 64 << 10;

/// The message that a program is told: the last one of a person. In a resumed turn, messages of
/// the agent follow it.
pub(crate) fn told(context: &TurnContext) -> Option<(usize, &HistoryMessage)> {
    context.history.iter().enumerate().rfind(|(_, message)| message.role == Role::User)
}

/// What a message says; of files their names.
fn words_of(message: &HistoryMessage) -> String {
    let files = message.blocks.iter().filter_map(|block| match block {
        ContentBlock::Document(document) => Some(format!("[file \"{}\"]", document.name)),
        _ => None,
    });
    files.chain([message.text()]).filter(|text| !text.is_empty()).collect::<Vec<_>>().join("\n")
}

/// All messages but the one that is told, as one text.
pub(crate) fn others(history: &[HistoryMessage], told: usize) -> Option<String> {
    let mut lines = Vec::new();
    let mut room = MOST_REPEATED;
    for (_, message) in history.iter().enumerate().rev().filter(|(at, _)| *at != told) {
        let who = match message.role {
            Role::User => "Person",
            Role::Assistant => "You",
            Role::Tool => continue,
        };
        let words = words_of(message);
        if words.trim().is_empty() {
            continue;
        }
        let line = format!("{who}: {words}");
        if line.len() > room {
            break;
        }
        room -= line.len();
        lines.push(line);
    }
    lines.reverse();
    (!lines.is_empty()).then(|| format!("{SO_FAR}\n\n{}", lines.join("\n\n")))
}
