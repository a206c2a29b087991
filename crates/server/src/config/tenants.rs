//! `[tenants.…]`: households, teams or customers, and their projects.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use parlor_chat::{Budget, FlowPolicy, Prices, TenantBudgets};
use parlor_guard::guardrail::GuardSettings;
use parlor_guard::sanitizer::SanitizerSettings;
use parlor_mcp::McpServerSettings;
use parlor_protocol::{Approvers, ProjectId, RoleName, TenantId};

use super::agent::AgentConfig;
use super::approvers;
use super::budgets;
use super::default_name::capitalised;
use super::login::LoginConfig;
use super::look::LookConfig;
use super::on_reload::OnReload;
use super::origins::origins;
use super::raw::{RawProject, RawTenant};
use super::share_links::ShareLinks;
use super::webhooks::WebhookConfig;
use super::{AtPlace, Config, ConfigError, kept};

/// The tenant of a server without configured tenants.
pub const HOME: &str = "home";
const RECIPES: &str = "recipes";

/// The system prompt and the reminder of a project with Recipe Vault (K-4, K-5).
const RECIPES_PROMPT: &str = include_str!("../../system_prompts/recipes.md");
const RECIPES_REMINDER: &str = include_str!("../../system_prompts/recipes_reminder.md");

/// A household, a team or a customer.
#[derive(Debug, Clone)]
pub struct TenantConfig {
    /// The name that people see.
    pub name: String,
    /// The project of a message that names none.
    pub default_project: ProjectId,
    /// Whether its administrators read the conversations that people have to themselves.
    pub admins_read_conversations: bool,
    /// The roles that its people may have.
    pub roles: Vec<RoleName>,
    /// Who may open links to its conversations.
    pub share_links: ShareLinks,
    /// How its people log in, beside passwords.
    pub login: LoginConfig,
    /// How much may be used in it.
    pub budgets: TenantBudgets,
    /// Other systems that are told what waits.
    pub webhooks: BTreeMap<String, WebhookConfig>,
    /// Its projects.
    pub projects: BTreeMap<ProjectId, ProjectConfig>,
}

/// One agent with its tools and policies.
#[derive(Debug, Clone)]
pub struct ProjectConfig {
    /// The name that people see.
    pub name: String,
    /// The system prompt.
    pub system_prompt: Option<String>,
    /// The reminder in long conversations (K-5).
    pub reminder: Option<String>,
    /// The timeout of prompts that hold up a turn; the server's own if absent.
    pub prompt_timeout: Option<Duration>,
    /// Whose answers to approvals count, of tools that say nothing of it.
    pub approvers: Option<Approvers>,
    /// Whether Recipe Vault is among its tools.
    pub recipe_vault: bool,
    /// What happens if somebody opens the chat without the address of a conversation.
    pub on_reload: OnReload,
    /// How it looks.
    pub look: LookConfig,
    /// Other sites whose pages may use this project with an API key.
    pub allowed_origins: Vec<String>,
    /// Sites that show its chat in their pages.
    pub embed: EmbedConfig,
    /// The guardrail.
    pub guard: GuardSettings,
    /// The sanitizer.
    pub sanitizer: SanitizerSettings,
    /// The agent.
    pub agent: AgentConfig,
    /// Its MCP servers, by name.
    pub mcp: BTreeMap<String, McpServerSettings>,
    /// What is done about words of others (F-2).
    pub flow: FlowPolicy,
    /// What tokens cost, where the agent does not say what a turn cost.
    pub prices: Option<Prices>,
}

/// `[….embed]`: sites that show the chat of a project in their pages (U-12).
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct EmbedConfig {
    /// Their origins. Without any there is nothing to embed.
    pub origins: Vec<String>,
}

impl Config {
    /// The origins of the sites that embed a project; none if there are none.
    pub(crate) fn sites_of(&self, tenant: &str, project: &str) -> Option<&[String]> {
        let tenant = self.tenants.get(&tenant.parse().ok()?)?;
        let origins = tenant.projects.get(&project.parse().ok()?)?.embed.origins.as_slice();
        (!origins.is_empty()).then_some(origins)
    }
}

/// A configuration without tenants has one, with one project. Errors are collected, and what has
/// one is left out.
pub(super) fn resolve(
    raw: BTreeMap<TenantId, RawTenant>,
    collect: &mut dyn FnMut(ConfigError),
) -> BTreeMap<TenantId, TenantConfig> {
    let raw = match raw.is_empty() {
        false => raw,
        true => {
            let home = HOME.parse::<TenantId>().map_err(|error| error.to_string()).at("tenants");
            kept(home, collect).map(|home| (home, RawTenant::default())).into_iter().collect()
        }
    };
    raw.into_iter()
        .filter_map(|(id, raw)| {
            let tenant = TenantConfig::resolve(id.as_str(), raw, collect)?;
            Some((id, tenant))
        })
        .collect()
}

