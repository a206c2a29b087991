//! Calls and their results, as tool parts.

use bytes::BytesMut;
use parlor_protocol::{CallId, PromptId, ToolResult, ToolStatus, UserPrompt};
use serde_json::{Value, json};

use super::parts::{Part, RunBy};
use super::prompts::Asking;
use super::{AiSdk, TAG};
use crate::dialects::data_lines::write;
use crate::dialects::turn_steps::Call;

impl AiSdk {
    pub(super) fn call(&mut self, call: &Call<'_>, to: &mut BytesMut) {
        self.tool_part(&call.id.to_string(), call.tool, &call.input, RunBy::SERVER, to);
    }

    /// Writes a tool part under a new id.
    pub(super) fn tool_part(
        &mut self,
        id: &str,
        name: &str,
        input: &Value,
        by: RunBy,
        to: &mut BytesMut,
    ) {
        self.content(to);
        self.step.has_others = true;
        let theirs = self.theirs(id);
        write(to, &Part::ToolInputAvailable { tool_call_id: &theirs, tool_name: name, input, by });
        self.step.tools.insert(theirs);
    }

    /// Writes the output of a tool part, or why there is none.
    pub(super) fn output(
        &mut self,
        tool_call_id: &str,
        output: Result<&Value, &str>,
        by: RunBy,
        to: &mut BytesMut,
    ) {
        match output {
            Ok(output) => write(to, &Part::ToolOutputAvailable { tool_call_id, output, by }),
            Err(error_text) => write(to, &Part::ToolOutputError { tool_call_id, error_text, by }),
        }
        self.has_output(tool_call_id, by);
    }

    fn has_output(&mut self, tool_call_id: &str, by: RunBy) {
        let is_in_step = self.step.tools.contains(tool_call_id);
        self.step.has_output |= is_in_step;
        self.step.is_postable |= is_in_step && by != RunBy::SERVER;
    }

    /// The client's id of something that it knows from now on.
    pub(super) fn theirs(&mut self, id: &str) -> String {
        let theirs = match self.renamed.get(id).or(self.tag.as_ref()) {
            Some(tag) => format!("{id}{TAG}{tag}"),
            None => id.to_owned(),
        };
        self.known.entry(id.to_owned()).or_insert(theirs).clone()
    }

    pub(super) fn result(&mut self, result: &ToolResult, status: ToolStatus, to: &mut BytesMut) {
        let id = result.call_id.to_string();
        if !self.known.contains_key(&id) {
            // The configuration refused it before it was told.
            let (call, tool, input) = (result.call_id, result.name.as_str(), json!({}));
            self.call(&Call { id: call, tool, input, by_client: None }, to);
        }
        let theirs = self.theirs(&id);
        let is_denied = status == ToolStatus::Denied;
        match self.approval_of(result.call_id).filter(|_| is_denied) {
            Some(prompt) => {
                // Asked and refused before this response: only a part with an approval is denied.
                if !self.known.contains_key(&prompt.id.to_string()) {
                    self.request_approval(&prompt, &theirs, to);
                }
                write(to, &Part::ToolOutputDenied { tool_call_id: &theirs });
                self.has_output(&theirs, RunBy::SERVER);
            }
            None => self.tool_result(&theirs, result, RunBy::SERVER, to),
        }
    }

    /// The approval that was asked for about a call.
    pub(super) fn approval_of(&self, call: CallId) -> Option<UserPrompt> {
        let about = self.prompts.values().filter(|prompt| {
            prompt.call_id == Some(call) && Asking::of(prompt, self.version) == Asking::Approval
        });
        // A call is asked about again if its tool has changed meanwhile.
        about
            .max_by_key(|prompt| (self.known.contains_key(&prompt.id.to_string()), prompt.id))
            .cloned()
    }

    /// The result of the client's own tool, which the client has if it answered itself.
    pub(super) fn client_result(
        &mut self,
        prompt: PromptId,
        result: &ToolResult,
        to: &mut BytesMut,
    ) {
        let id = prompt.to_string();
        if !self.held.contains(&id) || result.is_error {
            if !self.known.contains_key(&id) {
                self.tool_part(&id, &result.name, &json!({}), RunBy::CLIENT, to);
            }
            let theirs = self.theirs(&id);
            self.tool_result(&theirs, result, RunBy::CLIENT, to);
        }
    }

    fn tool_result(&mut self, theirs: &str, result: &ToolResult, by: RunBy, to: &mut BytesMut) {
        match (result.is_error, &result.output) {
            (false, output) => self.output(theirs, Ok(output), by, to),
            (true, Value::String(why)) => self.output(theirs, Err(why), by, to),
            (true, other) => self.output(theirs, Err(&other.to_string()), by, to),
        }
    }
}
