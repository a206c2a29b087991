//! Sessions and keys that other nodes ended, or a command on another machine.

use std::sync::Arc;
use std::time::Duration;

use parlor_fanout::{AccessChange, Fanout};

use super::Access;

/// How often a check is tried again that failed.
const RETRY: Duration = Duration::from_secs(1);

/// Checks what other nodes say has changed, until the channel is closed.
pub(crate) async fn watch(access: Arc<Access>, fanout: Fanout) {
    let Some(mut changes) = fanout.take_access_changes() else { return };
    while let Some(change) = changes.recv().await {
        while let Err(error) = check(&access, &change).await {
            tracing::warn!(%error, "failed to check sessions; trying again");
            tokio::time::sleep(RETRY).await;
        }
    }
}

async fn check(access: &Access, change: &AccessChange) -> Result<(), parlor_storage::StorageError> {
    match change {
        AccessChange::Token(id) => access.sessions.check_token(id).await,
        AccessChange::Any => access.sessions.check_all().await,
    }
}
