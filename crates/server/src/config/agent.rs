//! `[…agent]`: which agent takes the turns of a project, and its settings.
//!
//! In the file the settings of models stand beside `kind`, and those of a program below it.
//! Their defaults are those of the crates that they belong to.

use std::path::Path;

use parlor_models::{ModelKind, ModelSettings, Thinking};
use parlor_process::SettingValue;
use parlor_programs::acp::AcpSettings;
use parlor_programs::claude_code::ClaudeCodeSettings;
use serde::Deserialize;

/// The agent of a project.
#[derive(Debug, Clone, PartialEq)]
pub struct AgentConfig {
    /// Which agent.
    pub kind: AgentKind,
    /// The settings of a model. Of these, a program is given the model and the address.
    pub model: ModelSettings,
    /// How Claude Code is run.
    pub claude_code: ClaudeCodeSettings,
    /// How an agent is run that speaks the Agent Client Protocol.
    pub acp: AcpSettings,
}

/// Which agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AgentKind {
    /// The first for which the environment has a key or an address; without any
    /// the demo model.
    #[default]
    Auto,
    /// The Anthropic Messages API.
    Anthropic,
    /// OpenAI chat completions, at OpenAI or at any server that speaks it.
    Openai,
    /// The demo model, which needs no key.
    Demo,
    /// Claude Code, a program on this machine.
    ClaudeCode,
    /// A program on this machine that speaks the Agent Client Protocol.
    Acp,
}

impl AgentConfig {
    /// The environment that is listed for a program, whichever is configured.
    pub fn program_env(&self) -> impl Iterator<Item = (&String, &SettingValue)> {
        self.claude_code.env.iter().chain(&self.acp.env)
    }

    /// The home directory of the program. `env` looks up a variable of the server.
    pub fn program_home(&self, env: &dyn Fn(&str) -> Option<String>) -> Option<String> {
        match self.kind {
            AgentKind::Acp => self.acp.home(env),
            _ => self.claude_code.home(env),
        }
    }

    /// The working directory of the program.
    pub fn program_dir(&self) -> Option<&Path> {
        match self.kind {
            AgentKind::Acp => self.acp.working_dir.as_deref(),
            _ => self.claude_code.working_dir.as_deref(),
        }
    }
}

impl AgentKind {
    /// Whether the agent is a program behind a bridge, with tools of its own.
    pub fn is_program(self) -> bool {
        matches!(self, Self::ClaudeCode | Self::Acp)
    }
}

/// The section as it is written.
#[derive(Debug, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct RawAgent {
    pub(super) kind: AgentKind,
    model: Option<String>,
    base_url: Option<String>,
    context_tokens: u64,
    max_tokens: Option<u32>,
    thinking: Thinking,
    prompt_cache: bool,
    pictures: bool,
    pdf: Option<bool>,
    connect_timeout_seconds: f64,
    idle_timeout_seconds: f64,
    max_event_bytes: usize,
    max_attempts: u32,
    retry_delay_seconds: f64,
    max_retry_delay_seconds: f64,
    max_rounds: u32,
    ask_user: bool,
    demo_delay_ms: u64,
    claude_code: ClaudeCodeSettings,
    acp: AcpSettings,
}

impl Default for RawAgent {
    fn default() -> Self {
        let usual = ModelSettings::default();
        Self {
            kind: AgentKind::default(),
            model: usual.model,
            base_url: usual.base_url,
            context_tokens: usual.context_tokens,
            max_tokens: usual.max_tokens,
            thinking: usual.thinking,
            prompt_cache: usual.prompt_cache,
            pictures: usual.pictures,
            pdf: usual.pdf,
            connect_timeout_seconds: usual.connect_timeout_seconds,
            idle_timeout_seconds: usual.idle_timeout_seconds,
            max_event_bytes: usual.max_event_bytes,
            max_attempts: usual.max_attempts,
            retry_delay_seconds: usual.retry_delay_seconds,
            max_retry_delay_seconds: usual.max_retry_delay_seconds,
            max_rounds: usual.max_rounds,
            ask_user: usual.ask_user,
            demo_delay_ms: usual.demo_delay_ms,
            claude_code: ClaudeCodeSettings::default(),
            acp: AcpSettings::default(),
        }
    }
}

#[cfg(test)]
impl AgentConfig {
    /// The section as JSON, for tests.
    pub(crate) fn from_json(section: serde_json::Value) -> serde_json::Result<Self> {
        serde_json::from_value::<RawAgent>(section).map(Self::from)
    }
}

impl From<RawAgent> for AgentConfig {
    fn from(raw: RawAgent) -> Self {
        let model = ModelSettings {
            kind: match raw.kind {
                // It is not asked for then.
                AgentKind::Auto | AgentKind::ClaudeCode | AgentKind::Acp => ModelKind::Auto,
                AgentKind::Anthropic => ModelKind::Anthropic,
                AgentKind::Openai => ModelKind::Openai,
                AgentKind::Demo => ModelKind::Demo,
            },
            model: raw.model,
            base_url: raw.base_url,
            context_tokens: raw.context_tokens,
            max_tokens: raw.max_tokens,
            thinking: raw.thinking,
            prompt_cache: raw.prompt_cache,
            pictures: raw.pictures,
            pdf: raw.pdf,
            connect_timeout_seconds: raw.connect_timeout_seconds,
            idle_timeout_seconds: raw.idle_timeout_seconds,
            max_event_bytes: raw.max_event_bytes,
            max_attempts: raw.max_attempts,
            retry_delay_seconds: raw.retry_delay_seconds,
            max_retry_delay_seconds: raw.max_retry_delay_seconds,
            max_rounds: raw.max_rounds,
            ask_user: raw.ask_user,
            demo_delay_ms: raw.demo_delay_ms,
        };
        Self { kind: raw.kind, model, claude_code: raw.claude_code, acp: raw.acp }
    }
}
