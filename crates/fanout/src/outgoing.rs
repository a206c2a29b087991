//! Hints that wait to be sent. Each is there once, so that a burst is short on the wire and
//! an outage costs little memory.

use std::collections::hash_map::Entry;
use std::collections::{HashMap, HashSet};
use std::sync::{Mutex, MutexGuard, PoisonError};

use parlor_protocol::{ConversationId, EventId};
use tokio::sync::Notify;

use crate::hint::Hint;
use crate::payload::Line;

/// With more than this, all are dropped, and the others are told to reread everything. It
/// takes an outage while thousands of conversations are busy.
const MOST_PENDING: usize = 10_000;

/// The hints that wait.
#[derive(Debug, Default)]
pub(crate) struct Outgoing {
    pending: Mutex<Pending>,
    wanted: Notify,
}

#[derive(Debug, Default)]
struct Pending {
    /// The newest event of each conversation.
    logs: HashMap<ConversationId, EventId>,
    others: HashSet<Hint>,
    /// Some were dropped.
    missed: bool,
    closing: bool,
}

impl Outgoing {
    /// Adds a hint.
    pub(crate) fn add(&self, hint: Hint) {
        self.lock().add(Line::Hint(hint));
        self.wanted.notify_one();
    }

    /// Asks for a payload even if nothing waits: a beat.
    pub(crate) fn beat(&self) {
        self.wanted.notify_one();
    }

    /// Asks for the last payload.
    pub(crate) fn close(&self) {
        self.lock().closing = true;
        self.wanted.notify_one();
    }

    /// Waits until a payload is asked for.
    pub(crate) async fn wanted(&self) {
        self.wanted.notified().await;
    }

    /// Whether nothing has to be sent anymore after what waits now.
    pub(crate) fn is_closing(&self) -> bool {
        self.lock().closing
    }

    /// Takes all lines.
    pub(crate) fn take(&self) -> Vec<Line> {
        self.lock().take()
    }

    /// Puts lines back that could not be sent.
    pub(crate) fn put_back(&self, lines: Vec<Line>) {
        let mut pending = self.lock();
        lines.into_iter().for_each(|line| pending.add(line));
    }

    fn lock(&self) -> MutexGuard<'_, Pending> {
        self.pending.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Pending {
    fn add(&mut self, line: Line) {
        match line {
            Line::Hint(Hint::Log(conversation, event)) => match self.logs.entry(conversation) {
                Entry::Occupied(mut newest) => {
                    let newest = newest.get_mut();
                    *newest = event.max(*newest);
                }
                Entry::Vacant(first) => {
                    first.insert(event);
                }
            },
            Line::Hint(other) => {
                self.others.insert(other);
            }
            Line::Missed => self.missed = true,
        }
        if self.logs.len() + self.others.len() > MOST_PENDING {
            self.take();
            self.missed = true;
        }
    }

    fn take(&mut self) -> Vec<Line> {
        let missed = std::mem::take(&mut self.missed).then_some(Line::Missed);
        let others = std::mem::take(&mut self.others).into_iter();
        let logs = std::mem::take(&mut self.logs).into_iter();
        let logs = logs.map(|(conversation, event)| Hint::Log(conversation, event));
        missed.into_iter().chain(others.chain(logs).map(Line::Hint)).collect()
    }
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;

    fn conversation(number: usize) -> ConversationId {
        ConversationId::new(Uuid::from_u128(number as u128))
    }

    fn log(number: usize, event: EventId) -> Line {
        Line::Hint(Hint::Log(conversation(number), event))
    }

    /// E-2: a burst becomes one hint for each thing, with the newest event.
    #[test]
    fn hints_are_coalesced() {
        let outgoing = Outgoing::default();
        for event in [EventId::durable(3), EventId::delta(5, 9), EventId::delta(5, 2)] {
            outgoing.add(Hint::Log(conversation(1), event));
            outgoing.add(Hint::Stop(conversation(1)));
            outgoing.add(Hint::Nodes);
        }
        let mut lines = outgoing.take();
        lines.sort_by_key(Line::to_string);
        let stop = Line::Hint(Hint::Stop(conversation(1)));
        let newest = log(1, EventId::delta(5, 9));
        assert_eq!(lines, [newest, Line::Hint(Hint::Nodes), stop]);
        assert_eq!(outgoing.take(), []);
    }

    /// E-2: what could not be sent waits with what came since.
    #[test]
    fn unsent_lines_are_kept() {
        let outgoing = Outgoing::default();
        outgoing.add(Hint::Log(conversation(1), EventId::durable(7)));
        outgoing.put_back(vec![Line::Missed, log(1, EventId::durable(6))]);
        assert_eq!(outgoing.take(), [Line::Missed, log(1, EventId::durable(7))]);
    }

    /// E-2: an outage costs a bounded amount of memory, and the others reread everything.
    #[test]
    fn too_many_hints_become_one() {
        let outgoing = Outgoing::default();
        for number in 0..=MOST_PENDING {
            outgoing.add(Hint::Prompt(conversation(number)));
        }
        outgoing.add(Hint::Nodes);
        assert_eq!(outgoing.take(), [Line::Missed, Line::Hint(Hint::Nodes)]);
    }
}