impl TenantConfig {
    fn resolve(id: &str, raw: RawTenant, collect: &mut dyn FnMut(ConfigError)) -> Option<Self> {
        let place = format!("tenants.{id}.default_project");
        let login = LoginConfig::resolve(&format!("tenants.{id}.login"), raw.login);
        let login = kept(login, collect);
        let raw_projects = match raw.projects.is_empty() {
            false => raw.projects,
            true => {
                let recipes = RECIPES.parse::<ProjectId>().map_err(|error| error.to_string());
                // A project that nobody configured is new: people are asked. One that is configured
                // without a policy may be older than it, so that only what would be asked is noted.
                let mut raw = RawProject::default();
                raw.flow.policy = Some(FlowPolicy::Ask);
                kept(recipes.at(&place), collect).map(|id| (id, raw)).into_iter().collect()
            }
        };
        let roles = approvers::roles(&raw.roles, &format!("tenants.{id}.roles"));
        let roles = kept(roles, collect)?;
        if let Some(login) = &login {
            let place = format!("tenants.{id}.login");
            kept(approvers::of_logins(login, &roles, &place), collect)?;
        }
        let known: BTreeSet<ProjectId> = raw_projects.keys().cloned().collect();
        let mut of_projects = BTreeMap::new();
        let projects: BTreeMap<ProjectId, ProjectConfig> = raw_projects
            .into_iter()
            .filter_map(|(project, mut raw)| {
                let place = format!("tenants.{id}.projects.{project}");
                let budget = std::mem::take(&mut raw.budget).resolve(&format!("{place}.budget"));
                let budget = kept(budget, collect).unwrap_or_default();
                if budget != Budget::default() {
                    of_projects.insert(project.clone(), budget);
                }
                let resolved = ProjectConfig::resolve(project.as_str(), raw, &roles, &place);
                Some((project, kept(resolved, collect)?))
            })
            .collect();
        let default_project = match raw.default_project {
            Some(id) if known.contains(&id) => Ok(id),
            Some(id) => Err(format!("there is no project '{id}' in this tenant")),
            None => known.first().cloned().ok_or_else(|| "there is none".to_owned()),
        };
        let budgets = raw.budgets.resolve(of_projects, &format!("tenants.{id}.budgets"));
        let budgets = kept(budgets, collect).unwrap_or_default();
        let costs = {
            let agents = projects.iter().map(|(id, one)| (id, one.agent.kind, one.prices));
            budgets::check_costs(&budgets, agents, &format!("tenants.{id}"))
        };
        kept(costs, collect)?;
        let place_of_webhooks = format!("tenants.{id}.webhooks");
        let webhooks = WebhookConfig::resolve_all(&place_of_webhooks, raw.webhooks, &known);
        let webhooks = kept(webhooks, collect);
        Some(Self {
            name: raw.name.unwrap_or_else(|| capitalised(id)),
            default_project: kept(default_project.at(&place), collect)?,
            admins_read_conversations: raw.admins_read_conversations.unwrap_or(false),
            roles,
            share_links: raw.share_links.unwrap_or_default(),
            login: login?,
            budgets,
            webhooks: webhooks?,
            projects,
        })
    }
}

impl ProjectConfig {
    /// `place` is the section, for errors.
    fn resolve(
        id: &str,
        mut raw: RawProject,
        roles: &[RoleName],
        place: &str,
    ) -> Result<Self, ConfigError> {
        // A project of this name is what people try first, so it has Recipe Vault by
        // default. A program has its own tools.
        let has_own_tools = raw.agent.kind.is_program();
        let recipe_vault = raw.recipe_vault.unwrap_or(id == RECIPES && !has_own_tools);
        if recipe_vault && !raw.approvers.is_empty() {
            raw.mcp.entry(RECIPES.to_owned()).or_default();
        }
        let approvers = approvers::of_project(&raw.approvers, &mut raw.mcp, roles, place)?;
        let of_recipes = |text: &str| recipe_vault.then(|| text.trim_end().to_owned());
        Ok(Self {
            name: raw.name.unwrap_or_else(|| capitalised(id)),
            look: LookConfig::resolve(raw.look, &format!("{place}.look"))?,
            allowed_origins: origins(raw.allowed_origins, &format!("{place}.allowed_origins"))?,
            embed: EmbedConfig {
                origins: origins(raw.embed.origins, &format!("{place}.embed.origins"))?,
            },
            system_prompt: raw.system_prompt.or_else(|| of_recipes(RECIPES_PROMPT)),
            reminder: raw.reminder.or_else(|| of_recipes(RECIPES_REMINDER)),
            prompt_timeout: raw.prompt_timeout.map(|span| span.0),
            approvers,
            recipe_vault,
            on_reload: raw.on_reload.unwrap_or_default(),
            guard: raw.guard,
            sanitizer: raw.sanitizer,
            agent: raw.agent.into(),
            mcp: raw.mcp,
            flow: raw.flow.policy.unwrap_or(FlowPolicy::Watch),
            prices: raw.prices.resolve(&format!("{place}.prices"))?,
        })
    }
}
