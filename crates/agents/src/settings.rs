//! The settings of this crate, and the agent that they ask for.
//!
//! The server reads them from its configuration file and gives a way to look
//! up environment variables; nothing here reads files or the environment.

use std::sync::Arc;
use std::time::Duration;

use secrecy::SecretString;
use serde::{Deserialize, Serialize};

use crate::agent::Agent;
use crate::bridge::ProgramHost;
use crate::claude_code::{ClaudeCode, ClaudeCodeSettings};
use crate::demo::Demo;
use crate::llm::Llm;
use crate::llm::anthropic::Anthropic;
use crate::llm::openai::Openai;
use crate::tools::Tools;
use crate::turn_loop::{LoopAgent, LoopLimits, Toolbox};

/// How the agent of a project is set up.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct AgentSettings {
    /// Which agent.
    pub kind: AgentKind,
    /// The model's id, in the vendor's words; also `OPENAI_MODEL`. Without it,
    /// a model of the vendor.
    pub model: Option<String>,
    /// Another address than the vendor's, for gateways and for servers of one's
    /// own; also `ANTHROPIC_BASE_URL` and `OPENAI_BASE_URL`.
    pub base_url: Option<String>,
    /// How much history goes to the model, in tokens.
    pub context_tokens: u64,
    /// The longest answer, reasoning included. Without it, what is usual at the
    /// vendor, and whatever a server of one's own allows.
    pub max_tokens: Option<u32>,
    /// Whether and how the model reasons before it answers.
    pub thinking: Thinking,
    /// Whether the vendor may keep the conversation for some minutes, which
    /// makes the next turn cheaper and faster. Anthropic asks; others decide.
    pub prompt_cache: bool,
    /// How long to wait for a connection.
    pub connect_timeout_seconds: f64,
    /// How long the model may send nothing at all.
    pub idle_timeout_seconds: f64,
    /// The largest single event of an answer.
    pub max_event_bytes: usize,
    /// How often a request is made at most, the first time included. It is only
    /// repeated as long as nothing was shown.
    pub max_attempts: u32,
    /// The wait before the second attempt, if the vendor does not say how long;
    /// it doubles with every further one.
    pub retry_delay_seconds: f64,
    /// The longest wait. A vendor that asks for more gets no second attempt.
    pub max_retry_delay_seconds: f64,
    /// How often the model may be asked in one turn.
    pub max_rounds: u32,
    /// Whether the model is given a tool to ask the person with.
    pub ask_user: bool,
    /// The pause between two pieces of text of the demo model.
    pub demo_delay_ms: u64,
    /// How Claude Code is run.
    pub claude_code: ClaudeCodeSettings,
}

/// Which agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
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
}

/// Whether a model reasons before it answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Thinking {
    /// As the model does by itself.
    #[default]
    Default,
    /// Not at all.
    Off,
    /// As much as the model finds right; its summary is shown.
    Adaptive,
    /// Up to so many tokens. Newer models refuse this.
    #[serde(untagged)]
    Budget(u32),
}

/// Why there is no agent with these settings. Each says which one to fix.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SettingsError {
    /// Set the key.
    #[error("agent.kind is \"{kind}\", but there is no key: set {setting}{or}")]
    NoKey {
        /// The kind that was asked for.
        kind: &'static str,
        /// The setting that holds the key.
        setting: &'static str,
        /// What else would do.
        or: &'static str,
    },
    /// Set another key.
    #[error("{setting} holds characters that a key cannot have")]
    UnusableKey {
        /// The setting that holds the key.
        setting: &'static str,
    },
    /// Fix the address.
    #[error("agent.base_url (or {variable}) is not an http or https address")]
    BadBaseUrl {
        /// The environment variable that may hold it.
        variable: &'static str,
    },
    /// Fix a number.
    #[error("agent.{setting} must be {rule}")]
    OutOfRange {
        /// The setting.
        setting: &'static str,
        /// What it must be.
        rule: &'static str,
    },
    /// TLS cannot be set up on this machine.
    #[error("TLS cannot be set up: {0}")]
    NoTls(String),
    /// Fix a setting of the program.
    #[error("agent.claude_code.{setting}: {why}")]
    Program {
        /// The setting.
        setting: String,
        /// What is wrong, and what would be right.
        why: String,
    },
    /// Leave the setting out.
    #[error("agent.kind is \"claude_code\", which has its own tools: {0} does nothing there")]
    HasItsOwnTools(&'static str),
}

impl Default for AgentSettings {
    fn default() -> Self {
        Self {
            kind: AgentKind::Auto,
            model: None,
            base_url: None,
            context_tokens: 150_000,
            max_tokens: None,
            thinking: Thinking::Default,
            prompt_cache: true,
            connect_timeout_seconds: 10.0,
            idle_timeout_seconds: 60.0,
            max_event_bytes: 1 << 20,
            max_attempts: 3,
            retry_delay_seconds: 1.0,
            max_retry_delay_seconds: 30.0,
            max_rounds: 20,
            ask_user: true,
            demo_delay_ms: 20,
            claude_code: ClaudeCodeSettings::default(),
        }
    }
}

