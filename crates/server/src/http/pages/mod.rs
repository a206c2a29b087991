//! The pages: the login form, invitations, the chat, and a plain chat without the web interface
//! (`/chat?plain`, or if the web interface was not built).
//!
//! Scripts and styles are files of their own, because the content security policy
//! forbids inline ones. Values in a page are our own text or were checked, and are
//! escaped anyway.

mod install;
mod invite_page;
mod leading_on;
mod link_not_valid;
mod login_failed;
mod login_page;
mod mcp_login;
mod not_found;
mod template;
mod text;

use std::sync::Arc;

use axum::extract::{Path, RawQuery, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Redirect, Response};
use parlor_protocol::ConversationId;

pub(crate) use install::{app_icon, manifest, offline, offline_script, worker};
pub(super) use invite_page::{InvitePage, InviteProblem, invitation_not_valid};
pub(super) use leading_on::LeadingOn;
pub(super) use link_not_valid::link_not_valid;
pub(super) use login_failed::LoginFailed;
pub(super) use login_page::{LoginNotice, LoginPage};
pub(crate) use mcp_login::{mcp_login, mcp_login_script};
pub(crate) use not_found::not_found;
pub(super) use not_found::not_found_page;

use super::errors::ApiError;
use super::locale::Locale;
use super::redirect_target::{AdminTab, RedirectTarget};
use super::web;
use crate::app::App;
use crate::auth::cookie;
use text::PageText;

const CHAT_PAGE: &str = include_str!("../../pages/chat.html");
const STYLE: &str = include_str!("../../pages/style.css");
const CHAT_SCRIPT: &str = include_str!("../../pages/chat.js");
const THEME_SCRIPT: &str = include_str!("../../pages/theme.js");
const ICON: &str = include_str!("../../pages/icon.svg");

/// `GET /`.
pub(crate) async fn root() -> Redirect {
    Redirect::to("/chat")
}

/// `GET /chat`: without a session, the login form.
pub(crate) async fn chat(
    State(app): State<Arc<App>>,
    RawQuery(query): RawQuery,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    let is_plain = query.as_deref() == Some("plain");
    let page = if is_plain { RedirectTarget::PlainChat } else { RedirectTarget::Chat };
    if app.access.authenticate(&headers).await?.is_none() {
        return Ok(page.after_login(cookie::read(&headers).is_some()));
    }
    let web = if is_plain { None } else { web::page(&headers) };
    Ok(web.unwrap_or_else(|| plain_chat(Locale::of(&headers))))
}

/// `GET /c/{id}`: the chat with a conversation open. The page learns from the API
/// whether the conversation exists and may be read.
pub(crate) async fn conversation(
    State(app): State<Arc<App>>,
    Path(id): Path<String>,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    match id.parse::<ConversationId>() {
        Ok(id) => web_page(&app, RedirectTarget::Conversation(id), &headers).await,
        Err(_) => Ok(not_found_page(&headers)),
    }
}

/// `GET /waiting`.
pub(crate) async fn waiting(
    State(app): State<Arc<App>>,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    web_page(&app, RedirectTarget::Waiting, &headers).await
}

/// `GET /settings`.
pub(crate) async fn settings(
    State(app): State<Arc<App>>,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    web_page(&app, RedirectTarget::Settings, &headers).await
}

/// `GET /admin`.
pub(crate) async fn admin(
    State(app): State<Arc<App>>,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    web_page(&app, RedirectTarget::Admin(AdminTab::Overview), &headers).await
}

/// `GET /admin/{tab}`: one of the tabs of that page.
pub(crate) async fn admin_tab(
    State(app): State<Arc<App>>,
    Path(tab): Path<String>,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    match AdminTab::named(&tab) {
        Some(tab) => web_page(&app, RedirectTarget::Admin(tab), &headers).await,
        None => Ok(not_found_page(&headers)),
    }
}

/// The web interface at one of its addresses: it shows what the address names.
async fn web_page(
    app: &App,
    target: RedirectTarget,
    headers: &HeaderMap,
) -> Result<Response, ApiError> {
    if app.access.authenticate(headers).await?.is_none() {
        return Ok(target.after_login(cookie::read(headers).is_some()));
    }
    // The plain chat has no other pages.
    Ok(web::page(headers).unwrap_or_else(|| Redirect::to("/chat").into_response()))
}

/// `GET /assets/style.css`.
pub(crate) async fn style() -> Response {
    asset("text/css; charset=utf-8", STYLE)
}

/// `GET /assets/theme.js`: light or dark, before anything is drawn.
pub(crate) async fn theme() -> Response {
    asset("text/javascript; charset=utf-8", THEME_SCRIPT)
}

/// `GET /assets/icon.svg`.
pub(crate) async fn icon() -> Response {
    asset("image/svg+xml", ICON)
}

/// `GET /assets/chat.js`.
pub(crate) async fn script() -> Response {
    asset("text/javascript; charset=utf-8", CHAT_SCRIPT)
}

fn plain_chat(locale: Locale) -> Response {
    let text = PageText::of(locale);
    let values = [
        ("{lang}", text.locale.as_str()),
        ("{log_out}", text.log_out),
        ("{message}", text.message),
        ("{send}", text.send),
        ("{stop}", text.stop),
        ("{lost}", text.connection_lost),
        ("{failed}", text.failed),
        ("{blocked}", text.blocked),
    ];
    template::html(StatusCode::OK, template::fill(CHAT_PAGE, &values))
}

fn asset(media_type: &'static str, text: &'static str) -> Response {
    let headers = [(header::CONTENT_TYPE, media_type), (header::CACHE_CONTROL, "no-cache")];
    (headers, text).into_response()
}
