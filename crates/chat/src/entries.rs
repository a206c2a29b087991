//! What an entry of the log shows to a reader at a place, a piece at a time.

use parlor_protocol::{EventBody, EventId, MessageId};
use parlor_storage::{BlockKind, LogEntry, Logged, Served};

/// The most that a reader is given at once, in bytes, except for one event that is
/// larger alone.
pub(crate) const PIECE: usize = 64 << 10;

/// What entries show to a reader at a place. What comes after a block is shown once
/// all of its text was.
pub(crate) fn shown(entries: &[LogEntry], place: EventId) -> Vec<Logged> {
    let mut events = Vec::with_capacity(entries.len());
    for entry in entries {
        if !push_after(entry, place, &mut events) {
            break;
        }
    }
    events
}

/// What a log entry shows to a reader at a place; false if there is more of it.
/// What is large is shown by the reader itself.
pub(crate) fn push_after(entry: &LogEntry, place: EventId, events: &mut Vec<Logged>) -> bool {
    match entry {
        LogEntry::Event(logged) if logged.id.seq > place.seq => events.push(logged.clone()),
        LogEntry::TextBlock { seq, message, kind, text } => {
            return push_text(*seq, *message, *kind, text, place, events);
        }
        LogEntry::Event(_) | LogEntry::LargeEvent { .. } | LogEntry::LargeTextBlock { .. } => {}
    }
    true
}

/// The next piece of a block's text; false if there is more of it. Whoever has seen
/// more than there is (the server went down before it was stored) is shown what
/// there is instead.
pub(crate) fn push_text(
    seq: u64,
    message: MessageId,
    kind: BlockKind,
    text: &Served<String>,
    place: EventId,
    events: &mut Vec<Logged>,
) -> bool {
    let length = text.get().len() as u64;
    let from = match place.offset {
        _ if seq < place.seq => return true,
        Some(offset) if seq == place.seq => offset,
        None if seq == place.seq => return true,
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

/// How large an event is, as it is written.
pub(crate) fn size(event: &EventBody) -> usize {
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
    // Counting cannot fail; what could not be written would not be kept.
    match serde_json::to_writer(&mut count, event) {
        Ok(()) => count.0,
        Err(_) => usize::MAX / 4,
    }
}
