//! One writer for all text that streams.
//!
//! Every 200 ms, what came in all conversations is stored in one transaction: a
//! commit for each piece would be a wait for the disk for each. While nothing
//! streams it sleeps. When storing fails it is tried again, more slowly each
//! time; meanwhile the streams wait, so memory stays where it is.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use parlor_storage::{Delta, Store};
use tokio::sync::Notify;

use crate::event_log::EventLog;

/// How long text is only in memory.
const INTERVAL: Duration = Duration::from_millis(200);
/// The longest wait after a failure.
const SLOWEST: Duration = Duration::from_secs(5);

/// Where conversations report that they have text to store.
#[derive(Debug, Clone, Default)]
pub(crate) struct Flusher {
    shared: Arc<Shared>,
}

#[derive(Debug, Default)]
struct Shared {
    waiting: Mutex<Vec<Arc<EventLog>>>,
    work: Notify,
}

impl Flusher {
    /// Starts the task; it ends with the runtime.
    pub(crate) fn start(store: Store) -> Self {
        let flusher = Self::default();
        tokio::spawn(run(Arc::clone(&flusher.shared), store));
        flusher
    }

    /// Reports the first piece of a conversation since it was last stored.
    pub(crate) fn add(&self, log: &Arc<EventLog>) {
        self.shared.lock().push(Arc::clone(log));
        self.shared.work.notify_one();
    }
}

impl Shared {
    fn lock(&self) -> std::sync::MutexGuard<'_, Vec<Arc<EventLog>>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

async fn run(shared: Arc<Shared>, store: Store) {
    let mut pause = INTERVAL;
    loop {
        shared.work.notified().await;
        tokio::time::sleep(pause).await;
        let logs = std::mem::take(&mut *shared.lock());
        let taken: Vec<(Arc<EventLog>, Delta)> =
            logs.into_iter().filter_map(|log| log.take_delta().map(|delta| (log, delta))).collect();
        if taken.is_empty() {
            continue;
        }
        let (logs, deltas): (Vec<_>, Vec<_>) = taken.into_iter().unzip();
        let stored = store.flush(&deltas).await;
        for (log, delta) in logs.iter().zip(&deltas) {
            log.delta_stored(delta, stored.is_ok());
        }
        pause = match stored {
            Ok(()) => INTERVAL,
            Err(error) => {
                tracing::warn!(%error, "text could not be stored yet; trying again");
                logs.into_iter().for_each(|log| shared.lock().push(log));
                shared.work.notify_one();
                (pause * 2).min(SLOWEST)
            }
        };
    }
}
