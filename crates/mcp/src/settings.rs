//! The settings of an MCP server, as they are written in the configuration.
//!
//! Secrets are given by the names of environment variables, so that no secret has to be in a file.
//! [`super::resolve`] checks the settings.

use std::collections::BTreeMap;
use std::path::PathBuf;

use parlor_agent::tools::ToolAction;
use parlor_process::{LimitSettings, SettingValue};
use parlor_protocol::Content;
use serde::{Deserialize, Serialize};

/// How a server is reached, and what its tools may do.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct McpServerSettings {
    /// The program of a server that runs as a child process.
    pub command: Option<String>,
    /// Its arguments.
    pub args: Vec<String>,
    /// Its environment variables beside `PATH`, `HOME`, the language and the time zone.
    pub env: BTreeMap<String, SettingValue>,
    /// Its working directory; by default, that of Parlor.
    pub working_dir: Option<PathBuf>,
    /// The user that it runs as, if Parlor was started as root.
    pub user: Option<String>,
    /// The resource limits of its process.
    pub limits: LimitSettings,
    /// The address of a server that is reached over streamable HTTP.
    pub url: Option<String>,
    /// Headers of each request to it.
    pub headers: BTreeMap<String, SettingValue>,
    /// Whether the address may be on this machine or in a private network.
    pub allow_private_addresses: bool,
    /// Whose login its calls are made with, if it asks for one.
    pub login: LoginOf,
    /// How Parlor is known to the authorization server, if the server asks for a login.
    pub oauth: OAuthSettings,
    /// The prefix of its tools' names; by default, the server's name and `_`.
    pub prefix: Option<String>,
    /// The protocol version that it speaks.
    pub protocol: ProtocolEra,
    /// Whether its annotations of its own tools are trusted (M-1).
    pub trust_annotations: bool,
    /// Whether it is trusted to say of a result that its words are your own, or public (F-1).
    pub trust_labels: bool,
    /// Whose words its results hold; by default, others' too.
    pub content: Option<Content>,
    /// Whether its results hold what is not public; by default, they do.
    pub private: Option<bool>,
    /// The kinds of artifacts that it may show beside the chat.
    pub artifacts: Vec<String>,
    /// Whether its pages are shown in the chat (MCP Apps).
    pub apps: bool,
    /// What its tools may do, by their names at the server; `*` is about all of them.
    pub tools: BTreeMap<String, ToolSettings>,
    /// The timeout of one call.
    pub call_timeout_seconds: f64,
    /// How long the server may take from its start until it has listed its tools.
    pub start_timeout_seconds: f64,
    /// The longest result, in bytes of text. Longer ones are cut off.
    pub max_result_bytes: usize,
    /// How many calls run at the same time.
    pub parallel_calls: usize,
}

/// Whose login the calls of a server are made with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LoginOf {
    /// That of the project: an administrator logs in, for everybody.
    #[default]
    Project,
    /// That of the person whose message is answered: each logs in for themselves.
    Person,
}

/// How Parlor is known to the authorization server of a server. Without an id, it describes or
/// registers itself.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct OAuthSettings {
    /// The id that the authorization server gave to this Parlor.
    pub client_id: Option<String>,
    /// The secret that came with it.
    pub client_secret: Option<SettingValue>,
    /// An https address at which this Parlor describes itself.
    pub client_metadata_url: Option<String>,
    /// What a login should cover; by default, what the server says.
    pub scopes: Vec<String>,
}

/// The protocol versions: they differ in how a connection begins, and in how a server asks a
/// question.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum ProtocolEra {
    /// Begins with `initialize`; a server asks during a call.
    #[default]
    #[serde(rename = "2025-11-25")]
    Initialize,
    /// Begins with `server/discover`; a server answers a call with its questions, and is called
    /// again with the answers.
    #[serde(rename = "2026-07-28")]
    Discover,
}

impl ProtocolEra {
    /// The newest version of the era, as in the configuration.
    pub fn version(self) -> &'static str {
        match self {
            Self::Initialize => "2025-11-25",
            Self::Discover => "2026-07-28",
        }
    }
}

/// What a tool may do.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ToolSettings {
    /// The action for a call that matches no rule.
    pub action: Option<ToolAction>,
    /// The first rule that matches a call applies.
    pub rules: Vec<RuleSettings>,
    /// The timeout of a call.
    pub timeout_seconds: Option<f64>,
    /// How long an approval waits; 0 waits without a limit.
    pub prompt_timeout_seconds: Option<f64>,
    /// Whose answers to an approval count: "admin", "role:NAME", "person:LOGIN", and "other" for
    /// somebody else than who asked. By default, those of everybody who takes part.
    pub approvers: Vec<String>,
    /// Whose words its results hold.
    pub content: Option<Content>,
    /// Whether its results hold what is not public.
    pub private: Option<bool>,
    /// Whether a call changes something or carries something out.
    pub sink: Option<bool>,
    /// What becomes of such a call once words of others were read; by default, a person is asked.
    pub tainted: Option<ToolAction>,
}

/// The action for some of the calls of a tool.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RuleSettings {
    /// A pattern for each argument that matters. It has to match the whole argument.
    #[serde(default)]
    pub arguments: BTreeMap<String, String>,
    /// The action for a call that matches.
    pub action: ToolAction,
}

/// A setting that cannot be used, and why.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("mcp.{setting}: {why}")]
pub struct McpSettingsError {
    /// The server's name and the key, separated by dots.
    pub setting: String,
    /// What is wrong, and what would be valid.
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
            login: LoginOf::default(),
            oauth: OAuthSettings::default(),
            prefix: None,
            protocol: ProtocolEra::default(),
            trust_annotations: false,
            trust_labels: false,
            content: None,
            private: None,
            artifacts: Vec::new(),
            apps: false,
            tools: BTreeMap::new(),
            call_timeout_seconds: 60.0,
            start_timeout_seconds: 60.0,
            max_result_bytes: 100 << 10,
            parallel_calls: 4,
        }
    }
}
