//! The way from the logs of this node to the other nodes: hints that something was stored,
//! and text that streams, to the nodes that have readers of it.
//!
//! 1. A log says that it has text to send, once until it is sent.
//! 2. One task takes what all logs have, makes one payload for each node, and sends it. What
//!    comes meanwhile is in the next payload: so a slow channel makes larger payloads, not
//!    more of them.
//! 3. A payload that cannot be sent is dropped: readers have storage.

use std::collections::HashMap;
use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError, Weak};

use futures_util::future::join_all;
use parlor_fanout::{Fanout, Hint, Peer};
use parlor_protocol::{ConversationId, EventId};
use tokio::sync::Notify;

/// The most bytes that are sent at once.
const PAYLOAD: usize = 48 << 10;

/// A log that has something to send.
pub(super) trait Sends: Send + Sync {
    /// What is to be sent, for each node.
    fn take_frames(&self) -> Vec<(Peer, String)>;

    /// A node could not be sent what it wanted.
    fn lost_reader(&self, peer: Peer);
}

/// The way to the other nodes.
pub(crate) struct Outlet {
    fanout: Fanout,
    /// Whether there are other nodes.
    has_peers: AtomicBool,
    waiting: Mutex<Vec<Weak<dyn Sends>>>,
    work: Notify,
}

impl Outlet {
    /// Spawns the task that sends text, if the channel carries any.
    pub(crate) fn start(fanout: Fanout) -> Arc<Self> {
        let outlet = Arc::new(Self {
            has_peers: AtomicBool::new(false),
            waiting: Mutex::default(),
            work: Notify::new(),
            fanout,
        });
        if outlet.fanout.carries_live_text() {
            tokio::spawn(send_text(Arc::clone(&outlet)));
        }
        outlet
    }

    /// Notes whether there are other nodes: without any, nothing is sent.
    pub(crate) fn set_peers(&self, has_peers: bool) {
        self.has_peers.store(has_peers, Ordering::Relaxed);
    }

    /// Tells the other nodes, if there are any.
    pub(crate) fn hint(&self, hint: Hint) {
        if self.has_peers.load(Ordering::Relaxed) {
            self.fanout.hint(hint);
        }
    }

    /// Storage has the log of a conversation up to this event id.
    pub(super) fn stored(&self, conversation: ConversationId, id: EventId) {
        self.hint(Hint::Log(conversation, id));
    }

    /// Somebody reads here what may stream elsewhere.
    pub(super) fn reads(&self, conversation: ConversationId) {
        if self.fanout.carries_live_text() {
            self.hint(Hint::Reads(conversation));
        }
    }

    /// A log has text to send.
    pub(super) fn text_waits(&self, log: Weak<dyn Sends>) {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner).push(log);
        self.work.notify_one();
    }

    fn take_waiting(&self) -> Vec<Weak<dyn Sends>> {
        std::mem::take(&mut *self.waiting.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl fmt::Debug for Outlet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Outlet").field("has_peers", &self.has_peers).finish_non_exhaustive()
    }
}

async fn send_text(outlet: Arc<Outlet>) {
    loop {
        outlet.work.notified().await;
        let mut by_peer: HashMap<Peer, Vec<Payload>> = HashMap::new();
        for log in outlet.take_waiting().iter().filter_map(Weak::upgrade) {
            for (peer, frame) in log.take_frames() {
                add(by_peer.entry(peer).or_default(), &frame, &log);
            }
        }
        join_all(by_peer.into_iter().map(|(peer, payloads)| send(&outlet, peer, payloads))).await;
    }
}

/// Frames for one node, and the logs that they are of.
#[derive(Default)]
struct Payload {
    frames: String,
    logs: Vec<Arc<dyn Sends>>,
}

fn add(payloads: &mut Vec<Payload>, frame: &str, log: &Arc<dyn Sends>) {
    if payloads.last().is_none_or(|last| last.frames.len() + frame.len() > PAYLOAD) {
        payloads.push(Payload::default());
    }
    if let Some(last) = payloads.last_mut() {
        last.frames.push_str(frame);
        last.logs.push(Arc::clone(log));
    }
}

async fn send(outlet: &Outlet, peer: Peer, payloads: Vec<Payload>) {
    for Payload { frames, logs } in payloads {
        if !outlet.fanout.send_live(peer, frames).await {
            logs.iter().for_each(|log| log.lost_reader(peer));
        }
    }
}
