//! Tools as a person sees them: a call that waits, and what came of it.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::ids::CallId;

/// A tool and the arguments that it is to be called with.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(optional_fields))]
pub struct ToolCall {
    /// The tool's name.
    pub name: String,
    /// Its arguments, masked where they must be.
    #[cfg_attr(feature = "typescript", ts(type = "unknown"))]
    pub input: Value,
    /// JSON pointers to the parts of `input` that are masked: shown as such,
    /// and not to be edited (S-5).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub masked: Option<Vec<String>>,
}

/// What came of a tool call.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct ToolResult {
    /// The tool's name.
    pub name: String,
    /// The call.
    pub call_id: CallId,
    /// What the tool gave back.
    #[cfg_attr(feature = "typescript", ts(type = "unknown"))]
    pub output: Value,
    /// Whether the tool failed. A failed tool is a result, not an error of the chat (C-2).
    pub is_error: bool,
    /// Data for the app that shows the result (I-6).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(optional, type = "unknown"))]
    pub structured: Option<Value>,
}

/// How far a running call is, as its server tells it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(optional_fields))]
pub struct ToolProgress {
    /// How much is done, in whatever the server counts.
    pub done: f64,
    /// How much there is to do, where that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub total: Option<f64>,
    /// What the server is doing, in its own words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
}

/// The status of a tool call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub enum ToolStatus {
    /// A person is asked first.
    Waiting,
    /// It runs.
    Running,
    /// It gave a result.
    Completed,
    /// It failed.
    Error,
    /// It was not allowed.
    Denied,
}
