//! `GET /api/admin/status`: how the server is, for admins (M-2).

use std::sync::Arc;

use axum::extract::State;
use axum::response::Response;
use parlor_agents::tools::ServerHealth;
use parlor_chat::Project;
use parlor_guard::sanitizer::Sanitizer;
use serde::Serialize;

use super::errors::ApiError;
use super::json;
use crate::app::App;
use crate::auth::Admin;

#[derive(Serialize)]
struct Status<'a> {
    version: &'static str,
    uptime_seconds: u64,
    projects: Vec<ProjectStatus<'a>>,
}

#[derive(Serialize)]
struct ProjectStatus<'a> {
    id: &'a str,
    name: &'a str,
    agent: AgentStatus,
    mcp: Vec<ServerHealth>,
}

#[derive(Serialize)]
struct AgentStatus {
    kind: &'static str,
    model: String,
}

/// The version, and how the projects of the admin's tenant are.
pub(crate) async fn read(
    State(app): State<Arc<App>>,
    Admin(visitor): Admin,
) -> Result<Response, ApiError> {
    let projects = app.chat.projects().of(&visitor.caller.tenant);
    json(&Status {
        version: env!("CARGO_PKG_VERSION"),
        uptime_seconds: app.started.elapsed().as_secs(),
        projects: projects.map(|project| project_status(project)).collect(),
    })
}

fn project_status(project: &Project) -> ProjectStatus<'_> {
    let agent = project.agent.describe();
    let health = project.tools.as_ref().map(|tools| tools.health()).unwrap_or_default();
    ProjectStatus {
        id: project.id.as_str(),
        name: &project.name,
        agent: AgentStatus { kind: agent.kind, model: agent.model },
        mcp: health.into_iter().map(|health| clean(&project.sanitizer, health)).collect(),
    }
}

/// Problems are told in words that a stranger's program may have chosen.
fn clean(sanitizer: &Sanitizer, health: ServerHealth) -> ServerHealth {
    ServerHealth {
        problem: health.problem.map(|words| sanitizer.sanitize(&words)),
        warnings: health.warnings.iter().map(|words| sanitizer.sanitize(words)).collect(),
        ..health
    }
}
