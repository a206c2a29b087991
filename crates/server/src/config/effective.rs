//! What holds, value by value, and where each value comes from.
//!
//! 1. `whole`: the defaults, with everything that is set laid over them. The defaults are those of
//!    `parlor.example.toml`, which a test holds to what the code does; those that depend on other
//!    settings come from the resolved configuration. Loaded again, it is the same configuration.
//! 2. Each value gets its source: a line of the file, a variable, a flag, or the default.
//! 3. Secrets are masked ([`super::masking`]), so that nothing that has these values can show one.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, LazyLock};

use serde::Serialize;
use toml::{Table, Value};

use super::environment::Override;
use super::masking::{Masks, SECRET_VARIABLES, without_keys};
use super::places::Places;
use super::tenants::TenantConfig;
use super::webhooks::WebhookConfig;
use super::{AgentKind, Config, LoginConfig, ProjectConfig};

const EXAMPLE: &str = include_str!("../../../../parlor.example.toml");
/// The project of the example, whose values are the defaults of every project.
const EXAMPLE_PROJECT: [&str; 4] = ["tenants", "home", "projects", "recipes"];

/// Variables that matter and are no settings of the file.
const OTHER_VARIABLES: [&str; 4] =
    ["ANTHROPIC_BASE_URL", "OPENAI_BASE_URL", "OPENAI_MODEL", "RUST_LOG"];

/// All values of a configuration, without secrets.
#[derive(Clone, Default)]
pub struct Effective(Arc<Vec<EffectiveValue>>);

/// One value.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct EffectiveValue {
    /// The key with dots, or the name of a variable that is no key.
    pub key: String,
    /// The value, as the file would have it. A secret is `[masked]`.
    pub value: Value,
    /// What says so.
    pub source: ValueSource,
    /// Where exactly: `parlor.toml:12`, the variable or the flag. Defaults have no place.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub place: Option<String>,
}

/// What says what a value is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ValueSource {
    /// Nothing: it is the default.
    Default,
    /// The file.
    File,
    /// A variable of the environment.
    Environment,
    /// A flag of the command line.
    Flag,
}

/// What is set, and by what.
#[derive(Debug)]
pub(super) struct Layers<'l> {
    /// The file, with the environment and the flags laid over it.
    pub(super) set: &'l Table,
    /// Where the file has what it sets.
    pub(super) places: &'l Places,
    /// What the environment and the flags set.
    pub(super) overrides: &'l [Override],
    pub(super) environment: &'l BTreeMap<String, String>,
}

impl Effective {
    pub(super) fn of(config: &Config, layers: &Layers<'_>) -> Self {
        let whole = whole(config, layers.set);
        let masks = Masks::of(&whole, layers.environment);
        let mut leaves = Vec::new();
        flatten(&mut Vec::new(), &Value::Table(whole), &mut leaves);
        let values = leaves.into_iter().map(|(path, value)| {
            let (source, place) = layers.source(&path);
            EffectiveValue { key: key(&path), value: masks.masked(&path, value), source, place }
        });
        Self(Arc::new(values.chain(variables(layers.environment, &masks)).collect()))
    }

    /// The values, by key; after them the variables that are no keys.
    pub fn values(&self) -> impl Iterator<Item = EffectiveValue> + '_ {
        let shown = |value: &EffectiveValue| EffectiveValue {
            value: without_keys(&value.value),
            ..value.clone()
        };
        self.0.iter().map(shown)
    }
}

impl fmt::Debug for Effective {
    /// It says where values come from, which is no part of what the configuration is.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Effective")
    }
}

impl Layers<'_> {
    fn source(&self, path: &[String]) -> (ValueSource, Option<String>) {
        let dotted = path.join(".");
        // The last one wins: flags come after the environment.
        if let Some(set) = self.overrides.iter().rev().find(|set| set.key == dotted) {
            let is_flag = set.source.starts_with("--");
            let source = if is_flag { ValueSource::Flag } else { ValueSource::Environment };
            return (source, Some(set.source.clone()));
        }
        match self.places.of(path) {
            Some(place) => (ValueSource::File, Some(place)),
            None => (ValueSource::Default, None),
        }
    }
}

