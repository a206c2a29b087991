//! The conversations that somebody reads or that a turn runs in.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use parlor_protocol::ConversationId;
use tokio::sync::{Notify, oneshot, watch};

use crate::event_log::EventLog;

/// Live conversations, each at most once. Nobody is kept alive by being listed.
#[derive(Debug)]
pub(crate) struct SessionRegistry {
    logs: Mutex<HashMap<ConversationId, Weak<EventLog>>>,
    turns: Mutex<HashMap<ConversationId, Running>>,
    running: watch::Sender<usize>,
    /// Whether the server goes down.
    closing: watch::Sender<bool>,
}

/// How a running turn is reached.
#[derive(Debug)]
struct Running {
    /// Taken by the first who asks for it.
    stop: Option<oneshot::Sender<Stop>>,
    hint: Arc<Notify>,
}

/// What a running turn listens to.
#[derive(Debug)]
pub(crate) struct Signals {
    /// Says when it is to stop.
    pub(crate) stop: oneshot::Receiver<Stop>,
    /// Says that something about its prompts may have changed.
    pub(crate) hint: Arc<Notify>,
    /// Says that nobody can answer any more, because the server goes down.
    pub(crate) closing: watch::Receiver<bool>,
}

/// Why a turn is to stop.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stop {
    /// A person asked for it.
    Person,
    /// The server goes down.
    Shutdown,
}

impl Running {
    /// Asks the turn to stop; the first reason counts.
    fn stop(&mut self, why: Stop) {
        if let Some(stop) = self.stop.take() {
            // A turn that no longer listens is ending already.
            let _ending = stop.send(why);
        }
    }
}

impl SessionRegistry {
    pub(crate) fn new() -> Self {
        Self {
            logs: Mutex::default(),
            turns: Mutex::default(),
            running: watch::Sender::new(0),
            closing: watch::Sender::new(false),
        }
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

    /// Notes that a turn runs.
    pub(crate) fn begin(&self, conversation: ConversationId) -> Signals {
        let (sender, stop) = oneshot::channel();
        let hint = Arc::new(Notify::new());
        let running = Running { stop: Some(sender), hint: Arc::clone(&hint) };
        lock(&self.turns).insert(conversation, running);
        self.running.send_modify(|running| *running += 1);
        Signals { stop, hint, closing: self.closing.subscribe() }
    }

    /// Tells a turn to look at its prompts. Only a hint: it also looks by itself.
    pub(crate) fn hint(&self, conversation: ConversationId) {
        if let Some(running) = lock(&self.turns).get(&conversation) {
            running.hint.notify_one();
        }
    }

    /// Notes that a turn has ended.
    pub(crate) fn end(&self, conversation: ConversationId) {
        lock(&self.turns).remove(&conversation);
        self.running.send_modify(|running| *running = running.saturating_sub(1));
    }

    /// Asks a turn to stop; false if none runs here.
    pub(crate) fn stop(&self, conversation: ConversationId, why: Stop) -> bool {
        let mut turns = lock(&self.turns);
        turns.get_mut(&conversation).map(|turn| turn.stop(why)).is_some()
    }

    /// Asks every turn to stop.
    pub(crate) fn stop_all(&self, why: Stop) {
        for turn in lock(&self.turns).values_mut() {
            turn.stop(why);
        }
    }

    /// Tells turns that wait for a person not to wait any longer, now and from now
    /// on; the others go on.
    pub(crate) fn close_down(&self) {
        self.closing.send_replace(true);
    }

    /// Whether no turn runs.
    pub(crate) fn is_idle(&self) -> bool {
        *self.running.borrow() == 0
    }

    /// Waits until no turn runs in a conversation.
    pub(crate) async fn ended(&self, conversation: ConversationId) {
        let mut running = self.running.subscribe();
        // The sender is ours, so this ends only when it is true.
        let _ended = running.wait_for(|_| !lock(&self.turns).contains_key(&conversation)).await;
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
