//! `POST /api/chat`: a person's message, and the stream of its turn (H-1).

use std::sync::Arc;

use axum::extract::{Extension, State};
use axum::response::Response;
use parlor_chat::{Accepted, Caller};
use parlor_protocol::ChatRequest;

use super::body::Json;
use super::errors::ApiError;
use super::line::Line;
use super::stream::{Until, stream};
use crate::app::App;
use crate::auth::{ClientAddress, Visitor};
use crate::quotas::Sender;

/// Takes a message. Refusals are JSON; once it is stored, the answer is a stream.
pub(crate) async fn send(
    State(app): State<Arc<App>>,
    visitor: Visitor,
    address: ClientAddress,
    Extension(line): Extension<Line>,
    Json(request): Json<ChatRequest>,
) -> Result<Response, ApiError> {
    let accepted = take(&app, &visitor.caller, address, request).await?;
    let reader = app.chat.follow(&accepted).await;
    Ok(stream(&app, &visitor, line, reader, Until::Done(accepted.turn_id)))
}

/// Counts a message and gives it to the chat, by whichever way it came.
pub(super) async fn take(
    app: &App,
    caller: &Caller,
    ClientAddress(address): ClientAddress,
    request: ChatRequest,
) -> Result<Accepted, ApiError> {
    if request.tenant.as_ref().is_some_and(|tenant| *tenant != caller.tenant) {
        return Err(ApiError::not_found());
    }
    let tenant = app.config.tenants.get(&caller.tenant).ok_or_else(ApiError::not_found)?;
    let project = request.project.clone().unwrap_or_else(|| tenant.default_project.clone());
    let (session, tenant) = (caller.session.as_str(), &caller.tenant);
    let sender = Sender { session, address, tenant, project: Some(&project) };
    app.quotas.take(&sender).map_err(ApiError::rate_limited)?;
    Ok(app.chat.send(caller, &project, request).await?)
}
