//! What a server of the newer era needs to know before it can go on with a call (M-3).
//!
//! It cannot ask during the call. It answers the call with its questions and a state
//! that only it can read, and is called again with the answers and that state. So the
//! questions belong to their call without any doubt.

use parlor_agent::tools::ElicitationReply;
use rmcp::model::{
    CallToolRequestParams, InputRequest, InputRequests, InputRequiredResult, InputResponses,
};

use super::client::{elicited, form};
use super::in_flight::Registration;

/// A server that is never content is not asked for ever.
pub(super) const MOST_ROUNDS: usize = 10;

/// The call again, with what the server needs.
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

/// The person's answers, one question after the other. What is no question to a person
/// stays without an answer: we never said that we could.
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
