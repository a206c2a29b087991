//! What a server of protocol version 2026-07-28 needs to know before it can finish a call (M-3).
//!
//! It cannot ask during the call. It answers the call with its questions and an opaque state, and
//! is called again with the answers and that state. So it is always clear which call a question
//! belongs to.

use parlor_agent::tools::ElicitationReply;
use rmcp::model::{
    CallToolRequestParams, InputRequest, InputRequests, InputRequiredResult, InputResponses,
};

use super::client::{elicited, form};
use super::in_flight::Registration;

/// A server that keeps asking is not called without end.
pub(super) const MOST_ROUNDS: usize = 10;

/// The same call again, with the answers that the server needs.
pub(super) async fn answered(
    mut call: CallToolRequestParams,
    needs: InputRequiredResult,
    registration: &Registration,
) -> CallToolRequestParams {
    let asked = needs.input_requests.unwrap_or_default();
    call.input_responses = Some(responses(asked, registration).await);
    call.request_state = needs.request_state;
    call
}

/// A person's answers, one question after the other. A request that is not a question to a person
/// gets no answer: that capability was not declared.
async fn responses(asked: InputRequests, registration: &Registration) -> InputResponses {
    let mut responses = InputResponses::new();
    for (key, request) in asked {
        let InputRequest::Elicitation(request) = request else { continue };
        let reply = match form(request.params) {
            Some((message, schema)) => registration.ask(message, schema).await,
            None => ElicitationReply::Decline,
        };
        if let Ok(result) = serde_json::to_value(elicited(reply)) {
            responses.insert(key, result);
        }
    }
    responses
}
