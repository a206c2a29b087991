//! Where a turn of a program can be resumed: its CLI session, and what it was suspended with.
//!
//! The id of the CLI session is written to the history before the program does anything
//! else, so that the next process continues it, also after a crash. The JSON of histories
//! and checkpoints is stored: its keys do not change.

use parlor_agent::{
    AgentEvent, CLI_SESSION, Checkpoint, ContentBlock, HistoryMessage, TurnContext,
};
use parlor_protocol::Role;
use serde_json::{Value, json};

use crate::dialect::DeferredCall;

/// Where a checkpoint holds the deferred call.
const DEFERRED_CALL: &str = "paused";
/// Where a checkpoint says that the message is still to be told.
const MESSAGE_PENDING: &str = "message_pending";

/// What a suspended turn is resumed with.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct SuspendedTurn {
    /// The deferred call that was asked about.
    pub(crate) call: DeferredCall,
    /// Whether the program is still to be told the person's message: it deferred a call of
    /// what it had begun by itself.
    pub(crate) message_pending: bool,
}

/// The checkpoint of a turn: its CLI session, and what it is resumed with if it is suspended.
/// Otherwise it cannot be resumed by another process.
pub(crate) fn checkpoint(
    cli_session: Option<&str>,
    suspended: Option<&SuspendedTurn>,
) -> Checkpoint {
    Checkpoint(match suspended {
        Some(SuspendedTurn { call, message_pending }) => json!({
            CLI_SESSION: cli_session, DEFERRED_CALL: call, MESSAGE_PENDING: message_pending,
        }),
        None => json!({ CLI_SESSION: cli_session }),
    })
}

/// What a turn can be resumed with, if it was suspended at the checkpoint.
pub(crate) fn suspended_turn(checkpoint: &Checkpoint) -> Option<SuspendedTurn> {
    let call = serde_json::from_value(checkpoint.0.get(DEFERRED_CALL)?.clone()).ok()?;
    // Checkpoints of older versions do not say it; nearly always the message was told.
    let message_pending = checkpoint.0.get(MESSAGE_PENDING).and_then(Value::as_bool);
    Some(SuspendedTurn { call, message_pending: message_pending.unwrap_or(false) })
}

/// The CLI session that the history names last.
pub(crate) fn in_history(context: &TurnContext, kind: &str) -> Option<String> {
    let blocks = context.history.iter().rev().flat_map(|message| message.blocks.iter().rev());
    blocks
        .filter_map(|block| match block {
            ContentBlock::Vendor { vendor, block } if vendor == kind => {
                block.get(CLI_SESSION)?.as_str()
            }
            _ => None,
        })
        .map(str::to_owned)
        .next()
}

/// The events that write a CLI session to the history.
pub(crate) fn written(kind: &str, id: &str) -> [AgentEvent; 2] {
    let vendor = kind.to_owned();
    let blocks = vec![ContentBlock::Vendor { vendor, block: json!({ CLI_SESSION: id }) }];
    let message = HistoryMessage { role: Role::Assistant, blocks };
    [AgentEvent::AssistantMessage(message), AgentEvent::Checkpoint(checkpoint(Some(id), None))]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// P-9: a checkpoint says whether the message is still to be told. One of an older version
    /// does not: it was told.
    #[test]
    fn a_suspended_turn_is_read_as_it_was_stored() {
        let call = DeferredCall { call: "call".to_owned(), state: json!({"tool": "Write"}) };
        for message_pending in [true, false] {
            let suspended = SuspendedTurn { call: call.clone(), message_pending };
            let stored = checkpoint(Some("s"), Some(&suspended));
            assert_eq!(suspended_turn(&stored), Some(suspended));
        }
        let older = Checkpoint(json!({"session": "s", "paused": call}));
        assert_eq!(suspended_turn(&older), Some(SuspendedTurn { call, message_pending: false }));
        assert_eq!(suspended_turn(&checkpoint(Some("s"), None)), None);
    }
}
