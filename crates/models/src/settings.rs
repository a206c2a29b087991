//! The settings of a model and of the loop around it.
//!
//! Whoever composes the server reads them from a file and gives a way to look up
//! environment variables; nothing here reads files or the environment.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::turn_loop::LoopLimits;

/// The longest answer, if neither the settings nor the server of the model say; Anthropic
/// and OpenAI insist on a number.
pub(crate) const DEFAULT_MAX_TOKENS: u32 = 16_384;

/// Which model is asked, and how.
#[derive(Debug, Clone, PartialEq)]
pub struct ModelSettings {
    /// Which model API.
    pub kind: ModelKind,
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
    /// Whether the model looks at pictures. A message with one is refused otherwise.
    pub pictures: bool,
    /// Whether the model's server takes PDFs as they are, or their text. Without it the Anthropic
    /// Messages API and OpenAI's own address do, and any other server gets the text.
    pub pdf: Option<bool>,
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

/// Which model API.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ModelKind {
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

/// Why no model can be asked with these settings. Each says which one to fix.
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
}

impl Default for ModelSettings {
    fn default() -> Self {
        Self {
            kind: ModelKind::Auto,
            model: None,
            base_url: None,
            context_tokens: 150_000,
            max_tokens: None,
            thinking: Thinking::Default,
            prompt_cache: true,
            pictures: true,
            pdf: None,
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

impl ModelSettings {
    pub(crate) fn loop_limits(&self) -> LoopLimits {
        LoopLimits {
            max_rounds: self.max_rounds,
            max_attempts: self.max_attempts,
            retry_delay: Duration::from_secs_f64(self.retry_delay_seconds),
            max_retry_delay: Duration::from_secs_f64(self.max_retry_delay_seconds),
        }
    }

    /// Checks every number, whichever model is asked.
    pub fn validate(&self) -> Result<(), SettingsError> {
        // A day: longer is a slip, and must not overflow a timer.
        let time = |seconds: f64, least: f64| (least..=86_400.0).contains(&seconds);
        let most_tokens = self.max_tokens.unwrap_or(DEFAULT_MAX_TOKENS);
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
