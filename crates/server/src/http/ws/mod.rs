//! `GET /ws/chat/{tenant}/{project}`: a conversation over a WebSocket (W).
//!
//! 1. The edge has checked Host and Origin. The ids must be ids, the visitor must
//!    be somebody, of this tenant; a session, which a browser sends by itself,
//!    needs the Origin that only a browser sends. All of it before the handshake
//!    is answered ([`rfc6455`]).
//! 2. Then the connection is a task of its own ([`connection`]), which keeps the
//!    permit of the accept loop.
//! 3. What the client sends is read and done in [`requests`]; what happens in the
//!    conversation is put into words in [`crate::dialects::ws`].

mod connection;
mod pace;
mod requests;
pub(crate) mod rfc6455;
mod room;

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
use crate::app::App;
use crate::auth::{ClientAddress, Visitor};
use crate::connections::ConnectionPermit;
use connection::Connection;
use rfc6455::Handshake;
use room::Room;

/// Where the client wants to be.
#[derive(Debug)]
pub(crate) struct Address {
    tenant: TenantId,
    project: ProjectId,
}

#[derive(Debug, Deserialize)]
pub(crate) struct From {
    conversation_id: Option<String>,
    after: Option<String>,
}

/// Lets a client in, and follows the conversation that it names from its place on.
pub(crate) async fn open(
    State(app): State<Arc<App>>,
    address: Address,
    (visitor, client): (Visitor, ClientAddress),
    Parameters(from): Parameters<From>,
    headers: HeaderMap,
    handshake: Handshake,
    Extension(permit): Extension<ConnectionPermit>,
) -> Result<Response, ApiError> {
    let is_session = visitor.session.kind == TokenKind::Session;
    if is_session && !headers.contains_key(header::ORIGIN) {
        return Err(ApiError::forbidden("Without an Origin, please send a key as X-API-Key."));
    }
    let tenant = app.config.tenants.get(&address.tenant);
    let exists = tenant.is_some_and(|tenant| tenant.projects.contains_key(&address.project));
    if address.tenant != visitor.caller.tenant || !exists {
        return Err(ApiError::not_found());
    }
    let mut room = Room::new(app, visitor, client, address.project);
    if let Some((conversation, after)) = from.place()? {
        room.require_here(conversation).await?;
        room.follow(conversation, after).await?;
    }
    let response = handshake.response();
    tokio::spawn(async move {
        if let Some((stream, received)) = handshake.connection().await {
            Connection::new(stream, received, room, permit).run().await;
        }
    });
    Ok(response)
}

impl From {
    /// An empty parameter is none.
    fn place(&self) -> Result<Option<(ConversationId, EventId)>, ApiError> {
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

impl FromRequestParts<Arc<App>> for Address {
    type Rejection = ApiError;

    /// What is no id names nothing.
    async fn from_request_parts(parts: &mut Parts, app: &Arc<App>) -> Result<Self, ApiError> {
        let path = Path::<(String, String)>::from_request_parts(parts, app).await;
        let (tenant, project) = path.map_err(|_| ApiError::not_found())?.0;
        match (tenant.parse(), project.parse()) {
            (Ok(tenant), Ok(project)) => Ok(Self { tenant, project }),
            _ => Err(ApiError::not_found()),
        }
    }
}
