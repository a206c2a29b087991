//! Images that a model refused (H-4): sent again, they would make it refuse every later
//! request of the conversation.
//!
//! When a model refuses an image, its turn fails with an error, and a mark is written to the
//! raw history. From then on a text replaces the images before the mark: those since the
//! model's last answer, because it had accepted everything before; all of them, if there
//! are none.

use parlor_agent::HistoryMessage;
use parlor_protocol::Role;
use serde_json::{Value, json};

const MARK: &str = "pictures_refused";
/// What the model reads instead.
const REPLACEMENT: &str = "[a picture was left out: it could not be read]";

/// The mark in the raw history.
pub(crate) fn mark() -> Value {
    json!({MARK: true})
}

/// Whether a part of the raw history is the mark.
pub(crate) fn is_mark(part: &Value) -> bool {
    part.get(MARK) == Some(&Value::Bool(true))
}

/// Replaces the refused images in the messages before the mark.
pub(crate) fn replace<'m>(messages: impl DoubleEndedIterator<Item = &'m mut HistoryMessage>) {
    let mut unanswered = true;
    let mut found = false;
    for message in messages.rev() {
        unanswered &= message.role != Role::Assistant;
        if !unanswered && found {
            return;
        }
        if message.has_picture() {
            found |= unanswered;
            message.without_pictures(REPLACEMENT);
        }
    }
}
