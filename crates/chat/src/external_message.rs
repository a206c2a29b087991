//! A message of an external client: one that speaks another protocol (AG-UI, AI SDK, OpenAI).
//!
//! Such a client names conversations by ids of its own, may tell what was said before, and may
//! repeat a request. The log stays the authority: what it tells of the past is context of its own
//! message, which only the model reads, and passes the guardrail like everything that a person
//! writes.

use parlor_guard::guardrail::Typed;
use parlor_protocol::ChatRequest;
use parlor_storage::ExternalConversation;

use crate::error::ChatError;

/// The longest account of what was said before, in characters.
const MAX_EARLIER: usize = 200_000;
/// How much of a long text the guardrail reads at once, and how much of it again with the next
/// piece: nothing hides at a cut.
const PIECE: usize = 4_000;
const OVERLAP: usize = 500;

/// A message of an external client.
#[derive(Debug, Clone)]
pub struct ExternalMessage {
    /// The message.
    pub request: ChatRequest,
    /// The client's own id of the conversation.
    pub conversation: Option<ExternalConversation>,
    /// What was said before, as the client tells it. Only a conversation that begins reads it.
    pub earlier: Vec<EarlierMessage>,
    /// The hash of the request, if the client does not name its messages.
    pub request_hash: Option<String>,
    /// Whether the client says that it sent the same request before.
    pub is_repeated: bool,
}

/// One thing that was said before, as the client tells it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EarlierMessage {
    /// Who said it, in the client's words.
    pub role: String,
    /// The text.
    pub text: String,
}

impl From<ChatRequest> for ExternalMessage {
    fn from(request: ChatRequest) -> Self {
        let (conversation, earlier) = (None, Vec::new());
        Self { request, conversation, earlier, request_hash: None, is_repeated: false }
    }
}

/// A message with what was said before it.
#[derive(Debug, Clone)]
pub(crate) struct WithEarlier {
    earlier: Vec<EarlierMessage>,
    message: String,
}

impl WithEarlier {
    /// A message after these; an error if they are too long.
    pub(crate) fn new(earlier: Vec<EarlierMessage>, message: &str) -> Result<Self, ChatError> {
        let length: usize = earlier.iter().map(|said| said.text.chars().count()).sum();
        if length > MAX_EARLIER {
            return Err(ChatError::TooLarge(format!(
                "The earlier messages are longer than {MAX_EARLIER} characters; name the \
                 conversation instead of repeating it."
            )));
        }
        Ok(Self { earlier, message: message.to_owned() })
    }

    /// As the model reads it.
    pub(crate) fn for_model(self) -> String {
        let mut text = account("What was said before, as the client tells it:", &self.earlier);
        text.push_str(&format!("The message:\n\n{}", self.message));
        text
    }
}

/// What was said before, as a model is told of it: in a person's words, not as its own.
pub(crate) fn account(begins: &str, earlier: &[EarlierMessage]) -> String {
    let mut text = format!("{begins}\n\n");
    for EarlierMessage { role, text: said } in earlier {
        text.push_str(&format!("[{role}] {said}\n\n"));
    }
    text
}

impl Typed for EarlierMessage {
    fn typed(&self) -> Vec<&str> {
        [self.role.as_str(), self.text.as_str()].into_iter().flat_map(pieces).collect()
    }
}

impl Typed for WithEarlier {
    fn typed(&self) -> Vec<&str> {
        self.earlier.iter().flat_map(Typed::typed).collect()
    }
}

/// A long text in pieces that overlap.
pub(crate) fn pieces(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = Some(text);
    std::iter::from_fn(move || {
        let text = rest?;
        if text.len() <= PIECE {
            rest = None;
            return Some(text);
        }
        let end = text.floor_char_boundary(PIECE);
        rest = Some(&text[text.floor_char_boundary(end - OVERLAP)..]);
        Some(&text[..end])
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// G-8: every character of a long text is in a piece, and so is whatever lies across a cut.
    #[test]
    fn pieces_cover_a_text_and_overlap() {
        let text = "é1€😀".repeat(3_000);
        let pieces: Vec<&str> = pieces(&text).collect();
        assert!(pieces.len() > 5 && pieces.iter().all(|piece| piece.len() <= PIECE));
        let mut covered = 0;
        for piece in &pieces {
            let at = piece.as_ptr() as usize - text.as_ptr() as usize;
            assert!(covered == 0 || at + OVERLAP / 2 < covered, "they overlap");
            covered = at + piece.len();
        }
        assert_eq!(covered, text.len());
    }
}
