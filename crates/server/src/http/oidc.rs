//! `/login/oidc/…`: logging in with a provider of OpenID Connect (Y-1).
//!
//! 1. The button on the login page leads to `/login/oidc/{provider}`, which sends the browser on to
//!    the provider, with a cookie that keeps the login.
//! 2. The provider sends the browser back to `…/callback`. That request comes from another site, so
//!    the cookie of step 1 is `SameSite=Lax`, and no session would be sent with a redirect to the
//!    next page: the response is a page of our own, which leads on by itself.

use std::sync::Arc;

use axum::extract::{Path, RawQuery, State};
use axum::http::HeaderMap;
use axum::response::{IntoResponse, Redirect, Response};
use parlor_oidc::{Identity, OidcError, PendingLogin, Provider, ProviderId, Role, SignedIn};
use parlor_protocol::{PersonName, TenantId};
use parlor_storage::AccessRole;
use secrecy::{ExposeSecret as _, SecretString};
use serde::Deserialize;

use super::body::Parameters;
use super::errors::ApiError;
use super::locale::Locale;
use super::login::add_cookie;
use super::pages::{LeadingOn, LoginFailed, not_found_page};
use super::redirect_target::RedirectTarget;
use crate::app::App;
use crate::auth::cookie::{self, OIDC_LOGIN, OIDC_SESSION};
use crate::auth::{IdentifiedPerson, LoginError, device_of};
use crate::config::HOME;
use crate::oidc_logins::BrowserLogin;

#[derive(Debug, Deserialize)]
pub(crate) struct Query {
    tenant: Option<String>,
    /// The page to show afterwards.
    next: Option<String>,
}

/// `GET /login/oidc/{provider}`: on to the provider.
pub(crate) async fn begin(
    State(app): State<Arc<App>>,
    Path(provider): Path<String>,
    Parameters(query): Parameters<Query>,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    let tenant = query.tenant.as_deref().unwrap_or(HOME);
    let Some((tenant, provider)) = find(&app, tenant, &provider) else {
        return Ok(not_found_page(&headers));
    };
    let next = RedirectTarget::of(query.next.as_deref());
    if app.access.authenticate(&headers).await?.is_some() {
        return Ok(Redirect::to(&next.path()).into_response());
    }
    let begun = match provider.begin(app.oidc_logins.now()).await {
        Ok(begun) => begun,
        Err(error) => return Ok(failed(&headers, &tenant, provider, &error)),
    };
    let login = BrowserLogin { tenant, next: next.path().into_owned(), pending: begun.pending };
    let sealed = app.oidc_logins.seal(&login).map_err(|_| ApiError::internal())?;
    let (is_https, patience) = (app.public_url.is_https(), PendingLogin::patience());
    let mut response = Redirect::to(&begun.address).into_response();
    add_cookie(&mut response, &OIDC_LOGIN.set(&sealed, patience, is_https))?;
    Ok(response)
}

/// `GET /login/oidc/{provider}/callback`: back from the provider.
pub(crate) async fn finish(
    State(app): State<Arc<App>>,
    Path(provider): Path<String>,
    RawQuery(query): RawQuery,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    let kept = OIDC_LOGIN.read(&headers).and_then(|kept| app.oidc_logins.open(kept).ok());
    let tenant = kept.as_ref().map_or(HOME, |login| login.tenant.as_str());
    let Some((tenant, provider)) = find(&app, tenant, &provider) else {
        return Ok(not_found_page(&headers));
    };
    let Some(login) = kept else {
        return Ok(failed(&headers, &tenant, provider, &OidcError::BeginAgain));
    };
    let query = query.unwrap_or_default();
    let mut response = match provider.finish(&login.pending, &query, app.oidc_logins.now()).await {
        Ok(signed_in) => {
            let next = RedirectTarget::of(Some(&login.next));
            signed_in_response(&app, &headers, (&tenant, provider), signed_in, next).await?
        }
        // Another site can send a browser here; that must not end the login that it is in.
        Err(error @ OidcError::BeginAgain) => {
            return Ok(failed(&headers, &tenant, provider, &error));
        }
        Err(error) => failed(&headers, &tenant, provider, &error),
    };
    add_cookie(&mut response, &OIDC_LOGIN.remove(app.public_url.is_https()))?;
    Ok(response)
}

