//! The settings of this crate, and the agent that they ask for.
//!
//! The server reads them from its configuration file and gives a way to look
//! up environment variables; nothing here reads files or the environment.

use std::sync::Arc;
use std::time::Duration;

use secrecy::SecretString;
use serde::{Deserialize, Serialize};

use crate::agent::Agent;
use crate::demo::Demo;
use crate::llm::Llm;
use crate::llm::anthropic::Anthropic;
use crate::tools::Tools;
use crate::turn_loop::{LoopAgent, LoopLimits, Toolbox};

/// How the agent of a project is set up.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct AgentSettings {
    /// Which agent.
    pub kind: AgentKind,
    /// The model's id, in the vendor's words.
    pub model: String,
    /// Another address than the vendor's, for gateways; also `ANTHROPIC_BASE_URL`.
    pub base_url: Option<String>,
    /// The longest answer, reasoning included.
    pub max_tokens: u32,
    /// Whether and how the model reasons before it answers.
    pub thinking: Thinking,
    /// Whether the vendor may keep the conversation for some minutes, which
    /// makes the next turn cheaper and faster.
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
}

/// Which agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AgentKind {
    /// The first for which there is a key; without one the demo model.
    #[default]
    Auto,
    /// The Anthropic Messages API.
    Anthropic,
    /// The demo model, which needs no key.
    Demo,
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
    #[error("agent.kind is \"anthropic\", but there is no key: set {setting}")]
    NoKey {
        /// The setting that holds the key.
        setting: &'static str,
    },
    /// Set another key.
    #[error("{setting} holds characters that a key cannot have")]
    UnusableKey {
        /// The setting that holds the key.
        setting: &'static str,
    },
    /// Fix the address.
    #[error("agent.base_url (or ANTHROPIC_BASE_URL) is not an http or https address")]
    BadBaseUrl,
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
}

impl Default for AgentSettings {
    fn default() -> Self {
        Self {
            kind: AgentKind::Auto,
            model: "claude-sonnet-5-5".to_owned(),
            base_url: None,
            max_tokens: 16_384,
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
        }
    }
}

/// Builds the agent that the settings ask for, with these tools.
///
/// `env` looks up an environment variable. A TLS provider has to be installed
/// before (`rustls::crypto::CryptoProvider`).
pub fn build_agent(
    settings: &AgentSettings,
    env: impl Fn(&str) -> Option<String>,
    tools: Option<Arc<dyn Tools>>,
) -> Result<Arc<dyn Agent>, SettingsError> {
    settings.validate()?;
    let env = |name: &str| env(name).filter(|value| !value.trim().is_empty());
    let setting = Anthropic::KEY_SETTING;
    let key = env(setting).map(|key| SecretString::from(key.trim()));
    let llm: Arc<dyn Llm> = match (settings.kind, key) {
        (AgentKind::Demo, _) | (AgentKind::Auto, None) => {
            Arc::new(Demo::new(Duration::from_millis(settings.demo_delay_ms)))
        }
        (AgentKind::Anthropic | AgentKind::Auto, Some(key)) => {
            let base_url = settings.base_url.clone().or_else(|| env("ANTHROPIC_BASE_URL"));
            Arc::new(Anthropic::new(settings, base_url.as_deref(), key)?)
        }
        (AgentKind::Anthropic, None) => return Err(SettingsError::NoKey { setting }),
    };
    let tools = Toolbox::new(tools, settings.ask_user);
    Ok(Arc::new(LoopAgent::new(llm, tools, settings.loop_limits())))
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
        let budget_fits = match self.thinking {
            Thinking::Budget(tokens) => (1_024..self.max_tokens).contains(&tokens),
            Thinking::Default | Thinking::Off | Thinking::Adaptive => true,
        };
        const TIME: &str = "more than 0 and at most 86400";
        const DELAY: &str = "0 to 86400";
        let rules = [
            ("model", !self.model.trim().is_empty(), "the id of a model"),
            ("max_tokens", self.max_tokens >= 1, "at least 1"),
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
