//! Pictures that a model refused (H-4): they would make it refuse every later
//! request of the conversation as well.
//!
//! When a model refuses a picture, its turn fails and says so, and a mark is
//! written to the raw history. From then on words stand in the place of the
//! pictures before the mark: of those that came since the model's last answer, for
//! everything before them it had taken; of all, if there are none.

use parlor_agent::HistoryMessage;
use parlor_protocol::Role;
use serde_json::{Value, json};

const MARK: &str = "pictures_refused";
/// What the model reads instead.
const WORDS: &str = "[a picture was left out: it could not be read]";

/// The part of the raw history that says it.
pub(crate) fn mark() -> Value {
    json!({MARK: true})
}

/// Whether a part of the raw history says it.
pub(crate) fn is_mark(part: &Value) -> bool {
    part.get(MARK) == Some(&Value::Bool(true))
}

/// Leaves out what was refused, of what was said before the mark.
pub(crate) fn leave_out<'m>(said: impl DoubleEndedIterator<Item = &'m mut HistoryMessage>) {
    let mut unanswered = true;
    let mut found = false;
    for message in said.rev() {
        unanswered &= message.role != Role::Assistant;
        if !unanswered && found {
            return;
        }
        if message.has_picture() {
            found |= unanswered;
            message.without_pictures(WORDS);
        }
    }
}
