//! A node of a test: a handle, and what it receives.

use std::time::{Duration, Instant};

use parlor_fanout::{AccessChange, Fanout, Hint, Peer, Received};
use parlor_protocol::ConversationId;
use tokio::sync::mpsc;
use uuid::Uuid;

/// Nothing here takes that long, but for a machine that is busy.
const PATIENCE: Duration = Duration::from_secs(20);

pub(crate) struct Node {
    pub(crate) fanout: Fanout,
    received: mpsc::Receiver<Received>,
    access: mpsc::Receiver<AccessChange>,
}

impl Node {
    /// A node that may not be connected yet.
    pub(crate) fn new(fanout: Fanout) -> Self {
        let received = fanout.take_received().expect("nobody took it");
        let access = fanout.take_access_changes().expect("nobody took it");
        assert!(fanout.take_received().is_none() && fanout.take_access_changes().is_none());
        Self { fanout, received, access }
    }

    /// A node that is connected.
    pub(crate) async fn join(fanout: Fanout) -> Self {
        let mut node = Self::new(fanout);
        node.is_heard(true).await;
        node.missed().await;
        node
    }

    pub(crate) fn peer(&self) -> Peer {
        self.fanout.peer()
    }

    /// Waits until the own beat comes back, or does not.
    pub(crate) async fn is_heard(&self, heard: bool) {
        let begin = Instant::now();
        while self.fanout.is_heard() != heard {
            assert!(begin.elapsed() < PATIENCE, "heard is not {heard}: {:?}", self.fanout.health());
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    }

    /// Waits for a problem with these words.
    pub(crate) async fn has_problem(&self, words: &str) -> String {
        let begin = Instant::now();
        loop {
            let problem = self.fanout.health().problem.unwrap_or_default();
            if problem.contains(words) {
                return problem;
            }
            assert!(begin.elapsed() < PATIENCE, "no problem with '{words}' but '{problem}'");
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    }

    pub(crate) async fn next(&mut self) -> Received {
        let next = tokio::time::timeout(PATIENCE, self.received.recv()).await;
        next.expect("something arrives").expect("the channel is open")
    }

    pub(crate) async fn next_access(&mut self) -> AccessChange {
        let next = tokio::time::timeout(PATIENCE, self.access.recv()).await;
        next.expect("something arrives").expect("the channel is open")
    }

    /// Both queues say that something may have been missed. Hints may have come before: what
    /// is sent to a new connection arrives before the own beat does.
    pub(crate) async fn missed(&mut self) {
        while self.next().await != Received::Missed {}
        assert_eq!(self.next_access().await, AccessChange::Any);
    }

    /// The next hint, which must be from this node. What is missed before it is skipped.
    pub(crate) async fn hint_of(&mut self, other: &Node) -> Hint {
        loop {
            match self.next().await {
                Received::Missed => {}
                Received::Hint { from, hint } => {
                    assert_eq!(from, other.peer(), "{hint:?}");
                    return hint;
                }
                live => panic!("{live:?}"),
            }
        }
    }

    /// Both queues end.
    pub(crate) async fn ends(&mut self) {
        let ends = async { while self.received.recv().await.is_some() {} };
        tokio::time::timeout(PATIENCE, ends).await.expect("hints end");
        let ends = async { while self.access.recv().await.is_some() {} };
        tokio::time::timeout(PATIENCE, ends).await.expect("access changes end");
    }
}

pub(crate) fn conversation() -> ConversationId {
    ConversationId::new(Uuid::now_v7())
}
