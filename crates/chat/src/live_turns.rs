//! The turns that run in this process, and the logs of conversations that are read or
//! written: how a turn is told to stop, and how one waits for its end.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use parlor_protocol::ConversationId;
use tokio::sync::{Notify, oneshot, watch};

use crate::log::{EventLog, Outlet};

/// The running turns, at most one for each conversation. A log is not kept alive here.
#[derive(Debug)]
pub(crate) struct LiveTurns {
    /// The way to other nodes, if there may be any.
    outlet: Option<Arc<Outlet>>,
    logs: Mutex<HashMap<ConversationId, Weak<EventLog>>>,
    turns: Mutex<HashMap<ConversationId, LiveTurn>>,
    /// How many turns have begun.
    begun: AtomicU64,
    /// How many turns run.
    count: watch::Sender<usize>,
    /// Whether the server shuts down.
    shutting_down: watch::Sender<bool>,
}

/// The sending ends of a turn's signals.
#[derive(Debug)]
struct LiveTurn {
    /// Tells it from a later one of its conversation, which may be the same turn, taken over.
    number: u64,
    /// Taken by the first who asks for it.
    stop: Option<oneshot::Sender<Stop>>,
    prompt_changed: Arc<Notify>,
    /// Whether a program takes it.
    is_program: bool,
}

/// The receiving ends of a turn's signals.
#[derive(Debug)]
pub(crate) struct Signals {
    /// Names the turn as it runs here.
    pub(crate) number: u64,
    /// Signals that the turn has to stop.
    pub(crate) stop: oneshot::Receiver<Stop>,
    /// Signals that a prompt of the turn may have changed.
    pub(crate) prompt_changed: Arc<Notify>,
    /// Becomes true when the server shuts down: nobody can answer any more.
    pub(crate) shutting_down: watch::Receiver<bool>,
}

/// Why a turn has to stop.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stop {
    /// A person asked for it.
    Person,
    /// The server shuts down.
    Shutdown,
    /// Another node has taken it over: nothing more is written.
    TakenOver,
}

impl LiveTurn {
    /// Asks the turn to stop; the first reason counts.
    fn stop(&mut self, why: Stop) {
        if let Some(stop) = self.stop.take() {
            // A turn that no longer listens is ending already.
            let _ending = stop.send(why);
        }
    }
}

impl LiveTurns {
    pub(crate) fn new(outlet: Option<Arc<Outlet>>) -> Self {
        Self {
            outlet,
            logs: Mutex::default(),
            turns: Mutex::default(),
            begun: AtomicU64::new(0),
            count: watch::Sender::new(0),
            shutting_down: watch::Sender::new(false),
        }
    }

    /// The live log of a conversation.
    pub(crate) fn log(&self, conversation: ConversationId) -> Arc<EventLog> {
        let mut logs = lock(&self.logs);
        if let Some(log) = logs.get(&conversation).and_then(Weak::upgrade) {
            return log;
        }
        logs.retain(|_, log| log.strong_count() > 0);
        let log = EventLog::new(conversation, self.outlet.clone());
        logs.insert(conversation, Arc::downgrade(&log));
        log
    }

    /// The live log of a conversation, if it is read or written here.
    pub(crate) fn existing_log(&self, conversation: ConversationId) -> Option<Arc<EventLog>> {
        lock(&self.logs).get(&conversation).and_then(Weak::upgrade)
    }

    /// All logs that are read or written here.
    pub(crate) fn all_logs(&self) -> Vec<Arc<EventLog>> {
        lock(&self.logs).values().filter_map(Weak::upgrade).collect()
    }

    /// Whether a turn of a conversation runs here.
    pub(crate) fn runs(&self, conversation: ConversationId) -> bool {
        lock(&self.turns).contains_key(&conversation)
    }

    /// Registers a turn that runs. An earlier one of the conversation that still runs here was
    /// taken over, or is ending.
    pub(crate) fn begin(&self, conversation: ConversationId, is_program: bool) -> Signals {
        let (sender, stop) = oneshot::channel();
        let prompt_changed = Arc::new(Notify::new());
        let changed = Arc::clone(&prompt_changed);
        let number = self.begun.fetch_add(1, Ordering::Relaxed);
        let live = LiveTurn { number, stop: Some(sender), prompt_changed: changed, is_program };
        if let Some(mut earlier) = lock(&self.turns).insert(conversation, live) {
            earlier.stop(Stop::TakenOver);
        }
        self.count.send_modify(|count| *count += 1);
        Signals { number, stop, prompt_changed, shutting_down: self.shutting_down.subscribe() }
    }

