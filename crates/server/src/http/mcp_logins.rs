//! Logging in to MCP servers that ask for it (I-5): administrators for a project, and whoever
//! finishes a login that they began. What people do for themselves begins in `person_logins`.
//!
//! The login page sends the browser to `/oauth/callback`. That request comes from another site, so
//! it carries no cookie; the page's script sends what it was given to the API, which does.

use std::sync::Arc;

use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use parlor_mcp::{LoginError, McpHost};
use parlor_protocol::{ErrorCode, PersonId, ProjectId};
use parlor_storage::{AccessRole, McpServerId};
use serde::{Deserialize, Serialize};
use url::form_urlencoded;

use super::body::Json;
use super::errors::ApiError;
use super::json;
use super::principal::Admin;
use crate::app::App;
use crate::auth::{Act, Principal};
use crate::mcp_logins::{AttemptError, Taken};

/// The longest part of an address that a login page sends the browser back with.
const LONGEST_QUERY: usize = 8 << 10;

#[derive(Debug, Serialize)]
pub(super) struct LoginAddress {
    /// The login page.
    pub(super) address: String,
}

/// What the login page sent the browser back with.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct SentBack {
    /// The part of the address after the `?`.
    query: String,
}

#[derive(Debug, Serialize)]
struct LoggedIn {
    project: String,
    server: String,
    /// Who is logged in for themselves; none if it is the project.
    #[serde(skip_serializing_if = "Option::is_none")]
    person: Option<PersonId>,
}

/// How this Parlor describes itself to authorization servers.
#[derive(Debug, Serialize)]
struct ClientMetadata<'a> {
    client_id: &'a str,
    client_name: &'static str,
    client_uri: &'a str,
    redirect_uris: [String; 1],
    grant_types: [&'static str; 2],
    response_types: [&'static str; 1],
    token_endpoint_auth_method: &'static str,
}

/// `POST /api/admin/mcp/{project}/{server}/login`: the address of the login page.
pub(crate) async fn begin(
    State(app): State<Arc<App>>,
    Admin(principal): Admin,
    Path((project, server)): Path<(String, String)>,
) -> Result<Response, ApiError> {
    let (server, host) = find(&app, &principal, &project, server)?;
    let begun = host.begin_login(&server.server, None).await?;
    app.mcp_logins.begin(&principal.caller, (server, None), &begun).await?;
    json(&LoginAddress { address: begun.address })
}

/// `POST /api/me/mcp-logins`, and `POST /api/admin/mcp/login` of earlier versions: finishes the login
/// that the same session began.
pub(crate) async fn finish(
    State(app): State<Arc<App>>,
    principal: Principal,
    Json(sent): Json<SentBack>,
) -> Result<Response, ApiError> {
    if sent.query.len() > LONGEST_QUERY {
        return Err(ApiError::too_large(LONGEST_QUERY));
    }
    let mut parts = form_urlencoded::parse(sent.query.as_bytes());
    let state = parts.find(|(name, _)| name == "state").map(|(_, value)| value);
    let state = state.ok_or_else(|| ApiError::malformed("query: it names no login (state)."))?;
    let Taken { server, person, attempt } = app.mcp_logins.take(&principal.caller, &state).await?;
    if person.is_none() && principal.caller.role != AccessRole::Admin {
        return Err(ApiError::forbidden("An administrator logs in to this server."));
    }
    let host = app.mcp_hosts.get(&server.tenant, &server.project);
    let host = host.ok_or_else(ApiError::not_found)?;
    let back = format!("{}?{}", app.mcp_logins.redirect_uri(), sent.query);
    host.finish_login(&server.server, person, &attempt, &back).await?;
    if person.is_none() {
        let about = format!("{}/{}", server.project, server.server);
        app.access.record(&principal.caller, Act::ServerLogin, (&about, &server.server)).await?;
    }
    json(&LoggedIn { project: server.project.to_string(), server: server.server, person })
}

/// `DELETE /api/admin/mcp/{project}/{server}/login`: forgets the login.
pub(crate) async fn log_out(
    State(app): State<Arc<App>>,
    Admin(principal): Admin,
    Path((project, server)): Path<(String, String)>,
) -> Result<Response, ApiError> {
    let (server, host) = find(&app, &principal, &project, server)?;
    let about = format!("{}/{}", server.project, server.server);
    app.access.record(&principal.caller, Act::ServerLogout, (&about, &server.server)).await?;
    host.log_out(&server.server, None).await?;
    Ok(StatusCode::NO_CONTENT.into_response())
}

/// `GET /oauth/client.json`: how this Parlor describes itself to authorization servers.
pub(crate) async fn client_metadata(State(app): State<Arc<App>>) -> Result<Response, ApiError> {
    let Some(client_id) = app.mcp_logins.client_metadata_url() else {
        return Err(ApiError::not_found());
    };
    json(&ClientMetadata {
        client_id: &client_id,
        client_name: "Parlor",
        client_uri: app.public_url.as_str(),
        redirect_uris: [app.mcp_logins.redirect_uri()],
        grant_types: ["authorization_code", "refresh_token"],
        response_types: ["code"],
        token_endpoint_auth_method: "none",
    })
}

/// The server of a project of the caller's tenant.
pub(super) fn find<'a>(
    app: &'a App,
    principal: &Principal,
    project: &str,
    server: String,
) -> Result<(McpServerId, &'a Arc<McpHost>), ApiError> {
    let project: ProjectId = project.parse().map_err(|_| ApiError::not_found())?;
    let tenant = principal.caller.tenant.clone();
    let host = app.mcp_hosts.get(&tenant, &project).ok_or_else(ApiError::not_found)?;
    Ok((McpServerId { tenant, project, server }, host))
}

impl From<LoginError> for ApiError {
    fn from(error: LoginError) -> Self {
        match error {
            LoginError::NotPossible => Self::not_found(),
            LoginError::Failed(why) => {
                Self::new(ErrorCode::AgentFailed, format!("The login did not work: {why}."))
            }
        }
    }
}

impl From<AttemptError> for ApiError {
    fn from(error: AttemptError) -> Self {
        match error {
            AttemptError::Unknown => Self::new(ErrorCode::NotFound, error.to_string()),
            AttemptError::Sealed(why) => {
                Self::new(ErrorCode::AgentFailed, format!("The login did not work: {why}."))
            }
            AttemptError::Storage(error) => error.into(),
        }
    }
}
