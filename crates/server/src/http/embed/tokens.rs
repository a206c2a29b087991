//! How a visitor comes in: a site's token, the session for it, and its end.

use std::sync::Arc;

use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use axum::response::Response;
use parlor_protocol::{ErrorCode, PersonName, ProjectId, TenantId, Timestamp};
use parlor_storage::TokenKind;
use secrecy::ExposeSecret;
use serde::{Deserialize, Serialize};

use crate::app::App;
use crate::auth::{AccessError, Embedded, Principal, SitePerson, given_key};
use crate::config::{Accent, Colour, origin};
use crate::http::body::Json;
use crate::http::errors::ApiError;
use crate::http::json;

/// A token that a site's server wants.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct NewToken {
    project: ProjectId,
    /// The origin of the page that it is for.
    origin: String,
    person: Option<NewPerson>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct NewPerson {
    /// The site's own id of them.
    id: String,
    name: Option<String>,
}

#[derive(Debug, Serialize)]
struct MadeToken<'t> {
    /// It works once, and is shown only here.
    token: &'t str,
    tenant: &'t TenantId,
    project: &'t ProjectId,
    origin: &'t str,
    expires_at: Timestamp,
}

/// A token that a frame has.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Given {
    token: String,
    /// The origin of the page around the frame.
    origin: String,
    /// The accent that the page wants.
    accent: Option<String>,
}

#[derive(Debug, Serialize)]
struct Begun<'b> {
    /// It goes as `Authorization: Bearer`, and is shown only here.
    session: &'b str,
    expires_at: Timestamp,
    /// Whether they are found again at the next visit.
    known: bool,
    /// The accent, readable in both themes.
    #[serde(skip_serializing_if = "Option::is_none")]
    accent: Option<Accent>,
}

/// `POST /api/embed/tokens`: a token for one page, for minutes.
pub(crate) async fn create(
    State(app): State<Arc<App>>,
    principal: Principal,
    headers: HeaderMap,
    Json(new): Json<NewToken>,
) -> Result<(StatusCode, Response), ApiError> {
    let key = given_key(&headers).filter(|_| principal.session.kind == TokenKind::Key);
    let key =
        key.ok_or_else(|| ApiError::forbidden("A site's server gets tokens with an API key."))?;
    let (tenant, person) = (&principal.caller.tenant, new.person.map(site_person).transpose()?);
    let origin =
        origin(&new.origin).map_err(|why| ApiError::malformed(format!("origin: {why}")))?;
    let embedded = Embedded { tenant, project: &new.project, origin: &origin };
    let projects = app.config.tenants.get(tenant).map(|tenant| &tenant.projects);
    if !projects.is_some_and(|projects| projects.contains_key(&new.project)) {
        return Err(ApiError::not_found());
    }
    if !app.access.is_embedded(embedded) {
        return Err(ApiError::forbidden(
            "This project is not embedded in pages of this origin; see embed.origins.",
        ));
    }
    app.rate_limits.take_embed_token(&principal.caller.session).await?;
    let made = app.access.invite_visitor(key, embedded, person.as_ref()).await;
    let (token, expires_at) = made.map_err(failed)?;
    let made = MadeToken {
        token: token.expose_secret(),
        tenant,
        project: &new.project,
        origin: &origin,
        expires_at,
    };
    Ok((StatusCode::CREATED, json(&made)?))
}

/// `POST /api/embed/sessions`: a session for a token.
pub(crate) async fn begin(
    State(app): State<Arc<App>>,
    headers: HeaderMap,
    Json(given): Json<Given>,
) -> Result<(StatusCode, Response), ApiError> {
    let accent = given.accent.as_deref().map(accent).transpose()?;
    // Somebody whom the site does not know goes on as who they are.
    let current = app.access.authenticate_all(&headers).await?;
    let same_as = current.filter(Principal::is_visitor).and_then(|one| one.caller.person());
    let begun = app.access.begin_visit(&given.token, &given.origin, same_as).await;
    let begun = begun.map_err(failed)?.ok_or_else(not_taken)?;
    let body = Begun {
        session: begun.secret.expose_secret(),
        expires_at: begun.ends_at,
        known: begun.visitor.is_known,
        accent,
    };
    Ok((StatusCode::CREATED, json(&body)?))
}

/// `DELETE /api/embed/sessions`: the visitor logs out, everywhere.
pub(crate) async fn end(
    State(app): State<Arc<App>>,
    principal: Principal,
) -> Result<StatusCode, ApiError> {
    let visitor = principal.caller.person().filter(|_| principal.is_visitor());
    let visitor = visitor.ok_or_else(|| ApiError::forbidden("This is for visitors of a site."))?;
    app.access.end_visits(visitor).await?;
    Ok(StatusCode::NO_CONTENT)
}

fn site_person(new: NewPerson) -> Result<SitePerson, ApiError> {
    let name = new.name.map(|name| name.parse::<PersonName>()).transpose();
    Ok(SitePerson {
        id: new.id.parse().map_err(|why| ApiError::malformed(format!("person.id: {why}")))?,
        name: name.map_err(|why| ApiError::malformed(format!("person.name: {why}")))?,
    })
}

fn accent(text: &str) -> Result<Accent, ApiError> {
    let colour: Result<Colour, String> = text.parse();
    colour.map(Accent::of).map_err(|why| ApiError::malformed(format!("accent: {why}")))
}

/// It is not said which of these it is.
fn not_taken() -> ApiError {
    ApiError::new(
        ErrorCode::Unauthorized,
        "This token was used, its time is over, or it is for another page: ask the site for another.",
    )
}

fn failed(error: AccessError) -> ApiError {
    match error {
        AccessError::Storage(error) => error.into(),
        error => {
            tracing::error!(%error, "failed to let a visitor in");
            ApiError::internal()
        }
    }
}
