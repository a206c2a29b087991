//! `/login` and `/logout`: the form, the password and the cookie.

use std::sync::Arc;
use std::time::Duration;

use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Redirect, Response};
use parlor_protocol::TenantId;
use secrecy::{ExposeSecret, SecretString};
use serde::Deserialize;

use super::body::{Parameters, read, require_content_type};
use super::errors::ApiError;
use super::locale::Locale;
use super::pages::{LeadingOn, LoginNotice, LoginPage};
use super::redirect_target::RedirectTarget;
use crate::app::App;
use crate::auth::cookie::{self, OIDC_SESSION};
use crate::auth::{Login, LoginError, device_of};
use crate::client_address::{PeerAddress, client_address};
use crate::config::HOME;

/// The largest form, in bytes.
const MAX_FORM: usize = 8 << 10;

#[derive(Debug, Deserialize)]
pub(crate) struct Query {
    tenant: Option<String>,
    /// The page to redirect to afterwards.
    next: Option<String>,
    /// Whether the session of the browser has ended.
    ended: Option<String>,
}

struct Form {
    tenant: String,
    next: RedirectTarget,
    /// Blank for the shared account.
    name: String,
    password: SecretString,
}

/// `GET /login`: the form, or a redirect for people who are logged in already.
pub(crate) async fn form(
    State(app): State<Arc<App>>,
    Parameters(query): Parameters<Query>,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    let next = RedirectTarget::of(query.next.as_deref());
    if app.access.authenticate(&headers).await?.is_some() {
        return Ok(Redirect::to(&next.path()).into_response());
    }
    let tenant = query.tenant.as_deref().unwrap_or(HOME);
    let notice = query.ended.map(|_| LoginNotice::SessionEnded);
    let (locale, providers) = (Locale::of(&headers), &app.oidc_logins);
    let name = name_field(&app, "").await?;
    Ok(LoginPage { locale, tenant, name, next, notice, providers }.into_response())
}

/// `POST /login`: a correct password redirects to the chat or to `next`, a wrong one
/// shows the form again.
pub(crate) async fn log_in(
    State(app): State<Arc<App>>,
    request: Request,
) -> Result<Response, ApiError> {
    let headers = request.headers().clone();
    let from = request.extensions().get::<PeerAddress>().copied();
    let peer = from.ok_or_else(ApiError::internal)?.0.ip();
    let form = Form::read(&app, request).await?;
    let name = name_field(&app, &form.name).await?;
    let page = |notice| LoginPage {
        locale: Locale::of(&headers),
        tenant: &form.tenant,
        name,
        next: form.next,
        notice: Some(notice),
        providers: &app.oidc_logins,
    };
    let Ok(tenant) = form.tenant.parse::<TenantId>() else {
        return Ok(page(LoginNotice::WrongPassword).into_response());
    };
    let address = client_address(peer, &headers, &app.config.server.trusted_proxies);
    let login = Login {
        tenant: &tenant,
        name: Some(form.name.trim()).filter(|name| !name.is_empty()),
        password: form.password.clone(),
        from: address,
        device: device_of(&headers),
    };
    match app.access.log_in(login).await {
        Ok(secret) => begin_session(&app, &headers, &secret, form.next).await,
        Err(LoginError::WrongPassword | LoginError::Disabled) => {
            Ok(page(LoginNotice::WrongPassword).into_response())
        }
        Err(LoginError::RetryAfter(wait)) => {
            Ok(page(LoginNotice::TooManyAttempts { seconds: whole_seconds(wait) }).into_response())
        }
        Err(LoginError::Failed(error)) => {
            tracing::error!(%error, "login failed");
            Err(ApiError::unavailable("Logging in does not work right now; please try again."))
        }
    }
}

/// `POST /logout`: ends the session and its open streams, and leads on to the provider that the
/// person logged in with, if there is one.
pub(crate) async fn log_out(
    State(app): State<Arc<App>>,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    end_session(&app, &headers).await?;
    let is_https = app.public_url.is_https();
    let at_provider = match (cookie::read(&headers), OIDC_SESSION.read(&headers)) {
        (Some(session), Some(kept)) => app.oidc_logins.log_out_address(session, kept).await,
        _ => None,
    };
    let mut response = match at_provider {
        Some(address) => LeadingOn::after_logout(Locale::of(&headers), &address).into_response(),
        None => Redirect::to("/login").into_response(),
    };
    add_cookie(&mut response, &cookie::end(is_https))?;
    add_cookie(&mut response, &OIDC_SESSION.remove(is_https))?;
    Ok(response)
}

/// The name that the form asks for, as it was typed; nothing is asked if nobody on this server has
/// an account. It is the same for every tenant, so that nobody learns which ones there are.
async fn name_field<'n>(app: &App, typed: &'n str) -> Result<Option<&'n str>, ApiError> {
    Ok(app.store.people().exist().await?.then_some(typed))
}

/// Sets the cookie. An earlier session of the browser ends.
pub(super) async fn begin_session(
    app: &App,
    headers: &HeaderMap,
    secret: &SecretString,
    next: RedirectTarget,
) -> Result<Response, ApiError> {
    end_session(app, headers).await?;
    let max_age = app.config.access.absolute_expiry;
    let cookie = cookie::begin(secret.expose_secret(), max_age, app.public_url.is_https());
    let mut response = Redirect::to(&next.path()).into_response();
    // `Redirect::to` is a 303: the browser follows it with a GET.
    debug_assert_eq!(response.status(), StatusCode::SEE_OTHER);
    add_cookie(&mut response, &cookie)?;
    Ok(response)
}

async fn end_session(app: &App, headers: &HeaderMap) -> Result<(), ApiError> {
    // A key in the headers is not logged out.
    if let Some(principal) = app.access.authenticate_cookie(headers).await? {
        app.access.sessions.end(&principal.session).await?;
    }
    Ok(())
}

/// Adds a `Set-Cookie`.
pub(super) fn add_cookie(response: &mut Response, cookie: &str) -> Result<(), ApiError> {
    let mut value = HeaderValue::from_str(cookie).map_err(|_| ApiError::internal())?;
    value.set_sensitive(true);
    response.headers_mut().append(header::SET_COOKIE, value);
    Ok(())
}

impl Form {
    async fn read(app: &App, request: Request) -> Result<Self, ApiError> {
        require_content_type(request.headers(), "application/x-www-form-urlencoded")?;
        let body = read(app, request, MAX_FORM).await?;
        let field = |name: &str| {
            url::form_urlencoded::parse(body.as_slice())
                .find(|(key, _)| key == name)
                .map(|(_, value)| value.into_owned())
        };
        let password = field("password").ok_or_else(|| ApiError::malformed("password: missing"))?;
        let tenant = field("tenant").filter(|tenant| !tenant.is_empty());
        Ok(Self {
            tenant: tenant.unwrap_or_else(|| HOME.to_owned()),
            next: RedirectTarget::of(field("next").as_deref()),
            name: field("name").unwrap_or_default(),
            password: password.into(),
        })
    }
}

pub(super) fn whole_seconds(wait: Duration) -> u64 {
    wait.as_secs() + u64::from(wait.subsec_nanos() > 0)
}
