//! `GET /api/admin/status`: version, server health and activity, for admins (M-2).

use std::sync::Arc;
use std::time::{Duration, SystemTime};

use axum::extract::State;
use axum::response::Response;
use parlor_agent::flow::ToolFlow;
use parlor_agent::tools::ServerHealth;
use parlor_chat::{FlowNote, FlowPolicy, Project};
use parlor_fanout::Health;
use parlor_guard::Clean;
use parlor_guard::sanitizer::Sanitizer;
use parlor_protocol::{TenantId, Timestamp};
use parlor_storage::{Activity, PushNumbers};
use serde::Serialize;

use super::errors::ApiError;
use super::json;
use super::principal::Admin;
use crate::app::App;
use crate::webhooks::Receiver;

#[derive(Serialize)]
struct Status<'a> {
    version: &'static str,
    uptime_seconds: u64,
    projects: Vec<ProjectStatus<'a>>,
    /// Of the last day, by project and hour.
    activity: Vec<ActivityStatus>,
    /// Notifications to devices of the tenant.
    push: PushStatus,
    /// The servers that share the database, if there can be several.
    #[serde(skip_serializing_if = "Option::is_none")]
    nodes: Option<NodesStatus>,
    /// Other systems that are told what waits.
    webhooks: Vec<WebhookStatus>,
}

#[derive(Serialize)]
struct PushStatus {
    enabled: bool,
    /// Devices that are notified.
    subscriptions: u64,
    /// Those of them whose last message was not taken.
    failing: u64,
    /// Messages that are to be sent.
    unsent: u64,
    /// Why nothing can be sent.
    #[serde(skip_serializing_if = "Option::is_none")]
    problem: Option<String>,
}

#[derive(Serialize)]
struct NodesStatus {
    /// What carries hints between them: `postgres` or `redis`.
    channel: &'static str,
    /// Whether hints arrive. While they do not, everything works, but slower.
    heard: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    problem: Option<String>,
    nodes: Vec<NodeStatus>,
}

#[derive(Serialize)]
struct NodeStatus {
    name: String,
    version: String,
    /// Whether it is the one that answers.
    this: bool,
    /// Whether it runs; one that does not is listed for a day.
    alive: bool,
    started_at: Timestamp,
    beat_at: Timestamp,
    turns: u64,
}

#[derive(Serialize)]
struct WebhookStatus {
    name: String,
    /// Where it is, without a path, which may be a secret.
    origin: String,
    /// Messages that it did not take yet.
    waiting: u64,
    /// When the oldest of them happened.
    #[serde(skip_serializing_if = "Option::is_none")]
    oldest: Option<Timestamp>,
    /// Why one of them was not taken.
    #[serde(skip_serializing_if = "Option::is_none")]
    problem: Option<String>,
    /// Messages that it took from this node since its start.
    taken: u64,
    /// Attempts that failed.
    failed: u64,
    /// Messages that it did not take in time.
    expired: u64,
}

#[derive(Serialize)]
struct ProjectStatus<'a> {
    id: &'a str,
    name: &'a str,
    agent: AgentStatus,
    mcp: Vec<ServerHealth>,
    flow: FlowStatus,
    tools: Vec<ToolLabels>,
}

/// What is done about words of others.
#[derive(Serialize)]
struct FlowStatus {
    policy: FlowPolicy,
    /// How many calls would have been asked about, since the start, if the policy only watches.
    would_ask: u64,
    /// The last of them.
    last: Vec<FlowNote>,
}

/// The labels of a tool, each with why it is so.
#[derive(Serialize)]
struct ToolLabels {
    name: String,
    server: String,
    #[serde(flatten)]
    flow: ToolFlow,
}

#[derive(Serialize)]
struct AgentStatus {
    kind: &'static str,
    model: String,
    warnings: Vec<String>,
}

#[derive(Serialize)]
struct ActivityStatus {
    project: String,
    /// When the hour began.
    hour: Timestamp,
    turns: u64,
    tokens: u64,
    /// As far as the agents report their cost.
    cost_usd: f64,
}

const DAY: Duration = Duration::from_secs(24 * 60 * 60);

