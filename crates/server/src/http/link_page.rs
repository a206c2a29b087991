//! `/s/{token}` and `/api/shared/{token}`: a conversation, for whoever has a link to it (Y-2).
//!
//! - A token that is unknown, expired or taken back is the same 404, and so is one that the tenant no
//!   longer admits. A link for the tenant needs a session or a key of it beside the token.
//! - Nothing can be changed here, and no cookie is set. The page is the same for everybody.
//! - A stream says that there is more, and not what: the page reads it again. So a link that was taken back
//!   shows nothing more, also where the stream has not ended yet.
//! - The token is in no log: a request is logged by its route.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use axum::body::Body;
use axum::extract::rejection::PathRejection;
use axum::extract::{Extension, Path, State};
use axum::http::{HeaderMap, HeaderValue, header};
use axum::response::{IntoResponse, Redirect, Response};
use bytes::Bytes;
use futures_util::stream;
use parlor_chat::{EventBatch, Reader};
use parlor_protocol::{EventBody, EventId, LinkAudience};
use parlor_storage::{ShareLink, SharedView};
use serde::{Deserialize, Serialize};
use tokio::time::sleep;
use uuid::Uuid;

use super::body::{Parameters, PathId};
use super::errors::ApiError;
use super::stream_end::ConnectionGuard;
use super::{json, pages, web};
use crate::app::App;
use crate::auth::TokenHash;
use crate::client_address::ClientAddress;

/// How often a stream looks whether its link is still in force: it may expire, and a hint of another
/// node may be lost.
const LOOK: Duration = Duration::from_secs(5);
/// The longest token: no other text is worth a look into the database.
const LONGEST_TOKEN: usize = 100;

#[derive(Debug, Deserialize)]
pub(crate) struct Again {
    /// The page shows it already, and reads what is new.
    #[serde(default)]
    again: bool,
}

#[derive(Debug, Deserialize)]
pub(crate) struct After {
    after: Option<String>,
}

#[derive(Serialize)]
struct Shown<'a> {
    /// The name of the project.
    project: &'a str,
    #[serde(flatten)]
    view: SharedView,
}

/// `GET /s/{token}`: the page, if the link works for somebody.
pub(crate) async fn page(
    State(app): State<Arc<App>>,
    ClientAddress(address): ClientAddress,
    PathId(token): PathId<String>,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    app.rate_limits.take_shared(address).await?;
    if find(&app, &token).await?.is_none() {
        return Ok(pages::link_not_valid(&headers));
    }
    // The plain chat has no such page.
    Ok(web::page(&headers).unwrap_or_else(|| Redirect::to("/chat").into_response()))
}

/// `GET /api/shared/{token}?again=`.
pub(crate) async fn read(
    State(app): State<Arc<App>>,
    ClientAddress(address): ClientAddress,
    PathId(token): PathId<String>,
    Parameters(Again { again }): Parameters<Again>,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    app.rate_limits.take_shared(address).await?;
    let (link, _) = open(&app, &token, &headers).await?;
    let view = app.chat.shared(&link, again).await?;
    let tenant = app.config.tenants.get(&link.tenant);
    let project = tenant.and_then(|tenant| tenant.projects.get(&link.project));
    json(&Shown { project: project.map_or("", |project| project.name.as_str()), view })
}

/// `GET /api/shared/{token}/images/{image}`: a picture of what the link shows.
pub(crate) async fn image(
    State(app): State<Arc<App>>,
    ClientAddress(address): ClientAddress,
    path: Result<Path<(String, String)>, PathRejection>,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    let Path((token, id)) = path.map_err(|_| ApiError::not_found())?;
    let id: Uuid = id.parse().map_err(|_| ApiError::not_found())?;
    app.rate_limits.take_shared(address).await?;
    let (link, _) = open(&app, &token, &headers).await?;
    let image = app.chat.shared_image(&link, id).await?;
    // Not kept by the browser: the link may be taken back.
    let headers = [
        (header::CONTENT_TYPE, image.media_type.as_str()),
        (header::CACHE_CONTROL, "no-store"),
        (header::CONTENT_DISPOSITION, "inline"),
    ];
    Ok((headers, image.bytes).into_response())
}

