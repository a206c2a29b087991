//! `GET /api/export`: all conversations that a person sees, as lines of JSON (Y-5), each as its page
//! reads it.
//!
//! One conversation is read at a time, when the client has taken the one before. The file ends with
//! the session.

use std::convert::Infallible;
use std::sync::Arc;

use axum::body::Body;
use axum::extract::State;
use axum::http::{HeaderValue, header};
use axum::response::Response;
use bytes::Bytes;
use futures_util::stream;
use parlor_chat::ChatError;
use parlor_protocol::ConversationId;
use parlor_storage::{ConversationFilter, ConversationList, PageCursor};
use serde_json::json as value;

use super::errors::ApiError;
use crate::app::App;
use crate::auth::Principal;

/// Everything, as a file.
pub(crate) async fn read(
    State(app): State<Arc<App>>,
    principal: Principal,
) -> Result<Response, ApiError> {
    let export =
        ExportAll { app, principal, waiting: Vec::new().into_iter(), next_page: NextPage::First };
    let lines = stream::unfold(export, |mut export| async move {
        let line = export.next_line().await?;
        Some((Ok::<_, Infallible>(Bytes::from(line)), export))
    });
    let mut response = Response::new(Body::from_stream(lines));
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/x-ndjson"));
    let name = HeaderValue::from_static("attachment; filename=\"parlor-export.jsonl\"");
    headers.insert(header::CONTENT_DISPOSITION, name);
    Ok(response)
}

struct ExportAll {
    app: Arc<App>,
    principal: Principal,
    waiting: std::vec::IntoIter<ConversationId>,
    next_page: NextPage,
}

enum NextPage {
    First,
    After(PageCursor),
    None,
}

impl ExportAll {
    /// The next line; `None` after the last. A failure is a line too, and the last one: a file that
    /// ends early must not look whole.
    async fn next_line(&mut self) -> Option<String> {
        match self.next().await {
            Ok(line) => line.map(|line| format!("{line}\n")),
            Err(error) => {
                self.next_page = NextPage::None;
                self.waiting = Vec::new().into_iter();
                Some(format!("{}\n", value!({"error": error.into_body()})))
            }
        }
    }

    async fn next(&mut self) -> Result<Option<serde_json::Value>, ApiError> {
        if self.principal.session.is_ended() {
            return Err(ApiError::unauthorized());
        }
        let (chat, caller) = (&self.app.chat, &self.principal.caller);
        loop {
            if let Some(id) = self.waiting.next() {
                match chat.conversation(caller, id).await {
                    // It was deleted meanwhile.
                    Err(ChatError::NotFound) => continue,
                    view => return Ok(Some(value!({"conversation": view?}))),
                }
            }
            let before = match std::mem::replace(&mut self.next_page, NextPage::None) {
                NextPage::First => None,
                NextPage::After(cursor) => Some(cursor),
                NextPage::None => return Ok(None),
            };
            let list = ConversationList::All;
            let filter = ConversationFilter { list, ..ConversationFilter::default() };
            let page = chat.conversations(caller, false, filter, before.as_ref()).await?;
            self.waiting =
                page.conversations.iter().map(|one| one.id).collect::<Vec<_>>().into_iter();
            if let Some(next) = page.next_before {
                self.next_page = NextPage::After(next);
            }
        }
    }
}
