//! A message in the place of another one, as a turn writes it down, and the mark in the raw history
//! (U-7).

use parlor_agent::HistoryMessage;
use parlor_guard::guardrail::Typed;
use parlor_protocol::message::Metadata;
use parlor_protocol::{MessageId, TurnId, metadata};
use parlor_storage::Follows;
use serde_json::{Value, json};

use crate::external_message::pieces;

const MARK: &str = "branch";

/// A message in the place of another one.
#[derive(Debug)]
pub(crate) struct Version {
    /// The message that it takes the place of.
    pub(crate) message: MessageId,
    /// The turn that it began.
    pub(crate) turn: TurnId,
    /// Whether it says something else.
    pub(crate) is_edit: bool,
    /// Whether tools did something in the other branch that is not undone.
    pub(crate) changes_stay: bool,
}

impl Version {
    /// Where its turn is.
    pub(crate) fn follows(&self) -> Follows {
        Follows::InPlaceOf(self.turn)
    }

    /// Writes it into the metadata of the message.
    pub(crate) fn say(&self, facts: &mut Metadata) {
        let key = if self.is_edit { metadata::EDIT_OF } else { metadata::REGENERATES };
        key.set(facts, &self.message);
        if self.changes_stay {
            metadata::CHANGES_STAY.set(facts, &true);
        }
    }
}

/// A message as the model reads it: with what a client told of the past, or as an answer.
#[derive(Debug, Clone)]
pub(crate) struct AsRead(pub(crate) String);

impl Typed for AsRead {
    fn typed(&self) -> Vec<&str> {
        pieces(&self.0).collect()
    }
}

/// The mark in the raw history of a branch.
pub(crate) fn mark() -> Value {
    json!({MARK: true})
}

/// Whether a part of the raw history is the mark.
pub(crate) fn is_mark(part: &Value) -> bool {
    part.get(MARK) == Some(&Value::Bool(true))
}

/// What stays of a message before the mark: a CLI session of then knows the other branch. `None` if
/// nothing does.
pub(crate) fn without_session(mut message: HistoryMessage) -> Option<HistoryMessage> {
    message.without_cli_sessions();
    (!message.blocks.is_empty()).then_some(message)
}