/// Begins the session of a person whom the provider has signed in.
async fn signed_in_response(
    app: &App,
    headers: &HeaderMap,
    (tenant, provider): (&TenantId, &Provider),
    signed_in: SignedIn,
    next: RedirectTarget,
) -> Result<Response, ApiError> {
    let session = match begin_session(app, headers, (tenant, provider), &signed_in.identity).await {
        Ok(session) => session,
        Err(LoginError::Disabled) => {
            return Ok(failed(headers, tenant, provider, &OidcError::NotAdmitted));
        }
        Err(error) => {
            tracing::error!(?error, "login with a provider failed");
            let why = "Logging in does not work right now; please try again.";
            return Err(ApiError::unavailable(why));
        }
    };
    tracing::info!(%tenant, provider = %provider.id(), "somebody logged in with a provider");
    let is_https = app.public_url.is_https();
    let max_age = app.config.access.absolute_expiry;
    let mut response = LeadingOn::after_login(Locale::of(headers), &next.path()).into_response();
    let begun = cookie::begin(session.expose_secret(), max_age, is_https);
    add_cookie(&mut response, &begun)?;
    let of = (tenant, provider.id());
    let kept = app.oidc_logins.seal_session(&session, of, &signed_in.id_token);
    if let Some(kept) = kept.map_err(|_| ApiError::internal())? {
        add_cookie(&mut response, &OIDC_SESSION.set(&kept, max_age, is_https))?;
    }
    Ok(response)
}

/// Finds or creates the person, and begins their session: the only place where what a provider
/// says becomes an access.
async fn begin_session(
    app: &App,
    headers: &HeaderMap,
    (tenant, provider): (&TenantId, &Provider),
    identity: &Identity,
) -> Result<SecretString, LoginError> {
    let role = match identity.role {
        Role::Admin => AccessRole::Admin,
        Role::User => AccessRole::User,
    };
    let identified = IdentifiedPerson {
        tenant,
        // Not its name here: with another issuer under the same name, subjects are others.
        provider: provider.issuer(),
        subject: &identity.subject,
        name: name_of(identity, provider).ok_or(LoginError::Disabled)?,
        email: identity.email.clone().filter(|_| identity.email_verified),
        role,
        // Names that the configuration was checked for.
        roles: identity
            .named_roles
            .as_ref()
            .map(|names| names.iter().flat_map(|name| name.parse()).collect()),
    };
    app.access.log_in_identified(identified, device_of(headers)).await
}

/// What a new person is called: the first of these that is a name.
fn name_of(identity: &Identity, provider: &Provider) -> Option<PersonName> {
    let known = [&identity.name, &identity.login, &identity.email].into_iter().flatten();
    let known = known.chain([&identity.subject]).map(String::as_str);
    known.chain([provider.title()]).find_map(|name| name.parse().ok())
}

/// A provider of a tenant, by names from outside.
fn find<'a>(app: &'a App, tenant: &str, provider: &str) -> Option<(TenantId, &'a Provider)> {
    let (tenant, id) = (tenant.parse::<TenantId>().ok()?, provider.parse::<ProviderId>().ok()?);
    let provider = app.oidc_logins.provider(&tenant, &id)?;
    Some((tenant, provider))
}

/// The page that says what to do; what an administrator can do is in the log.
fn failed(
    headers: &HeaderMap,
    tenant: &TenantId,
    provider: &Provider,
    error: &OidcError,
) -> Response {
    let id = provider.id();
    match error {
        OidcError::Misconfigured(_) => {
            tracing::error!(%tenant, provider = %id, %error, "nobody can log in with a provider");
        }
        OidcError::Untrusted(_) | OidcError::TryLater(_) => {
            tracing::warn!(%tenant, provider = %id, %error, "login with a provider failed");
        }
        OidcError::NotAdmitted => {
            tracing::info!(%tenant, provider = %id, "somebody is not admitted, by `claims` or because the account is disabled");
        }
        OidcError::BeginAgain | OidcError::Declined => {
            tracing::debug!(%tenant, provider = %id, %error, "login with a provider failed");
        }
    }
    LoginFailed { locale: Locale::of(headers), tenant, provider: provider.title(), error }
        .into_response()
}
