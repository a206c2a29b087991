//! A call that a person changed before allowing it. From then on everybody, the model
//! included, reads the call that runs and not the one that was proposed:
//!
//! - The message in the conversation has the arguments that run, and the proposed ones in its
//!   metadata.
//! - The raw history has them too: what is stored already is amended, and what an agent
//!   reports later is amended on its way ([`amended`]).
//! - The model reads with the result that the arguments are the person's.

use std::collections::HashMap;

use parlor_agent::HistoryMessage;
use parlor_protocol::message::MessageData;
use parlor_protocol::{PromptId, ToolCall, metadata};
use parlor_storage::{Served, StorageError, ToolRun};
use serde_json::{Map, Value};

use super::writer::{TurnWriter, history_json};

/// The calls of a turn that a person changed, with the arguments that run, by the call's id.
pub(super) type Edits = HashMap<String, Map<String, Value>>;

/// A message of the agent for the history, with calls as they ran.
pub(super) fn amended(edits: &Edits, mut message: HistoryMessage) -> HistoryMessage {
    for (call, arguments) in edits {
        message.amend_call(call, arguments);
    }
    message
}

/// Adds to the next write: the part of the stored history that has the call.
pub(super) async fn amend_history(
    writer: &mut TurnWriter,
    call: &str,
    arguments: &Map<String, Value>,
) -> Result<(), StorageError> {
    for mut part in writer.store.history_of_turn(writer.conversation(), writer.turn()).await? {
        let Ok(mut message) = serde_json::from_value::<HistoryMessage>(part.body) else {
            continue;
        };
        if message.amend_call(call, arguments) {
            part.body = writer.sanitizer.json_without_secrets(history_json(&message));
            writer.pending.step.amends.push(part);
            break;
        }
    }
    Ok(())
}

/// Adds to the next write: the message that shows the prompt.
pub(super) async fn amend_message(
    writer: &mut TurnWriter,
    prompt: PromptId,
    proposed: Option<&ToolCall>,
    run: &ToolRun,
    arguments: &Map<String, Value>,
) -> Result<(), StorageError> {
    let (conversation, turn) = (writer.conversation(), writer.turn());
    let shows = writer.store.message_of_prompt(conversation, turn, prompt).await?;
    let Some(mut message) = shows.map(Served::into_inner) else { return Ok(()) };
    metadata::EDITED.set(&mut message.metadata, &true);
    if let Some(proposed) = proposed {
        metadata::PROPOSED.set(&mut message.metadata, proposed);
    }
    message.data = Some(MessageData::ToolCall(ToolCall {
        name: run.tool.clone(),
        input: Value::Object(arguments.clone()),
        masked: None,
    }));
    writer.add_message(message);
    Ok(())
}