/// Builds the agent that the settings ask for, with these tools. One that is a
/// program runs in `programs`.
///
/// `env` looks up an environment variable. A TLS provider has to be installed
/// before (`rustls::crypto::CryptoProvider`).
pub fn build_agent(
    settings: &AgentSettings,
    env: impl Fn(&str) -> Option<String>,
    tools: Option<Arc<dyn Tools>>,
    programs: &ProgramHost,
) -> Result<Arc<dyn Agent>, SettingsError> {
    settings.validate()?;
    let env = |name: &str| env(name).filter(|value| !value.trim().is_empty());
    let llm: Arc<dyn Llm> = match settings.kind.resolved(&env) {
        AgentKind::ClaudeCode => {
            return match tools {
                Some(_) => Err(SettingsError::HasItsOwnTools("mcp")),
                None => Ok(Arc::new(claude_code(settings, &env, programs)?)),
            };
        }
        AgentKind::Anthropic => Arc::new(anthropic(settings, &env)?),
        AgentKind::Openai => Arc::new(openai(settings, &env)?),
        AgentKind::Demo | AgentKind::Auto => {
            Arc::new(Demo::new(Duration::from_millis(settings.demo_delay_ms)))
        }
    };
    let tools = Toolbox::new(tools, settings.ask_user);
    Ok(Arc::new(LoopAgent::new(llm, tools, settings.loop_limits())))
}

/// What can be set instead of a key.
const OWN_SERVER: &str = ", or base_url to a server that needs none";

/// Looks up an environment variable that is not blank.
type Env<'a> = &'a dyn Fn(&str) -> Option<String>;

fn anthropic(settings: &AgentSettings, env: Env<'_>) -> Result<Anthropic, SettingsError> {
    let setting = Anthropic::KEY_SETTING;
    let key = key(env, setting);
    let base_url = settings.base_url.clone().or_else(|| env(Anthropic::BASE_URL_SETTING));
    if key.is_none() && base_url.is_none() {
        return Err(SettingsError::NoKey { kind: "anthropic", setting, or: OWN_SERVER });
    }
    Anthropic::new(settings, base_url.as_deref(), key)
}

fn claude_code(
    settings: &AgentSettings,
    env: Env<'_>,
    programs: &ProgramHost,
) -> Result<ClaudeCode, SettingsError> {
    let wrong = |(setting, why)| SettingsError::Program { setting, why };
    let (model, base_url) = (settings.model.as_deref(), settings.base_url.as_deref());
    let launch = settings.claude_code.resolve(model, base_url, env).map_err(wrong)?;
    Ok(ClaudeCode::new(launch, programs))
}

fn openai(settings: &AgentSettings, env: Env<'_>) -> Result<Openai, SettingsError> {
    let setting = Openai::KEY_SETTING;
    let key = key(env, setting);
    let base_url = settings.base_url.clone().or_else(|| env(Openai::BASE_URL_SETTING));
    if key.is_none() && base_url.is_none() {
        return Err(SettingsError::NoKey { kind: "openai", setting, or: OWN_SERVER });
    }
    // No default could be right for a server of one's own, so the model may be
    // given beside its address.
    let model = settings.model.clone().or_else(|| env(Openai::MODEL_SETTING));
    let settings = AgentSettings { model, ..settings.clone() };
    Openai::new(&settings, base_url.as_deref(), key)
}

fn key(env: Env<'_>, setting: &str) -> Option<SecretString> {
    env(setting).map(|key| SecretString::from(key.trim()))
}

impl AgentKind {
    /// What `auto` means in this environment.
    fn resolved(self, env: Env<'_>) -> Self {
        let set = |name: &str| env(name).is_some();
        match self {
            Self::Auto if set(Anthropic::KEY_SETTING) => Self::Anthropic,
            Self::Auto if set(Openai::KEY_SETTING) || set(Openai::BASE_URL_SETTING) => Self::Openai,
            Self::Auto => Self::Demo,
            chosen => chosen,
        }
    }
}

impl AgentSettings {
    fn loop_limits(&self) -> LoopLimits {
        LoopLimits {
            max_rounds: self.max_rounds,
            max_attempts: self.max_attempts,
            retry_delay: Duration::from_secs_f64(self.retry_delay_seconds),
            max_retry_delay: Duration::from_secs_f64(self.max_retry_delay_seconds),
        }
    }

    fn validate(&self) -> Result<(), SettingsError> {
        // A day: longer is a slip, and must not overflow a timer.
        let time = |seconds: f64, least: f64| (least..=86_400.0).contains(&seconds);
        let most_tokens = self.max_tokens.unwrap_or(Anthropic::DEFAULT_MAX_TOKENS);
        let budget_fits = match self.thinking {
            Thinking::Budget(tokens) => (1_024..most_tokens).contains(&tokens),
            Thinking::Default | Thinking::Off | Thinking::Adaptive => true,
        };
        const TIME: &str = "more than 0 and at most 86400";
        const DELAY: &str = "0 to 86400";
        let rules = [
            (
                "model",
                self.model.as_ref().is_none_or(|m| !m.trim().is_empty()),
                "the id of a model",
            ),
            ("context_tokens", self.context_tokens >= 1_000, "at least 1000"),
            ("max_tokens", self.max_tokens.is_none_or(|most| most >= 1), "at least 1"),
            (
                "thinking",
                budget_fits,
                "\"default\", \"off\", \"adaptive\", or a number of tokens from 1024 to below max_tokens",
            ),
            ("connect_timeout_seconds", time(self.connect_timeout_seconds, 1e-3), TIME),
            ("idle_timeout_seconds", time(self.idle_timeout_seconds, 1e-3), TIME),
            (
                "max_event_bytes",
                (1_024..=64 << 20).contains(&self.max_event_bytes),
                "1024 to 67108864",
            ),
            ("max_attempts", (1..=10).contains(&self.max_attempts), "1 to 10"),
            ("retry_delay_seconds", time(self.retry_delay_seconds, 0.0), DELAY),
            ("max_retry_delay_seconds", time(self.max_retry_delay_seconds, 0.0), DELAY),
            ("max_rounds", self.max_rounds >= 1, "at least 1"),
        ];
        match rules.into_iter().find(|(_, fits, _)| !fits) {
            Some((setting, _, rule)) => Err(SettingsError::OutOfRange { setting, rule }),
            None => Ok(()),
        }
    }
}
