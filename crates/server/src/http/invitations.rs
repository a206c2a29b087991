//! `/invite/{token}`: the page of an invitation, and accepting it (Y-1).

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::HeaderMap;
use axum::response::{IntoResponse, Response};
use parlor_protocol::{PersonName, TenantId};
use secrecy::{ExposeSecret, SecretString};

use super::body::{PathId, read, require_content_type};
use super::errors::ApiError;
use super::locale::Locale;
use super::login::begin_session;
use super::pages::{InvitePage, InviteProblem, invitation_not_valid};
use super::redirect_target::RedirectTarget;
use crate::app::App;
use crate::auth::{AcceptError, device_of};

/// The largest form, in bytes.
const MAX_FORM: usize = 8 << 10;

/// `GET /invite/{token}`.
pub(crate) async fn page(
    State(app): State<Arc<App>>,
    PathId(token): PathId<String>,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    shown(&app, &token, Locale::of(&headers), "", None).await
}

/// `POST /invite/{token}`: the account is created, and its first session begins.
pub(crate) async fn accept(
    State(app): State<Arc<App>>,
    PathId(token): PathId<String>,
    request: Request,
) -> Result<Response, ApiError> {
    let headers = request.headers().clone();
    let locale = Locale::of(&headers);
    require_content_type(&headers, "application/x-www-form-urlencoded")?;
    let body = read(&app, request, MAX_FORM).await?;
    let field = |name: &str| {
        let mut fields = url::form_urlencoded::parse(body.as_slice());
        let found = fields.find(|(key, _)| key == name).map(|(_, value)| value.into_owned());
        found.unwrap_or_default()
    };
    let (typed, password, again) =
        (field("name"), SecretString::from(field("password")), SecretString::from(field("again")));
    let show = |problem| shown(&app, &token, locale, &typed, Some(problem));
    let Ok(name) = typed.parse::<PersonName>() else { return show(InviteProblem::BadName).await };
    if password.expose_secret() != again.expose_secret() {
        return show(InviteProblem::NotTheSame).await;
    }
    match app.access.accept(&token, name, password, device_of(&headers)).await {
        Ok(secret) => begin_session(&app, &headers, &secret, RedirectTarget::default()).await,
        Err(AcceptError::NotValid) => Ok(invitation_not_valid(locale)),
        Err(AcceptError::NameTaken) => show(InviteProblem::NameTaken).await,
        Err(AcceptError::WeakPassword(problem)) => show(InviteProblem::Password(problem)).await,
        Err(AcceptError::Busy) => show(InviteProblem::Busy).await,
        Err(AcceptError::Failed(error)) => {
            tracing::error!(%error, "failed to accept an invitation");
            show(InviteProblem::Busy).await
        }
    }
}

async fn shown(
    app: &App,
    token: &str,
    locale: Locale,
    name: &str,
    problem: Option<InviteProblem>,
) -> Result<Response, ApiError> {
    let Some(invitation) = app.access.invitation(token).await? else {
        return Ok(invitation_not_valid(locale));
    };
    let tenant = tenant_name(app, &invitation.tenant);
    let invited_by = &invitation.invited_by;
    Ok(InvitePage { locale, tenant, invited_by, name, problem }.into_response())
}

fn tenant_name<'a>(app: &'a App, tenant: &TenantId) -> &'a str {
    app.config.tenants.get(tenant).map_or("", |tenant| tenant.name.as_str())
}
