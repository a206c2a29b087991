//! What arrives, in two bounded queues. A reader that is too slow loses what does not fit,
//! and finds one entry afterwards that says so.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use tokio::sync::{Notify, mpsc};

use crate::health::Monitor;
use crate::hint::{AccessChange, Hint};
use crate::payload::{Line, parse, parse_live};
use crate::peer::Peer;

/// How many entries wait for a reader.
const QUEUE: usize = 1_024;

/// What another node told this one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Received {
    /// Something changed.
    Hint {
        /// Who says so.
        from: Peer,
        /// What.
        hint: Hint,
    },
    /// Live text for the readers on this node.
    Live {
        /// Who sends it.
        from: Peer,
        /// What was given to [`crate::Fanout::send_live`].
        payload: String,
    },
    /// Something may have been missed: reread everything live.
    Missed,
}

/// The queues, as whoever fills them has them.
#[derive(Debug)]
pub(crate) struct Incoming {
    me: Peer,
    monitor: Arc<Monitor>,
    /// Nothing of our own came back yet through the present connection.
    unproven: AtomicBool,
    received: Queue<Received>,
    access: Queue<AccessChange>,
}

/// The queues, as whoever reads them has them.
#[derive(Debug)]
pub(crate) struct Queues {
    pub(crate) received: mpsc::Receiver<Received>,
    pub(crate) access: mpsc::Receiver<AccessChange>,
}

impl Incoming {
    pub(crate) fn new(me: Peer, monitor: Arc<Monitor>) -> (Self, Queues) {
        let (received, received_reader) = Queue::new(|| Received::Missed);
        let (access, access_reader) = Queue::new(|| AccessChange::Any);
        let queues = Queues { received: received_reader, access: access_reader };
        (Self { me, monitor, unproven: AtomicBool::new(true), received, access }, queues)
    }

    /// Another connection is made. What was sent before it is not known; readers are told as
    /// soon as it proves to work, and not for each of many that do not.
    pub(crate) fn reconnect(&self) {
        self.unproven.store(true, Ordering::Relaxed);
    }

    /// Takes a payload of hints.
    pub(crate) fn hints(&self, payload: &str) {
        let Some((from, lines)) = parse(payload) else { return };
        if from == self.me {
            return self.came_back();
        }
        self.monitor.received();
        for line in lines {
            match line {
                Line::Missed => self.missed(),
                Line::Hint(Hint::Access(change)) => self.access.put(change),
                Line::Hint(hint) => self.received.put(Received::Hint { from, hint }),
            }
        }
    }

    /// Takes a payload of live text.
    pub(crate) fn live(&self, payload: &str) {
        if let Some((from, text)) = parse_live(payload).filter(|(from, _)| *from != self.me) {
            self.received.put(Received::Live { from, payload: text.to_owned() });
        }
    }

    /// Tells readers that were too slow, once they have read the rest. It never ends.
    pub(crate) async fn tell_slow_readers(&self) {
        tokio::join!(self.received.tell_slow_reader(), self.access.tell_slow_reader());
    }

    /// Something of our own came back.
    fn came_back(&self) {
        if self.unproven.swap(false, Ordering::Relaxed) {
            self.missed();
        }
        self.monitor.heard();
    }

    /// Something may have been missed.
    fn missed(&self) {
        self.received.put(Received::Missed);
        self.access.put(AccessChange::Any);
    }
}

/// A queue that drops what does not fit.
#[derive(Debug)]
struct Queue<T> {
    sender: mpsc::Sender<T>,
    /// Something did not fit. All else is dropped too, until the reader was told.
    overflowed: AtomicBool,
    overflow: Notify,
    /// What the reader is told.
    missed: fn() -> T,
}

impl<T> Queue<T> {
    fn new(missed: fn() -> T) -> (Self, mpsc::Receiver<T>) {
        let (sender, reader) = mpsc::channel(QUEUE);
        let (overflowed, overflow) = (AtomicBool::new(false), Notify::new());
        (Self { sender, overflowed, overflow, missed }, reader)
    }

    fn put(&self, entry: T) {
        if self.overflowed.load(Ordering::Relaxed) {
            return;
        }
        if let Err(mpsc::error::TrySendError::Full(_)) = self.sender.try_send(entry) {
            self.overflowed.store(true, Ordering::Relaxed);
            self.overflow.notify_one();
        }
    }

