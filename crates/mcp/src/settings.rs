//! The settings of an MCP server, as they are written.
//!
//! They hold names of environment variables where a secret belongs, so that no
//! secret has to stand in a file. What they mean is in [`super::resolve`].

use std::collections::BTreeMap;
use std::path::PathBuf;

use parlor_agent::tools::ToolAction;
use parlor_process::{LimitSettings, SettingValue};
use serde::{Deserialize, Serialize};

/// How a server is reached, and what its tools may do.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct McpServerSettings {
    /// The program of a server that runs as a child process.
    pub command: Option<String>,
    /// Its arguments.
    pub args: Vec<String>,
    /// What its environment holds beside `PATH`, `HOME`, the language and the time zone.
    pub env: BTreeMap<String, SettingValue>,
    /// Where it runs; without one, where the server was started.
    pub working_dir: Option<PathBuf>,
    /// The user that it runs as, if the server was started as root.
    pub user: Option<String>,
    /// What it may use.
    pub limits: LimitSettings,
    /// The address of a server that is reached over streamable HTTP.
    pub url: Option<String>,
    /// Headers of each request to it.
    pub headers: BTreeMap<String, SettingValue>,
    /// Whether the address may be one of this machine or of a private network.
    pub allow_private_addresses: bool,
    /// What its tools' names begin with; without one, the server's name and `_`.
    pub prefix: Option<String>,
    /// The era of the protocol that it speaks.
    pub protocol: ProtocolEra,
    /// Whether its word on its own tools counts (M-1).
    pub trust_annotations: bool,
    /// The kinds of things that it may show beside the chat.
    pub artifacts: Vec<String>,
    /// What its tools may do, by their names there; `*` is about all of them.
    pub tools: BTreeMap<String, ToolSettings>,
    /// How long one call may take.
    pub call_timeout_seconds: f64,
    /// How long the server may take until it has told its tools.
    pub start_timeout_seconds: f64,
    /// The longest result, in bytes of text. Longer ones are cut off.
    pub max_result_bytes: usize,
    /// How many calls run at the same time.
    pub parallel_calls: usize,
}

/// The eras of the protocol: how a connection begins, and how a server asks something.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum ProtocolEra {
    /// With `initialize`; a server asks in the middle of a call.
    #[default]
    #[serde(rename = "2025-11-25")]
    Initialize,
    /// With `server/discover`; a server answers a call with its questions, and is called
    /// again with the answers.
    #[serde(rename = "2026-07-28")]
    Discover,
}

/// What a tool may do.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ToolSettings {
    /// What is done about a call that no rule fits.
    pub action: Option<ToolAction>,
    /// The first rule that fits a call counts.
    pub rules: Vec<RuleSettings>,
    /// How long a call may take.
    pub timeout_seconds: Option<f64>,
    /// How long an approval waits; 0 waits for ever.
    pub prompt_timeout_seconds: Option<f64>,
}

/// What is done about some of the calls of a tool.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RuleSettings {
    /// A pattern for each argument that counts. It has to match all of it.
    #[serde(default)]
    pub arguments: BTreeMap<String, String>,
    /// What is done then.
    pub action: ToolAction,
}

/// A setting that cannot be used, and why.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("mcp.{setting}: {why}")]
pub struct McpSettingsError {
    /// The server's name and the key, with dots.
    pub setting: String,
    /// What is wrong, and what would be right.
    pub why: String,
}

impl Default for McpServerSettings {
    fn default() -> Self {
        Self {
            command: None,
            args: Vec::new(),
            env: BTreeMap::new(),
            working_dir: None,
            user: None,
            limits: LimitSettings::default(),
            url: None,
            headers: BTreeMap::new(),
            allow_private_addresses: false,
            prefix: None,
            protocol: ProtocolEra::default(),
            trust_annotations: false,
            artifacts: Vec::new(),
            tools: BTreeMap::new(),
            call_timeout_seconds: 60.0,
            start_timeout_seconds: 60.0,
            max_result_bytes: 100 << 10,
            parallel_calls: 4,
        }
    }
}
