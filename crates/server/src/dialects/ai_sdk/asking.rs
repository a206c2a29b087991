//! What is asked, and how that ended.

use bytes::BytesMut;
use parlor_protocol::{PromptClosed, UserPrompt};
use serde_json::{Value, json};

use super::AiSdk;
use super::parts::{Part, RunBy};
use super::prompts::{self, ASK_USER, Asking, PRESENT_PLAN};
use crate::dialects::data_lines::write;

impl AiSdk {
    /// A prompt is closed: one that is told again is written with its end.
    pub(super) fn closed(&mut self, closed: &PromptClosed, to: &mut BytesMut) {
        let Some(prompt) = self.prompts.get(&closed.id).cloned() else { return };
        let is_known = self.known.contains_key(&closed.id.to_string());
        if !is_known {
            let call = closed.tool_call.as_ref().or(prompt.tool_call.as_ref());
            self.parts_of(&prompt, call.map(|call| &call.input), to);
        }
        let (name, by) = match Asking::of(&prompt, self.version) {
            // Their results say it.
            Asking::Approval | Asking::ClientCall => return,
            Asking::Plan => (PRESENT_PLAN, RunBy::SERVER),
            Asking::Question => (ASK_USER, RunBy::PERSON),
        };
        let id = closed.id.to_string();
        if !self.known.contains_key(&id) {
            self.tool_part(&id, name, &prompts::input(&prompt), by, to);
        }
        let theirs = self.theirs(&id);
        match prompts::output(closed) {
            Ok(output) => self.output(&theirs, Ok(&output), by, to),
            Err(why) => self.output(&theirs, Err(&why), by, to),
        }
    }

    /// The call that a prompt is about, as far as the client does not know it.
    pub(super) fn parts_of(
        &mut self,
        prompt: &UserPrompt,
        input: Option<&Value>,
        to: &mut BytesMut,
    ) {
        let (Some(call), Some(call_id), Some(input)) = (&prompt.tool_call, prompt.call_id, input)
        else {
            return;
        };
        let (id, by) = match Asking::of(prompt, self.version) {
            Asking::ClientCall => (prompt.id.to_string(), RunBy::CLIENT),
            Asking::Approval | Asking::Plan | Asking::Question => {
                (call_id.to_string(), RunBy::SERVER)
            }
        };
        if !self.known.contains_key(&id) {
            self.tool_part(&id, &call.name, input, by, to);
        }
    }

    /// Asks what is open and was not asked before.
    pub(super) fn ask(&mut self, open: &[&UserPrompt], to: &mut BytesMut) {
        self.is_asking |= !open.is_empty();
        let is_new = |prompt: &&&UserPrompt| !self.known.contains_key(&prompt.id.to_string());
        let new: Vec<&UserPrompt> = open.iter().filter(is_new).copied().collect();
        // A call that still runs in the same step would keep the client from posting the answer.
        if !self.step.tools.is_empty() && !new.is_empty() {
            self.finish_step(to);
        }
        for prompt in new {
            self.forget_call_of(prompt);
            self.parts_of(prompt, prompt.tool_call.as_ref().map(|call| &call.input), to);
            let id = prompt.id.to_string();
            match Asking::of(prompt, self.version) {
                Asking::ClientCall => {}
                Asking::Approval => {
                    let call = prompt.call_id.map(|call| call.to_string()).unwrap_or_default();
                    let theirs = self.theirs(&call);
                    self.request_approval(prompt, &theirs, to);
                }
                Asking::Plan => {
                    let input = prompts::input(prompt);
                    self.tool_part(&id, PRESENT_PLAN, &input, RunBy::SERVER, to);
                    let theirs = self.theirs(&id);
                    self.request_approval(prompt, &theirs, to);
                }
                Asking::Question => {
                    self.tool_part(&id, ASK_USER, &prompts::input(prompt), RunBy::PERSON, to);
                }
            }
        }
    }

    /// A call that is asked about once more gets a part of its own: the client looks at the last
    /// step only.
    fn forget_call_of(&mut self, prompt: &UserPrompt) {
        let call = prompt.call_id.map(|call| call.to_string()).unwrap_or_default();
        if self.known.remove(&call).is_some() {
            self.renamed.insert(call, prompt.id.to_string());
        }
    }

    pub(super) fn request_approval(
        &mut self,
        prompt: &UserPrompt,
        tool_call_id: &str,
        to: &mut BytesMut,
    ) {
        let request = Part::ToolApprovalRequest {
            approval_id: &self.theirs(&prompt.id.to_string()),
            tool_call_id,
            reason: &prompt.question,
            approval_descriptor: json!({"prompt": prompt}),
        };
        write(to, &request);
    }
}