/// The variables that are set, matter, and are no settings of the file.
fn variables(environment: &BTreeMap<String, String>, masks: &Masks) -> Vec<EffectiveValue> {
    let names = SECRET_VARIABLES.iter().chain(&OTHER_VARIABLES);
    let set = names.filter_map(|name| {
        let value = environment.get(*name).filter(|value| !value.is_empty())?;
        let path = [(*name).to_owned()];
        Some(EffectiveValue {
            key: (*name).to_owned(),
            value: masks.masked(&path, Value::String(value.clone())),
            source: ValueSource::Environment,
            place: Some((*name).to_owned()),
        })
    });
    set.collect()
}

/// What holds, as a file that sets everything would have it. It holds secrets.
pub(super) fn whole(config: &Config, set: &Table) -> Table {
    /// Parsed once.
    static DEFAULTS: LazyLock<Table> =
        LazyLock::new(|| toml::from_str(EXAMPLE).unwrap_or_default());
    let example = DEFAULTS.clone();
    let project = EXAMPLE_PROJECT
        .iter()
        .try_fold(&example, |table, name| table.get(*name).and_then(Value::as_table));
    let project = project.cloned().unwrap_or_default();
    let tenants = config
        .tenants
        .iter()
        .map(|(id, tenant)| (id.to_string(), Value::Table(tenant_defaults(tenant, &project))));
    let tenants: Table = tenants.collect();
    let mut whole = example;
    whole.insert("tenants".to_owned(), Value::Table(tenants));
    let limits = &config.server.limits;
    let dependent = [("body_memory", limits.body_memory), ("import", limits.import)];
    if let Some(server) = section(&mut whole, &["server", "limits"]) {
        server.extend(dependent.map(|(key, bytes)| (key.to_owned(), size(bytes))));
    }
    lay_over(&mut whole, set);
    whole
}

/// What holds in a tenant if nothing is set; and the settings of its servers and programs, which
/// have their defaults in other crates, as they are.
fn tenant_defaults(tenant: &TenantConfig, project: &Table) -> Table {
    let projects = tenant.projects.iter();
    let projects: Table = projects
        .map(|(id, config)| (id.to_string(), Value::Table(project_defaults(config, project))))
        .collect();
    let mut defaults = Table::new();
    defaults.insert("name".to_owned(), text(&tenant.name));
    defaults.insert("default_project".to_owned(), text(tenant.default_project.as_str()));
    let reads = Value::Boolean(tenant.admins_read_conversations);
    defaults.insert("admins_read_conversations".to_owned(), reads);
    defaults.insert("share_links".to_owned(), text(tenant.share_links.as_str()));
    defaults.insert("roles".to_owned(), Value::Array(Vec::new()));
    if !tenant.login.oidc.is_empty() {
        defaults.insert("login".to_owned(), Value::Table(login_defaults(&tenant.login)));
    }
    if !tenant.webhooks.is_empty() {
        let webhooks = tenant.webhooks.iter();
        let webhooks = webhooks.map(|(name, webhook)| (name.clone(), webhook_defaults(webhook)));
        defaults.insert("webhooks".to_owned(), Value::Table(webhooks.collect()));
    }
    defaults.insert("projects".to_owned(), Value::Table(projects));
    defaults
}

fn webhook_defaults(webhook: &WebhookConfig) -> Value {
    let mut defaults = Table::new();
    let events = webhook.event_names().map(text).collect();
    defaults.insert("events".to_owned(), Value::Array(events));
    defaults.extend(serialized("content", &webhook.content));
    let allows = Value::Boolean(webhook.allow_private_addresses);
    defaults.insert("allow_private_addresses".to_owned(), allows);
    defaults.insert("keep".to_owned(), text(&format!("{}s", webhook.keep.as_secs())));
    Value::Table(defaults)
}

