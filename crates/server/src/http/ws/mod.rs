//! `GET /ws/chat/{tenant}/{project}`: a conversation over a WebSocket (W).
//!
//! 1. The edge has checked Host and Origin. The ids must be valid, and the principal
//!    must belong to the tenant. A session needs an Origin too: browsers send the
//!    cookie by themselves, and only browsers send an Origin. All of this happens
//!    before the handshake is answered ([`rfc6455`]).
//! 2. Then the connection is a task of its own ([`connection`]), which keeps the
//!    connection's permit and guard.
//! 3. Frames of the client are handled in [`requests`]; events of the conversation
//!    are encoded by [`crate::dialects::ws`].

mod connection;
mod frame_rate;
mod requests;
pub(crate) mod rfc6455;
mod subscriber;

use std::sync::Arc;

use axum::extract::{Extension, FromRequestParts, Path, State};
use axum::http::request::Parts;
use axum::http::{HeaderMap, header};
use axum::response::Response;
use parlor_protocol::{ConversationId, EventId, ProjectId, TenantId};
use parlor_storage::TokenKind;
use serde::Deserialize;

use super::body::Parameters;
use super::errors::ApiError;
use super::stream_end::ConnectionGuard;
use crate::app::App;
use crate::auth::Principal;
use crate::client_address::ClientAddress;
use crate::limits::connections::ConnectionPermit;
use connection::Connection;
use rfc6455::Handshake;
use subscriber::Subscriber;

/// The project that the path names.
#[derive(Debug)]
pub(crate) struct ProjectPath {
    tenant: TenantId,
    project: ProjectId,
}

#[derive(Debug, Deserialize)]
pub(crate) struct From {
    conversation_id: Option<String>,
    after: Option<String>,
}

/// Accepts a client, which follows the conversation that it names after an event.
pub(crate) async fn open(
    State(app): State<Arc<App>>,
    path: ProjectPath,
    (principal, client): (Principal, ClientAddress),
    Parameters(from): Parameters<From>,
    headers: HeaderMap,
    handshake: Handshake,
    connection: (Extension<ConnectionPermit>, Extension<ConnectionGuard>),
) -> Result<Response, ApiError> {
    let is_session = principal.session.kind == TokenKind::Session;
    if is_session && !headers.contains_key(header::ORIGIN) {
        return Err(ApiError::forbidden("Without an Origin, please send a key as X-API-Key."));
    }
    let tenant = app.config.tenants.get(&path.tenant);
    let exists = tenant.is_some_and(|tenant| tenant.projects.contains_key(&path.project))
        && principal.caller.scope.has_project(&path.project);
    if path.tenant != principal.caller.tenant || !exists {
        return Err(ApiError::not_found());
    }
    let mut subscriber = Subscriber::new(app, principal, client, path.project);
    if let Some((conversation, after)) = from.position()? {
        subscriber.require_in_project(conversation).await?;
        subscriber.follow(conversation, after).await?;
    }
    let response = handshake.response();
    let (Extension(permit), Extension(guard)) = connection;
    tokio::spawn(async move {
        if let Some((stream, received)) = handshake.connection().await {
            Connection::new(stream, received, subscriber, guard, permit).run().await;
        }
    });
    Ok(response)
}

impl From {
    /// Where to begin. An empty parameter counts as absent.
    fn position(&self) -> Result<Option<(ConversationId, EventId)>, ApiError> {
        let given = |text: &Option<String>| text.clone().filter(|text| !text.is_empty());
        let after = given(&self.after)
            .map(|text| {
                text.parse().map_err(|error| ApiError::malformed(format!("after: {error}")))
            })
            .transpose()?;
        match (given(&self.conversation_id), after) {
            (Some(id), after) => {
                let id = id.parse().map_err(|_| ApiError::not_found())?;
                Ok(Some((id, after.unwrap_or(EventId::durable(0)))))
            }
            (None, Some(_)) => Err(ApiError::malformed("after: of which conversation_id?")),
            (None, None) => Ok(None),
        }
    }
}

impl FromRequestParts<Arc<App>> for ProjectPath {
    type Rejection = ApiError;

    /// An invalid id is not found, like an unknown one.
    async fn from_request_parts(parts: &mut Parts, app: &Arc<App>) -> Result<Self, ApiError> {
        let path = Path::<(String, String)>::from_request_parts(parts, app).await;
        let (tenant, project) = path.map_err(|_| ApiError::not_found())?.0;
        match (tenant.parse(), project.parse()) {
            (Ok(tenant), Ok(project)) => Ok(Self { tenant, project }),
            _ => Err(ApiError::not_found()),
        }
    }
}
