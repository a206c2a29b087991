//! The nodes on which somebody reads a conversation that streams here, and how much of its
//! text each was sent.

use std::time::{Duration, Instant};

use parlor_fanout::Peer;

/// How long a node is sent text after it last said that somebody reads there.
const INTEREST: Duration = Duration::from_secs(15);

/// The nodes with readers.
#[derive(Debug, Default)]
pub(super) struct RemoteReaders {
    readers: Vec<RemoteReader>,
    /// Whether the conversation waits to be sent.
    pub(super) is_queued: bool,
}

#[derive(Debug)]
struct RemoteReader {
    peer: Peer,
    until: Instant,
    /// The block whose text it was sent, and how many bytes of it.
    sent: Option<(u64, usize)>,
}

impl RemoteReaders {
    /// Somebody reads on this node.
    pub(super) fn add(&mut self, peer: Peer) {
        let until = Instant::now() + INTEREST;
        match self.readers.iter_mut().find(|reader| reader.peer == peer) {
            Some(reader) => reader.until = until,
            None => self.readers.push(RemoteReader { peer, until, sent: None }),
        }
    }

    /// Nobody reads there any more, or it cannot be reached.
    pub(super) fn remove(&mut self, peer: Peer) {
        self.readers.retain(|reader| reader.peer != peer);
    }

    /// Whether nobody reads elsewhere.
    pub(super) fn is_empty(&self) -> bool {
        self.readers.is_empty()
    }

    /// The nodes that want text, each with how much of the block it was sent; from now on
    /// all of it was.
    pub(super) fn send(&mut self, block: u64, length: usize) -> Vec<(Peer, usize)> {
        let now = Instant::now();
        self.readers.retain(|reader| reader.until > now);
        let sent = self.readers.iter_mut().map(|reader| {
            let before = reader.sent.filter(|(seq, _)| *seq == block).map_or(0, |(_, sent)| sent);
            reader.sent = Some((block, length));
            (reader.peer, before)
        });
        sent.filter(|(_, before)| *before < length).collect()
    }

    /// The nodes that want to know.
    pub(super) fn peers(&self) -> Vec<Peer> {
        self.readers.iter().map(|reader| reader.peer).collect()
    }
}
