//! `POST /api/imports?project=`: conversations of another chat, as its export holds them (Y-5).
//!
//! 1. The file is read whole, within its limit, and parsed on a blocking thread. One that cannot be
//!    read is refused with what to do.
//! 2. The response is lines of JSON: how far it came, and at last a report of what was written and
//!    what was left out. A client that goes away ends it after the conversation that is being
//!    written; the same file again writes the rest.

use std::convert::Infallible;
use std::sync::Arc;

use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::{HeaderValue, header};
use axum::response::Response;
use bytes::Bytes;
use futures_util::stream::{self, Stream};
use parlor_chat::Imported;
use parlor_imports::{Conversation, Export, LeftOut, Product};
use parlor_protocol::{ErrorCode, ProjectId};
use serde::{Deserialize, Serialize};
use serde_json::json as value;
use tokio::sync::OwnedSemaphorePermit;

use super::body::{self, Parameters, require_content_type};
use super::errors::ApiError;
use crate::app::App;
use crate::auth::Principal;
use crate::client_address::ClientAddress;
use crate::limits::Sender;

/// How many times its size a file may unfold to.
const UNFOLDS: usize = 4;
/// After how many conversations a line says how far it came.
const TOLD_EVERY: usize = 20;

#[derive(Debug, Deserialize)]
pub(crate) struct Query {
    project: Option<ProjectId>,
}

/// What was imported.
#[derive(Debug, Serialize)]
struct Report {
    product: Product,
    /// Conversations that were written.
    imported: u32,
    /// Conversations that were imported before.
    there_before: u32,
    /// Messages that people see and the model is not told of: the guardrail refuses them.
    not_told: u32,
    left_out: LeftOut,
}

/// Takes a file.
pub(crate) async fn create(
    State(app): State<Arc<App>>,
    principal: Principal,
    ClientAddress(address): ClientAddress,
    Parameters(Query { project }): Parameters<Query>,
    request: Request,
) -> Result<Response, ApiError> {
    let caller = &principal.caller;
    let tenant = app.config.tenants.get(&caller.tenant).ok_or_else(ApiError::not_found)?;
    let project = project.unwrap_or_else(|| tenant.default_project.clone());
    if !tenant.projects.contains_key(&project) {
        return Err(ApiError::not_found());
    }
    // Another site can make a browser send a form, but not this.
    require_content_type(request.headers(), "application/octet-stream")?;
    let sender = Sender {
        session: &caller.session,
        address,
        tenant: &caller.tenant,
        project: Some(&project),
    };
    app.rate_limits.take(&sender).await?;
    let permit = Arc::clone(&app.imports).try_acquire_owned().map_err(|_| {
        ApiError::unavailable("Another import is running; please try again when it is done.")
    })?;
    let limit = app.config.server.limits.import;
    let file = body::read(&app, request, limit).await?.into_bytes();
    let read = move || parlor_imports::read(&file, limit.saturating_mul(UNFOLDS));
    let export = tokio::task::spawn_blocking(read).await.map_err(|_| ApiError::internal())?;
    let export = export.map_err(|error| match error {
        error @ parlor_imports::ImportError::TooLarge(_) => {
            ApiError::new(ErrorCode::TooLarge, error.to_string())
        }
        error => ApiError::malformed(error.to_string()),
    })?;
    let import = Import::new(Arc::clone(&app), principal, project, export, permit);
    let mut response = Response::new(Body::from_stream(import.lines()));
    let kind = HeaderValue::from_static("application/x-ndjson");
    response.headers_mut().insert(header::CONTENT_TYPE, kind);
    response.headers_mut().insert("x-accel-buffering", HeaderValue::from_static("no"));
    Ok(response)
}

/// An import that runs.
struct Import {
    app: Arc<App>,
    principal: Principal,
    project: ProjectId,
    waiting: std::vec::IntoIter<Conversation>,
    all: usize,
    report: Report,
    is_over: bool,
    _permit: OwnedSemaphorePermit,
}

impl Import {
    fn new(
        app: Arc<App>,
        principal: Principal,
        project: ProjectId,
        export: Export,
        permit: OwnedSemaphorePermit,
    ) -> Self {
        let Export { product, conversations, left_out } = export;
        let report = Report { product, imported: 0, there_before: 0, not_told: 0, left_out };
        let all = conversations.len();
        let waiting = conversations.into_iter();
        Self { app, principal, project, waiting, all, report, is_over: false, _permit: permit }
    }

    fn lines(self) -> impl Stream<Item = Result<Bytes, Infallible>> {
        stream::unfold(self, |mut import| async move {
            let line = import.next_line().await?;
            Some((Ok(Bytes::from(format!("{line}\n"))), import))
        })
    }

    /// The next line of the response; `None` after the last.
    async fn next_line(&mut self) -> Option<serde_json::Value> {
        if self.is_over {
            return None;
        }
        for _ in 0..TOLD_EVERY {
            let Some(conversation) = self.waiting.next() else {
                self.is_over = true;
                return Some(value!({"report": self.report}));
            };
            if let Err(error) = self.write(conversation).await {
                self.is_over = true;
                return Some(value!({"error": error.into_body(), "report": self.report}));
            }
        }
        Some(value!({"done": self.all - self.waiting.len(), "of": self.all}))
    }

    /// Writes a conversation, as long as the session lasts.
    async fn write(&mut self, conversation: Conversation) -> Result<(), ApiError> {
        if self.principal.session.is_ended() {
            return Err(ApiError::unauthorized());
        }
        let (chat, product) = (&self.app.chat, self.report.product);
        match chat.import(&self.principal.caller, &self.project, product, conversation).await? {
            Imported::Written { not_told } => {
                self.report.imported += 1;
                self.report.not_told += not_told;
            }
            Imported::ThereBefore => self.report.there_before += 1,
        }
        Ok(())
    }
}
