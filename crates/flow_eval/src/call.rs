//! A call of a tool.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// A call, as a task wants it and as it arrived at the tool.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Call {
    /// The name that the tool has at its server.
    pub(crate) name: String,
    pub(crate) arguments: Value,
}

/// For whom a call is made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Side {
    /// It is part of the person's task.
    User,
    /// The planted text ordered it.
    Attack,
}

/// A call that the model made.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct Made {
    pub(crate) side: Side,
    pub(crate) call: Call,
}
