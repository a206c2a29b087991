//! From the configuration to the chat: each project with its guardrail, its sanitizer,
//! its agent and its tools.

mod agent;
mod known_values;
mod tools;

use std::collections::BTreeMap;
use std::sync::Arc;

use anyhow::Context;
use parlor_agent::Agent;
use parlor_agent::tools::Tools;
use parlor_chat::{Budgets, Chat, CheckedTools, Membership, Project, Projects, ReadPdf};
use parlor_guard::guardrail::Guardrail;
use parlor_guard::sanitizer::{Sanitizer, SanitizerSettings};
use parlor_mcp::{Login, McpHost, McpServerSettings};
use parlor_process::Supervisor;
use parlor_programs::bridge::{ProcessSlots, ProgramHost};
use parlor_protocol::{ProjectId, TenantId};
use parlor_storage::Store;
use secrecy::ExposeSecret;

pub use self::known_values::all_secrets;
pub(crate) use self::tools::STORAGE_URL;
use self::tools::THIS_PROGRAM;
pub use self::tools::{own_supervisor, recipe_vault};
use crate::clock::Clock;
use crate::config::{Config, Limits, MetricsConfig, ProjectConfig, TenantConfig};
use crate::mcp_logins::McpLogins;
use crate::metrics::MetricsToken;
use crate::oidc_logins::OidcLogins;
use crate::pdf_process::PdfProcess;
use crate::webhooks::Webhooks;

/// The kind of the demo model.
const DEMO: &str = "demo";

/// The chat, and what the administrator should know about its agents.
pub struct Composed {
    /// Conversations and their turns.
    pub chat: Chat,
    /// One line for each kind of agent in use.
    pub modes: Vec<String>,
    /// The MCP servers of all projects.
    pub mcp_hosts: McpHosts,
    /// Logins to them.
    pub mcp_logins: McpLogins,
    /// Providers that people log in with.
    pub oidc_logins: OidcLogins,
    /// What a monitoring system sends to read metrics.
    pub metrics_token: Option<MetricsToken>,
    /// Other systems that are told what waits.
    pub webhooks: Webhooks,
}

/// The MCP servers of each project that has some.
#[derive(Debug, Default)]
pub struct McpHosts(BTreeMap<(TenantId, ProjectId), Arc<McpHost>>);

impl McpHosts {
    /// Those of a project.
    pub(crate) fn get(&self, tenant: &TenantId, project: &ProjectId) -> Option<&Arc<McpHost>> {
        self.0.get(&(tenant.clone(), project.clone()))
    }

    /// Those of a tenant, by their project.
    pub(crate) fn of<'h>(
        &'h self,
        tenant: &'h TenantId,
    ) -> impl Iterator<Item = (&'h ProjectId, &'h Arc<McpHost>)> {
        let own = self.0.iter().filter(move |((of, _), _)| of == tenant);
        own.map(|((_, project), host)| (project, host))
    }
}

/// A configuration that was compiled without errors. Nothing is started yet, so that
/// errors show up before a child process runs.
pub struct Compiled {
    projects: Projects,
    modes: Vec<String>,
    mcp_hosts: McpHosts,
    mcp_logins: McpLogins,
    oidc_logins: OidcLogins,
    metrics_token: Option<MetricsToken>,
    webhooks: Webhooks,
}

/// Compiles a configuration on a blocking thread. Child processes will be started under
/// `supervisor`; `clock` is the one that tests move.
pub async fn compile(
    config: &Config,
    environment: BTreeMap<String, String>,
    supervisor: Supervisor,
    mcp_logins: McpLogins,
    clock: &Clock,
) -> anyhow::Result<Compiled> {
    let (config, clock) = (config.clone(), clock.clone());
    let compile = move || {
        let (mut projects, modes, mcp_hosts) =
            projects(&config, &environment, &supervisor, &mcp_logins)?;
        projects.keep_deleted_for(config.storage.undo_deletion);
        projects.set_budgets(budgets(&config, clock.clone()));
        let oidc_logins = OidcLogins::of(&config, &environment, &mcp_logins)?;
        let metrics_token = metrics_token(&config, &environment)?;
        let webhooks = Webhooks::of(&config, &environment, &clock)?;
        Ok(Compiled {
            projects,
            modes,
            mcp_hosts,
            mcp_logins,
            oidc_logins,
            metrics_token,
            webhooks,
        })
    };
    tokio::task::spawn_blocking(compile).await?
}