fn login_defaults(login: &LoginConfig) -> Table {
    let oidc = login.oidc.iter().map(|(id, provider)| {
        let mut defaults = Table::new();
        defaults.insert("title".to_owned(), text(&provider.title));
        let scopes = provider.scopes.iter().map(|scope| text(scope)).collect();
        defaults.insert("scopes".to_owned(), Value::Array(scopes));
        for (key, value) in [
            ("allow_private_addresses", provider.allow_private_addresses),
            ("log_out_at_provider", provider.log_out_at_provider),
        ] {
            defaults.insert(key.to_owned(), Value::Boolean(value));
        }
        defaults.extend(serialized("claims", &provider.claims));
        (id.to_string(), Value::Table(defaults))
    });
    Table::from_iter([("oidc".to_owned(), Value::Table(oidc.collect()))])
}

fn project_defaults(config: &ProjectConfig, usual: &Table) -> Table {
    let mut defaults = usual.clone();
    defaults.insert("name".to_owned(), text(&config.name));
    defaults.insert("recipe_vault".to_owned(), Value::Boolean(config.recipe_vault));
    let words = [("system_prompt", &config.system_prompt), ("reminder", &config.reminder)];
    for (key, value) in words {
        defaults.extend(value.as_ref().map(|value| (key.to_owned(), text(value))));
    }
    if let Some(flow) = section(&mut defaults, &["flow"]) {
        flow.extend(serialized("policy", &config.flow));
    }
    if let Some(agent) = section(&mut defaults, &["agent"]) {
        // Those of a program that is not the agent hold for nothing.
        match config.agent.kind {
            AgentKind::ClaudeCode => {
                agent.extend(serialized("claude_code", &config.agent.claude_code));
            }
            AgentKind::Acp => agent.extend(serialized("acp", &config.agent.acp)),
            AgentKind::Auto | AgentKind::Anthropic | AgentKind::Openai | AgentKind::Demo => {}
        }
    }
    if !config.mcp.is_empty() {
        defaults.extend(serialized("mcp", &config.mcp));
    }
    defaults
}

fn serialized(key: &str, settings: &impl Serialize) -> Option<(String, Value)> {
    Value::try_from(settings).ok().map(|value| (key.to_owned(), value))
}

fn text(text: &str) -> Value {
    Value::String(text.to_owned())
}

/// A size as the file has it.
fn size(bytes: usize) -> Value {
    const MB: usize = 1 << 20;
    Value::String(match bytes % MB {
        0 => format!("{}MB", bytes / MB),
        _ => format!("{bytes}B"),
    })
}

fn section<'t>(table: &'t mut Table, path: &[&str]) -> Option<&'t mut Table> {
    path.iter().try_fold(table, |table, name| table.get_mut(*name).and_then(Value::as_table_mut))
}

/// Lays what is set over what holds otherwise. A value in the environment of a program, and
/// everything that is no section, is one value.
fn lay_over(under: &mut Table, over: &Table) {
    for (key, value) in over {
        match (under.get_mut(key), value) {
            (Some(Value::Table(under)), Value::Table(over)) if !is_variable(over) => {
                lay_over(under, over);
            }
            _ => drop(under.insert(key.clone(), value.clone())),
        }
    }
}

/// Whether a table is the value of a variable: `{ env = "…" }`.
fn is_variable(table: &Table) -> bool {
    let is_name = |key: &str| table.get(key).is_some_and(Value::is_str);
    is_name("env") && table.keys().all(|key| (key == "env" || key == "prefix") && is_name(key))
}

/// The values below a value, with their paths.
fn flatten(path: &mut Vec<String>, value: &Value, leaves: &mut Vec<(Vec<String>, Value)>) {
    match value {
        Value::Table(table) if !table.is_empty() && !is_variable(table) => {
            for (key, value) in table {
                path.push(key.clone());
                flatten(path, value, leaves);
                path.pop();
            }
        }
        // A section in which nothing is set.
        Value::Table(table) if table.is_empty() => {}
        value => leaves.push((path.clone(), value.clone())),
    }
}

/// The path as the file would write it.
fn key(path: &[String]) -> String {
    let is_bare = |part: &str| {
        !part.is_empty() && part.chars().all(|c| c.is_ascii_alphanumeric() || c == '-' || c == '_')
    };
    let quoted = |part: &String| match is_bare(part) {
        true => part.clone(),
        false => text(part).to_string(),
    };
    path.iter().map(quoted).collect::<Vec<_>>().join(".")
}

#[cfg(test)]
mod tests;
