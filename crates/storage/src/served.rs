//! `Served<T>`: proof that it was cleaned before it was stored.

use parlor_guard::CleanStream;
use parlor_protocol::{EventBody, MessageId};
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

    /// The event that shows the text from a byte on; nothing if there is none.
    pub fn chunk(
        &self,
        from: u64,
        message_id: MessageId,
        thinking: bool,
    ) -> Option<Served<EventBody>> {
        let text = usize::try_from(from).ok().and_then(|from| self.0.get(from..))?;
        if text.is_empty() {
            return None;
        }
        let text = text.to_owned();
        Some(Served(if thinking {
            EventBody::Thinking { text, message_id }
        } else {
            EventBody::Chunk { text, message_id }
        }))
    }

    /// The event that replaces what a reader has seen of a text.
    pub fn snapshot(&self, message_id: MessageId) -> Served<EventBody> {
        Served(EventBody::Snapshot { text: self.0.clone(), message_id })
    }
}