impl Compiled {
    /// Starts the child processes without waiting for them, and opens the chat.
    pub async fn open(self, store: Store, membership: Membership) -> anyhow::Result<Composed> {
        let Self { projects, webhooks, .. } = self;
        projects.all().filter_map(|project| project.tools.as_ref()).for_each(|tools| tools.start());
        // First: the chat may close prompts that a crash left behind.
        webhooks.store(&store).await?;
        let chat = Chat::open(store, projects, membership).await?;
        let Self { modes, mcp_hosts, mcp_logins, oidc_logins, metrics_token, .. } = self;
        Ok(Composed { chat, modes, mcp_hosts, mcp_logins, oidc_logins, metrics_token, webhooks })
    }
}

fn metrics_token(
    config: &Config,
    environment: &BTreeMap<String, String>,
) -> anyhow::Result<Option<MetricsToken>> {
    let Some(token) = &config.server.metrics.token else { return Ok(None) };
    let token = token.resolve(&|name: &str| environment.get(name).cloned());
    let token = token.and_then(|token| MetricsConfig::check(token.expose_secret()).map(|()| token));
    let token = token.map_err(anyhow::Error::msg).context("server.metrics.token")?;
    Ok(Some(MetricsToken::new(&token)?))
}

fn projects(
    config: &Config,
    environment: &BTreeMap<String, String>,
    supervisor: &Supervisor,
    logins: &McpLogins,
) -> anyhow::Result<(Projects, Vec<String>, McpHosts)> {
    let mut projects = Projects::new(config.server.limits.tenant_turns);
    let (mut modes, mut hosts) = (Vec::new(), McpHosts::default());
    let processes = processes(config, supervisor);
    for (tenant, settings) in &config.tenants {
        for (id, settings) in &settings.projects {
            let login = logins.of_project(tenant, id);
            let place = Place { tenant, id };
            let (project, host) =
                with_tools(config, place, settings, environment, &processes, Some(&login))
                    .with_context(|| place.path())?;
            hosts.0.extend(host.map(|host| ((tenant.clone(), id.clone()), host)));
            let mode = mode(&project);
            if !modes.contains(&mode) {
                modes.push(mode);
            }
            projects.add(tenant.clone(), project);
        }
    }
    Ok((projects, modes, hosts))
}

/// The MCP servers of a project, the bundled one among them.
pub(crate) fn servers_of(
    config: &Config,
    tenant: &TenantId,
    project: &ProjectConfig,
) -> BTreeMap<String, McpServerSettings> {
    let mut servers = project.mcp.clone();
    if project.recipe_vault {
        let (name, vault) = recipe_vault(tenant, &config.server.data_dir, &config.storage);
        let own = servers.remove(&name).unwrap_or_default();
        servers.insert(name, tools::bundled(own, vault));
    }
    servers
}

/// The agent of a project without its tools, to see whether its settings can be used. Must be called
/// within a tokio runtime.
pub(crate) fn agent_alone(
    project: &ProjectConfig,
    environment: &BTreeMap<String, String>,
) -> anyhow::Result<Arc<dyn Agent>> {
    let programs = ProgramHost { supervisor: own_supervisor(), slots: ProcessSlots::new(1) };
    let env = |name: &str| environment.get(name).cloned();
    Ok(agent::build_agent(&project.agent, env, None, &programs)?)
}

/// What is wrong with the projects, although each setting alone can be read. Nothing is started.
/// Needs a runtime.
pub(crate) fn problems(config: &Config, environment: &BTreeMap<String, String>) -> Vec<String> {
    let processes = processes(config, &own_supervisor());
    let mut problems = Vec::new();
    if let Err(error) = metrics_token(config, environment) {
        problems.push(format!("{error:#}"));
    }
    if let Err(error) = Webhooks::of(config, environment, &Clock::default()) {
        problems.push(format!("{error:#}"));
    }
    for (tenant, settings) in &config.tenants {
        for (id, settings) in &settings.projects {
            let place = Place { tenant, id };
            if let Err(error) = with_tools(config, place, settings, environment, &processes, None) {
                problems.push(format!("{}: {error:#}", place.path()));
            }
        }
        for (id, provider) in &settings.login.oidc {
            let env = |name: &str| environment.get(name).cloned();
            let secret = provider.client_secret.as_ref().map(|secret| secret.resolve(&env));
            if let Some(Err(why)) = secret {
                problems.push(format!("tenants.{tenant}.login.oidc.{id}.client_secret: {why}"));
            }
        }
    }
    problems
}

/// Where a project is in the configuration.
#[derive(Clone, Copy)]
struct Place<'p> {
    tenant: &'p TenantId,
    id: &'p ProjectId,
}

impl Place<'_> {
    fn path(self) -> String {
        format!("tenants.{}.projects.{}", self.tenant, self.id)
    }
}

/// Who starts processes for projects.
struct Processes {
    programs: ProgramHost,
    pdf: Arc<dyn ReadPdf>,
}

