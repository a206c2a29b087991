//! External clients: those that speak another protocol (AG-UI, AI SDK, OpenAI).
//!
//! One rule for all of them:
//! 1. The client names the conversation; the first message under a name begins it. The name is
//!    worth something only to the session or key that began it.
//! 2. Of the history that it sends, the last message counts: the log is the authority. The id of
//!    that message makes a repeated request show the same turn again.
//! 3. A response ends when a prompt opens, and the turn lives on; the response to the answer
//!    carries the rest ([`turn_response`]). An answer to a prompt that is closed is no error: it
//!    shows what came after. A message while a prompt is open gets the prompt again.
//! 4. A client that goes away ends nothing.

pub(crate) mod agui;
pub(crate) mod ai_sdk;
mod ids;
pub(crate) mod openai;
mod prompts;
pub(crate) mod turn_response;

use axum::http::HeaderValue;
use axum::response::Response;
use parlor_protocol::{ConversationId, ProjectId, TenantId};

use super::errors::ApiError;
use crate::app::App;
use crate::auth::Principal;

/// Our id of the conversation, on every response.
const CONVERSATION_HEADER: &str = "x-conversation-id";

/// The project in an address, if it is the caller's.
fn project(
    app: &App,
    principal: &Principal,
    tenant: &str,
    project: &str,
) -> Result<ProjectId, ApiError> {
    let tenant: TenantId = tenant.parse().map_err(|_| ApiError::not_found())?;
    let project: ProjectId = project.parse().map_err(|_| ApiError::not_found())?;
    let is_own = principal.caller.tenant == tenant && principal.caller.scope.has_project(&project);
    match app.chat.projects().get(&tenant, &project) {
        Some(_) if is_own => Ok(project),
        _ => Err(ApiError::not_found()),
    }
}

/// Names the conversation in a header.
fn named(mut response: Response, conversation: ConversationId) -> Response {
    if let Ok(id) = HeaderValue::from_str(&conversation.to_string()) {
        response.headers_mut().insert(CONVERSATION_HEADER, id);
    }
    response
}
