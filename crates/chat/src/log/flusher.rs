//! Stores streamed text: every 200 ms, the text of all conversations in one transaction,
//! because a commit for each piece would wait for the disk each time.
//!
//! While nothing streams the task sleeps. A failed write is retried with backoff; meanwhile
//! the streams wait, so memory does not grow.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use parlor_storage::{Delta, Store};
use tokio::sync::Notify;

use super::event_log::EventLog;
use crate::metrics::ChatMetrics;

/// How long text stays in memory only.
const INTERVAL: Duration = Duration::from_millis(200);
/// The longest backoff after a failure.
const MAX_BACKOFF: Duration = Duration::from_secs(5);

/// Takes logs that have text to store.
#[derive(Debug, Clone, Default)]
pub(crate) struct Flusher {
    shared: Arc<Shared>,
}

#[derive(Debug, Default)]
struct Shared {
    logs: Mutex<Vec<Arc<EventLog>>>,
    work: Notify,
}

impl Flusher {
    /// Spawns the task, which ends with the runtime.
    pub(crate) fn start(store: Store, metrics: Arc<ChatMetrics>) -> Self {
        let flusher = Self::default();
        tokio::spawn(run(Arc::clone(&flusher.shared), store, metrics));
        flusher
    }

    /// Adds a log with the first piece of text since its last write.
    pub(crate) fn add(&self, log: &Arc<EventLog>) {
        self.shared.lock().push(Arc::clone(log));
        self.shared.work.notify_one();
    }
}

impl Shared {
    fn lock(&self) -> std::sync::MutexGuard<'_, Vec<Arc<EventLog>>> {
        self.logs.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

async fn run(shared: Arc<Shared>, store: Store, metrics: Arc<ChatMetrics>) {
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
        let began = Instant::now();
        let stored = store.flush(&deltas).await;
        metrics.flushes.add(began.elapsed());
        for (log, delta) in logs.iter().zip(&deltas) {
            log.delta_stored(delta, stored.is_ok());
        }
        pause = match stored {
            Ok(()) => INTERVAL,
            Err(error) => {
                tracing::warn!(%error, "failed to store streamed text; trying again");
                logs.into_iter().for_each(|log| shared.lock().push(log));
                shared.work.notify_one();
                (pause * 2).min(MAX_BACKOFF)
            }
        };
    }
}
