//! Several servers on one database. What one does, the others learn by hints, and from the
//! database if a hint is lost; PostgreSQL is the only truth.
//!
//! - [`heartbeat`]: says that this node runs, declares others dead and takes over their
//!   turns, and does what others stored for the turns of this one.
//! - [`hints`]: takes what the other nodes say.
//! - [`followed_logs`]: looks into storage for readers, in case nothing is heard.
//!
//! On a database of its own a server starts none of them.

mod followed_logs;
mod heartbeat;
mod hints;

use std::sync::Arc;
use std::time::Duration;

use parlor_storage::StorageError;
use tokio::sync::Notify;
use tokio::task::JoinHandle;

use crate::state::ChatState;

/// The tasks of a node.
#[derive(Debug)]
pub(crate) struct NodeTasks {
    tasks: Vec<JoinHandle<()>>,
}

impl NodeTasks {
    /// Registers this node and starts its tasks, if others may share its database.
    pub(crate) async fn start(state: &Arc<ChatState>) -> Result<Self, StorageError> {
        if !state.store.is_shared() {
            return Ok(Self { tasks: Vec::new() });
        }
        heartbeat::join(state).await?;
        let wake = Arc::new(Notify::new());
        let tasks = vec![
            tokio::spawn(heartbeat::run(Arc::downgrade(state), Arc::clone(&wake))),
            tokio::spawn(hints::run(Arc::downgrade(state), wake)),
            tokio::spawn(followed_logs::run(Arc::downgrade(state))),
        ];
        Ok(Self { tasks })
    }

    /// Ends the tasks. The others may take over what is left of this node's turns.
    pub(crate) async fn stop(&self, state: &ChatState, within: Duration) {
        self.tasks.iter().for_each(JoinHandle::abort);
        if self.tasks.is_empty() {
            return;
        }
        let leave = async {
            if let Err(error) = state.store.leave_node(state.node.boot()).await {
                tracing::warn!(%error, "failed to leave; other nodes notice it by themselves");
            }
            state.hint(parlor_fanout::Hint::Nodes);
            state.node.fanout.close().await;
        };
        let _best_effort = tokio::time::timeout(within, leave).await;
    }
}