    /// Waits for the reader to read everything, so that it is told once and not again after
    /// each entry that it takes.
    async fn tell_slow_reader(&self) {
        loop {
            self.overflow.notified().await;
            // Without a reader there is nothing to tell, and nothing overflows anymore.
            if let Ok(mut all) = self.sender.reserve_many(QUEUE).await
                && let Some(one) = all.next()
            {
                one.send((self.missed)());
            }
            self.overflowed.store(false, Ordering::Relaxed);
        }
    }
}

#[cfg(test)]
mod tests {
    use parlor_protocol::{ConversationId, EventId};
    use uuid::Uuid;

    use super::*;
    use crate::payload::encode;

    fn new() -> (Incoming, Queues, Peer) {
        let me = Peer::random();
        let (incoming, queues) = Incoming::new(me, Arc::new(Monitor::new("test")));
        (incoming, queues, me)
    }

    fn prompt(number: usize) -> Hint {
        Hint::Prompt(ConversationId::new(Uuid::from_u128(number as u128)))
    }

    /// E-2: hints of others arrive; what is our own only shows that the channel works.
    #[tokio::test]
    async fn own_payloads_are_beats_only() {
        let (incoming, mut queues, me) = new();
        let lines = [Line::Hint(Hint::Nodes), Line::Missed];
        incoming.hints(&encode(me, &lines).0);
        incoming.live(&format!("1 {me}\ntext"));
        assert!(incoming.monitor.is_heard());
        assert_eq!(queues.received.try_recv(), Ok(Received::Missed), "it is the first");
        assert_eq!(queues.access.try_recv(), Ok(AccessChange::Any));
        incoming.hints(&encode(me, &lines).0);
        assert!(queues.received.try_recv().is_err() && queues.access.try_recv().is_err());
        let from = Peer::random();
        let token = AccessChange::Token("t".to_owned());
        let log = Hint::Log(ConversationId::new(Uuid::nil()), EventId::durable(1));
        let lines = [log.clone(), Hint::Access(token.clone())].map(Line::Hint);
        incoming.hints(&encode(from, &lines).0);
        incoming.live(&format!("1 {from}\ntext"));
        incoming.hints("not a payload");
        assert_eq!(queues.received.recv().await, Some(Received::Hint { from, hint: log }));
        let live = Received::Live { from, payload: "text".to_owned() };
        assert_eq!(queues.received.recv().await, Some(live));
        assert_eq!(queues.access.recv().await, Some(token));
        incoming.hints(&encode(from, &[Line::Missed]).0);
        assert_eq!(queues.received.recv().await, Some(Received::Missed));
        assert_eq!(queues.access.recv().await, Some(AccessChange::Any));
    }

    /// E-2: a reader that is too slow costs a bounded amount of memory, and is told once.
    #[tokio::test]
    async fn a_slow_reader_is_told_once() {
        let (incoming, mut queues, _) = new();
        let from = Peer::random();
        let hints = |numbers: std::ops::Range<usize>| {
            for number in numbers {
                incoming.hints(&encode(from, &[Line::Hint(prompt(number))]).0);
            }
        };
        let reads = async {
            hints(0..QUEUE + 500);
            for number in 0..QUEUE {
                let expected = Received::Hint { from, hint: prompt(number) };
                assert_eq!(queues.received.recv().await, Some(expected));
                // Readers have time to be told too early.
                tokio::task::yield_now().await;
            }
            assert_eq!(queues.received.recv().await, Some(Received::Missed));
            tokio::task::yield_now().await;
            hints(7..8);
            let expected = Received::Hint { from, hint: prompt(7) };
            assert_eq!(queues.received.recv().await, Some(expected));
        };
        tokio::select! {
            () = incoming.tell_slow_readers() => panic!("it never ends"),
            () = reads => {}
        }
        assert!(queues.access.try_recv().is_err());
    }

    /// E-2: everything is reread after a new connection, once that proves to work.
    #[tokio::test]
    async fn a_new_connection_means_rereading() {
        let (incoming, mut queues, me) = new();
        let beat = encode(me, &[]).0;
        for _ in 0..3 {
            incoming.reconnect();
            incoming.reconnect();
            assert!(queues.received.try_recv().is_err());
            incoming.hints(&beat);
            incoming.hints(&beat);
            assert_eq!(queues.received.try_recv(), Ok(Received::Missed));
            assert_eq!(queues.access.try_recv(), Ok(AccessChange::Any));
        }
        assert!(queues.received.try_recv().is_err());
    }

    /// E-2: a queue that nobody reads anymore is of no consequence.
    #[tokio::test]
    async fn a_reader_may_leave() {
        let (incoming, queues, _) = new();
        drop(queues);
        for _ in 0..QUEUE * 2 {
            incoming.missed();
        }
    }
}
