//! Conversations: list, create, read, rename, share, choose a branch, delete, stop.

use std::sync::Arc;

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use parlor_protocol::{BranchChoice, ConversationId, Mode, ProjectId, TenantId, Visibility};
use parlor_storage::{ConversationChanges, ConversationFilter, ConversationList, PlaceChange};
use serde::Deserialize;
use serde_json::json as value;

use super::body::{Json, Parameters, PathId, page_cursor};
use super::chat::project_of;
use super::errors::ApiError;
use super::json;
use crate::app::App;
use crate::auth::Principal;
use crate::client_address::ClientAddress;
use crate::limits::Sender;

#[derive(Debug, Deserialize)]
pub(crate) struct Query {
    q: Option<String>,
    before: Option<String>,
    project: Option<ProjectId>,
    folder: Option<String>,
    /// For administrators who may read what people have to themselves: lists that too.
    everybody: Option<bool>,
    #[serde(default)]
    list: List,
}

/// Which list is read.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
enum List {
    #[default]
    Current,
    Archived,
    Deleted,
    All,
}

impl From<List> for ConversationList {
    fn from(list: List) -> Self {
        match list {
            List::Current => Self::Current,
            List::Archived => Self::Archived,
            List::Deleted => Self::Deleted,
            List::All => Self::All,
        }
    }
}

#[derive(Debug, Default, Deserialize)]
pub(crate) struct Deletion {
    /// Not to be undone.
    #[serde(default)]
    for_good: bool,
}

#[derive(Debug, Deserialize)]
pub(crate) struct New {
    tenant: Option<TenantId>,
    project: Option<ProjectId>,
    #[serde(default)]
    mode: Mode,
    /// The folder that the editor has open.
    folder: Option<String>,
}

#[derive(Debug, Deserialize)]
pub(crate) struct Changes {
    title: Option<String>,
    mode: Option<Mode>,
    /// Who sees it. Only its own person may change that.
    visibility: Option<Visibility>,
    /// Where it is in the list of whoever asks.
    pinned: Option<bool>,
    archived: Option<bool>,
}

/// The longest path of a folder, as the system has it.
const LONGEST_PATH: usize = 4096;

/// `GET /api/conversations?q=&before=&project=&folder=&everybody=&list=`.
pub(crate) async fn list(
    State(app): State<Arc<App>>,
    principal: Principal,
    Parameters(query): Parameters<Query>,
) -> Result<Response, ApiError> {
    let filter = ConversationFilter {
        list: query.list.into(),
        text: query.q.as_deref().filter(|text| !text.trim().is_empty()),
        project: query.project.as_ref(),
        folder: query.folder.as_deref().filter(|folder| !folder.is_empty()),
    };
    let before = page_cursor(query.before.as_deref())?;
    // What was deleted is in the list of those alone who may restore it.
    let everybody = query.everybody.unwrap_or(false) && query.list != List::Deleted;
    json(&app.chat.conversations(&principal.caller, everybody, filter, before.as_ref()).await?)
}

/// `POST /api/conversations`: one whose first message is yet to come, for clients that need
/// its id before. It is counted as a message: otherwise it would be a way around the limits.
pub(crate) async fn create(
    State(app): State<Arc<App>>,
    principal: Principal,
    ClientAddress(address): ClientAddress,
    Json(new): Json<New>,
) -> Result<(StatusCode, Response), ApiError> {
    let caller = &principal.caller;
    if new.tenant.as_ref().is_some_and(|tenant| *tenant != caller.tenant) {
        return Err(ApiError::not_found());
    }
    if new.folder.as_deref().is_some_and(|folder| !is_folder(folder)) {
        return Err(ApiError::malformed("folder: it is not an absolute path"));
    }
    let project = project_of(&app, caller, new.project)?;
    let (counted_as, tenant) = (caller.counted_as(), &caller.tenant);
    let sender = Sender { session: &counted_as, address, tenant, project: Some(&project) };
    app.rate_limits.take(&sender).await?;
    let created = app.chat.create(caller, &project, new.mode, new.folder).await?;
    Ok((StatusCode::CREATED, json(&created)?))
}

/// `GET /api/conversations/{id}`.
pub(crate) async fn read(
    State(app): State<Arc<App>>,
    principal: Principal,
    PathId(id): PathId<ConversationId>,
) -> Result<Response, ApiError> {
    json(&app.chat.conversation(&principal.caller, id).await?)
}

/// `PATCH /api/conversations/{id}`.
pub(crate) async fn update(
    State(app): State<Arc<App>>,
    principal: Principal,
    PathId(id): PathId<ConversationId>,
    Json(changes): Json<Changes>,
) -> Result<Response, ApiError> {
    if changes.title.as_deref().is_some_and(|title| title.trim().is_empty()) {
        return Err(ApiError::malformed("title: it is blank"));
    }
    let Changes { title, mode, visibility, pinned, archived } = &changes;
    let place = PlaceChange { pinned: *pinned, archived: *archived };
    if !place.is_empty() {
        app.chat.place(&principal.caller, id, place).await?;
    }
    let changes =
        ConversationChanges { title: title.as_deref(), mode: *mode, visibility: *visibility };
    json(&app.chat.update(&principal.caller, id, changes).await?)
}

/// `PUT /api/conversations/{id}/branch`: which branch to go on with.
pub(crate) async fn choose_branch(
    State(app): State<Arc<App>>,
    principal: Principal,
    PathId(id): PathId<ConversationId>,
    Json(choice): Json<BranchChoice>,
) -> Result<Response, ApiError> {
    let leaf = app.chat.choose_branch(&principal.caller, id, choice).await?;
    json(&value!({"leaf": leaf}))
}

/// `DELETE /api/conversations/{id}?for_good=`.
pub(crate) async fn delete(
    State(app): State<Arc<App>>,
    principal: Principal,
    PathId(id): PathId<ConversationId>,
    Parameters(deletion): Parameters<Deletion>,
) -> Result<StatusCode, ApiError> {
    app.chat.delete(&principal.caller, id, deletion.for_good).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// `POST /api/conversations/{id}/restore`: undoes its deletion.
pub(crate) async fn restore(
    State(app): State<Arc<App>>,
    principal: Principal,
    PathId(id): PathId<ConversationId>,
) -> Result<Response, ApiError> {
    app.chat.restore(&principal.caller, id).await?;
    json(&app.chat.conversation(&principal.caller, id).await?)
}

/// `POST /api/conversations/{id}/stop`.
pub(crate) async fn stop(
    State(app): State<Arc<App>>,
    principal: Principal,
    PathId(id): PathId<ConversationId>,
) -> Result<Response, ApiError> {
    json(&value!({"stopped": app.chat.stop(&principal.caller, id).await?}))
}

/// Editors run on any system: `/home/ana/soup`, `C:\\soup`.
fn is_folder(path: &str) -> bool {
    let mut letters = path.chars();
    let has_drive = letters.next().is_some_and(|letter| letter.is_ascii_alphabetic())
        && letters.next() == Some(':');
    let is_absolute = path.starts_with('/') || path.starts_with("\\\\") || has_drive;
    is_absolute && path.len() <= LONGEST_PATH && !path.contains(char::is_control)
}
