//! What nodes send each other of a conversation that streams: pieces of text with their place
//! in it, and events that are not stored. Several frames make a payload.
//!
//! Nothing relies on a frame to arrive: its place shows what is missing, and storage has it
//! a moment later. A frame of an unknown kind ends the reading of its payload.

use parlor_protocol::{ConversationId, EventBody, MessageId};
use parlor_storage::BlockKind;

/// One frame.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum LiveFrame {
    /// A piece of text.
    Text(LiveText),
    /// An event that is not stored.
    Event(ConversationId, EventBody),
}

/// A piece of the text of a block, and where it belongs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct LiveText {
    /// The conversation.
    pub(crate) conversation: ConversationId,
    /// The number of the block.
    pub(crate) seq: u64,
    /// The message that it will be part of.
    pub(crate) message: MessageId,
    /// Text or thinking.
    pub(crate) kind: BlockKind,
    /// How many bytes of the block come before the piece.
    pub(crate) from: u64,
    /// The piece, cleaned.
    pub(crate) text: String,
}

const TEXT: &str = "text";
const THINKING: &str = "thinking";
const EVENT: &str = "event";

/// Appends a piece of text to a payload.
pub(super) fn write_text(
    payload: &mut String,
    conversation: ConversationId,
    (seq, message, kind): (u64, MessageId, BlockKind),
    from: usize,
    text: &str,
) {
    let kind = match kind {
        BlockKind::Text => TEXT,
        BlockKind::Thinking => THINKING,
    };
    let bytes = text.len();
    payload.push_str(&format!("{kind} {conversation} {bytes} {seq} {from} {message}\n{text}\n"));
}

/// Appends an event to a payload.
pub(super) fn write_event(payload: &mut String, conversation: ConversationId, event: &EventBody) {
    if let Ok(json) = serde_json::to_string(event) {
        payload.push_str(&format!("{EVENT} {conversation} {}\n{json}\n", json.len()));
    }
}

/// The frames of a payload, up to the first that cannot be read.
pub(crate) fn read(payload: &str) -> Vec<LiveFrame> {
    let (mut frames, mut rest) = (Vec::new(), payload);
    while let Some((frame, after)) = read_one(rest) {
        frames.push(frame);
        rest = after;
    }
    frames
}

fn read_one(payload: &str) -> Option<(LiveFrame, &str)> {
    let (head, rest) = payload.split_once('\n')?;
    let mut words = head.split(' ');
    let kind = words.next()?;
    let conversation: ConversationId = words.next()?.parse().ok()?;
    let bytes: usize = words.next()?.parse().ok()?;
    let body = rest.get(..bytes)?;
    let rest = rest.get(bytes..)?.strip_prefix('\n')?;
    let kind = match kind {
        TEXT => BlockKind::Text,
        THINKING => BlockKind::Thinking,
        EVENT => {
            let event = serde_json::from_str(body).ok()?;
            return Some((LiveFrame::Event(conversation, event), rest));
        }
        _ => return None,
    };
    let seq = words.next()?.parse().ok()?;
    let from = words.next()?.parse().ok()?;
    let message = words.next()?.parse().ok()?;
    let text = body.to_owned();
    Some((LiveFrame::Text(LiveText { conversation, seq, message, kind, from, text }), rest))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use uuid::Uuid;

    use super::*;

    fn conversation() -> ConversationId {
        ConversationId::new(Uuid::from_u128(7))
    }

    proptest! {
        /// E-3: whatever a text holds, it is read as it was written.
        #[test]
        fn frames_are_read_as_they_were_written(
            texts in prop::collection::vec((any::<String>(), any::<u32>(), any::<bool>()), 0..5),
        ) {
            let message = MessageId::new(Uuid::from_u128(8));
            let (mut payload, mut frames) = (String::new(), Vec::new());
            for (text, at, thinking) in texts {
                let kind = if thinking { BlockKind::Thinking } else { BlockKind::Text };
                let block = (u64::from(at), message, kind);
                write_text(&mut payload, conversation(), block, 3, &text);
                frames.push(LiveFrame::Text(LiveText {
                    conversation: conversation(), seq: u64::from(at), message, kind, from: 3, text,
                }));
            }
            let event = EventBody::Queued { turn_id: parlor_protocol::TurnId::new(Uuid::from_u128(9)) };
            write_event(&mut payload, conversation(), &event);
            frames.push(LiveFrame::Event(conversation(), event));
            prop_assert_eq!(read(&payload), frames);
        }

        /// E-3: nothing that comes over the channel panics.
        #[test]
        fn anything_can_be_read(payload in any::<String>(), cut in any::<prop::sample::Index>()) {
            let _frames = read(&payload);
            let message = MessageId::new(Uuid::from_u128(8));
            let mut whole = String::new();
            write_text(&mut whole, conversation(), (1, message, BlockKind::Text), 0, &payload);
            let cut = whole.floor_char_boundary(cut.index(whole.len()));
            prop_assert!(read(&whole[..cut]).is_empty());
        }
    }
}
