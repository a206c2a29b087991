//! `POST /api/chat`: a message, and the stream of its turn (H-1).

use std::sync::Arc;

use axum::extract::{Extension, State};
use axum::response::Response;
use parlor_chat::{Accepted, Caller, ExternalMessage};
use parlor_protocol::{ChatRequest, ProjectId};

use super::body::Json;
use super::errors::ApiError;
use super::event_stream::{Until, stream};
use super::stream_end::ConnectionGuard;
use crate::app::App;
use crate::auth::Principal;
use crate::client_address::ClientAddress;
use crate::limits::Sender;

/// Sends a message. A refusal is JSON; once the message is stored, the response is a
/// stream.
pub(crate) async fn send(
    State(app): State<Arc<App>>,
    principal: Principal,
    address: ClientAddress,
    Extension(connection): Extension<ConnectionGuard>,
    Json(request): Json<ChatRequest>,
) -> Result<Response, ApiError> {
    let accepted = send_message(&app, &principal.caller, address, request).await?;
    let reader = app.chat.follow(&principal.caller, &accepted);
    Ok(stream(&app, &principal, connection, reader, Until::Done(accepted.turn_id)))
}

/// The project that is named, or the one that is meant if none is.
pub(super) fn project_of(
    app: &App,
    caller: &Caller,
    named: Option<ProjectId>,
) -> Result<ProjectId, ApiError> {
    let tenant = app.config.tenants.get(&caller.tenant).ok_or_else(ApiError::not_found)?;
    let meant = || caller.scope.only_project().unwrap_or(&tenant.default_project).clone();
    Ok(named.unwrap_or_else(meant))
}

/// Counts a message against the rate limits and passes it to the chat. Used over HTTP
/// and over WebSockets.
pub(super) async fn send_message(
    app: &App,
    caller: &Caller,
    ClientAddress(address): ClientAddress,
    request: ChatRequest,
) -> Result<Accepted, ApiError> {
    send_external(app, caller, ClientAddress(address), request.into()).await
}

/// The same for a message of an external client.
pub(super) async fn send_external(
    app: &App,
    caller: &Caller,
    ClientAddress(address): ClientAddress,
    message: ExternalMessage,
) -> Result<Accepted, ApiError> {
    let request = &message.request;
    if request.tenant.as_ref().is_some_and(|tenant| *tenant != caller.tenant) {
        return Err(ApiError::not_found());
    }
    let project = project_of(app, caller, request.project.clone())?;
    let (counted_as, tenant) = (caller.counted_as(), &caller.tenant);
    let sender = Sender { session: &counted_as, address, tenant, project: Some(&project) };
    app.rate_limits.take(&sender).await?;
    Ok(app.chat.send_external(caller, &project, message).await?)
}
