//! Going on without what was read (F-1): a mark in the raw history, from which on the model gets of
//! the messages before it only the person's own, and results of the people's own systems.
//!
//! Of those, only the ones from before the first words of others stay: the arguments of a later
//! call may carry an order on. What the assistant said may too, so it goes.

use std::collections::HashSet;

use parlor_agent::{ContentBlock, HistoryMessage};
use parlor_protocol::{Role, TurnId};
use serde_json::{Value, json};

use crate::versions;

const MARK: &str = "cleared";
const FILE_LEFT_OUT: &str = "[a file that others wrote was left out]";

/// The calls that stay, by turn and the model's id.
pub(crate) type KeptCalls = HashSet<(String, String)>;

/// The mark, with the calls that stay.
pub(crate) fn mark(kept: &[(TurnId, String)]) -> Value {
    let kept: Vec<Value> = kept.iter().map(|(turn, call)| json!([turn, call])).collect();
    json!({ MARK: kept })
}

/// The calls that stay, if a part of the raw history is the mark.
pub(crate) fn kept(part: &Value) -> Option<KeptCalls> {
    let calls = part.get(MARK)?.as_array()?;
    let name = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    Some(calls.iter().map(|call| (name(&call[0]), name(&call[1]))).collect())
}

/// Whether the CLI session of a program is one from before the mark, or from before a branch: none
/// was begun since.
pub(crate) fn outdates_session(history: &[(TurnId, Value)]) -> bool {
    let is_mark = |part: &Value| kept(part).is_some() || versions::is_mark(part);
    let Some(mark) = history.iter().rposition(|(_, part)| is_mark(part)) else {
        return false;
    };
    let names_session = |part: &Value| {
        let message = serde_json::from_value::<HistoryMessage>(part.clone()).ok();
        message.is_some_and(|message| message.cli_sessions().next().is_some())
    };
    !history.iter().skip(mark).any(|(_, part)| names_session(part))
}

/// What stays of a message of a turn before the mark; `None` if nothing does.
pub(crate) fn cleared(
    message: HistoryMessage,
    turn: TurnId,
    kept: &KeptCalls,
) -> Option<HistoryMessage> {
    if message.role == Role::User {
        return Some(without_files_of_others(message));
    }
    let turn = turn.to_string();
    let stays = |call: &str| kept.contains(&(turn.clone(), call.to_owned()));
    let blocks = message.blocks.into_iter().filter(|block| match block {
        ContentBlock::ToolUse { id, .. } => stays(id),
        ContentBlock::ToolResult { tool_use_id, .. } => stays(tool_use_id),
        _ => false,
    });
    let blocks: Vec<ContentBlock> = blocks.collect();
    (!blocks.is_empty()).then_some(HistoryMessage { role: message.role, blocks })
}

/// A person's message without files that others wrote.
fn without_files_of_others(mut message: HistoryMessage) -> HistoryMessage {
    for block in &mut message.blocks {
        if matches!(block, ContentBlock::File(file) if file.suspicious.is_some()) {
            *block = ContentBlock::text(FILE_LEFT_OUT);
        }
    }
    message
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;

    /// F-1: after the mark a CLI session from before is not gone on with, until another one was
    /// begun, however many turns that takes.
    #[test]
    fn a_session_from_before_the_mark_is_outdated() {
        for mark in [mark(&[]), versions::mark()] {
            outdates(&mark);
        }
    }

    fn outdates(mark: &Value) {
        let said = json!({"role": "user", "blocks": []});
        let session = json!({"role": "assistant", "blocks":
            [{"type": "vendor", "vendor": "acp", "block": {"session": "s1"}}]});
        let outdated = |parts: &[&Value]| {
            let turn = TurnId::new(Uuid::nil());
            let history: Vec<_> = parts.iter().map(|part| (turn, (*part).clone())).collect();
            outdates_session(&history)
        };
        assert!(!outdated(&[]) && !outdated(&[&said, &session, &said]));
        assert!(outdated(&[&said, &session, mark, &said]));
        assert!(outdated(&[&session, mark, &said, &said]), "the turn was stopped first");
        assert!(!outdated(&[&session, mark, &said, &session, &said]));
        assert!(outdated(&[&session, mark, &session, mark, &said]));
    }
}
