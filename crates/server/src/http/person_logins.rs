//! Logins to MCP servers that each person makes for themselves (I-5, Y-1): what a person sees and does
//! in their settings, and what administrators see of it. Nobody sees a token.

use std::sync::Arc;

use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use parlor_protocol::{PersonId, Timestamp};
use parlor_storage::{ListedPersonLogin, McpServerId};
use serde::Serialize;

use super::errors::ApiError;
use super::json;
use super::mcp_logins::{LoginAddress, find};
use super::principal::Admin;
use crate::app::App;
use crate::auth::{Act, Principal};

const NO_ACCOUNT: &str = "The shared account has no logins of its own: each person logs in to this \
                          server with an account of their own.";

#[derive(Debug, Serialize)]
struct OwnLogins {
    /// The servers that each person logs in to for themselves, by their project.
    servers: Vec<OwnLogin>,
}

/// A server, and how somebody stands with it.
#[derive(Debug, Serialize)]
struct OwnLogin {
    project: String,
    server: String,
    state: OwnLoginState,
    /// When they logged in.
    #[serde(skip_serializing_if = "Option::is_none")]
    since: Option<Timestamp>,
}

/// How somebody stands with a server.
#[derive(Debug, Clone, Copy, Serialize)]
#[serde(rename_all = "snake_case")]
enum OwnLoginState {
    /// They have to log in, for the first time or again.
    Needed,
    /// They are logged in, but a call needs more.
    MoreNeeded,
    /// They are logged in.
    LoggedIn,
    /// The shared account cannot log in.
    NoAccount,
}

#[derive(Debug, Serialize)]
struct PersonLogins {
    /// Who is logged in.
    logins: Vec<PersonLogin>,
    /// How many of them are connected, at the node that answers.
    connected: usize,
}

/// Somebody who is logged in.
#[derive(Debug, Serialize)]
struct PersonLogin {
    person: PersonId,
    name: String,
    state: OwnLoginState,
    since: Timestamp,
}

/// `GET /api/me/mcp-logins`.
pub(crate) async fn list(
    State(app): State<Arc<App>>,
    principal: Principal,
) -> Result<Response, ApiError> {
    let caller = &principal.caller;
    let logins = match caller.person() {
        Some(person) => app.store.person_logins().list(&caller.tenant, Some(person)).await?,
        None => Vec::new(),
    };
    let mut servers = Vec::new();
    for (project, host) in app.mcp_hosts.of(&caller.tenant) {
        for (server, _) in host.person_servers() {
            let login = logins.iter().find(|l| l.project == *project && l.server == server);
            let state = match (caller.person(), login) {
                (None, _) => OwnLoginState::NoAccount,
                (_, None) => OwnLoginState::Needed,
                (_, Some(login)) => state_of(login),
            };
            let since = login.map(|login| login.logged_in_at);
            servers.push(OwnLogin { project: project.to_string(), server, state, since });
        }
    }
    json(&OwnLogins { servers })
}

/// `POST /api/me/mcp-logins/{project}/{server}`: the address of the login page.
pub(crate) async fn begin(
    State(app): State<Arc<App>>,
    principal: Principal,
    Path((project, server)): Path<(String, String)>,
) -> Result<Response, ApiError> {
    let (server, host) = find(&app, &principal, &project, server)?;
    let person = own(host, &server, &principal)?;
    let begun = host.begin_login(&server.server, Some(person)).await?;
    app.mcp_logins.begin(&principal.caller, (server, Some(person)), &begun).await?;
    json(&LoginAddress { address: begun.address })
}

/// `DELETE /api/me/mcp-logins/{project}/{server}`: ends one's own login.
pub(crate) async fn log_out(
    State(app): State<Arc<App>>,
    principal: Principal,
    Path((project, server)): Path<(String, String)>,
) -> Result<Response, ApiError> {
    let (server, host) = find(&app, &principal, &project, server)?;
    let person = own(host, &server, &principal)?;
    host.log_out(&server.server, Some(person)).await?;
    Ok(StatusCode::NO_CONTENT.into_response())
}

/// `GET /api/admin/mcp/{project}/{server}/logins`: who is logged in.
pub(crate) async fn of_people(
    State(app): State<Arc<App>>,
    Admin(principal): Admin,
    Path((project, server)): Path<(String, String)>,
) -> Result<Response, ApiError> {
    let (server, host) = find(&app, &principal, &project, server)?;
    let connected = connected(host, &server).ok_or_else(ApiError::not_found)?;
    let logins = app.store.person_logins().list(&server.tenant, None).await?;
    let here = |login: &ListedPersonLogin| {
        login.project == server.project && login.server == server.server
    };
    let logins = logins.into_iter().filter(here).map(|login| PersonLogin {
        state: state_of(&login),
        person: login.person,
        name: login.name,
        since: login.logged_in_at,
    });
    json(&PersonLogins { logins: logins.collect(), connected })
}

/// `DELETE /api/admin/mcp/{project}/{server}/logins/{person}`: ends the login of somebody.
pub(crate) async fn end(
    State(app): State<Arc<App>>,
    Admin(principal): Admin,
    Path((project, server, person)): Path<(String, String, String)>,
) -> Result<Response, ApiError> {
    let (server, host) = find(&app, &principal, &project, server)?;
    connected(host, &server).ok_or_else(ApiError::not_found)?;
    let person: PersonId = person.parse().map_err(|_| ApiError::not_found())?;
    let person = app.store.people().find(&server.tenant, person).await?;
    let about = format!("{}/{}", server.project, server.server);
    let whose = format!("{}: {}", server.server, person.name);
    app.access.record(&principal.caller, Act::ServerLogout, (&about, &whose)).await?;
    host.log_out(&server.server, Some(person.id)).await?;
    Ok(StatusCode::NO_CONTENT.into_response())
}

/// The person, if it is a server that they can log in to.
fn own(
    host: &parlor_mcp::McpHost,
    server: &McpServerId,
    principal: &Principal,
) -> Result<PersonId, ApiError> {
    connected(host, server).ok_or_else(ApiError::not_found)?;
    principal.caller.person().ok_or_else(|| ApiError::forbidden(NO_ACCOUNT))
}

/// How many people are connected to a server that each person logs in to.
fn connected(host: &parlor_mcp::McpHost, server: &McpServerId) -> Option<usize> {
    let servers = host.person_servers();
    servers.into_iter().find(|(name, _)| *name == server.server).map(|(_, connected)| connected)
}

fn state_of(login: &ListedPersonLogin) -> OwnLoginState {
    match login.refused.as_deref() {
        None => OwnLoginState::LoggedIn,
        Some("") => OwnLoginState::Needed,
        Some(_) => OwnLoginState::MoreNeeded,
    }
}
