//! OpenAI's protocols: chat completions and Responses.
//!
//! A model is a project: `project`, or `tenant/project`. What a request says of the model itself
//! (temperature, seed, the format of the answer) has no effect: that is a matter of the project.
//! Tools that the client has are taken; the tools of the project run on the server.
//!
//! 1. [`body`] reads a request and remembers its hash: these clients do not name their messages, and
//!    repeat a request after a failure.
//! 2. [`input`] finds what is new in it: a message, or answers to prompts.
//! 3. [`conversation`] finds the conversation, if the client names one.
//! 4. [`chat_completions`] and [`responses`] answer; [`stored_responses`] are read again.
//! 5. [`errors`] has the shape of refusals.

mod body;
pub(crate) mod chat_completions;
mod content;
mod conversation;
pub(crate) mod errors;
mod input;
pub(crate) mod models;
pub(crate) mod responses;
pub(crate) mod stored_responses;

use axum::extract::Request;
use axum::http::Method;

/// Whether an address is one of these protocols.
pub(crate) fn is_address(path: &str) -> bool {
    path.starts_with("/v1/")
}

/// Whether the response is a whole answer of an agent, which may take minutes.
pub(crate) fn takes_its_time(request: &Request) -> bool {
    let path = request.uri().path();
    request.method() == Method::POST && matches!(path, "/v1/chat/completions" | "/v1/responses")
}
