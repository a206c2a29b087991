//! A conversation whose turn may run on another node.
//!
//! - While a turn runs here, the log is written here, and sent to the nodes that have
//!   readers of it.
//! - Otherwise readers read storage, and are told by hints how far it is. Text that streams
//!   elsewhere comes ahead of storage as a window of its block, if the channel between the
//!   nodes carries text.

use std::time::{Duration, Instant};

use parlor_fanout::Peer;
use parlor_protocol::{EventBody, EventId};
use parlor_storage::{Logged, Served};

use super::super::live_frame::{LiveText, write_event, write_text};
use super::super::outlet::Sends;
use super::super::remote_readers::RemoteReaders;
use super::super::text_elsewhere::TextElsewhere;
use super::{EventLog, Seen, State};

/// How often the owner of a turn is reminded that somebody reads here. It forgets it after
/// three times as long.
const REMIND: Duration = Duration::from_secs(5);
/// The most text that a node is sent at once; storage has what comes before it.
const MOST: usize = 16 << 10;

/// What a log knows of other nodes.
#[derive(Debug, Default)]
pub(super) struct OtherNodes {
    /// How many turns run here: one, or two for the moment in which one ends and the next
    /// has begun.
    turns_here: u32,
    /// How far storage is, as the last hint said.
    stored: Option<EventId>,
    /// Storage has to be read at least at this version.
    reread: u64,
    text: Option<TextElsewhere>,
    readers: RemoteReaders,
    /// The version of the live event that was sent.
    live_sent: u64,
    reminded: Option<Instant>,
}

impl OtherNodes {
    /// Whether a turn runs here.
    fn is_here(&self) -> bool {
        self.turns_here > 0
    }

    fn end_turn(&mut self) {
        self.turns_here = self.turns_here.saturating_sub(1);
    }
}

impl EventLog {
    /// A turn runs here from now on, under this epoch.
    pub(crate) fn begin_here(&self, epoch: u64) {
        let mut state = self.lock();
        state.epoch = state.epoch.max(epoch);
        // Of a turn that was taken over, and whose task has not noticed yet.
        state.open.take_if(|open| open.epoch < epoch);
        state.other_nodes.turns_here += 1;
        state.other_nodes.text = None;
    }

    /// The turn that ran here is over.
    pub(crate) fn end_here(&self) {
        self.lock().other_nodes.end_turn();
    }

    /// The turn that ran here goes on elsewhere. Readers go on from storage.
    pub(crate) fn taken_over(&self) {
        let mut state = self.lock();
        state.other_nodes.end_turn();
        state.reread();
    }

    /// A turn that ran elsewhere goes on here. Readers go on from storage.
    pub(crate) fn start_over(&self) {
        self.lock().reread();
    }

    /// Something may have been missed: readers look into storage.
    pub(crate) fn missed(&self) {
        let mut state = self.lock();
        state.check_audience();
        if !state.other_nodes.is_here() {
            state.reread();
        }
        drop(state);
        self.announce_reader();
    }

    /// Storage has the log up to this event id, which another node wrote.
    pub(crate) fn stored_elsewhere(&self, id: EventId) {
        let mut state = self.lock();
        if state.other_nodes.is_here() || state.other_nodes.stored >= Some(id) {
            return;
        }
        state.other_nodes.stored = Some(id);
        // What was kept of an earlier turn has no continuation here.
        if state.kept.is_before(id) {
            state.reread();
        } else {
            state.wake();
        }
        drop(state);
        self.announce_reader();
    }

    /// A piece of text that streams on another node.
    pub(crate) fn text_from_elsewhere(&self, piece: &LiveText) {
        let mut state = self.lock();
        if state.other_nodes.is_here() {
            return;
        }
        match &mut state.other_nodes.text {
            Some(text) if text.seq() > piece.seq => {}
            Some(text) if text.seq() == piece.seq => {
                if text.add(piece) {
                    state.wakers.wake();
                }
            }
            _ => {
                state.other_nodes.text = Some(TextElsewhere::new(piece));
                // Whatever comes before a new block is in storage.
                state.reread();
            }
        }
    }

