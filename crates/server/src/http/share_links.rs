//! `/api/conversations/{id}/links`: links to share, for those who make them and take them back (Y-2).

use std::sync::Arc;
use std::time::Duration;

use axum::extract::rejection::PathRejection;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::Response;
use parlor_chat::LinkWish;
use parlor_protocol::{ConversationId, LinkAudience, ShareLinkId};
use parlor_storage::ListedShareLink;
use secrecy::ExposeSecret;
use serde::{Deserialize, Serialize};
use serde_json::json as value;
use uuid::Uuid;

use super::body::{Json, PathId};
use super::errors::ApiError;
use super::json;
use crate::app::App;
use crate::auth::{Act, Principal, TokenHash, new_token};
use crate::clock::later;
use crate::config::ShareLinks;

/// The longest time that a link lasts, if it expires.
const MOST_DAYS: u32 = 3650;

/// What a link is to be.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct NewLink {
    #[serde(default = "in_the_tenant")]
    audience: LinkAudience,
    /// Whether it shows what follows too.
    #[serde(default)]
    follows: bool,
    /// Whether it shows what tools gave back.
    #[serde(default)]
    results: bool,
    /// In how many days it expires; never, without this.
    expires_in_days: Option<u32>,
}

#[derive(Serialize)]
struct MadeLink {
    /// The address. It is shown only here.
    link: String,
    #[serde(flatten)]
    listed: ListedShareLink,
}

fn in_the_tenant() -> LinkAudience {
    LinkAudience::Tenant
}

/// `GET /api/conversations/{id}/links`.
pub(crate) async fn list(
    State(app): State<Arc<App>>,
    principal: Principal,
    PathId(id): PathId<ConversationId>,
) -> Result<Response, ApiError> {
    json(&value!({"links": app.chat.share_links(&principal.caller, id).await?}))
}

/// `POST /api/conversations/{id}/links`. It is on record before it works.
pub(crate) async fn make(
    State(app): State<Arc<App>>,
    principal: Principal,
    PathId(id): PathId<ConversationId>,
    Json(new): Json<NewLink>,
) -> Result<(StatusCode, Response), ApiError> {
    let caller = &principal.caller;
    app.chat.may_share(caller, id).await?;
    admitted(&app, &principal, new.audience)?;
    let wish = LinkWish {
        audience: new.audience,
        follows: new.follows,
        results: new.results,
        expires_at: days(new.expires_in_days)?.map(|span| later(app.access.now(), span)),
    };
    let token = new_token("share").map_err(|error| {
        tracing::error!(%error, "failed to make a link");
        ApiError::internal()
    })?;
    let hash = TokenHash::of(token.expose_secret()).to_hex();
    let link = ShareLinkId::new(Uuid::now_v7());
    let about = about(id, link, new.audience);
    app.access.record(caller, Act::LinkMade, (&about.0, &about.1)).await?;
    let listed = app.chat.share(caller, id, (link, &hash), wish).await?;
    let link = format!("{}/s/{}", app.public_url.as_str(), token.expose_secret());
    Ok((StatusCode::CREATED, json(&MadeLink { link, listed })?))
}

/// `DELETE /api/conversations/{id}/links/{link}`.
pub(crate) async fn take_back(
    State(app): State<Arc<App>>,
    principal: Principal,
    path: Result<Path<(String, String)>, PathRejection>,
) -> Result<StatusCode, ApiError> {
    let Path((id, link)) = path.map_err(|_| ApiError::not_found())?;
    let id: ConversationId = id.parse().map_err(|_| ApiError::not_found())?;
    let link: ShareLinkId = link.parse().map_err(|_| ApiError::not_found())?;
    let caller = &principal.caller;
    let links = app.chat.share_links(caller, id).await?;
    let known = links.iter().find(|listed| listed.id == link).ok_or_else(ApiError::not_found)?;
    let about = about(id, link, known.audience);
    app.access.record(caller, Act::LinkTakenBack, (&about.0, &about.1)).await?;
    app.chat.take_back(caller, id, link).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// What the record of acts says of a link. Not the title: it may not be for administrators.
fn about(id: ConversationId, link: ShareLinkId, audience: LinkAudience) -> (String, String) {
    (link.to_string(), format!("{id} → {}", audience.as_str()))
}

/// Refuses a link that would not work.
fn admitted(app: &App, principal: &Principal, audience: LinkAudience) -> Result<(), ApiError> {
    let tenant = app.config.tenants.get(&principal.caller.tenant);
    match tenant.map_or(ShareLinks::Off, |tenant| tenant.share_links) {
        setting if setting.admits(audience) => Ok(()),
        ShareLinks::Off => Err(ApiError::forbidden("Links to share are switched off here.")),
        _ => Err(ApiError::forbidden(
            "Links for anyone are switched off here: a link can be for everybody who is logged in.",
        )),
    }
}

fn days(number: Option<u32>) -> Result<Option<Duration>, ApiError> {
    match number {
        Some(days @ 1..=MOST_DAYS) => Ok(Some(Duration::from_secs(u64::from(days) * 86_400))),
        Some(_) => Err(ApiError::malformed(format!("expires_in_days: it is 1 to {MOST_DAYS}"))),
        None => Ok(None),
    }
}
