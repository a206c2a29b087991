//! What happened in projects.

use parlor_agent::tools::{ServerHealth, ServerState};
use parlor_chat::Project;
use parlor_guard::guardrail::Policy;
use parlor_metrics::{Counter, Exposition, Family, Kind, TimingCounts, Timings};
use parlor_protocol::TenantId;

use super::samples::{Samples, place};
use crate::app::App;

/// A project, and the labels of its samples.
struct Counted<'a> {
    place: Vec<(&'static str, String)>,
    project: &'a Project,
    policy: &'static str,
    servers: Vec<ServerHealth>,
}

/// Writes what happened in all projects, or in those of one tenant.
pub(super) fn write(app: &App, only: Option<&TenantId>, text: &mut Exposition) {
    let projects = app.chat.projects().with_tenants();
    let projects = projects.filter(|(tenant, _)| only.is_none_or(|only| only == *tenant));
    let projects: Vec<Counted<'_>> = projects
        .map(|(tenant, project)| Counted {
            place: place(app.config.server.metrics.labels, tenant, &project.id),
            policy: policy(app, tenant, project),
            servers: project.tools.as_ref().map(|tools| tools.health()).unwrap_or_default(),
            project,
        })
        .collect();
    let mut write = Writer { projects: &projects, text };
    turns(&mut write);
    prompts(&mut write);
    tools(&mut write);
}

fn policy(app: &App, tenant: &TenantId, project: &Project) -> &'static str {
    let tenant = app.config.tenants.get(tenant);
    match tenant.and_then(|tenant| tenant.projects.get(&project.id)).map(|own| own.guard.policy) {
        Some(Policy::Balanced) => "balanced",
        Some(Policy::Monitor) => "monitor",
        Some(Policy::Strict) | None => "strict",
    }
}

fn turns(write: &mut Writer<'_, '_>) {
    write.family(
        "parlor_turns_total",
        "Turns that ended, by outcome: complete, stopped, error, interrupted.",
        ["outcome"],
        |project| &project.metrics.turns,
    );
    write.family(
        "parlor_turn_errors_total",
        "Turns that failed, by the code of the error.",
        ["code"],
        |project| &project.metrics.errors,
    );
    write.timings(
        "parlor_turn_seconds",
        "How long turns took, without the time that people took to answer.",
        |project| &project.metrics.turn_time,
    );
    write.timings(
        "parlor_turn_first_words_seconds",
        "How long the first words of a turn took.",
        |project| &project.metrics.first_words,
    );
    write.timings(
        "parlor_model_first_token_seconds",
        "How long a call of a model took until it said something.",
        |project| &project.metrics.first_token,
    );
    write.counter("parlor_events_total", "Events that turns stored.", |project| {
        &project.metrics.events
    });
    write.counter(
        "parlor_tokens_total",
        "Tokens in and out, as far as agents report them.",
        |project| &project.metrics.tokens,
    );
    let mut cost = Samples::<f64>::default();
    for counted in write.projects {
        cost.add(&counted.place, &[], counted.project.metrics.cost_micros.get() as f64 / 1e6);
    }
    cost.write(write.text, "parlor_cost_dollars_total", "Cost, as far as it is known.");
}

fn prompts(write: &mut Writer<'_, '_>) {
    write.family(
        "parlor_prompts_opened_total",
        "Prompts that opened, by kind.",
        ["kind"],
        |project| &project.metrics.prompts_opened,
    );
    write.family(
        "parlor_prompts_closed_total",
        "Prompts that closed, by kind and outcome: answered, refused, expired, cancelled.",
        ["kind", "outcome"],
        |project| &project.metrics.prompts_closed,
    );
    write.timings(
        "parlor_prompt_wait_seconds",
        "How long prompts waited until they closed.",
        |project| &project.metrics.prompt_wait,
    );
    let mut inputs = Samples::<u64>::default();
    for counted in write.projects {
        for ([rule, action], count) in counted.project.metrics.inputs.counts() {
            let labels = [("rule", &*rule), ("action", &*action), ("policy", counted.policy)];
            inputs.add(&counted.place, &labels, count);
        }
    }
    inputs.write(
        write.text,
        "parlor_guard_matches_total",
        Kind::Counter,
        "Inputs that matched a rule of the guardrail, by rule, action and policy.",
    );
}

fn tools(write: &mut Writer<'_, '_>) {
    write.family(
        "parlor_tool_calls_total",
        "Tool calls that ended, by server and result: completed, error, denied.",
        ["server", "result"],
        |project| &project.metrics.tool_calls,
    );
    let (mut ready, mut restarts) = (Samples::<u64>::default(), Samples::<u64>::default());
    for counted in write.projects {
        for server in &counted.servers {
            let label = [("server", server.server.as_str())];
            let is_ready = server.state == ServerState::Ready;
            ready.add(&counted.place, &label, u64::from(is_ready));
            restarts.add(&counted.place, &label, server.restarts);
        }
    }
    let help = "MCP servers that are ready.";
    ready.write(write.text, "parlor_mcp_servers_ready", Kind::Gauge, help);
    let help = "How often MCP servers were started again.";
    restarts.write(write.text, "parlor_mcp_server_restarts_total", Kind::Counter, help);
}

/// Writes one metric of all projects after the other.
struct Writer<'w, 'p> {
    projects: &'w [Counted<'p>],
    text: &'w mut Exposition,
}

impl Writer<'_, '_> {
    fn counter(&mut self, name: &'static str, help: &str, of: fn(&Project) -> &Counter) {
        let mut samples = Samples::<u64>::default();
        for counted in self.projects {
            samples.add(&counted.place, &[], of(counted.project).get());
        }
        samples.write(self.text, name, Kind::Counter, help);
    }

    fn timings(&mut self, name: &'static str, help: &str, of: fn(&Project) -> &Timings) {
        let mut samples = Samples::<TimingCounts>::default();
        for counted in self.projects {
            samples.add(&counted.place, &[], of(counted.project).counts());
        }
        samples.write(self.text, name, help);
    }

    fn family<const N: usize>(
        &mut self,
        name: &'static str,
        help: &str,
        labels: [&'static str; N],
        of: fn(&Project) -> &Family<N>,
    ) {
        let mut samples = Samples::<u64>::default();
        for counted in self.projects {
            for (values, count) in of(counted.project).counts() {
                let labels: Vec<(&'static str, &str)> =
                    labels.iter().copied().zip(values.iter().map(String::as_str)).collect();
                samples.add(&counted.place, &labels, count);
            }
        }
        samples.write(self.text, name, Kind::Counter, help);
    }
}
