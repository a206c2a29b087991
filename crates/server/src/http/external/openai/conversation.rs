//! The project and the conversation that a request is about.

use axum::http::HeaderMap;
use parlor_chat::{ChatError, ExternalMessage};
use parlor_protocol::{ConversationId, ProjectId};
use parlor_storage::Surface;

use super::errors::OpenAiError;
use crate::app::App;
use crate::auth::Principal;
use crate::http::external::{CONVERSATION_HEADER, ids, project};

/// The headers in which a client names its conversation; the first is ours.
const HEADERS: [&str; 2] = [CONVERSATION_HEADER, "x-openwebui-chat-id"];

/// The name of the conversation in the headers.
pub(super) fn header_of(headers: &HeaderMap) -> Option<&str> {
    let named = HEADERS.iter().filter_map(|name| headers.get(*name)?.to_str().ok());
    named.map(str::trim).find(|name| !name.is_empty())
}

/// The project that a model is: `project` or `tenant/project`.
pub(super) fn model(
    app: &App,
    principal: &Principal,
    model: &str,
) -> Result<ProjectId, OpenAiError> {
    let own = principal.caller.tenant.as_str();
    let (tenant, name) = model.split_once('/').unwrap_or((own, model));
    project(app, principal, tenant, name).map_err(|error| OpenAiError::from(error).of("model"))
}

/// Sends a message to the conversation of this name: one of ours by its id, or the client's own
/// name. Without a name a new one begins.
pub(super) async fn name(
    app: &App,
    principal: &Principal,
    project: &ProjectId,
    name: Option<&str>,
    message: &mut ExternalMessage,
) -> Result<(), OpenAiError> {
    let Some(name) = name else { return Ok(()) };
    match own(app, principal, name).await? {
        Some(id) => message.request.conversation_id = Some(id),
        None => {
            let named = ids::conversation(principal, Surface::OpenAi, project, name)?;
            message.conversation = Some(named);
        }
    }
    Ok(())
}

/// One of our conversations, by its id.
async fn own(
    app: &App,
    principal: &Principal,
    name: &str,
) -> Result<Option<ConversationId>, OpenAiError> {
    let Ok(id) = name.parse::<ConversationId>() else { return Ok(None) };
    match app.chat.last_turn(&principal.caller, id).await {
        Ok(_) => Ok(Some(id)),
        // A client may name its conversations by UUIDs too.
        Err(ChatError::NotFound) => Ok(None),
        Err(error) => Err(error.into()),
    }
}
