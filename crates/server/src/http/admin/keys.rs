//! `/api/admin/keys`: API keys of the tenant. A key is shown once, when it is made.

use std::sync::Arc;

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use parlor_protocol::{PersonId, Timestamp};
use parlor_storage::{AccessRole, Token};
use secrecy::ExposeSecret;
use serde::{Deserialize, Serialize};

use crate::app::App;
use crate::auth::{AccessError, ENVIRONMENT_KEY};
use crate::config::HOME;
use crate::http::body::{Json, PathId};
use crate::http::errors::ApiError;
use crate::http::json;
use crate::http::principal::Admin;

/// The most keys that are listed, and that can be valid.
const MOST: u32 = 500;
/// The longest name of a key, in characters.
const LONGEST_NAME: usize = 80;

#[derive(Debug, Serialize)]
struct KeyList {
    /// The valid ones first, then the newest.
    keys: Vec<ListedKey>,
}

#[derive(Debug, Serialize)]
struct ListedKey {
    id: String,
    name: String,
    role: AccessRole,
    /// Whose it is; none if it is the shared account's.
    #[serde(skip_serializing_if = "Option::is_none")]
    person: Option<KeyPerson>,
    /// Unknown for the key of the environment.
    #[serde(skip_serializing_if = "Option::is_none")]
    created_at: Option<Timestamp>,
    /// To the minute.
    #[serde(skip_serializing_if = "Option::is_none")]
    last_used_at: Option<Timestamp>,
    #[serde(skip_serializing_if = "Option::is_none")]
    revoked_at: Option<Timestamp>,
    /// Whether it is the one of `PARLOR_API_KEY`, which can only be changed there.
    from_environment: bool,
}

#[derive(Debug, Serialize)]
struct KeyPerson {
    id: PersonId,
    name: String,
}

/// A key that is wanted.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct NewKey {
    name: String,
    role: Option<AccessRole>,
    /// Whether it is the caller's own; otherwise it is the shared account's.
    own: Option<bool>,
}

#[derive(Debug, Serialize)]
struct MadeKey {
    id: String,
    name: String,
    role: AccessRole,
    /// The key. It is shown only here.
    key: String,
}

/// `GET /api/admin/keys`.
pub(crate) async fn list(
    State(app): State<Arc<App>>,
    Admin(principal): Admin,
) -> Result<Response, ApiError> {
    let tenant = &principal.caller.tenant;
    let stored = app.store.access().keys(tenant, MOST).await?;
    let from_environment =
        (tenant.as_str() == HOME && app.config.credentials.api_key.is_some()).then(environment_key);
    let keys = from_environment.into_iter().chain(stored.into_iter().map(listed)).collect();
    json(&KeyList { keys })
}

/// `POST /api/admin/keys`.
pub(crate) async fn create(
    State(app): State<Arc<App>>,
    Admin(principal): Admin,
    Json(new): Json<NewKey>,
) -> Result<(StatusCode, Response), ApiError> {
    let (caller, name) = (&principal.caller, name_of(&new.name)?);
    let person = match (new.own.unwrap_or(false), caller.person()) {
        (false, _) => None,
        (true, Some(person)) => Some(person),
        (true, None) => {
            return Err(ApiError::malformed(
                "own: only somebody with an account can have a key of their own; leave it out",
            ));
        }
    };
    let valid = app.store.access().keys(&caller.tenant, MOST).await?;
    if valid.iter().filter(|key| key.revoked_at.is_none()).count() >= MOST as usize {
        return Err(ApiError::forbidden("There are 500 valid keys. Revoke one first."));
    }
    let role = new.role.unwrap_or(AccessRole::User);
    let (id, key) = app.access.create_key(caller, (role, person), name).await.map_err(not_made)?;
    let made = MadeKey { id, name: name.to_owned(), role, key: key.expose_secret().to_owned() };
    Ok((StatusCode::CREATED, json(&made)?))
}

/// `DELETE /api/admin/keys/{id}`: revokes a key, which ends its streams.
pub(crate) async fn revoke(
    State(app): State<Arc<App>>,
    Admin(principal): Admin,
    PathId(id): PathId<String>,
) -> Result<StatusCode, ApiError> {
    let caller = &principal.caller;
    if id == ENVIRONMENT_KEY && caller.tenant.as_str() == HOME {
        return Err(ApiError::forbidden(
            "This key is set by PARLOR_API_KEY: change it there and start the server again.",
        ));
    }
    let key = app.store.access().key(&caller.tenant, &id).await?;
    let key = key.filter(|key| key.revoked_at.is_none()).ok_or_else(ApiError::not_found)?;
    app.access.revoke_key(caller, &key).await?;
    Ok(StatusCode::NO_CONTENT)
}

fn name_of(given: &str) -> Result<&str, ApiError> {
    let name = given.trim();
    let is_long = name.chars().count() > LONGEST_NAME;
    if name.is_empty() || is_long || name.chars().any(char::is_control) {
        return Err(ApiError::malformed("name: it must have 1 to 80 characters, on one line"));
    }
    Ok(name)
}

fn listed(key: Token) -> ListedKey {
    ListedKey {
        id: key.id,
        name: key.name,
        role: key.role,
        person: key.person.map(|person| KeyPerson { id: person.id, name: person.name }),
        created_at: Some(key.created_at),
        last_used_at: Some(key.last_used_at),
        revoked_at: key.revoked_at,
        from_environment: false,
    }
}

fn environment_key() -> ListedKey {
    ListedKey {
        id: ENVIRONMENT_KEY.to_owned(),
        name: "PARLOR_API_KEY".to_owned(),
        role: AccessRole::Admin,
        person: None,
        created_at: None,
        last_used_at: None,
        revoked_at: None,
        from_environment: true,
    }
}

fn not_made(error: AccessError) -> ApiError {
    match error {
        AccessError::Storage(error) => error.into(),
        error @ (AccessError::Hash(_) | AccessError::Randomness(_)) => {
            tracing::error!(%error, "failed to make a key");
            ApiError::internal()
        }
    }
}
