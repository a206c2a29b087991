//! `Served<T>`: proof that a value was cleaned before it was stored.

use parlor_guard::{Clean, CleanStream};
use parlor_protocol::{
    ConversationId, DoneReason, ErrorCode, EventBody, MessageId, TurnId, UserPrompt,
};
use serde::Serialize;

use crate::block_kind::BlockKind;

/// A value that was written from a `Clean` and read back. Only this crate
/// makes one; handlers and dialects take nothing else.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct Served<T>(T);

impl<T> Served<T> {
    pub(crate) fn new(value: T) -> Self {
        Self(value)
    }

    /// The value.
    pub fn get(&self) -> &T {
        &self.0
    }

    /// The value, owned.
    pub fn into_inner(self) -> T {
        self.0
    }
}

/// Events that are not stored.
impl Served<EventBody> {
    /// An event that is only worth showing now.
    pub fn live(body: Clean<EventBody>) -> Self {
        Self(body.into_inner())
    }

    /// An event that another node published from a `Clean`.
    pub fn relayed(body: EventBody) -> Self {
        Self(body)
    }

    /// The prompt that it opens, if it opens one.
    pub fn prompt(&self) -> Option<Served<UserPrompt>> {
        match &self.0 {
            EventBody::UserPrompt(prompt) => Some(Served((**prompt).clone())),
            _ => None,
        }
    }

    /// The end of a turn whose end cannot be stored: an error and `done`, for the readers
    /// that are connected. The text is the server's own.
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

/// Text that streams is shown before it is stored; a [`CleanStream`] cleans it.
impl Served<String> {
    /// An empty text.
    pub fn empty() -> Self {
        Self(String::new())
    }

    /// Text that another node cleaned.
    pub fn relayed_text(text: &str) -> Self {
        Self(text.to_owned())
    }

    /// Appends text that another node cleaned.
    pub fn append_relayed(&mut self, text: &str) {
        self.0.push_str(text);
    }

    /// Cleans the next piece and appends what of it is certain.
    pub fn push(&mut self, stream: &mut CleanStream, piece: &str) {
        stream.push(piece, &mut self.0);
    }

    /// Appends what the stream held back.
    pub fn finish(&mut self, stream: CleanStream) {
        stream.finish(&mut self.0);
    }

    /// The text from a byte on.
    pub fn rest(&self, from: usize) -> Self {
        Self(self.0.get(from..).unwrap_or_default().to_owned())
    }

    /// The event that shows the text from a byte on, at most `most` bytes of it, and
    /// the byte where that ends; `None` if there is no more text.
    pub fn chunk(
        &self,
        from: u64,
        most: usize,
        message_id: MessageId,
        kind: BlockKind,
    ) -> Option<(u64, Served<EventBody>)> {
        let rest = usize::try_from(from).ok().and_then(|from| self.0.get(from..))?;
        let text = beginning(rest, most);
        if text.is_empty() {
            return None;
        }
        let end = from + text.len() as u64;
        let text = text.to_owned();
        let body = match kind {
            BlockKind::Text => EventBody::Chunk { text, message_id },
            BlockKind::Thinking => EventBody::Thinking { text, message_id },
        };
        Some((end, Served(body)))
    }

    /// The event that replaces what a reader has seen of a text by its beginning, at
    /// most `most` bytes of it, and the byte where that ends.
    pub fn snapshot(&self, most: usize, message_id: MessageId) -> (u64, Served<EventBody>) {
        let text = beginning(&self.0, most).to_owned();
        (text.len() as u64, Served(EventBody::Snapshot { text, message_id }))
    }
}

/// The beginning of a text, cut at the end of a character.
fn beginning(text: &str, most: usize) -> &str {
    if text.len() <= most { text } else { &text[..text.floor_char_boundary(most)] }
}
