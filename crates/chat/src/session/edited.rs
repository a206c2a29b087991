//! A call that a person changed before allowing it: from here on everybody, the
//! model included, is told of the call that runs and not of the one that was
//! proposed.
//!
//! - The message in the conversation holds the arguments that run, and what was
//!   proposed beside them.
//! - The raw history holds them too: what is stored already is amended, and what an
//!   agent tells later is amended on its way ([`Session::amended`]).
//! - The model reads with the result that the arguments are the person's.

use std::collections::HashMap;

use parlor_agent::{ContentBlock, HistoryMessage};
use parlor_guard::Clean;
use parlor_protocol::ToolCall;
use parlor_protocol::message::MessageData;
use parlor_storage::{Prompt, StorageError, ToolRun};
use serde_json::{Map, Value, json};

use super::{Session, raw};
use crate::prompts::{Meant, meant};

/// The calls of a turn that a person changed, by the model's id.
pub(super) type Edits = HashMap<String, Map<String, Value>>;

impl Session {
    /// Notes with which arguments a call runs, if a person changed them. What follows
    /// from that is written together with the start of the run.
    pub(super) async fn note_edit(
        &mut self,
        prompt: &Prompt,
        run: &ToolRun,
    ) -> Result<(), StorageError> {
        let arguments = arguments(run)?;
        let Some(Meant::Call(call)) = meant(prompt) else { return Ok(()) };
        if call.input == arguments {
            return Ok(());
        }
        self.amend_history(&run.call_id, &arguments).await?;
        self.amend_message(prompt, run, &arguments).await?;
        self.edits.insert(run.call_id.clone(), arguments);
        Ok(())
    }

    /// A message of the agent for the history, with calls as they ran.
    pub(super) fn amended(&self, mut message: HistoryMessage) -> HistoryMessage {
        for (call, arguments) in &self.edits {
            message.amend_call(call, arguments);
        }
        message
    }

    /// What the model is told with the result of a call that a person changed.
    pub(super) fn edit_note(&self, call: &str) -> Option<ContentBlock> {
        self.edits.contains_key(call).then(|| {
            ContentBlock::text(
                "The person changed the arguments of this call before allowing it. It ran with the \
                 arguments that the call has now.",
            )
        })
    }

    async fn amend_history(
        &mut self,
        call: &str,
        arguments: &Map<String, Value>,
    ) -> Result<(), StorageError> {
        let (conversation, turn) = (self.writer.conversation, self.writer.turn);
        for mut part in self.writer.store.history_of_turn(conversation, turn).await? {
            let Ok(mut message) = serde_json::from_value::<HistoryMessage>(part.body) else {
                continue;
            };
            if message.amend_call(call, arguments) {
                part.body = self.sanitizer.json_without_secrets(raw(&message));
                self.finished.amends.push(part);
                break;
            }
        }
        Ok(())
    }

    async fn amend_message(
        &mut self,
        prompt: &Prompt,
        run: &ToolRun,
        arguments: &Map<String, Value>,
    ) -> Result<(), StorageError> {
        let (conversation, turn) = (self.writer.conversation, self.writer.turn);
        let shows = self.writer.store.message_of_prompt(conversation, turn, prompt.id).await?;
        let Some(mut message) = shows.map(parlor_storage::Served::into_inner) else {
            return Ok(());
        };
        message.metadata.insert("edited".to_owned(), json!(true));
        let proposed = prompt.public.get().tool_call.as_ref();
        message.metadata.insert("proposed".to_owned(), json!(proposed));
        message.data = Some(MessageData::ToolCall(ToolCall {
            name: run.tool.clone(),
            input: Value::Object(arguments.clone()),
            masked: None,
        }));
        self.finished.message(Clean::new(&self.sanitizer, message));
        Ok(())
    }
}

/// The exact arguments of a run.
pub(super) fn arguments(run: &ToolRun) -> Result<Map<String, Value>, StorageError> {
    serde_json::from_str(&run.arguments).map_err(|error| StorageError::Corrupt(error.to_string()))
}
