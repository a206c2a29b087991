//! Where a turn of a program can be resumed: its CLI session and a deferred call.
//!
//! The id of the CLI session is written to the history before the program does anything
//! else, so that the next process continues it, also after a crash. The JSON of histories
//! and checkpoints is stored: its keys do not change.

use parlor_agent::{
    AgentEvent, CLI_SESSION, Checkpoint, ContentBlock, HistoryMessage, TurnContext,
};
use parlor_protocol::Role;
use serde_json::json;

use crate::dialect::DeferredCall;

/// Where a checkpoint holds the deferred call.
const DEFERRED_CALL: &str = "paused";

/// The checkpoint of a turn: its CLI session, and the deferred call that was asked about.
/// Without such a call the turn cannot be resumed by another process.
pub(crate) fn checkpoint(cli_session: Option<&str>, deferred: Option<&DeferredCall>) -> Checkpoint {
    Checkpoint(match deferred {
        Some(call) => json!({ CLI_SESSION: cli_session, DEFERRED_CALL: call }),
        None => json!({ CLI_SESSION: cli_session }),
    })
}

/// The deferred call that a turn can be resumed with, if the checkpoint has one.
pub(crate) fn deferred_call(checkpoint: &Checkpoint) -> Option<DeferredCall> {
    serde_json::from_value(checkpoint.0.get(DEFERRED_CALL)?.clone()).ok()
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
