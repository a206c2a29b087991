//! The two functions of A-1: one judges what a person wrote before it goes to an agent,
//! the other classifies and cleans what an agent wrote before a person sees it.

use parlor_protocol::{
    ErrorCode, MessageData, MessageType, Metadata, QuestionOption, SubQuestion, ToolCall,
};
use serde::Serialize;
use serde_json::Value;

use crate::checked::Checked;
use crate::classifier::{Structured, classify};
use crate::clean::{Cleanable, clean_options};
use crate::guardrail::{Finding, Guardrail};
use crate::sanitizer::Sanitizer;

/// The guardrail's verdict on a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProcessedInput {
    /// What goes to the agent: the person's own text, unchanged; `None` if it is refused.
    pub cleaned: Option<Checked<String>>,
    /// The error text for the person; empty if it is valid.
    pub error: String,
    /// The same for programs.
    pub code: Option<ErrorCode>,
    /// The rule that matched: it blocked, or the policy only logs it.
    pub finding: Option<Finding>,
}

impl ProcessedInput {
    /// Whether the message may go to the agent.
    pub fn is_valid(&self) -> bool {
        self.cleaned.is_some()
    }
}

/// An agent's JSON as a message for a person.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ProcessedMessage {
    /// Which card shows it.
    #[serde(rename = "type")]
    pub message_type: MessageType,
    /// Its text.
    pub content: String,
    /// The options of a question, or of the first of several.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub options: Option<Vec<QuestionOption>>,
    /// All questions of a multi-question.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub questions: Option<Vec<SubQuestion>>,
    /// The structure behind the words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub data: Option<MessageData>,
    /// Facts that are safe to show.
    pub metadata: Metadata,
}

/// Judges what a person wrote.
pub fn process_input(guardrail: &Guardrail, message: &str) -> ProcessedInput {
    match guardrail.check(message) {
        Ok(passed) => ProcessedInput {
            cleaned: Some(passed.text),
            error: String::new(),
            code: None,
            finding: passed.noticed,
        },
        Err(refusal) => ProcessedInput {
            cleaned: None,
            error: refusal.message,
            code: Some(refusal.code),
            finding: refusal.finding,
        },
    }
}

/// Classifies and cleans what an agent wrote.
pub fn process_output(sanitizer: &Sanitizer, json: &Value) -> ProcessedMessage {
    let raw = classify(json, &|text| text.to_owned().cleaned(sanitizer));
    ProcessedMessage {
        message_type: raw.message_type,
        content: raw.content.cleaned(sanitizer),
        options: raw.options.map(|options| clean_options(sanitizer, &options)),
        questions: raw.questions.cleaned(sanitizer),
        data: raw.data.map(|data| message_data(data).cleaned(sanitizer)),
        metadata: raw.metadata.cleaned(sanitizer),
    }
}

/// A tool's result gets its call's id from the conversation that it belongs
/// to; alone it is shown as far as it is known.
fn message_data(structured: Structured) -> MessageData {
    match structured {
        Structured::Plan(plan) => MessageData::Plan(plan),
        Structured::Question(question) => MessageData::Question(question),
        Structured::ToolCall { name, input } => {
            MessageData::ToolCall(ToolCall { name, input, masked: None })
        }
        Structured::ToolResult { name, output, is_error } => MessageData::Other(
            serde_json::json!({ "name": name, "output": output, "is_error": is_error }),
        ),
    }
}
