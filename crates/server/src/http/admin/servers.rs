//! `/api/admin/mcp/{project}/{server}/…`: starting an MCP server again, and what it wrote last.
//!
//! Both are about the server of this node: where several share the database, each has its own.

use std::sync::Arc;
use std::time::{Duration, UNIX_EPOCH};

use axum::extract::{Path, State};
use axum::response::Response;
use parlor_chat::Project;
use parlor_guard::Clean;
use parlor_mcp::McpHost;
use parlor_process::StderrLine;
use parlor_protocol::{ProjectId, Timestamp};
use serde::Serialize;

use crate::app::App;
use crate::auth::{Act, Principal};
use crate::http::errors::ApiError;
use crate::http::json;
use crate::http::principal::Admin;
use crate::http::status::clean_health;

/// How long a restart is waited for. It goes on after that.
const PATIENCE: Duration = Duration::from_secs(15);

#[derive(Debug, Serialize)]
struct ServerOutput {
    /// Calls that it works on: a restart ends them.
    running_calls: usize,
    /// The last lines on its standard error, oldest first.
    lines: Vec<OutputLine>,
}

#[derive(Debug, Serialize)]
struct OutputLine {
    at: Timestamp,
    text: String,
}

/// `POST …/restart`: ends the server and starts it again. Calls that it works on end, and their
/// outcome is unknown.
pub(crate) async fn restart(
    State(app): State<Arc<App>>,
    Admin(principal): Admin,
    Path((project, server)): Path<(String, String)>,
) -> Result<Response, ApiError> {
    let (project, host) = find(&app, &principal, &project)?;
    let about = format!("{}/{server}", project.id);
    if host.output(&server).is_none() {
        return Err(ApiError::not_found());
    }
    app.access.record(&principal.caller, Act::ServerRestarted, (&about, &server)).await?;
    let within = PATIENCE.min(app.config.server.limits.request_timeout / 2);
    let health = host.restart(&server, within).await.ok_or_else(ApiError::not_found)?;
    json(&clean_health(&project.sanitizer, health))
}

/// `GET …/output`.
pub(crate) async fn output(
    State(app): State<Arc<App>>,
    Admin(principal): Admin,
    Path((project, server)): Path<(String, String)>,
) -> Result<Response, ApiError> {
    let (project, host) = find(&app, &principal, &project)?;
    let output = host.output(&server).ok_or_else(ApiError::not_found)?;
    let lines = output.lines.into_iter().map(|StderrLine { at, text }| {
        let since = at.duration_since(UNIX_EPOCH).unwrap_or_default();
        OutputLine {
            at: Timestamp(i64::try_from(since.as_millis()).unwrap_or_default()),
            text: Clean::new(&project.sanitizer, text).into_inner(),
        }
    });
    json(&ServerOutput { running_calls: output.running_calls, lines: lines.collect() })
}

/// A project of the administrator's tenant, and its servers.
fn find(
    app: &App,
    principal: &Principal,
    project: &str,
) -> Result<(Arc<Project>, Arc<McpHost>), ApiError> {
    let id: ProjectId = project.parse().map_err(|_| ApiError::not_found())?;
    let tenant = &principal.caller.tenant;
    let host = app.mcp_hosts.get(tenant, &id).ok_or_else(ApiError::not_found)?;
    let project = app.chat.projects().get(tenant, &id).ok_or_else(ApiError::not_found)?;
    Ok((project.clone(), host.clone()))
}
