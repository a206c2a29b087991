//! What the history says of a program: the session of its own.

use parlor_agent::{AgentEvent, Block, HistoryMessage, TurnContext};
use parlor_protocol::Role;
use serde_json::json;

use super::keeper::Keeper;
use super::parked::checkpoint;
use super::turn::Turn;
pub(super) use parlor_agent::SESSION;

impl Keeper {
    /// Writes down what the program calls its session, before it does anything
    /// else: after a crash it is what the next process goes on with.
    pub(super) async fn name_session(&self, turn: &mut Turn, id: &str) {
        let vendor = self.pool.program.kind().to_owned();
        let blocks = vec![Block::Vendor { vendor, block: json!({ SESSION: id }) }];
        let message = HistoryMessage { role: Role::Assistant, blocks };
        turn.emit(AgentEvent::AssistantMessage(message)).await;
        turn.emit(AgentEvent::Checkpoint(checkpoint(Some(id), None))).await;
    }
}

/// The session that the history names last.
pub(super) fn remembered(context: &TurnContext, kind: &str) -> Option<String> {
    let blocks = context.history.iter().rev().flat_map(|message| message.blocks.iter().rev());
    blocks
        .filter_map(|block| match block {
            Block::Vendor { vendor, block } if vendor == kind => block.get(SESSION)?.as_str(),
            _ => None,
        })
        .map(str::to_owned)
        .next()
}
