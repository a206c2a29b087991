//! The configuration of the nodes.

use std::path::PathBuf;
use std::time::Duration;

use anyhow::Context as _;

use crate::tool::{JOT, SERVER};

/// The API key of clients that are programs.
pub(crate) const KEY: &str = "soak-0123456789abcdef0123456789abcdef";
/// The password of clients that are people.
pub(crate) const PASSWORD: &str = "a-password-of-the-soak";
pub(crate) const TENANT: &str = "home";
pub(crate) const PROJECT: &str = "soak";
/// After this time without a sign of life a node is dead to the others. Shorter than the default, so
/// that a run sees many take-overs.
pub(crate) const LEASE: Duration = Duration::from_secs(3);

/// What nodes are told.
#[derive(Debug, Clone)]
pub(super) struct Settings {
    /// The port of the proxy, if there is one.
    pub(super) proxy: Option<u16>,
    pub(super) storage: Option<String>,
    pub(super) fanout: Option<String>,
    /// Whether there are several nodes.
    pub(super) several: bool,
    /// The address of the model.
    pub(super) model: String,
    /// The file of the tool.
    pub(super) calls: PathBuf,
}

impl Settings {
    /// The configuration file.
    pub(super) fn file(&self) -> anyhow::Result<String> {
        let tool = std::env::current_exe()?;
        let tool = tool.to_str().context("the path of this program is not UTF-8")?;
        let calls = self.calls.to_str().context("the folder's path is not UTF-8")?;
        let server = self.proxy.map_or(String::new(), |port| {
            format!("[server]\npublic_url = \"http://127.0.0.1:{port}\"\n")
        });
        let nodes = if self.several {
            format!("[nodes]\nlease = \"{}ms\"\n", LEASE.as_millis())
        } else {
            String::new()
        };
        let (model, project) = (&self.model, format!("tenants.{TENANT}.projects.{PROJECT}"));
        // An idle stream says every second that it is alive, so that clients soon leave a node that
        // is not.
        Ok(format!(
            "{server}\
             [server.limits]\n\
             messages_per_minute = 1000000\nproject_messages_per_minute = 1000000\n\
             tenant_messages_per_minute = 1000000\nproject_turns = 10000\ntenant_turns = 10000\n\
             keep_alive = \"1s\"\nshutdown_deadline = \"3s\"\n\
             {nodes}\
             [{project}]\nrecipe_vault = false\nprompt_timeout = \"10s\"\n\
             [{project}.agent]\nkind = \"anthropic\"\nbase_url = {model:?}\n\
             retry_delay_seconds = 0.1\n\
             [{project}.mcp.{SERVER}]\ncommand = {tool:?}\nargs = [\"tool\", {calls:?}]\n\
             [{project}.mcp.{SERVER}.tools.{JOT}]\naction = \"allow\"\n"
        ))
    }

    /// The environment variables.
    pub(super) fn variables(&self) -> Vec<(&'static str, String)> {
        let mut variables = vec![
            ("ANTHROPIC_API_KEY", "sk-ant-soak".to_owned()),
            ("PARLOR_API_KEY", KEY.to_owned()),
            ("PARLOR_PASSWORD", PASSWORD.to_owned()),
            ("PARLOR_ADMIN_PASSWORD", "an-admin-password-of-the-soak".to_owned()),
        ];
        variables.extend(self.storage.clone().map(|url| ("PARLOR_STORAGE_URL", url)));
        variables.extend(self.fanout.clone().map(|url| ("PARLOR_FANOUT_URL", url)));
        variables
    }
}
