//! What a server does beside conversations, slowly, as long as it runs.
//!
//! 1. What was stored before there was an index of words comes into it, a step at a time, the newest
//!    first. Each start looks at the last day once more: an older server may have written beside this one.
//! 2. Conversations that were deleted long enough ago are deleted for good. Of several servers that
//!    find one, any does it.

use std::sync::{Arc, Weak};
use std::time::Duration;

use parlor_protocol::Timestamp;
use parlor_storage::{IndexStep, StorageError};

use crate::clock::now;
use crate::state::ChatState;

/// Between two steps of indexing, so that what people wait for goes first.
const BREATH: Duration = Duration::from_millis(20);
/// When something that failed is tried again.
const RETRY: Duration = Duration::from_secs(10);
/// How far back each start looks.
const LOOKED_AT_AGAIN_MS: i64 = 86_400_000;
/// How often it looks for what is old enough, at most and at least.
const LOOKS: (Duration, Duration) = (Duration::from_secs(1), Duration::from_secs(3_600));
/// How many are deleted in one go.
const AT_ONCE: u32 = 100;

/// Begins, until the chat is gone.
pub(crate) fn start(state: &Arc<ChatState>) {
    let indexed = Arc::downgrade(state);
    tokio::spawn(async move { index(&indexed).await });
    let cleared = Arc::downgrade(state);
    tokio::spawn(async move { clear(&cleared).await });
}

async fn index(state: &Weak<ChatState>) {
    let begun = now();
    let mut below = None;
    loop {
        let Some(state) = state.upgrade() else { return };
        let step = match state.store.index_more(below.as_deref()).await {
            Ok(IndexStep::Below(id)) => {
                below = Some(id);
                BREATH
            }
            Ok(IndexStep::Done) => {
                let then = Timestamp(begun.0 - LOOKED_AT_AGAIN_MS);
                match state.store.set_indexed_before(then).await {
                    Ok(()) => return,
                    Err(error) => after_failure(&error),
                }
            }
            Err(error) => after_failure(&error),
        };
        drop(state);
        tokio::time::sleep(step).await;
    }
}

fn after_failure(error: &StorageError) -> Duration {
    tracing::warn!(%error, "failed to index what was said before; trying again");
    RETRY
}

async fn clear(state: &Weak<ChatState>) {
    loop {
        let Some(state) = state.upgrade() else { return };
        let kept = state.projects.deleted_kept_for();
        if let Err(error) = delete_old(&state, kept).await {
            tracing::warn!(%error, "failed to delete old conversations; trying again");
        }
        drop(state);
        tokio::time::sleep((kept / 20).clamp(LOOKS.0, LOOKS.1)).await;
    }
}

/// Deletes for good what was deleted longer ago than that.
async fn delete_old(state: &ChatState, kept: Duration) -> Result<(), StorageError> {
    let then =
        Timestamp(now().0 - i64::try_from(kept.as_millis()).unwrap_or(i64::MAX).min(now().0));
    loop {
        let old = state.store.hidden_before(then, AT_ONCE).await?;
        for (tenant, id) in &old {
            match state.store.delete_hidden(tenant, *id, then).await {
                // Another server did it, or it was restored.
                Ok(()) | Err(StorageError::NotFound) => {}
                Err(error) => return Err(error),
            }
        }
        if old.len() < AT_ONCE as usize {
            return Ok(());
        }
    }
}
