//! People of a tenant, for its administrators: the list, invitations, shutting somebody out; and
//! one's own password (Y-1).

use std::sync::Arc;

use axum::extract::{Extension, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::Response;
use parlor_protocol::{ErrorCode, PersonId, Timestamp};
use parlor_storage::{AccessRole, Person};
use secrecy::{ExposeSecret, SecretString};
use serde::{Deserialize, Serialize};
use url::Url;

use super::body::{Json, PathId};
use super::errors::ApiError;
use super::json;
use super::login::whole_seconds;
use super::principal::Admin;
use crate::app::App;
use crate::auth::{AccessError, LoginError, PasswordProblem, Principal, password_problem};
use crate::client_address::{PeerAddress, client_address};

/// The longest address, as mail servers take it.
const LONGEST_EMAIL: usize = 254;

#[derive(Debug, Serialize)]
struct PeopleList {
    /// In the order in which they came.
    people: Vec<Person>,
}

/// Whom an invitation is for.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct NewInvitation {
    role: Option<AccessRole>,
    email: Option<String>,
}

#[derive(Debug, Serialize)]
struct MadeInvitation {
    /// The link, which works once. It is shown only here.
    link: String,
    role: AccessRole,
    expires_at: Timestamp,
}

/// What changes about a person.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct PersonChanges {
    disabled: bool,
}

/// A new password of one's own.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct PasswordChange {
    current: SecretText,
    new: SecretText,
}

/// A text that is not printed.
#[derive(Debug, Deserialize)]
#[serde(from = "String")]
struct SecretText(SecretString);

impl From<String> for SecretText {
    fn from(text: String) -> Self {
        Self(text.into())
    }
}

/// `GET /api/people`.
pub(crate) async fn list(
    State(app): State<Arc<App>>,
    Admin(principal): Admin,
) -> Result<Response, ApiError> {
    let people = app.store.people().list(&principal.caller.tenant).await?;
    json(&PeopleList { people })
}

/// `POST /api/people/invitations`.
pub(crate) async fn invite(
    State(app): State<Arc<App>>,
    Admin(principal): Admin,
    Json(new): Json<NewInvitation>,
) -> Result<(StatusCode, Response), ApiError> {
    if new.email.as_deref().is_some_and(|email| !is_email(email)) {
        return Err(ApiError::malformed("email: it is not an address"));
    }
    let (tenant, by) = (&principal.caller.tenant, &principal.caller.name);
    let role = new.role.unwrap_or(AccessRole::User);
    let made = app.access.invite(tenant, role, new.email, by).await;
    let (token, invitation) = made.map_err(not_made)?;
    tracing::info!(%tenant, role = role.as_str(), by, "somebody was invited");
    let made = MadeInvitation {
        link: invitation_link(app.public_url.as_str(), &token),
        role,
        expires_at: invitation.expires_at,
    };
    Ok((StatusCode::CREATED, json(&made)?))
}

/// `PATCH /api/people/{id}`: shuts a person out, or lets them in again.
pub(crate) async fn update(
    State(app): State<Arc<App>>,
    Admin(principal): Admin,
    PathId(id): PathId<PersonId>,
    Json(PersonChanges { disabled }): Json<PersonChanges>,
) -> Result<Response, ApiError> {
    let caller = &principal.caller;
    if disabled && caller.person() == Some(id) {
        return Err(ApiError::forbidden("You cannot shut yourself out."));
    }
    let person = app.access.set_disabled(&caller.tenant, id, disabled).await?;
    tracing::info!(tenant = %caller.tenant, person = %id, disabled, by = caller.name,
        "a person was disabled or enabled");
    json(&person)
}

/// `POST /api/me/password`: a person changes their password, which ends their other sessions.
pub(crate) async fn change_password(
    State(app): State<Arc<App>>,
    principal: Principal,
    Extension(PeerAddress(peer)): Extension<PeerAddress>,
    headers: HeaderMap,
    Json(change): Json<PasswordChange>,
) -> Result<StatusCode, ApiError> {
    let caller = &principal.caller;
    let Some(id) = caller.person() else {
        return Err(ApiError::forbidden(
            "The shared account's password is set by its administrator.",
        ));
    };
    if let Some(problem) = password_problem(&change.new.0) {
        return Err(ApiError::malformed(match problem {
            PasswordProblem::TooShort => "new: it has fewer than 8 characters and is easy to guess",
            PasswordProblem::TooLong => "new: it is too long",
        }));
    }
    let person = app.store.people().find(&caller.tenant, id).await?;
    let from = client_address(peer.ip(), &headers, &app.config.server.trusted_proxies);
    let passwords = (change.current.0, change.new.0);
    let changed = app.access.change_password(&person, passwords, &caller.session, from).await;
    changed.map(|()| StatusCode::NO_CONTENT).map_err(|error| match error {
        LoginError::WrongPassword | LoginError::Disabled => {
            ApiError::forbidden("The current password is not right.")
        }
        LoginError::RetryAfter(wait) => ApiError::retry_after(whole_seconds(wait)),
        LoginError::Failed(error) => {
            tracing::error!(%error, "failed to change a password");
            ApiError::unavailable("The password cannot be changed right now; please try again.")
        }
    })
}

/// The address of the page of an invitation.
pub(crate) fn invitation_link(public_url: &str, token: &SecretString) -> String {
    format!("{public_url}/invite/{}", token.expose_secret())
}

fn not_made(error: AccessError) -> ApiError {
    match error {
        AccessError::Storage(error) => error.into(),
        error => {
            tracing::error!(%error, "failed to make an invitation");
            ApiError::new(ErrorCode::Internal, "Something failed on the server; its log says what.")
        }
    }
}

/// Whether a text has the form of an address of one person. Whether it exists, nobody knows.
fn is_email(text: &str) -> bool {
    let has_form = text.len() <= LONGEST_EMAIL && !text.contains(|c: char| c.is_control());
    has_form
        && Url::parse(&format!("mailto:{text}")).is_ok()
        && text.split('@').count() == 2
        && text.split('@').all(|part| !part.is_empty() && !part.contains(char::is_whitespace))
}
