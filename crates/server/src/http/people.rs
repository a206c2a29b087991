//! People of a tenant, for its administrators: the list, invitations, roles, shutting somebody out;
//! and one's own password (Y-1).

use std::sync::Arc;

use axum::extract::{Extension, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::Response;
use parlor_protocol::{ErrorCode, PersonId, RoleName, Timestamp};
use parlor_storage::{AccessRole, ListedPerson};
use secrecy::{ExposeSecret, SecretString};
use serde::{Deserialize, Serialize};
use url::Url;

use super::body::{Json, PathId};
use super::errors::ApiError;
use super::json;
use super::login::whole_seconds;
use super::principal::Admin;
use crate::app::App;
use crate::auth::{AccessError, Act, LoginError, PasswordProblem, Principal, password_problem};
use crate::client_address::{PeerAddress, client_address};

/// The longest address, as mail servers take it.
const LONGEST_EMAIL: usize = 254;

#[derive(Debug, Serialize)]
struct PeopleList {
    /// In the order in which they came.
    people: Vec<ListedPerson>,
    /// The roles that they may have.
    roles: Vec<RoleName>,
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
    disabled: Option<bool>,
    role: Option<AccessRole>,
    /// Those of the tenant that they have from now on.
    roles: Option<Vec<RoleName>>,
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
    let tenant = &principal.caller.tenant;
    let people = app.store.people().listed(tenant).await?;
    let roles = app.config.tenants.get(tenant).map(|tenant| tenant.roles.clone());
    json(&PeopleList { people, roles: roles.unwrap_or_default() })
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
    let about = new.email.clone().unwrap_or_else(|| role.as_str().to_owned());
    app.access.record(&principal.caller, Act::PersonInvited, ("", &about)).await?;
    let made = app.access.invite(tenant, role, new.email, by).await;
    let (token, invitation) = made.map_err(not_made)?;
    let made = MadeInvitation {
        link: invitation_link(app.public_url.as_str(), &token),
        role,
        expires_at: invitation.expires_at,
    };
    Ok((StatusCode::CREATED, json(&made)?))
}

/// `PATCH /api/people/{id}`: shuts a person out or lets them in again, or gives them another access
/// role.
pub(crate) async fn update(
    State(app): State<Arc<App>>,
    Admin(principal): Admin,
    PathId(id): PathId<PersonId>,
    Json(PersonChanges { disabled, role, roles }): Json<PersonChanges>,
) -> Result<Response, ApiError> {
    let caller = &principal.caller;
    if disabled.is_none() && role.is_none() && roles.is_none() {
        return Err(ApiError::malformed(
            "There is nothing to change: send disabled, role or roles.",
        ));
    }
    if disabled == Some(true) && caller.person() == Some(id) {
        return Err(ApiError::forbidden("You cannot shut yourself out."));
    }
    if role.is_some() && caller.person() == Some(id) {
        return Err(ApiError::forbidden("Your own role is changed by another administrator."));
    }
    let person = app.store.people().find(&caller.tenant, id).await?;
    if let Some(role) = role.filter(|role| *role != person.role) {
        if app.store.people().has_provider(id).await? {
            return Err(ApiError::forbidden(
                "Their login provider says what their role is: change it there.",
            ));
        }
        app.access.set_role(caller, &person, role).await?;
    }
    if let Some(roles) = &roles {
        let tenant = app.config.tenants.get(&caller.tenant).ok_or_else(ApiError::not_found)?;
        if let Some(unknown) = roles.iter().find(|role| !tenant.roles.contains(role)) {
            let why = format!("roles: the configuration of the tenant has no role '{unknown}'");
            return Err(ApiError::malformed(why));
        }
        if tenant.login.says_roles() && app.store.people().has_provider(id).await? {
            return Err(ApiError::forbidden(
                "Their login provider says what their roles are: change them there.",
            ));
        }
        app.access.set_roles(caller, &person, roles).await?;
    }
    if let Some(disabled) = disabled {
        let act = if disabled { Act::PersonDisabled } else { Act::PersonEnabled };
        app.access.record(caller, act, (&id.to_string(), &person.name)).await?;
        app.access.set_disabled(&caller.tenant, id, disabled).await?;
        if disabled {
            app.mcp_hosts.of(&caller.tenant).for_each(|(_, host)| host.shut_out(id));
        }
    }
    json(&app.store.people().find(&caller.tenant, id).await?)
}

/// `DELETE /api/people/{id}/sessions`: ends all sessions of a person; their keys stay.
pub(crate) async fn end_sessions(
    State(app): State<Arc<App>>,
    Admin(principal): Admin,
    PathId(id): PathId<PersonId>,
) -> Result<StatusCode, ApiError> {
    let caller = &principal.caller;
    let person = app.store.people().find(&caller.tenant, id).await?;
    app.access.end_sessions_of(caller, &person).await?;
    Ok(StatusCode::NO_CONTENT)
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
