//! `Served<T>`: proof that it was cleaned before it was stored.

use parlor_guard::{Clean, CleanStream};
use parlor_protocol::{ConversationId, DoneReason, ErrorCode, EventBody, MessageId, TurnId};
use serde::Serialize;

/// Something that was written from a `Clean` and read back. Only this crate
/// makes one; handlers and dialects take nothing else.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct Served<T>(T);

impl<T> Served<T> {
    pub(crate) fn new(value: T) -> Self {
        Self(value)
    }

    /// What may be shown.
    pub fn get(&self) -> &T {
        &self.0
    }

    /// What may be shown, given away.
    pub fn into_inner(self) -> T {
        self.0
    }
}

/// Events that are not stored.
impl Served<EventBody> {
    /// One that is only worth knowing now.
    pub fn live(body: Clean<EventBody>) -> Self {
        Self(body.into_inner())
    }

    /// What a turn ends with if its end cannot be stored; the words are the server's own:
    /// An error and `done`, for whoever reads now.
    pub fn failure(conversation_id: ConversationId, turn_id: TurnId) -> [Self; 2] {
        let error = EventBody::Error {
            message: "Something failed on the server; its log says what.".to_owned(),
            code: ErrorCode::Internal,
            recoverable: false,
        };
        let done = EventBody::Done {
            conversation_id,
            turn_id,
            tokens_used: None,
            reason: DoneReason::Error,
        };
        [Self(error), Self(done)]
    }
}

/// Text that streams is shown before it is stored; it is clean all the same.
impl Served<String> {
    /// A text without words yet.
    pub fn empty() -> Self {
        Self(String::new())
    }

    /// Appends what is certain of the next piece, once it is clean.
    pub fn push(&mut self, stream: &mut CleanStream, piece: &str) {
        stream.push(piece, &mut self.0);
    }

    /// Appends what was held back.
    pub fn finish(&mut self, stream: CleanStream) {
        stream.finish(&mut self.0);
    }

    /// The text from a byte on.
    pub fn rest(&self, from: usize) -> Self {
        Self(self.0.get(from..).unwrap_or_default().to_owned())
    }

    /// The event that shows the text from a byte on, at most so many bytes of it,
    /// and where it ends; nothing if there is none.
    pub fn chunk(
        &self,
        from: u64,
        most: usize,
        message_id: MessageId,
        thinking: bool,
    ) -> Option<(u64, Served<EventBody>)> {
        let rest = usize::try_from(from).ok().and_then(|from| self.0.get(from..))?;
        let text = beginning(rest, most);
        if text.is_empty() {
            return None;
        }
        let end = from + text.len() as u64;
        let text = text.to_owned();
        let body = if thinking {
            EventBody::Thinking { text, message_id }
        } else {
            EventBody::Chunk { text, message_id }
        };
        Some((end, Served(body)))
    }

    /// The event that replaces what a reader has seen of a text by the beginning of
    /// it, at most so many bytes, and where that ends.
    pub fn snapshot(&self, most: usize, message_id: MessageId) -> (u64, Served<EventBody>) {
        let text = beginning(&self.0, most).to_owned();
        (text.len() as u64, Served(EventBody::Snapshot { text, message_id }))
    }
}

/// The first bytes of a text, cut where a character ends.
fn beginning(text: &str, most: usize) -> &str {
    if text.len() <= most { text } else { &text[..text.floor_char_boundary(most)] }
}
