//! The tools of a project: its MCP servers.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use parlor_agent::tools::Tools;
use parlor_mcp::{McpHost, McpServerSettings};
use parlor_process::Supervisor;
use parlor_protocol::TenantId;

use crate::config::ProjectConfig;

/// This program, also if its file was replaced by an update or lies where another
/// user cannot look.
const THIS_PROGRAM: &str = "/proc/self/exe";
const RECIPES: &str = "recipes";

/// Starts children under this program's own `supervise` command.
pub fn own_supervisor() -> Supervisor {
    Supervisor { executable: THIS_PROGRAM.into(), arguments: vec!["supervise".to_owned()] }
}

/// The bundled server, Recipe Vault, for one tenant. It is ours, so its word on
/// its tools counts, they keep their plain names, and recipes may be shown.
pub fn recipe_vault(tenant: &TenantId, data_dir: &Path) -> (String, McpServerSettings) {
    let data_dir = std::path::absolute(data_dir).unwrap_or_else(|_| data_dir.to_owned());
    let data_dir = data_dir.display().to_string();
    let args = ["mcp", "recipes", "--tenant", tenant.as_str(), "--data-dir", &data_dir];
    let settings = McpServerSettings {
        command: Some(THIS_PROGRAM.to_owned()),
        args: args.map(str::to_owned).into(),
        prefix: Some(String::new()),
        trust_annotations: true,
        artifacts: vec!["recipe".to_owned()],
        ..McpServerSettings::default()
    };
    (RECIPES.to_owned(), settings)
}

/// The bundled server with what the configuration says about it: how long its calls
/// take, what its tools may do. A section that names a program or an address of its own
/// is another server.
pub(super) fn bundled(own: McpServerSettings, vault: McpServerSettings) -> McpServerSettings {
    if own.command.is_some() || own.url.is_some() {
        return own;
    }
    McpServerSettings {
        command: vault.command,
        args: vault.args,
        prefix: own.prefix.or(vault.prefix),
        trust_annotations: vault.trust_annotations,
        artifacts: vault.artifacts,
        ..own
    }
}

/// A project's servers, not started yet; `None` if it has none. `name` is for the log.
pub(super) fn tools(
    name: &str,
    config: &ProjectConfig,
    supervisor: &Supervisor,
    environment: &BTreeMap<String, String>,
) -> anyhow::Result<Option<Arc<dyn Tools>>> {
    if config.mcp.is_empty() {
        return Ok(None);
    }
    let servers = config.mcp.iter().map(|(name, settings)| (name.as_str(), settings));
    let env = |name: &str| environment.get(name).cloned();
    let host = McpHost::new(name, servers, supervisor, &env)?;
    Ok(Some(Arc::new(host)))
}