    /// An event that is not stored, of a turn on another node.
    pub(crate) fn live_from_elsewhere(&self, event: EventBody) {
        let mut state = self.lock();
        if !state.other_nodes.is_here() {
            state.show_live(Served::relayed(event));
        }
    }

    /// Whether somebody reads here: what they read may be written or hidden elsewhere.
    pub(crate) fn is_followed(&self) -> bool {
        let state = self.lock();
        !state.closed && !state.wakers.is_empty()
    }

    /// Somebody reads on another node: its text is sent there.
    pub(crate) fn add_remote_reader(&self, peer: Peer) {
        let mut state = self.lock();
        if state.other_nodes.is_here() {
            state.other_nodes.readers.add(peer);
            self.queue_frames(&mut state);
        }
    }

    /// Queues text or a live event to be sent, if somebody reads elsewhere.
    pub(super) fn queue_frames(&self, state: &mut State) {
        let readers = &mut state.other_nodes.readers;
        if let Some(outlet) = &self.outlet
            && !readers.is_empty()
            && !readers.is_queued
        {
            readers.is_queued = true;
            outlet.text_waits(self.this.clone());
        }
    }

    /// Tells other nodes that somebody reads here, now and then.
    pub(super) fn announce_reader(&self) {
        let Some(outlet) = &self.outlet else { return };
        let mut state = self.lock();
        let other_nodes = &mut state.other_nodes;
        let is_due = other_nodes.reminded.is_none_or(|at| at.elapsed() > REMIND);
        if !is_due || other_nodes.is_here() || state.wakers.is_empty() {
            return;
        }
        state.other_nodes.reminded = Some(Instant::now());
        drop(state);
        outlet.reads(self.conversation);
    }
}

impl Sends for EventLog {
    fn take_frames(&self) -> Vec<(Peer, String)> {
        let mut state = self.lock();
        let State { open, live, other_nodes, .. } = &mut *state;
        other_nodes.readers.is_queued = false;
        let mut frames = Vec::new();
        if let Some(open) = open {
            let text = open.text.get();
            let block = (open.block.seq, open.block.message, open.block.kind);
            for (peer, sent) in other_nodes.readers.send(open.block.seq, text.len()) {
                let from = text.ceil_char_boundary(sent.max(text.len().saturating_sub(MOST)));
                let mut frame = String::new();
                write_text(&mut frame, self.conversation, block, from, &text[from..]);
                frames.push((peer, frame));
            }
        }
        if let Some((version, event)) = live
            && std::mem::replace(&mut other_nodes.live_sent, *version) != *version
        {
            for peer in other_nodes.readers.peers() {
                let mut frame = String::new();
                write_event(&mut frame, self.conversation, event.get());
                frames.push((peer, frame));
            }
        }
        frames
    }

    fn lost_reader(&self, peer: Peer) {
        self.lock().other_nodes.readers.remove(peer);
    }
}

impl State {
    /// Adds text that streams elsewhere, for a reader inside it.
    pub(super) fn text_elsewhere(&self, position: EventId, events: &mut Vec<Logged>) -> bool {
        let text = self.other_nodes.text.as_ref();
        text.is_some_and(|text| text.push_inside(position, events))
    }

    /// Adds the beginning of text that streams elsewhere, for a reader who has read
    /// everything that is in storage.
    pub(super) fn next_text_elsewhere(&self, position: EventId, events: &mut Vec<Logged>) -> bool {
        let text = self.other_nodes.text.as_ref();
        text.is_some_and(|text| text.push_first(position, events))
    }

    /// Whether a reader whose events are not kept here has to read storage.
    pub(super) fn needs_storage(&self, position: EventId, seen: Seen) -> bool {
        let Some(read_at) = seen.stored else { return true };
        let OtherNodes { stored, reread, .. } = &self.other_nodes;
        if self.other_nodes.is_here() {
            return read_at != self.version;
        }
        let is_behind = Some(position) < *stored || self.kept.is_ahead_of(position);
        read_at < *reread || (read_at != self.version && is_behind)
    }

    /// Drops what is kept, and makes every reader look into storage.
    fn reread(&mut self) {
        self.open = None;
        self.kept.clear();
        self.wake();
        self.other_nodes.reread = self.version;
    }
}
