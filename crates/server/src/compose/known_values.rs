//! Values of the configuration that no agent may reveal: secrets, model names and
//! addresses (S-5, X-3). They are masked by their exact value; very short ones are not.

use std::collections::BTreeMap;

use parlor_guard::sanitizer::KnownValues;
use parlor_process::SettingValue;
use secrecy::ExposeSecret as _;

use crate::config::{Config, ProjectConfig};

/// The keys of model servers, in the server's own environment.
const MODEL_KEYS: [&str; 3] = ["ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "OPENAI_API_KEY"];
const MODEL: &str = "OPENAI_MODEL";

/// Parts of the names of secrets.
const SECRET_NAMES: [&str; 8] =
    ["KEY", "TOKEN", "SECRET", "PASS", "AUTH", "CREDENTIAL", "COOKIE", "PRIVATE"];
/// How the names of variables with the address of a model end.
const ADDRESS_NAME: &str = "_BASE_URL";

/// Looks up an environment variable of the server.
type Env<'a> = &'a dyn Fn(&str) -> Option<String>;

/// What the agent and the tools of a project must not reveal.
pub(super) fn known_values(
    config: &ProjectConfig,
    behind_bridge: bool,
    env: Env<'_>,
) -> KnownValues {
    let agent = &config.agent;
    let models = agent.model.model.clone().into_iter().chain(env(MODEL));
    let mut known = KnownValues {
        secrets: secrets_of(config, env),
        models: models.collect(),
        ..KnownValues::default()
    };
    if behind_bridge {
        known.addresses.extend(agent.model.base_url.clone());
        let addresses = agent.program_env().filter(|(name, _)| name.ends_with(ADDRESS_NAME));
        known.addresses.extend(addresses.filter_map(|(_, value)| bare_value(value, env)));
    }
    known
}

/// All secrets of the server, to be masked in its log.
pub fn all_secrets(config: &Config, environment: &BTreeMap<String, String>) -> Vec<String> {
    let env = |name: &str| environment.get(name).cloned();
    let projects = config.tenants.values().flat_map(|tenant| tenant.projects.values());
    let mut secrets: Vec<String> = projects.flat_map(|project| secrets_of(project, &env)).collect();
    let own = &config.credentials;
    let own =
        [&own.password, &own.admin_password, &own.api_key, &own.secret_key].into_iter().flatten();
    secrets.extend(own.map(|secret| secret.expose_secret().to_owned()));
    let providers = config.tenants.values().flat_map(|tenant| tenant.login.oidc.values());
    let clients = providers.filter_map(|provider| provider.client_secret.as_ref());
    secrets.extend(clients.filter_map(|value| bare_value(value, &env)));
    secrets.extend(config.server.metrics.token.iter().filter_map(|token| bare_value(token, &env)));
    let webhooks = config.tenants.values().flat_map(|tenant| tenant.webhooks.values());
    secrets.extend(webhooks.filter_map(|webhook| bare_value(&webhook.secret, &env)));
    secrets.extend(config.storage.secrets());
    secrets.extend(config.nodes.secrets());
    secrets.sort();
    secrets.dedup();
    secrets
}

fn secrets_of(config: &ProjectConfig, env: Env<'_>) -> Vec<String> {
    let servers = config.mcp.values().flat_map(|server| server.env.iter().chain(&server.headers));
    let listed = config.agent.program_env().chain(servers);
    let listed = listed.filter_map(|(name, value)| {
        let secret = bare_value(value, env)?;
        is_secret(name, value, &secret).then_some(secret)
    });
    let clients = config.mcp.values().filter_map(|server| server.oauth.client_secret.as_ref());
    let clients = clients.filter_map(|value| bare_value(value, env));
    let keys = MODEL_KEYS.into_iter().filter_map(env);
    let mut secrets: Vec<String> = keys.chain(listed).chain(clients).collect();
    secrets.sort();
    secrets.dedup();
    secrets
}

/// The value without a scheme before it: the `x` of `Bearer x`.
fn bare_value(value: &SettingValue, env: Env<'_>) -> Option<String> {
    match value {
        SettingValue::Fixed(value) => value.split_whitespace().next_back().map(str::to_owned),
        SettingValue::Variable(from) => env(&from.env).map(|value| value.trim().to_owned()),
        SettingValue::File(from) => from.read().ok(),
    }
}

/// A value is a secret by its name, by a password in a URL, or if it comes from a
/// variable and looks random. Languages, paths and switches are not.
fn is_secret(name: &str, setting: &SettingValue, value: &str) -> bool {
    let name = name.to_ascii_uppercase();
    let named = SECRET_NAMES.iter().any(|part| name.contains(part));
    let has_password = value
        .split_once("://")
        .is_some_and(|(_, rest)| rest.split('/').next().is_some_and(|host| host.contains('@')));
    let has = |fits: fn(&u8) -> bool| value.as_bytes().iter().any(fits);
    let looks_random = value.len() >= 16
        && has(u8::is_ascii_digit)
        && has(u8::is_ascii_alphabetic)
        && !value.contains(['/', ':', ' ', ',']);
    let from_variable = !matches!(setting, SettingValue::Fixed(_));
    named || has_password || (from_variable && looks_random)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Sources;

    const CONFIG: &str = r#"
        [tenants.home.projects.site.agent]
        kind = "claude_code"
        model = "mock-7b"
        [tenants.home.projects.site.agent.claude_code]
        working_dir = "/tmp"
        [tenants.home.projects.site.agent.claude_code.env]
        ANTHROPIC_API_KEY = { env = "AGENT_KEY" }
        ANTHROPIC_BASE_URL = "http://127.0.0.1:8801"
        DATABASE_URL = "postgres://ana:hunter22@db/site"
        LANG = { env = "LANG" }
        NODE_ENV = "production"
        SITE_ID = { env = "SITE_ID" }
        [tenants.home.projects.site.mcp.search]
        url = "https://mcp.example.org/mcp"
        [tenants.home.projects.site.mcp.search.headers]
        Authorization = { env = "SEARCH", prefix = "Bearer " }
        X-Fixed-Token = "Basic Zml4ZWQtdG9rZW4"
    "#;

    /// X-3: secrets of the configuration are found, and other values are not.
    #[test]
    fn secrets_are_told_from_other_values() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("parlor.toml");
        std::fs::write(&file, CONFIG).unwrap();
        let environment = [
            ("AGENT_KEY", "agent-key-of-nobody"),
            ("SEARCH", "search-token"),
            ("LANG", "en_US.UTF-8"),
            ("SITE_ID", "a1b2c3d4e5f6a7b8c9"),
            ("OPENAI_API_KEY", "model-key"),
            ("PARLOR_ADMIN_PASSWORD", "correct horse battery"),
        ];
        let environment: BTreeMap<String, String> =
            environment.map(|(name, value)| (name.to_owned(), value.to_owned())).into();
        let sources = Sources { file: Some(file), environment, ..Sources::default() };
        let config = Config::load(&sources).unwrap();
        let env = |name: &str| sources.environment.get(name).cloned();
        let project = config.tenants.values().next().unwrap().projects.values().next().unwrap();
        let known = known_values(project, true, &env);
        assert_eq!(
            known.secrets,
            [
                "Zml4ZWQtdG9rZW4", "a1b2c3d4e5f6a7b8c9", "agent-key-of-nobody", "model-key",
                "postgres://ana:hunter22@db/site", "search-token",
            ]
        );
        assert_eq!(known.models, ["mock-7b"]);
        assert_eq!(known.addresses, ["http://127.0.0.1:8801"]);
        let all = all_secrets(&config, &sources.environment);
        assert!(all.contains(&"correct horse battery".to_owned()) && all.len() == 7, "{all:?}");
    }
}