    /// Signals that a prompt of the conversation's turn may have changed. Only a hint: the
    /// turn also checks from time to time.
    pub(crate) fn prompt_changed(&self, conversation: ConversationId) {
        if let Some(turn) = lock(&self.turns).get(&conversation) {
            turn.prompt_changed.notify_one();
        }
    }

    /// Whether another turn of a conversation than the one with this number runs here.
    pub(crate) fn runs_another(&self, conversation: ConversationId, number: u64) -> bool {
        lock(&self.turns).get(&conversation).is_some_and(|live| live.number != number)
    }

    /// Removes a turn that has ended. The next one may have begun already.
    pub(crate) fn end(&self, conversation: ConversationId, number: u64) {
        let mut turns = lock(&self.turns);
        if turns.get(&conversation).is_some_and(|live| live.number == number) {
            turns.remove(&conversation);
        }
        drop(turns);
        self.count.send_modify(|count| *count = count.saturating_sub(1));
    }

    /// Tells a turn to stop; false if none runs here.
    pub(crate) fn stop(&self, conversation: ConversationId, why: Stop) -> bool {
        let mut turns = lock(&self.turns);
        turns.get_mut(&conversation).map(|turn| turn.stop(why)).is_some()
    }

    /// How many turns have begun: the number of the next one.
    pub(crate) fn begun(&self) -> u64 {
        self.begun.load(Ordering::Relaxed)
    }

    /// Tells the turns before the one with this number to stop.
    pub(crate) fn stop_before(&self, number: u64, why: Stop) {
        for turn in lock(&self.turns).values_mut().filter(|turn| turn.number < number) {
            turn.stop(why);
        }
    }

    /// Waits until no turn before the one with this number runs.
    pub(crate) async fn ended_before(&self, number: u64) {
        let mut count = self.count.subscribe();
        let runs = || lock(&self.turns).values().any(|turn| turn.number < number);
        // The sender lives as long as `self`, so this is never an error.
        let _ended = count.wait_for(|_| !runs()).await;
    }

    /// Tells every turn to stop.
    pub(crate) fn stop_all(&self, why: Stop) {
        for turn in lock(&self.turns).values_mut() {
            turn.stop(why);
        }
    }

    /// Stops the turns of programs: what they do by themselves must not go on while another
    /// node may have taken over.
    pub(crate) fn stop_programs(&self) {
        let mut turns = lock(&self.turns);
        turns
            .values_mut()
            .filter(|turn| turn.is_program)
            .for_each(|turn| turn.stop(Stop::Shutdown));
    }

    /// Suspends turns that wait for a person, now and from now on; the others go on.
    pub(crate) fn begin_shutdown(&self) {
        self.shutting_down.send_replace(true);
    }

    /// How many turns run.
    pub(crate) fn count(&self) -> usize {
        *self.count.borrow()
    }

    /// Whether no turn runs.
    pub(crate) fn is_idle(&self) -> bool {
        *self.count.borrow() == 0
    }

    /// Waits until no turn runs in a conversation.
    pub(crate) async fn ended(&self, conversation: ConversationId) {
        let mut count = self.count.subscribe();
        // The sender lives as long as `self`, so this is never an error.
        let _ended = count.wait_for(|_| !lock(&self.turns).contains_key(&conversation)).await;
    }

    /// Waits until no turn runs.
    pub(crate) async fn idle(&self) {
        let mut count = self.count.subscribe();
        // The sender lives as long as `self`, so this is never an error.
        let _idle = count.wait_for(|count| *count == 0).await;
    }

    /// Ends the readers of a conversation that was deleted.
    pub(crate) fn close(&self, conversation: ConversationId) {
        if let Some(log) = lock(&self.logs).remove(&conversation).and_then(|log| log.upgrade()) {
            log.close();
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;

    /// P-9, N-3: a turn that was taken over may still run here when the next one of its conversation
    /// begins: it is told to stop, and its end is not the end of the other.
    #[test]
    fn a_turn_that_was_taken_over_gives_way_to_the_next() {
        let (turns, conversation) = (LiveTurns::new(None), ConversationId::new(Uuid::nil()));
        let mut first = turns.begin(conversation, false);
        let mut second = turns.begin(conversation, false);
        assert_eq!(first.stop.try_recv(), Ok(Stop::TakenOver));
        assert!(second.stop.try_recv().is_err());
        assert!(turns.runs_another(conversation, first.number));
        turns.end(conversation, first.number);
        assert!(turns.runs(conversation) && !turns.is_idle());
        assert!(turns.stop(conversation, Stop::Person));
        assert_eq!(second.stop.try_recv(), Ok(Stop::Person));
        turns.end(conversation, second.number);
        assert!(!turns.runs(conversation) && turns.is_idle());
    }
}
