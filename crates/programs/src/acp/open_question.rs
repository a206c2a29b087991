//! A question that waits for its answer, and a call that was approved and has to be made again.

use agent_client_protocol_schema::v1::RequestPermissionRequest;
use serde_json::{Map, Value};

use super::question::Question;

/// A question without an answer.
#[derive(Debug)]
pub(super) struct OpenQuestion {
    /// The id under which people see it.
    pub(super) id: String,
    /// The agent's id of the call that it is about.
    pub(super) call: String,
    pub(super) question: Question,
    /// The request that waits for the answer; `None` if its process is gone.
    pub(super) request: Option<Request>,
}

/// What waits for an answer.
#[derive(Debug)]
pub(super) enum Request {
    /// A request for permission, by its id.
    Permission(Value, Box<RequestPermissionRequest>),
    /// A form, by the id of its request.
    Form(Value),
}

/// A call that was approved and has to be made again.
#[derive(Debug)]
pub(super) struct Repeat {
    /// The id under which people see it.
    pub(super) call: String,
    pub(super) tool: String,
    pub(super) arguments: Map<String, Value>,
}

impl OpenQuestion {
    /// The question of a process that is gone.
    pub(super) fn without_process(id: &str, question: Question) -> Self {
        Self { id: id.to_owned(), call: id.to_owned(), question, request: None }
    }
}
