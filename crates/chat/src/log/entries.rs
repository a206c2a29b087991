//! Entries of the log as events for a reader at a position, a piece at a time.

use parlor_protocol::{EventBody, EventId, MessageId};
use parlor_storage::{BlockKind, LogEntry, Logged, Served};

/// The most bytes that a reader gets at once, unless a single event is larger.
pub(super) const PIECE: usize = 64 << 10;

/// The events of entries after a position. What follows a text block comes once all of its
/// text was read.
pub(super) fn events_after(entries: &[LogEntry], position: EventId) -> Vec<Logged> {
    let mut events = Vec::with_capacity(entries.len());
    for entry in entries {
        if !push_after(entry, position, &mut events) {
            break;
        }
    }
    events
}

/// Adds the events of an entry after a position; false if there is more of it. Large
/// entries are handled by the reader itself.
pub(super) fn push_after(entry: &LogEntry, position: EventId, events: &mut Vec<Logged>) -> bool {
    match entry {
        LogEntry::Event(logged) if logged.id.seq > position.seq => events.push(logged.clone()),
        // The rest of it is on its way.
        LogEntry::TextBlock { seq, text, is_open: true, .. }
            if position > EventId::delta(*seq, text.get().len() as u64) => {}
        LogEntry::TextBlock { seq, message, kind, text, .. } => {
            return push_text(*seq, *message, *kind, text, position, events);
        }
        LogEntry::Event(_) | LogEntry::LargeEvent { .. } | LogEntry::LargeTextBlock { .. } => {}
    }
    true
}

/// Adds the next piece of a block's text; false if there is more of it. A reader that has
/// seen more than there is (the server crashed before it was stored) gets a snapshot.
pub(super) fn push_text(
    seq: u64,
    message: MessageId,
    kind: BlockKind,
    text: &Served<String>,
    position: EventId,
    events: &mut Vec<Logged>,
) -> bool {
    let length = text.get().len() as u64;
    let from = match position.offset {
        _ if seq < position.seq => return true,
        Some(offset) if seq == position.seq => offset,
        None if seq == position.seq => return true,
        _ => 0,
    };
    let piece = if from > length {
        Some(text.snapshot(PIECE, message))
    } else {
        text.chunk(from, PIECE, message, kind)
    };
    let Some((end, body)) = piece else { return true };
    events.push(Logged { id: EventId::delta(seq, end), body });
    end == length
}

/// The size of an event as JSON, in bytes.
pub(super) fn size(event: &EventBody) -> usize {
    struct Count(usize);
    impl std::io::Write for Count {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            self.0 += bytes.len();
            Ok(bytes.len())
        }
        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }
    let mut count = Count(0);
    // Counting does not fail; an event that is not JSON would not be kept.
    match serde_json::to_writer(&mut count, event) {
        Ok(()) => count.0,
        Err(_) => usize::MAX / 4,
    }
}
