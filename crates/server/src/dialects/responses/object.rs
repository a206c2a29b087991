//! The response object, with every field that its strict readers want.

use parlor_protocol::{ConversationId, Timestamp};
use serde_json::{Map, Value, json};

use super::ids::ResponseId;
use crate::dialects::openai_values::created_at;

/// What a response is about, beside the log.
#[derive(Debug, Clone)]
pub(crate) struct About {
    /// Its id.
    pub(crate) id: ResponseId,
    /// The conversation.
    pub(crate) conversation: ConversationId,
    /// The model, as the client names it.
    pub(crate) model: String,
    /// The project: what the tools are labelled with.
    pub(crate) label: String,
    /// The address of the conversation for people.
    pub(crate) page: String,
    /// What the request said of the response, which is said again.
    pub(crate) settings: Map<String, Value>,
}

/// The status of a response.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Status {
    Queued,
    InProgress,
    Completed,
    Cancelled,
    Failed,
}

impl Status {
    fn as_str(self) -> &'static str {
        match self {
            Self::Queued => "queued",
            Self::InProgress => "in_progress",
            Self::Completed => "completed",
            Self::Cancelled => "cancelled",
            Self::Failed => "failed",
        }
    }
}

/// How far a response is.
#[derive(Debug)]
pub(super) struct State {
    pub(super) status: Status,
    pub(super) output: Vec<Value>,
    pub(super) error: Option<Value>,
    pub(super) tokens: Option<u64>,
    /// When the last thing happened.
    pub(super) last: Option<Timestamp>,
    /// What is asked, for programs.
    pub(super) asked: Map<String, Value>,
}

/// The whole object.
pub(super) fn object(about: &About, state: &State) -> Value {
    let created = created_at(about.id.turn.as_uuid());
    let completed = match state.status {
        Status::Completed => Some(state.last.map_or(created, |at| at.0.div_euclid(1_000))),
        Status::Queued | Status::InProgress | Status::Cancelled | Status::Failed => None,
    };
    let mut object = json!({
        "id": about.id.to_string(),
        "object": "response",
        "created_at": created,
        "completed_at": completed,
        "status": state.status.as_str(),
        "incomplete_details": null,
        "model": about.model,
        "previous_response_id": null,
        "instructions": null,
        "output": state.output,
        "error": state.error,
        "tools": [],
        "tool_choice": "auto",
        "truncation": "disabled",
        "parallel_tool_calls": true,
        "text": {"format": {"type": "text"}},
        "top_p": 1.0,
        "presence_penalty": 0.0,
        "frequency_penalty": 0.0,
        "top_logprobs": 0,
        "temperature": 1.0,
        "reasoning": {"effort": null, "summary": null},
        "usage": state.tokens.map(usage),
        "max_output_tokens": null,
        "max_tool_calls": null,
        // A conversation is its log: every response is stored.
        "store": true,
        "background": false,
        "service_tier": "default",
        "metadata": {},
        "safety_identifier": null,
        "prompt_cache_key": null,
    });
    for (key, value) in &about.settings {
        object[key.as_str()] = value.clone();
    }
    if !object["metadata"].is_object() {
        object["metadata"] = json!({});
    }
    object["metadata"]["conversation_id"] = json!(about.conversation);
    for (key, value) in &state.asked {
        object["metadata"][key.as_str()] = value.clone();
    }
    object
}

/// The tokens of a turn. Agents report those in and out as one number.
fn usage(tokens: u64) -> Value {
    json!({
        "input_tokens": 0,
        "input_tokens_details": {"cached_tokens": 0},
        "output_tokens": tokens,
        "output_tokens_details": {"reasoning_tokens": 0},
        "total_tokens": tokens,
    })
}