/// `GET /api/shared/{token}/events?after=`: says when there is more, and when the link has ended.
pub(crate) async fn follow(
    State(app): State<Arc<App>>,
    ClientAddress(address): ClientAddress,
    Extension(connection): Extension<ConnectionGuard>,
    PathId(token): PathId<String>,
    Parameters(After { after }): Parameters<After>,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    app.rate_limits.take_shared(address).await?;
    let (link, hash) = open(&app, &token, &headers).await?;
    let after = after.filter(|text| !text.is_empty()).map(|text| text.parse());
    let after =
        after.transpose().map_err(|error| ApiError::malformed(format!("after: {error}")))?;
    if link.until.is_some() {
        return Err(ApiError::malformed("This link shows what was there when it was made."));
    }
    let reader = app.chat.follow_shared(&link, &hash, after.unwrap_or(EventId::durable(0)));
    let following = Following { app, hash, reader, connection };
    let notices = stream::unfold(Some(following), |following| async move {
        let (notice, rest) = following?.next().await;
        Some((Ok::<_, Infallible>(Bytes::from_static(notice)), rest))
    });
    let mut response = Response::new(Body::from_stream(notices));
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("text/event-stream"));
    headers.insert("x-accel-buffering", HeaderValue::from_static("no"));
    Ok(response)
}

/// A stream of notices.
struct Following {
    app: Arc<App>,
    hash: String,
    reader: Reader,
    connection: ConnectionGuard,
}

const MORE: &[u8] = b"event: more\ndata: {}\n\n";
const GONE: &[u8] = b"event: gone\ndata: {}\n\n";
const ALIVE: &[u8] = b": keep-alive\n\n";
const RECONNECT: &[u8] = b"retry: 1000\n\n";

impl Following {
    /// The next notice, and the stream if it goes on.
    async fn next(mut self) -> (&'static [u8], Option<Self>) {
        let notice = tokio::select! {
            biased;
            _ = self.connection.end() => return (RECONNECT, None),
            more = is_more(&mut self.reader) => if more { MORE } else { return (GONE, None) },
            () = sleep(LOOK) => ALIVE,
        };
        match in_force(&self.app, &self.hash).await {
            Ok(Some(_)) => (notice, Some(self)),
            Ok(None) => (GONE, None),
            // The database did not answer; the next look asks it again.
            Err(_) => (notice, Some(self)),
        }
    }
}

/// Waits until there is more to read; false once the link is not in force.
async fn is_more(reader: &mut Reader) -> bool {
    loop {
        match reader.next().await {
            // A large event is a message.
            Some(EventBatch::Large(_)) => return true,
            Some(EventBatch::Events(events)) => {
                if events.iter().any(|event| is_shown(event.body.get())) {
                    return true;
                }
            }
            Some(EventBatch::Live(_)) => {}
            None => return false,
        }
    }
}

/// Whether what a link shows changes with an event. Text is shown when it is complete.
fn is_shown(event: &EventBody) -> bool {
    matches!(event, EventBody::Message(_) | EventBody::Start { .. } | EventBody::Done { .. })
}

/// The link of a token, if it works for somebody.
async fn find(app: &App, token: &str) -> Result<Option<(ShareLink, String)>, ApiError> {
    if token.len() > LONGEST_TOKEN {
        return Ok(None);
    }
    let hash = TokenHash::of(token).to_hex();
    Ok(in_force(app, &hash).await?.map(|link| (link, hash)))
}

/// The same by the hash of the token.
async fn in_force(app: &App, hash: &str) -> Result<Option<ShareLink>, ApiError> {
    let link = app.chat.share_link(hash).await?;
    let admits = |link: &ShareLink| {
        let tenant = app.config.tenants.get(&link.tenant);
        tenant.is_some_and(|tenant| tenant.share_links.admits(link.audience))
    };
    Ok(link.filter(admits))
}

/// The link of a token, if it works for whoever asks.
async fn open(
    app: &App,
    token: &str,
    headers: &HeaderMap,
) -> Result<(ShareLink, String), ApiError> {
    let found = find(app, token).await?.ok_or_else(ApiError::not_found)?;
    if found.0.audience == LinkAudience::Tenant {
        let principal = app.access.authenticate(headers).await?;
        let principal = principal.ok_or_else(ApiError::unauthorized)?;
        if principal.caller.tenant != found.0.tenant {
            return Err(ApiError::not_found());
        }
    }
    Ok(found)
}
