//! `/login` and `/logout`: the form, the password, the cookie.

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
use super::landing::Landing;
use super::locale::Locale;
use super::pages::{LoginPage, Why};
use crate::app::App;
use crate::auth::{LoginError, Peer, Visitor, client_address, cookie};
use crate::config::HOME;

/// A form is small.
const LARGEST_FORM: usize = 8 << 10;

#[derive(Debug, Deserialize)]
pub(crate) struct Where {
    tenant: Option<String>,
    /// The page to go to afterwards.
    next: Option<String>,
    /// There was a session, and it is over.
    ended: Option<String>,
}

struct Form {
    tenant: String,
    next: Landing,
    password: SecretString,
}

/// `GET /login`: the form, or the page itself for whoever is logged in already.
pub(crate) async fn form(
    State(app): State<Arc<App>>,
    Parameters(place): Parameters<Where>,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    let next = Landing::of(place.next.as_deref());
    if Visitor::of(&app, &headers).await?.is_some() {
        return Ok(Redirect::to(&next.path()).into_response());
    }
    let tenant = place.tenant.as_deref().unwrap_or(HOME);
    let why = place.ended.map(|_| Why::SessionEnded);
    Ok(LoginPage { locale: Locale::of(&headers), tenant, next, why }.into_response())
}

/// `POST /login`: a right password leads to the chat or to the page that was left, a wrong
/// one to the form.
pub(crate) async fn log_in(
    State(app): State<Arc<App>>,
    request: Request,
) -> Result<Response, ApiError> {
    let headers = request.headers().clone();
    let from = request.extensions().get::<Peer>().copied();
    let peer = from.ok_or_else(ApiError::internal)?.0.ip();
    let form = Form::read(&app, request).await?;
    let page = |why| LoginPage {
        locale: Locale::of(&headers),
        tenant: &form.tenant,
        next: form.next,
        why: Some(why),
    };
    let Ok(tenant) = form.tenant.parse::<TenantId>() else {
        return Ok(page(Why::WrongPassword).into_response());
    };
    let address = client_address(peer, &headers, &app.config.server.trusted_proxies);
    match app.access.log_in(&tenant, form.password.clone(), address).await {
        Ok(secret) => let_in(&app, &headers, &secret, form.next).await,
        Err(LoginError::Wrong) => Ok(page(Why::WrongPassword).into_response()),
        Err(LoginError::SlowDown(wait)) => {
            Ok(page(Why::TooMany { seconds: whole_seconds(wait) }).into_response())
        }
        Err(LoginError::Failed(error)) => {
            tracing::error!(%error, "a login failed");
            Err(ApiError::unavailable("Logging in does not work right now; please try again."))
        }
    }
}

/// `POST /logout`: ends the session and everything that it has open.
pub(crate) async fn log_out(
    State(app): State<Arc<App>>,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    end_session(&app, &headers).await?;
    with_cookie(Redirect::to("/login").into_response(), &cookie::end(app.public_url.is_https()))
}

/// Sets the cookie. A session that the browser had before is over.
async fn let_in(
    app: &App,
    headers: &HeaderMap,
    secret: &SecretString,
    next: Landing,
) -> Result<Response, ApiError> {
    end_session(app, headers).await?;
    let lasts = app.config.access.absolute_expiry;
    let cookie = cookie::begin(secret.expose_secret(), lasts, app.public_url.is_https());
    with_cookie(Redirect::to(&next.path()).into_response(), &cookie)
}

async fn end_session(app: &App, headers: &HeaderMap) -> Result<(), ApiError> {
    // A key in the header is not what logs out.
    let mut only_cookies = HeaderMap::new();
    for value in headers.get_all(header::COOKIE) {
        only_cookies.append(header::COOKIE, value.clone());
    }
    if let Some(visitor) = Visitor::of(app, &only_cookies).await? {
        app.access.sessions.end(&visitor.session).await?;
    }
    Ok(())
}

fn with_cookie(mut response: Response, cookie: &str) -> Result<Response, ApiError> {
    let mut value = HeaderValue::from_str(cookie).map_err(|_| ApiError::internal())?;
    value.set_sensitive(true);
    response.headers_mut().insert(header::SET_COOKIE, value);
    // `Redirect::to` is a 303: the browser goes there with a GET.
    debug_assert_eq!(response.status(), StatusCode::SEE_OTHER);
    Ok(response)
}

impl Form {
    async fn read(app: &App, request: Request) -> Result<Self, ApiError> {
        require_content_type(request.headers(), "application/x-www-form-urlencoded")?;
        let body = read(app, request, LARGEST_FORM).await?;
        let field = |name: &str| {
            url::form_urlencoded::parse(body.as_slice())
                .find(|(key, _)| key == name)
                .map(|(_, value)| value.into_owned())
        };
        let password = field("password").ok_or_else(|| ApiError::malformed("password: missing"))?;
        let tenant = field("tenant").filter(|tenant| !tenant.is_empty());
        Ok(Self {
            tenant: tenant.unwrap_or_else(|| HOME.to_owned()),
            next: Landing::of(field("next").as_deref()),
            password: password.into(),
        })
    }
}

fn whole_seconds(wait: Duration) -> u64 {
    wait.as_secs() + u64::from(wait.subsec_nanos() > 0)
}