fn processes(config: &Config, supervisor: &Supervisor) -> Processes {
    let most = config.server.limits.agent_processes;
    let slots = ProcessSlots::new(usize::try_from(most).unwrap_or(usize::MAX));
    let programs = ProgramHost { supervisor: supervisor.clone(), slots };
    let pdf = PdfProcess::new(supervisor.clone(), THIS_PROGRAM.into());
    Processes { programs, pdf: Arc::new(pdf) }
}

/// A project and its MCP servers.
fn with_tools(
    config: &Config,
    Place { tenant, id }: Place<'_>,
    settings: &ProjectConfig,
    environment: &BTreeMap<String, String>,
    processes: &Processes,
    login: Option<&Login>,
) -> anyhow::Result<(Project, Option<Arc<McpHost>>)> {
    let mut settings = settings.clone();
    settings.prompt_timeout.get_or_insert(config.server.prompt_timeout);
    settings.mcp = servers_of(config, tenant, &settings);
    let name = format!("{tenant}/{id}");
    let host = tools::host(&name, &settings, &processes.programs.supervisor, environment, login)?;
    let tools = host.clone().map(|host| host as Arc<dyn Tools>);
    let limits = &config.server.limits;
    let project = project(id, &settings, limits, environment, tools, processes)?;
    Ok((project, host))
}

fn budgets(config: &Config, clock: Clock) -> Budgets {
    let of = |(id, tenant): (&TenantId, &TenantConfig)| (id.clone(), tenant.budgets.clone());
    let ahead = move || clock.ahead_ms();
    Budgets::new(config.tenants.iter().map(of).collect(), Arc::new(ahead))
}

fn project(
    id: &ProjectId,
    config: &ProjectConfig,
    limits: &Limits,
    environment: &BTreeMap<String, String>,
    tools: Option<Arc<dyn Tools>>,
    processes: &Processes,
) -> anyhow::Result<Project> {
    let env = |name: &str| environment.get(name).cloned();
    let behind_bridge = config.agent.kind.is_program();
    let mut masks =
        if behind_bridge { bridge_masks(config, &env) } else { config.sanitizer.clone() };
    masks.known = known_values::known_values(config, behind_bridge, &env);
    let guardrail = Guardrail::new(&config.guard).context("guard")?;
    guardrail.know_prompt(config.system_prompt.as_deref().unwrap_or_default());
    let checked = |tools| Arc::new(CheckedTools::new(tools, guardrail.clone())) as Arc<dyn Tools>;
    let tools = tools.map(checked);
    Ok(Project {
        id: id.clone(),
        name: config.name.clone(),
        guardrail,
        sanitizer: Sanitizer::new(&masks).context("sanitizer")?,
        agent: agent::build_agent(&config.agent, env, tools.clone(), &processes.programs)?,
        tools,
        system_prompt: config.system_prompt.clone(),
        reminder: config.reminder.clone(),
        prompt_timeout: config.prompt_timeout.unwrap_or_default(),
        approvers: config.approvers.clone(),
        // A program keeps its own context.
        context_tokens: if behind_bridge { u64::MAX } else { config.agent.model.context_tokens },
        files: limits.of_files(),
        pdf: Arc::clone(&processes.pdf),
        max_answer_bytes: limits.answer,
        max_turns: limits.project_turns,
        prices: config.prices,
        flow: config.flow,
        flow_notes: Arc::default(),
        metrics: Arc::default(),
    })
}

/// Masks for an agent behind a bridge (S-5): its name, its home and its working
/// directory, unless the project sets others.
fn bridge_masks(config: &ProjectConfig, env: &dyn Fn(&str) -> Option<String>) -> SanitizerSettings {
    let mut masks = config.sanitizer.clone();
    let agent = &config.agent;
    // A path that is too short is too common to be masked, one that is too long never
    // occurs in a text.
    let fits = |path: &String| (2..=128).contains(&path.len()) && path.starts_with('/');
    masks.behind_bridge.get_or_insert(true);
    if masks.home.is_none() {
        masks.home = agent.program_home(env).filter(fits);
    }
    if masks.workspace.is_none() {
        // The path as the program sees it.
        let dir = agent.program_dir().and_then(|dir| dir.canonicalize().ok());
        masks.workspace = dir.map(|dir| dir.display().to_string()).filter(fits);
    }
    masks
}

fn mode(project: &Project) -> String {
    let agent = project.agent.describe();
    match agent.kind {
        DEMO => "demo model: set ANTHROPIC_API_KEY to talk to Claude, or OPENAI_API_KEY or \
                 OPENAI_BASE_URL to talk to another model"
            .to_owned(),
        kind => format!("{kind}: {}", agent.model),
    }
}
