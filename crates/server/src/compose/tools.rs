//! The tools of a project: its MCP servers.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use parlor_mcp::{Login, McpHost, McpServerSettings};
use parlor_process::{SettingValue, Supervisor};
use parlor_protocol::{Content, TenantId};

use crate::config::{ProjectConfig, StorageConfig};

/// This program, also if its file was replaced by an update, or is in a directory that
/// another user cannot read.
pub(super) const THIS_PROGRAM: &str = "/proc/self/exe";
const RECIPES: &str = "recipes";
/// Where a child process of the server finds the URL of the database.
pub(crate) const STORAGE_URL: &str = "PARLOR_STORAGE_URL";

/// Starts child processes under this program's own `supervise` command.
pub fn own_supervisor() -> Supervisor {
    Supervisor { executable: THIS_PROGRAM.into(), arguments: vec!["supervise".to_owned()] }
}

/// The bundled server, Recipe Vault, for one tenant. It is ours, so its annotations are
/// trusted, its tools keep their plain names, and it may show recipes.
pub fn recipe_vault(
    tenant: &TenantId,
    data_dir: &Path,
    storage: &StorageConfig,
) -> (String, McpServerSettings) {
    let data_dir = std::path::absolute(data_dir).unwrap_or_else(|_| data_dir.to_owned());
    let data_dir = data_dir.display().to_string();
    let args = ["mcp", "recipes", "--tenant", tenant.as_str(), "--data-dir", &data_dir];
    let url = storage.url_with_password();
    let settings = McpServerSettings {
        command: Some(THIS_PROGRAM.to_owned()),
        args: args.map(str::to_owned).into(),
        prefix: Some(String::new()),
        trust_annotations: true,
        // Recipes are the people's own.
        content: Some(Content::Own),
        artifacts: vec!["recipe".to_owned()],
        // The environment of a process is its user's alone; its arguments are everybody's.
        env: url
            .map(|url| (STORAGE_URL.to_owned(), SettingValue::Fixed(url)))
            .into_iter()
            .collect(),
        ..McpServerSettings::default()
    };
    (RECIPES.to_owned(), settings)
}

/// The bundled server with the settings of the configuration, such as timeouts and
/// approvals. A section with a `command` or a `url` of its own is another server.
pub(super) fn bundled(own: McpServerSettings, vault: McpServerSettings) -> McpServerSettings {
    if own.command.is_some() || own.url.is_some() {
        return own;
    }
    McpServerSettings {
        command: vault.command,
        args: vault.args,
        prefix: own.prefix.or(vault.prefix),
        trust_annotations: vault.trust_annotations,
        content: own.content.or(vault.content),
        artifacts: vault.artifacts,
        env: own.env.into_iter().chain(vault.env).collect(),
        ..own
    }
}

/// A project's servers, not started yet; `None` if it has none. `name` is for the log.
pub(super) fn host(
    name: &str,
    config: &ProjectConfig,
    supervisor: &Supervisor,
    environment: &BTreeMap<String, String>,
    login: Option<&Login>,
) -> anyhow::Result<Option<Arc<McpHost>>> {
    if config.mcp.is_empty() {
        return Ok(None);
    }
    let servers = config.mcp.iter().map(|(name, settings)| (name.as_str(), settings));
    let env = |name: &str| environment.get(name).cloned();
    let host = McpHost::with_login(name, servers, supervisor, &env, login)?;
    Ok(Some(Arc::new(host)))
}
