//! Sessions, listed and ended by whose they are (Y-1). A person has theirs, on all devices; the
//! shared account only the own one; administrators have all of the tenant.

use std::sync::Arc;

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use parlor_protocol::{PersonId, Timestamp};
use parlor_storage::{AccessRole, SessionsOf, Token, TokenKind};
use serde::Serialize;

use super::body::PathId;
use super::errors::ApiError;
use super::json;
use crate::app::App;
use crate::auth::{Act, Principal};

#[derive(Debug, Serialize)]
struct SessionList {
    /// Newest first.
    sessions: Vec<ListedSession>,
}

#[derive(Debug, Serialize)]
struct ListedSession {
    id: String,
    /// What it runs on, in a few words: `Firefox on Linux`.
    name: String,
    /// Whose it is; none for the shared account.
    #[serde(skip_serializing_if = "Option::is_none")]
    person: Option<SessionPerson>,
    role: AccessRole,
    created_at: Timestamp,
    /// To the minute.
    last_used_at: Timestamp,
    /// Whether it is the one that asks.
    current: bool,
}

#[derive(Debug, Serialize)]
struct SessionPerson {
    id: PersonId,
    name: String,
}

/// `GET /api/sessions`.
pub(crate) async fn list(
    State(app): State<Arc<App>>,
    principal: Principal,
) -> Result<Response, ApiError> {
    let sessions = app.access.sessions.list(&principal.caller.tenant, of(&principal)).await?;
    let listed = sessions.into_iter().map(|session| listed(session, &principal));
    json(&SessionList { sessions: listed.collect() })
}

/// `DELETE /api/sessions/{id}`: ends a session and its open streams.
pub(crate) async fn end(
    State(app): State<Arc<App>>,
    principal: Principal,
    PathId(id): PathId<String>,
) -> Result<StatusCode, ApiError> {
    let tenant = &principal.caller.tenant;
    let sessions = app.access.sessions.list(tenant, of(&principal)).await?;
    let session = sessions.iter().find(|session| session.id == id);
    let session = session.ok_or_else(ApiError::not_found)?;
    let caller = &principal.caller;
    let whose = session.person.as_ref();
    let is_own = match whose {
        Some(whose) => caller.person() == Some(whose.id),
        None => id == caller.session,
    };
    if caller.role == AccessRole::Admin && !is_own {
        let name = whose.map_or(session.name.as_str(), |whose| &whose.name);
        app.access.record(caller, Act::SessionEnded, (&id, name)).await?;
    }
    app.access.sessions.end_by_id(tenant, &id).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Whose sessions a principal sees.
fn of(principal: &Principal) -> SessionsOf<'_> {
    let caller = &principal.caller;
    match (caller.role, caller.person()) {
        (AccessRole::Admin, _) => SessionsOf::Tenant,
        (AccessRole::User, Some(person)) => SessionsOf::Person(person),
        (AccessRole::User, None) => SessionsOf::One(&caller.session),
    }
}

fn listed(session: Token, principal: &Principal) -> ListedSession {
    let is_session = principal.session.kind == TokenKind::Session;
    ListedSession {
        current: is_session && session.id == principal.session.id,
        id: session.id,
        name: session.device.unwrap_or_else(|| "Browser".to_owned()),
        person: session.person.map(|person| SessionPerson { id: person.id, name: person.name }),
        role: session.role,
        created_at: session.created_at,
        last_used_at: session.last_used_at,
    }
}
