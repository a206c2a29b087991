//! The parts of a UI message stream, as they are written. A type that a client does not know is
//! fatal to it, a field is not; a field that is absent is never `null`.

use parlor_protocol::MessageId;
use serde::Serialize;
use serde_json::Value;

#[derive(Debug, Serialize)]
#[serde(tag = "type", rename_all = "kebab-case", rename_all_fields = "camelCase")]
pub(super) enum Part<'a> {
    Start {
        message_id: &'a str,
        message_metadata: Value,
    },
    StartStep,
    FinishStep,
    /// Takes back what the step has shown; only 7 knows it.
    ResetStep,
    TextStart {
        id: MessageId,
    },
    TextDelta {
        id: MessageId,
        delta: &'a str,
    },
    TextEnd {
        id: MessageId,
    },
    ReasoningStart {
        id: MessageId,
    },
    ReasoningDelta {
        id: MessageId,
        delta: &'a str,
    },
    ReasoningEnd {
        id: MessageId,
    },
    ToolInputAvailable {
        tool_call_id: &'a str,
        tool_name: &'a str,
        input: &'a Value,
        #[serde(flatten)]
        by: RunBy,
    },
    /// 5 does not know it.
    ToolApprovalRequest {
        approval_id: &'a str,
        tool_call_id: &'a str,
        reason: &'a str,
        approval_descriptor: Value,
    },
    ToolOutputAvailable {
        tool_call_id: &'a str,
        output: &'a Value,
        #[serde(flatten)]
        by: RunBy,
    },
    ToolOutputError {
        tool_call_id: &'a str,
        error_text: &'a str,
        #[serde(flatten)]
        by: RunBy,
    },
    /// 5 does not know it.
    ToolOutputDenied {
        tool_call_id: &'a str,
    },
    #[serde(rename = "data-plan")]
    Plan {
        id: String,
        data: Value,
    },
    #[serde(rename = "data-message")]
    Message {
        id: String,
        data: Value,
    },
    #[serde(rename = "data-recipe")]
    Recipe {
        id: &'a str,
        data: Value,
    },
    #[serde(rename = "data-artifact")]
    Artifact {
        id: String,
        data: Value,
    },
    #[serde(rename = "data-progress")]
    Progress {
        data: Value,
        transient: bool,
    },
    MessageMetadata {
        message_metadata: Value,
    },
    Error {
        error_text: &'a str,
    },
    Abort {
        reason: &'static str,
    },
    Finish {
        finish_reason: &'static str,
        message_metadata: Value,
    },
}

/// Who runs a tool. A client posts again when its own tools have their results, so those of the
/// server must be told apart. `dynamic` says that the app does not declare the tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct RunBy {
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    dynamic: bool,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    provider_executed: bool,
}

impl RunBy {
    /// A tool of the project.
    pub(super) const SERVER: Self = Self { dynamic: true, provider_executed: true };
    /// A question, which the person answers in the app.
    pub(super) const PERSON: Self = Self { dynamic: true, provider_executed: false };
    /// A tool that the app declares.
    pub(super) const CLIENT: Self = Self { dynamic: false, provider_executed: false };
}
