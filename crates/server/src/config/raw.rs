//! The configuration as it is written: every key is optional, and no other is known.

use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;

use parlor_chat::FlowPolicy;
use parlor_guard::guardrail::GuardSettings;
use parlor_guard::sanitizer::SanitizerSettings;
use parlor_mcp::McpServerSettings;
use parlor_oidc::ClaimRules;
use parlor_process::SettingValue;
use parlor_protocol::{ProjectId, TenantId};
use serde::Deserialize;

use super::agent::RawAgent;
use super::budgets::{RawBudget, RawBudgets, RawPrices};
use super::look::RawLook;
use super::observed::{LogFormat, MetricLabels, WebhookContent};
use super::on_reload::OnReload;
use super::push::RawPush;
use super::share_links::ShareLinks;
use super::units::{Bytes, Span};

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct RawConfig {
    pub(super) server: RawServer,
    pub(super) storage: RawStorage,
    pub(super) fanout: RawFanout,
    pub(super) nodes: RawNodes,
    pub(super) access: RawAccess,
    pub(super) push: RawPush,
    pub(super) tenants: BTreeMap<TenantId, RawTenant>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct RawServer {
    pub(super) bind: Option<String>,
    pub(super) public_url: Option<String>,
    pub(super) data_dir: Option<PathBuf>,
    pub(super) trusted_proxies: Option<Vec<String>>,
    pub(super) allowed_origins: Option<Vec<String>>,
    pub(super) log: Option<String>,
    pub(super) log_format: Option<LogFormat>,
    pub(super) audit_file: Option<PathBuf>,
    pub(super) prompt_timeout: Option<Span>,
    pub(super) limits: RawLimits,
    pub(super) openai: RawOpenAi,
    pub(super) metrics: RawMetrics,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct RawMetrics {
    pub(super) token: Option<SettingValue>,
    pub(super) labels: Option<MetricLabels>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct RawOpenAi {
    pub(super) stop_on_disconnect: Option<bool>,
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct RawStorage {
    /// It may hold a password.
    pub(super) url: Option<String>,
    pub(super) connections: Option<u32>,
    /// It may hold a password.
    pub(super) direct_url: Option<String>,
    pub(super) undo_deletion: Option<Span>,
}

impl fmt::Debug for RawStorage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RawStorage").field("connections", &self.connections).finish_non_exhaustive()
    }
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct RawFanout {
    /// It may hold a password.
    pub(super) url: Option<String>,
}

impl fmt::Debug for RawFanout {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RawFanout").finish_non_exhaustive()
    }
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct RawNodes {
    pub(super) name: Option<String>,
    pub(super) lease: Option<Span>,
    pub(super) home_patience: Option<Span>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct RawLimits {
    pub(super) messages_per_minute: Option<u32>,
    pub(super) address_messages_per_minute: Option<u32>,
    pub(super) project_messages_per_minute: Option<u32>,
    pub(super) tenant_messages_per_minute: Option<u32>,
    pub(super) project_turns: Option<u32>,
    pub(super) tenant_turns: Option<u32>,
    pub(super) body: Option<Bytes>,
    pub(super) image: Option<Bytes>,
    pub(super) files: Option<u32>,
    pub(super) file: Option<Bytes>,
    pub(super) files_together: Option<Bytes>,
    pub(super) pdf_pages: Option<u32>,
    pub(super) file_text: Option<usize>,
    pub(super) frame: Option<Bytes>,
    pub(super) import: Option<Bytes>,
    pub(super) answer: Option<Bytes>,
    pub(super) bodies: Option<u32>,
    pub(super) body_memory: Option<Bytes>,
    pub(super) connections: Option<u32>,
    pub(super) agent_processes: Option<u32>,
    pub(super) address_connections: Option<u32>,
    pub(super) header_timeout: Option<Span>,
    pub(super) request_timeout: Option<Span>,
    pub(super) keep_alive: Option<Span>,
    pub(super) shutdown_deadline: Option<Span>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct RawAccess {
    pub(super) idle_expiry: Option<Span>,
    pub(super) absolute_expiry: Option<Span>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct RawTenant {
    pub(super) name: Option<String>,
    pub(super) default_project: Option<ProjectId>,
    pub(super) admins_read_conversations: Option<bool>,
    pub(super) share_links: Option<ShareLinks>,
    pub(super) roles: Vec<String>,
    pub(super) login: RawLogin,
    pub(super) budgets: RawBudgets,
    pub(super) webhooks: BTreeMap<String, RawWebhook>,
    pub(super) projects: BTreeMap<ProjectId, RawProject>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct RawLogin {
    pub(super) oidc: BTreeMap<String, RawOidc>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct RawOidc {
    pub(super) title: Option<String>,
    pub(super) issuer: Option<String>,
    pub(super) client_id: Option<String>,
    pub(super) client_secret: Option<SettingValue>,
    pub(super) scopes: Option<Vec<String>>,
    pub(super) allow_private_addresses: Option<bool>,
    pub(super) log_out_at_provider: Option<bool>,
    pub(super) claims: ClaimRules,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct RawWebhook {
    pub(super) url: Option<String>,
    pub(super) secret: Option<SettingValue>,
    pub(super) project: Option<ProjectId>,
    pub(super) events: Option<Vec<String>>,
    pub(super) content: Option<WebhookContent>,
    pub(super) allow_private_addresses: Option<bool>,
    pub(super) keep: Option<Span>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct RawProject {
    pub(super) name: Option<String>,
    pub(super) system_prompt: Option<String>,
    pub(super) reminder: Option<String>,
    pub(super) prompt_timeout: Option<Span>,
    pub(super) approvers: Vec<String>,
    pub(super) recipe_vault: Option<bool>,
    pub(super) on_reload: Option<OnReload>,
    pub(super) look: RawLook,
    pub(super) allowed_origins: Option<Vec<String>>,
    pub(super) embed: RawEmbed,
    pub(super) guard: GuardSettings,
    pub(super) sanitizer: SanitizerSettings,
    pub(super) agent: RawAgent,
    pub(super) mcp: BTreeMap<String, McpServerSettings>,
    pub(super) flow: RawFlow,
    pub(super) budget: RawBudget,
    pub(super) prices: RawPrices,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct RawEmbed {
    pub(super) origins: Option<Vec<String>>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct RawFlow {
    pub(super) policy: Option<FlowPolicy>,
}
