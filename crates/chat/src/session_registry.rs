//! The conversations that somebody reads or that a turn runs in.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use parlor_protocol::ConversationId;
use tokio::sync::watch;

use crate::event_log::EventLog;

/// Live conversations, each at most once. Nobody is kept alive by being listed.
#[derive(Debug)]
pub(crate) struct SessionRegistry {
    logs: Mutex<HashMap<ConversationId, Weak<EventLog>>>,
    turns: Mutex<HashMap<ConversationId, watch::Sender<Option<Stop>>>>,
    running: watch::Sender<usize>,
}

/// Why a turn is to stop.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stop {
    /// A person asked for it.
    Person,
    /// The server goes down.
    Shutdown,
}

impl SessionRegistry {
    pub(crate) fn new() -> Self {
        Self { logs: Mutex::default(), turns: Mutex::default(), running: watch::Sender::new(0) }
    }

    /// The live end of a conversation's log.
    pub(crate) fn log(&self, conversation: ConversationId) -> Arc<EventLog> {
        let mut logs = lock(&self.logs);
        if let Some(log) = logs.get(&conversation).and_then(Weak::upgrade) {
            return log;
        }
        logs.retain(|_, log| log.strong_count() > 0);
        let log = Arc::new(EventLog::new(conversation));
        logs.insert(conversation, Arc::downgrade(&log));
        log
    }

    /// Notes that a turn runs; the receiver says when it is to stop.
    pub(crate) fn begin(&self, conversation: ConversationId) -> watch::Receiver<Option<Stop>> {
        let (sender, receiver) = watch::channel(None);
        lock(&self.turns).insert(conversation, sender);
        self.running.send_modify(|running| *running += 1);
        receiver
    }

    /// Notes that a turn has ended.
    pub(crate) fn end(&self, conversation: ConversationId) {
        lock(&self.turns).remove(&conversation);
        self.running.send_modify(|running| *running = running.saturating_sub(1));
    }

    /// Asks a turn to stop; false if none runs here.
    pub(crate) fn stop(&self, conversation: ConversationId, why: Stop) -> bool {
        let turns = lock(&self.turns);
        turns.get(&conversation).is_some_and(|turn| turn.send(Some(why)).is_ok())
    }

    /// Asks every turn to stop.
    pub(crate) fn stop_all(&self, why: Stop) {
        for turn in lock(&self.turns).values() {
            turn.send_replace(Some(why));
        }
    }

    /// Waits until no turn runs.
    pub(crate) async fn idle(&self) {
        let mut running = self.running.subscribe();
        // The sender is ours, so this ends only when it is true.
        let _idle = running.wait_for(|running| *running == 0).await;
    }

    /// Ends the readers of a conversation that is gone.
    pub(crate) fn close(&self, conversation: ConversationId) {
        if let Some(log) = lock(&self.logs).remove(&conversation).and_then(|log| log.upgrade()) {
            log.close();
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
