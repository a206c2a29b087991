//! Text that streams on another node, as far as it came here: a window of one block.
//!
//! A reader inside the window reads on in it. A reader before it reads storage, which has
//! the beginning a moment later.

use parlor_protocol::{EventId, MessageId};
use parlor_storage::{BlockKind, Logged, Served};

use super::entries::PIECE;
use super::live_frame::LiveText;

/// The most text that is kept; older text is in storage.
const MOST: usize = 256 << 10;

/// A window of the text of one block.
#[derive(Debug)]
pub(super) struct TextElsewhere {
    seq: u64,
    message: MessageId,
    kind: BlockKind,
    /// How many bytes of the block come before the window.
    from: u64,
    text: Served<String>,
}

impl TextElsewhere {
    /// The window that begins with a piece.
    pub(super) fn new(piece: &LiveText) -> Self {
        let LiveText { seq, message, kind, from, text, .. } = piece;
        let (seq, message, kind, from) = (*seq, *message, *kind, *from);
        Self { seq, message, kind, from, text: Served::relayed_text(text) }
    }

    /// The number of the block.
    pub(super) fn seq(&self) -> u64 {
        self.seq
    }

    /// Adds a piece of the same block; false if it brings nothing new.
    pub(super) fn add(&mut self, piece: &LiveText) -> bool {
        let end = self.end();
        let Some(known) = end.checked_sub(piece.from) else {
            // Something in between did not arrive.
            *self = Self::new(piece);
            return true;
        };
        let new = usize::try_from(known).ok().and_then(|known| piece.text.get(known..));
        let Some(new) = new.filter(|new| !new.is_empty()) else { return false };
        self.text.append_relayed(new);
        self.trim();
        true
    }

    /// Adds what comes after a position inside the window, at most a piece; false if there
    /// is nothing.
    pub(super) fn push_inside(&self, position: EventId, events: &mut Vec<Logged>) -> bool {
        match position.offset {
            Some(offset) if position.seq == self.seq && offset >= self.from => {
                self.push(offset, events)
            }
            _ => false,
        }
    }

    /// Adds the beginning of the block for a reader that has read everything before it;
    /// false if the window does not have it.
    pub(super) fn push_first(&self, position: EventId, events: &mut Vec<Logged>) -> bool {
        self.seq > position.seq && self.from == 0 && self.push(0, events)
    }

    fn push(&self, offset: u64, events: &mut Vec<Logged>) -> bool {
        let chunk = self.text.chunk(offset - self.from, PIECE, self.message, self.kind);
        let Some((end, body)) = chunk else { return false };
        events.push(Logged { id: EventId::delta(self.seq, self.from + end), body });
        true
    }

    fn end(&self) -> u64 {
        self.from + self.text.get().len() as u64
    }

    fn trim(&mut self) {
        let length = self.text.get().len();
        if length > 2 * MOST {
            let cut = self.text.get().ceil_char_boundary(length - MOST);
            self.text = self.text.rest(cut);
            self.from += cut as u64;
        }
    }
}

#[cfg(test)]
mod tests {
    use parlor_protocol::{ConversationId, EventBody};
    use uuid::Uuid;

    use super::*;

    fn piece(from: u64, text: &str) -> LiveText {
        LiveText {
            conversation: ConversationId::new(Uuid::from_u128(1)),
            seq: 7,
            message: MessageId::new(Uuid::from_u128(2)),
            kind: BlockKind::Text,
            from,
            text: text.to_owned(),
        }
    }

    fn after(window: &TextElsewhere, position: EventId) -> Option<(EventId, String)> {
        let mut events = Vec::new();
        if !window.push_inside(position, &mut events) && !window.push_first(position, &mut events) {
            return None;
        }
        let Logged { id, body } = events.remove(0);
        match body.into_inner() {
            EventBody::Chunk { text, .. } => Some((id, text)),
            other => panic!("{other:?}"),
        }
    }

    /// E-3: pieces that overlap are joined, and a reader goes on where it is.
    #[test]
    fn a_reader_goes_on_inside_the_window() {
        let mut window = TextElsewhere::new(&piece(0, "Hello"));
        assert!(window.add(&piece(3, "lo wor")));
        assert!(!window.add(&piece(0, "Hello")), "known already");
        let whole = Some((EventId::delta(7, 9), "Hello wor".to_owned()));
        assert_eq!(after(&window, EventId::durable(6)), whole);
        assert_eq!(after(&window, EventId::durable(2)), whole);
        assert_eq!(after(&window, EventId::delta(7, 6)).unwrap().1, "wor");
        assert_eq!(after(&window, EventId::delta(7, 9)), None);
        assert_eq!(after(&window, EventId::durable(8)), None, "it is past the block");
    }

    /// E-3: what did not arrive is never skipped.
    #[test]
    fn a_reader_before_the_window_is_not_served() {
        let mut window = TextElsewhere::new(&piece(0, "Hello"));
        assert!(window.add(&piece(20, "later")));
        for before in [EventId::durable(6), EventId::delta(7, 5), EventId::delta(7, 19)] {
            assert_eq!(after(&window, before), None, "{before}");
        }
        assert_eq!(after(&window, EventId::delta(7, 20)).unwrap().1, "later");
    }

    /// E-3: the window is bounded.
    #[test]
    fn old_text_leaves_the_window() {
        let mut window = TextElsewhere::new(&piece(0, ""));
        let text = "é".repeat(50_000);
        for n in 0..20 {
            assert!(window.add(&piece(n * 100_000, &text)));
            assert!(window.text.get().len() <= 2 * MOST);
        }
        assert_eq!(window.end(), 2_000_000);
        assert_eq!(after(&window, EventId::delta(7, 1_999_998)).unwrap().1, "é");
    }
}
