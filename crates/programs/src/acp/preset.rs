//! The agents that are known: how each is started, and what is set so that a person decides.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::modes::Wanted;

/// An agent that is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Preset {
    /// Claude Code, by its adapter.
    Claude,
    /// Codex, by its adapter.
    Codex,
    /// Gemini CLI.
    Gemini,
    /// OpenCode.
    Opencode,
    /// Qwen Code.
    Qwen,
}

/// What is known about an agent.
#[derive(Debug, Clone, Copy)]
pub struct PresetFacts {
    /// Its name, for the administrator.
    pub title: &'static str,
    /// The program.
    pub command: &'static str,
    /// Its arguments.
    pub args: &'static [&'static str],
    /// The npm package, and the version that was tried.
    pub package: &'static str,
    /// Whether its questions outlive its process.
    pub is_durable: bool,
    /// The variable with the address of its model's API, if it reads one.
    base_url: Option<&'static str>,
    /// The variable with the name of its model, if that is not an option of its sessions.
    model: Option<&'static str>,
    /// Variables that keep it quiet.
    quiet: &'static [(&'static str, &'static str)],
    pub(super) act: &'static str,
    pub(super) plan: &'static str,
    pub(super) act_options: &'static [(&'static str, &'static str)],
    pub(super) plan_options: &'static [(&'static str, &'static str)],
    pub(super) auth_method: Option<&'static str>,
    pub(super) warns_in_text: bool,
}

impl Preset {
    /// All of them.
    pub const ALL: &[Self] = &[Self::Claude, Self::Codex, Self::Gemini, Self::Opencode, Self::Qwen];