/// The version, and the projects and last day of the admin's tenant.
pub(crate) async fn read(
    State(app): State<Arc<App>>,
    Admin(principal): Admin,
) -> Result<Response, ApiError> {
    let projects = app.chat.projects().of(&principal.caller.tenant);
    let activity = app.store.activity(&principal.caller.tenant, a_day_ago()).await?;
    json(&Status {
        version: env!("CARGO_PKG_VERSION"),
        uptime_seconds: app.started.elapsed().as_secs(),
        projects: projects.map(|project| project_status(project)).collect(),
        activity: activity.into_iter().map(activity_status).collect(),
        push: push_status(&app, &principal.caller.tenant).await?,
        nodes: nodes_status(&app).await?,
        webhooks: webhooks_status(&app, &principal.caller.tenant).await?,
    })
}

async fn webhooks_status(app: &App, tenant: &TenantId) -> Result<Vec<WebhookStatus>, ApiError> {
    let queues = app.store.webhooks().queues(tenant).await?;
    let status = |receiver: &Arc<Receiver>| {
        let queue = queues.iter().find(|queue| queue.webhook == receiver.name);
        WebhookStatus {
            name: receiver.name.clone(),
            origin: receiver.config.url.origin().ascii_serialization(),
            waiting: queue.map_or(0, |queue| queue.waiting),
            oldest: queue.map(|queue| queue.oldest),
            problem: queue.and_then(|queue| queue.problem.clone()),
            taken: receiver.taken.get(),
            failed: receiver.failed.get(),
            expired: receiver.expired.get(),
        }
    };
    Ok(app.webhooks.of_tenant(tenant).map(status).collect())
}

async fn push_status(app: &App, tenant: &TenantId) -> Result<PushStatus, ApiError> {
    let (numbers, problem) = app.push.numbers(tenant).await?;
    let PushNumbers { subscriptions, failing, unsent } = numbers;
    let enabled = app.push.config().enabled;
    Ok(PushStatus { enabled, subscriptions, failing, unsent, problem })
}

async fn nodes_status(app: &App) -> Result<Option<NodesStatus>, ApiError> {
    if !app.store.is_shared() {
        return Ok(None);
    }
    let boot = app.chat.boot();
    let nodes = app.store.nodes().await?.into_iter().map(|node| NodeStatus {
        this: node.boot == boot,
        alive: !node.is_dead,
        name: node.name,
        version: node.version,
        started_at: node.started_at,
        beat_at: node.beat_at,
        turns: node.turns,
    });
    let Health { kind: channel, heard, problem } = app.fanout.health();
    Ok(Some(NodesStatus { channel, heard, problem, nodes: nodes.collect() }))
}

fn a_day_ago() -> Timestamp {
    let then = SystemTime::now().checked_sub(DAY).unwrap_or(SystemTime::UNIX_EPOCH);
    let since = then.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    Timestamp(i64::try_from(since.as_millis()).unwrap_or_default())
}

fn activity_status(activity: Activity) -> ActivityStatus {
    ActivityStatus {
        project: activity.project.to_string(),
        hour: activity.hour,
        turns: activity.turns,
        tokens: activity.tokens,
        cost_usd: activity.cost_micros as f64 / 1e6,
    }
}

fn project_status(project: &Project) -> ProjectStatus<'_> {
    let agent = project.agent.describe();
    let health = project.tools.as_ref().map(|tools| tools.health()).unwrap_or_default();
    ProjectStatus {
        id: project.id.as_str(),
        name: &project.name,
        agent: AgentStatus {
            kind: agent.kind,
            model: agent.model,
            warnings: project.agent.warnings(),
        },
        mcp: health.into_iter().map(|health| clean_health(&project.sanitizer, health)).collect(),
        flow: FlowStatus {
            policy: project.flow,
            would_ask: project.flow_notes.count(),
            last: project.flow_notes.last(),
        },
        tools: tool_labels(project),
    }
}

fn tool_labels(project: &Project) -> Vec<ToolLabels> {
    let tools = project.tools.as_ref().map(|tools| tools.list());
    let tools = tools.iter().flat_map(|tools| tools.iter());
    let clean = |text: &String| Clean::new(&project.sanitizer, text.clone()).into_inner();
    tools
        .map(|tool| ToolLabels {
            name: clean(&tool.spec.name),
            server: tool.server.clone(),
            flow: tool.flow,
        })
        .collect()
}

/// An MCP server chooses the text of its problems, so it is sanitized.
pub(super) fn clean_health(sanitizer: &Sanitizer, health: ServerHealth) -> ServerHealth {
    ServerHealth {
        problem: health.problem.map(|text| Clean::new(sanitizer, text).into_inner()),
        warnings: Clean::new(sanitizer, health.warnings).into_inner(),
        ..health
    }
}
