//! What can be seen of a running server: `[server.metrics]`, how its log is written, and how much
//! webhooks are told.

use parlor_process::SettingValue;
use serde::{Deserialize, Serialize};

use super::{AtPlace, ConfigError};

/// How the log is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LogFormat {
    /// Lines for people.
    #[default]
    Text,
    /// An object of JSON in each line.
    Json,
}

/// How far metrics are told apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MetricLabels {
    /// By tenant and project.
    #[default]
    Projects,
    /// By tenant.
    Tenants,
    /// Not at all.
    None,
}

/// How much a webhook is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum WebhookContent {
    /// What happened and where, and nothing that anybody wrote.
    #[default]
    None,
    /// The title of the conversation and the question, too.
    Title,
    /// All that a person sees of it.
    Full,
}

/// `[server.metrics]`: who reads metrics, and how far they are told apart.
#[derive(Debug, Clone, PartialEq)]
pub struct MetricsConfig {
    /// What a monitoring system sends as its key. Without one only administrators read metrics.
    pub token: Option<SettingValue>,
    /// How far they are told apart.
    pub labels: MetricLabels,
}

/// A shorter token could be guessed.
const SHORTEST_TOKEN: usize = 16;

impl MetricsConfig {
    pub(super) fn resolve(
        token: Option<SettingValue>,
        labels: Option<MetricLabels>,
    ) -> Result<Self, ConfigError> {
        if let Some(SettingValue::Fixed(token)) = &token {
            Self::check(token).at("server.metrics.token")?;
        }
        Ok(Self { token, labels: labels.unwrap_or_default() })
    }

    /// Whether this can be the token.
    pub(crate) fn check(token: &str) -> Result<(), String> {
        let fits = token.len() >= SHORTEST_TOKEN && token.bytes().all(|b| b.is_ascii_graphic());
        let why = format!(
            "it must have at least {SHORTEST_TOKEN} characters, none of them white space; \
             `openssl rand -hex 32` makes one"
        );
        fits.then_some(()).ok_or(why)
    }
}