    /// The name in the configuration.
    pub fn name(self) -> &'static str {
        match self {
            Self::Claude => "claude",
            Self::Codex => "codex",
            Self::Gemini => "gemini",
            Self::Opencode => "opencode",
            Self::Qwen => "qwen",
        }
    }

    /// What is known about it.
    pub fn facts(self) -> PresetFacts {
        match self {
            Self::Claude => PresetFacts {
                title: "Claude Code",
                command: "claude-agent-acp",
                package: "@agentclientprotocol/claude-agent-acp@0.99.1",
                base_url: Some("ANTHROPIC_BASE_URL"),
                quiet: &[
                    ("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1"),
                    ("DISABLE_AUTOUPDATER", "1"),
                    ("DISABLE_TELEMETRY", "1"),
                ],
                ..COMMON
            },
            Self::Codex => PresetFacts {
                title: "Codex",
                command: "codex-acp",
                package: "@agentclientprotocol/codex-acp@2.6.0",
                quiet: &[("INITIAL_AGENT_MODE", "read-only"), ("NO_BROWSER", "1")],
                // Its other modes let a model decide, or write without asking.
                act: "read-only",
                plan: "read-only",
                act_options: &[("collaboration_mode", "default")],
                plan_options: &[("collaboration_mode", "plan")],
                auth_method: Some("api-key"),
                warns_in_text: true,
                ..COMMON
            },
            Self::Gemini => PresetFacts {
                title: "Gemini CLI",
                command: "gemini",
                args: &["--acp"],
                package: "@google/gemini-cli@0.61.0",
                is_durable: false,
                base_url: Some("GOOGLE_GEMINI_BASE_URL"),
                model: Some("GEMINI_MODEL"),
                // It would start itself once more, for more memory.
                quiet: &[("GEMINI_CLI_NO_RELAUNCH", "1")],
                auth_method: Some("gemini-api-key"),
                ..COMMON
            },
            Self::Opencode => PresetFacts {
                title: "OpenCode",
                command: "opencode",
                args: &["acp"],
                package: "opencode-ai@1.18.33",
                // Without this it asks nobody.
                quiet: &[
                    ("OPENCODE_PERMISSION", ASK_EVERYTHING),
                    // Files of the working directory would win over it, and run.
                    ("OPENCODE_DISABLE_PROJECT_CONFIG", "1"),
                    ("OPENCODE_DISABLE_AUTOUPDATE", "1"),
                ],
                act: "build",
                ..COMMON
            },
            Self::Qwen => PresetFacts {
                title: "Qwen Code",
                command: "qwen",
                // In safe mode, settings of the working directory grant nothing and run nothing.
                args: &[
                    "--acp", "--auth-type", "openai", "--approval-mode", "default", "--safe-mode",
                ],
                package: "@qwen-code/qwen-code@0.24.4",
                // It would start itself once more.
                quiet: &[("QWEN_CODE_NO_RELAUNCH", "true")],
                base_url: Some("OPENAI_BASE_URL"),
                model: Some("OPENAI_MODEL"),
                auth_method: Some("openai"),
                ..COMMON
            },
        }
    }

    /// Its environment: what keeps it quiet, and where its model is.
    pub(super) fn environment(
        self,
        model: Option<&str>,
        base_url: Option<&str>,
    ) -> Vec<(String, String)> {
        let facts = self.facts();
        let quiet = facts.quiet.iter().copied();
        let named = facts.base_url.zip(base_url).into_iter().chain(facts.model.zip(model));
        let owned = |(name, value): (&str, &str)| (name.to_owned(), value.to_owned());
        let mut environment: Vec<_> = quiet.chain(named).map(owned).collect();
        if let (Self::Codex, Some(url)) = (self, base_url) {
            environment.push(owned(("MODEL_PROVIDER", CODEX_PROVIDER)));
            environment.push(("CODEX_CONFIG".to_owned(), codex_config(model, url).to_string()));
        }
        environment
    }

    /// Whether the model is an option of its sessions, and not in its environment.
    pub(super) fn chooses_model_by_option(self, base_url: Option<&str>) -> bool {
        self.facts().model.is_none() && (self != Self::Codex || base_url.is_none())
    }

    /// What is set in each session.
    pub(super) fn wanted(self) -> Wanted {
        let facts = self.facts();
        let owned = |options: &[(&str, &str)]| {
            options.iter().map(|(id, value)| ((*id).to_owned(), (*value).to_owned())).collect()
        };
        Wanted {
            act: Some(facts.act.to_owned()),
            plan: Some(facts.plan.to_owned()),
            act_options: owned(facts.act_options),
            plan_options: owned(facts.plan_options),
            model: None,
        }
    }

    /// What goes with a session, beside the protocol. Files in the working directory may be
    /// written by the agent: they must not grant permissions or run hooks. And no model may
    /// decide in the person's place, as one does by default while the agent plans.
    pub(super) fn session_meta(self) -> Map<String, Value> {
        match self {
            Self::Claude => {
                let options = json!({
                    "settingSources": ["user"],
                    "promptSuggestions": false,
                    "allowDangerouslySkipPermissions": false,
                    "settings": {"useAutoModeDuringPlan": false, "disableAutoMode": "disable"},
                });
                Map::from_iter([("claudeCode".to_owned(), json!({"options": options}))])
            }
            Self::Codex | Self::Gemini | Self::Opencode | Self::Qwen => Map::new(),
        }
    }
}

/// The name of the configured provider.
const CODEX_PROVIDER: &str = "configured";

/// Codex reads the address of its model's API from its configuration alone.
fn codex_config(model: Option<&str>, base_url: &str) -> Value {
    let provider = json!({"name": CODEX_PROVIDER, "base_url": base_url,
        "env_key": "OPENAI_API_KEY", "wire_api": "responses"});
    let mut config =
        json!({"model_provider": CODEX_PROVIDER, "model_providers": {CODEX_PROVIDER: provider}});
    if let Some(model) = model {
        config["model"] = json!(model);
    }
    config
}

const ASK_EVERYTHING: &str =
    r#"{"bash":"ask","edit":"ask","webfetch":"ask","external_directory":"ask"}"#;

/// What most of them have in common.
const COMMON: PresetFacts = PresetFacts {
    title: "",
    command: "",
    args: &[],
    package: "",
    is_durable: true,
    base_url: None,
    model: None,
    quiet: &[],
    act: "default",
    plan: "plan",
    act_options: &[],
    plan_options: &[],
    auth_method: None,
    warns_in_text: false,
};
