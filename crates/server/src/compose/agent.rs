//! The agent of a project: a model in the built-in loop, or a program behind a bridge.

use std::sync::Arc;

use parlor_agent::{Agent, Tools};
use parlor_process::WrongSetting;
use parlor_programs::acp::{self, Acp};
use parlor_programs::bridge::ProgramHost;
use parlor_programs::claude_code::{self, ClaudeCode};

use crate::config::{AgentConfig, AgentKind};

/// Why there is no agent with these settings. Each says which one to fix.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(super) enum AgentSettingsError {
    /// A setting of the model.
    #[error(transparent)]
    Model(#[from] parlor_models::SettingsError),
    /// A setting of the program.
    #[error("agent.{section}.{setting}: {why}")]
    Program {
        /// Where it is: the kind of the agent.
        section: &'static str,
        /// The setting.
        setting: String,
        /// What is wrong, and what would be right.
        why: String,
    },
    /// Leave the setting out.
    #[error("agent.kind is \"{kind}\", which has its own tools: {setting} does nothing there")]
    HasItsOwnTools {
        /// The kind of the agent.
        kind: &'static str,
        /// The setting.
        setting: &'static str,
    },
}

/// Builds the agent that the configuration asks for, with these tools. One that is a
/// program runs in `programs`. `env` looks up an environment variable.
///
/// A TLS provider has to be installed before (`rustls::crypto::CryptoProvider`).
pub(super) fn build_agent(
    config: &AgentConfig,
    env: impl Fn(&str) -> Option<String>,
    tools: Option<Arc<dyn Tools>>,
    programs: &ProgramHost,
) -> Result<Arc<dyn Agent>, AgentSettingsError> {
    match config.kind {
        AgentKind::ClaudeCode | AgentKind::Acp => {
            let kind = if config.kind == AgentKind::Acp { acp::KIND } else { claude_code::KIND };
            if tools.is_some() {
                return Err(AgentSettingsError::HasItsOwnTools { kind, setting: "mcp" });
            }
            config.model.validate()?;
            program(config, &env, programs).map_err(|(setting, why)| AgentSettingsError::Program {
                section: kind,
                setting,
                why,
            })
        }
        AgentKind::Auto | AgentKind::Anthropic | AgentKind::Openai | AgentKind::Demo => {
            Ok(parlor_models::build_agent(&config.model, env, tools)?)
        }
    }
}

fn program(
    config: &AgentConfig,
    env: &dyn Fn(&str) -> Option<String>,
    programs: &ProgramHost,
) -> Result<Arc<dyn Agent>, WrongSetting> {
    let env = |name: &str| env(name).filter(|value| !value.trim().is_empty());
    let (model, base_url) = (config.model.model.as_deref(), config.model.base_url.as_deref());
    Ok(match config.kind {
        AgentKind::Acp => Arc::new(Acp::new(&config.acp, model, base_url, &env, programs)?),
        _ => Arc::new(ClaudeCode::new(&config.claude_code, model, base_url, &env, programs)?),
    })
}

#[cfg(test)]
mod tests {
    use parlor_process::Supervisor;
    use parlor_programs::bridge::ProcessSlots;
    use serde_json::{Value, json};

    use super::*;
    use crate::config::AgentConfig;

    fn build(section: Value) -> Result<Arc<dyn Agent>, AgentSettingsError> {
        let supervisor = Supervisor { executable: "/nowhere".into(), arguments: Vec::new() };
        let programs = ProgramHost { supervisor, slots: ProcessSlots::new(1) };
        let config = AgentConfig::from_json(section).unwrap();
        let env = |name: &str| (name == "PATH").then(|| "/bin".to_owned());
        build_agent(&config, env, None, &programs)
    }

    /// B-2: whatever is wrong about a program is said before anything is started.
    #[tokio::test]
    async fn a_program_that_cannot_run_is_an_error_that_names_the_setting() {
        let dir = std::env::temp_dir();
        let claude_code = |more: Value| {
            let mut program = json!({"command": "/bin/sh", "working_dir": dir});
            program.as_object_mut().unwrap().extend(more.as_object().cloned().unwrap());
            build(json!({"kind": "claude_code", "claude_code": program}))
                .map(|agent| agent.describe().kind)
        };
        assert_eq!(claude_code(json!({})), Ok("claude_code"));
        assert_eq!(claude_code(json!({"command": "sh"})), Ok("claude_code"));
        for (more, words) in [
            (json!({"command": "no-such-program"}), "claude_code.command: there is no program"),
            (json!({"command": "/no/such"}), "claude_code.command: there is no program"),
            (json!({"command": " "}), "claude_code.command: it must be"),
            (json!({"working_dir": null}), "claude_code.working_dir: set it to"),
            (json!({"working_dir": "/no/such"}), "claude_code.working_dir: /no/such"),
            (json!({"working_dir": "/bin/sh"}), "is not a directory"),
            (json!({"env": {"A": {"env": "NOT_SET"}}}), "env.A: the variable NOT_SET is not set"),
            (json!({"allowed_tools": ["-x"]}), "claude_code.allowed_tools: '-x'"),
            (json!({"turn_timeout_seconds": 0}), "claude_code.turn_timeout_seconds: it must be"),
            (json!({"idle_timeout_seconds": 1e9}), "claude_code.idle_timeout_seconds: it must be"),
            (json!({"max_line_bytes": 1}), "claude_code.max_line_bytes: it must be"),
            (json!({"user": "no such user"}), "claude_code.user: "),
        ] {
            let message = claude_code(more.clone()).unwrap_err().to_string();
            assert!(message.contains(words), "{more}: {message}");
        }
    }

    /// A setting of the model is named, whichever agent is asked for.
    #[tokio::test]
    async fn a_setting_of_the_model_that_cannot_be_is_named() {
        for kind in ["demo", "claude_code"] {
            let error = build(json!({"kind": kind, "max_attempts": 0})).err().unwrap();
            assert_eq!(error.to_string(), "agent.max_attempts must be 1 to 10");
        }
    }
}
