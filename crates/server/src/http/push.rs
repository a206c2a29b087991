//! Notifications on this device: whether they are on, on, off, and a test (U-11).
//!
//! They belong to a browser that is logged in. A key has none.

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::StatusCode;
use axum::response::Response;
use parlor_protocol::ErrorCode;
use parlor_storage::TokenKind;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::body::{self, require_content_type};
use super::errors::ApiError;
use super::json;
use crate::app::App;
use crate::auth::Principal;
use crate::config::PushContent;
use crate::push::{Language, PushOff, SubscribeError, Subscriber};

/// The largest body: a subscription has 4 KB at most.
const LARGEST: usize = 8 << 10;

#[derive(Debug, Serialize)]
struct Notifications {
    /// Whether this browser can subscribe.
    available: bool,
    /// The `applicationServerKey`.
    #[serde(skip_serializing_if = "Option::is_none")]
    key: Option<String>,
    /// Whether it is subscribed.
    subscribed: bool,
    /// What a notification says.
    content: PushContent,
}

#[derive(Debug, Deserialize)]
struct NewSubscription {
    /// What `PushSubscription.toJSON()` gives.
    subscription: Value,
    /// The language of notifications.
    #[serde(default)]
    language: NamedLanguage,
}

#[derive(Debug, Clone, Copy, Default, Deserialize)]
#[serde(rename_all = "snake_case")]
enum NamedLanguage {
    #[default]
    En,
    Pt,
}

/// `GET /api/push`.
pub(crate) async fn read(
    State(app): State<Arc<App>>,
    principal: Principal,
) -> Result<Response, ApiError> {
    let is_browser = principal.session.kind == TokenKind::Session;
    let key = match app.push.public_key().await {
        Ok(key) => Some(key).filter(|_| is_browser),
        Err(PushOff::Unusable(_)) => None,
        Err(PushOff::Storage(error)) => return Err(error.into()),
    };
    let subscribed = key.is_some() && app.push.is_subscribed(&principal.caller.session).await?;
    let content = app.push.config().content;
    json(&Notifications { available: key.is_some(), key, subscribed, content })
}

/// `PUT /api/push/subscription`: this browser is notified from now on.
pub(crate) async fn subscribe(
    State(app): State<Arc<App>>,
    principal: Principal,
    request: Request,
) -> Result<StatusCode, ApiError> {
    let session = browser(&principal)?;
    require_content_type(request.headers(), "application/json")?;
    let body = body::read(&app, request, LARGEST).await?;
    let new: NewSubscription = body::parse(body.as_slice(), "The body")?;
    let caller = &principal.caller;
    let is_shared = caller.person().is_none();
    let subscriber = Subscriber { session, tenant: &caller.tenant, is_shared };
    app.push.subscribe(subscriber, &new.subscription, new.language.into()).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// `DELETE /api/push/subscription`: it is not.
pub(crate) async fn unsubscribe(
    State(app): State<Arc<App>>,
    principal: Principal,
) -> Result<StatusCode, ApiError> {
    app.push.unsubscribe(browser(&principal)?).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// `POST /api/push/test`: a notification that says that it arrived.
pub(crate) async fn test(
    State(app): State<Arc<App>>,
    principal: Principal,
) -> Result<StatusCode, ApiError> {
    let session = browser(&principal)?;
    if !app.push.is_subscribed(session).await? {
        return Err(ApiError::new(ErrorCode::NotFound, "Notifications are off in this browser."));
    }
    app.push.test(session).await?;
    Ok(StatusCode::ACCEPTED)
}

/// The session of a browser.
fn browser(principal: &Principal) -> Result<&str, ApiError> {
    match principal.session.kind {
        TokenKind::Session => Ok(&principal.caller.session),
        TokenKind::Key => Err(ApiError::forbidden(
            "Notifications belong to a browser that is logged in; a key has none.",
        )),
        TokenKind::Visitor => Err(ApiError::forbidden(
            "Notifications are for people who log in; a chat in another page has none.",
        )),
    }
}

impl From<NamedLanguage> for Language {
    fn from(named: NamedLanguage) -> Self {
        match named {
            NamedLanguage::En => Self::English,
            NamedLanguage::Pt => Self::Portuguese,
        }
    }
}

impl From<SubscribeError> for ApiError {
    fn from(error: SubscribeError) -> Self {
        match error {
            SubscribeError::Malformed(why) => Self::malformed(format!("subscription: {why}")),
            SubscribeError::TooMany(_) => Self::new(ErrorCode::RateLimited, error.to_string()),
            SubscribeError::Off(PushOff::Storage(error)) => error.into(),
            SubscribeError::Off(PushOff::Unusable(_)) => Self::new(
                ErrorCode::Unavailable,
                "This server sends no notifications; its administrator can say why.",
            ),
            SubscribeError::Seal(error) => {
                tracing::error!(%error, "failed to encrypt a push subscription");
                Self::internal()
            }
        }
    }
}
