//! `/mcp/recipes`: Recipe Vault for any MCP client, over streamable HTTP (I-5). The protocol itself
//! is in `parlor-recipes`.
//!
//! 1. The edge has checked `Host` and `Origin`; a key or a session says whose recipes these are.
//! 2. The body is read within our limits.
//! 3. A change counts as a message.
//! 4. One JSON message answers. Nothing is kept: a key that is revoked ends with its last request,
//!    and of several nodes each can answer.

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::response::Response;
use parlor_chat::Caller;
use parlor_recipes::McpRequest;

use super::body::read;
use super::errors::ApiError;
use crate::app::App;
use crate::auth::Principal;
use crate::client_address::ClientAddress;
use crate::limits::Sender;

/// `POST /mcp/recipes`.
pub(crate) async fn recipes(
    State(app): State<Arc<App>>,
    principal: Principal,
    ClientAddress(address): ClientAddress,
    request: Request,
) -> Result<Response, ApiError> {
    let (head, body) = request.into_parts();
    let whole = Request::from_parts(head.clone(), body);
    let limit = app.config.server.limits.body.min(McpRequest::MAX_BODY);
    let body = read(&app, whole, limit).await?;
    let request = McpRequest::new(head, body.into_bytes());
    let Caller { session, tenant, .. } = principal.caller;
    if request.is_change() {
        let sender = Sender { session: &session, address, tenant: &tenant, project: None };
        app.rate_limits.take(&sender).await?;
    }
    Ok(request.answer(app.recipes.clone(), tenant).await)
}
