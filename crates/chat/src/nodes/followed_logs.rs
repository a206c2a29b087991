//! Looks into storage for the readers of this node, in case nothing is heard: a hint can be
//! lost, and while the channel does not work none comes.
//!
//! One query asks how far the logs of many conversations are. Readers read only those that
//! have grown.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Weak};
use std::time::{Duration, Instant};

use parlor_protocol::ConversationId;
use parlor_storage::{LogEnd, StorageError};

use crate::log::EventLog;
use crate::state::ChatState;

/// How often it looks while hints come.
const SLOW: Duration = Duration::from_secs(5);
/// How often it looks while none come.
const QUICK: Duration = Duration::from_millis(250);

/// Looks now and then, until the chat is gone.
pub(super) async fn run(state: Weak<ChatState>) {
    let mut looked = Instant::now();
    loop {
        tokio::time::sleep(QUICK).await;
        let Some(state) = state.upgrade() else { return };
        if state.node.is_only() || (state.node.fanout.is_heard() && looked.elapsed() < SLOW) {
            continue;
        }
        if let Err(error) = look(&state).await {
            tracing::warn!(%error, "failed to look for news of other nodes; trying again");
        }
        looked = Instant::now();
    }
}

async fn look(state: &ChatState) -> Result<(), StorageError> {
    let logs = state.live_turns.all_logs().into_iter().filter(|log| log.is_followed());
    let logs: HashMap<ConversationId, Arc<EventLog>> =
        logs.map(|log| (log.conversation, log)).collect();
    let conversations: Vec<ConversationId> = logs.keys().copied().collect();
    let ends = state.store.log_ends(&conversations).await?;
    let mut gone: HashSet<ConversationId> = conversations.into_iter().collect();
    for LogEnd { conversation, end, visibility } in ends {
        gone.remove(&conversation);
        if let Some(log) = logs.get(&conversation) {
            log.stored_elsewhere(end);
            log.is_seen_by(visibility);
        }
    }
    gone.into_iter().for_each(|conversation| state.forget(conversation));
    Ok(())
}
