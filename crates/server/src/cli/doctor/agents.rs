//! The agent of each project: its settings, the model behind it, or the program.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use parlor_models::{Reached, reach};
use parlor_programs::acp::Preset;
use parlor_programs::claude_code;

use super::finding::Finding;
use crate::cli::agents::{find_in, version};
use crate::compose::agent_alone;
use crate::config::{AgentKind, Config, ProjectConfig};

pub(super) async fn look(config: &Config, environment: &BTreeMap<String, String>) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (tenant, settings) in &config.tenants {
        for (id, project) in &settings.projects {
            let about = format!("agent of {tenant}/{id}");
            let finding = match agent_alone(project, environment) {
                Err(error) => Finding::wrong(&about, error, "correct the setting that it names"),
                Ok(_) if project.agent.kind.is_program() => program(&about, project, environment),
                Ok(_) => model(&about, project, environment).await,
            };
            // Projects with the same agent need not say it twice.
            let is_new =
                |other: &Finding| other.what != finding.what || other.state != finding.state;
            if findings.iter().all(is_new) {
                findings.push(finding);
            }
        }
    }
    findings
}

async fn model(
    about: &str,
    project: &ProjectConfig,
    environment: &BTreeMap<String, String>,
) -> Finding {
    let env = |name: &str| environment.get(name).cloned();
    match reach(&project.agent.model, env).await {
        Err(error) => Finding::wrong(about, error, "correct the setting that it names"),
        Ok(Reached::Demo) => Finding::warning(
            about,
            "the demo model, which needs no key and knows nothing",
            "set ANTHROPIC_API_KEY or OPENAI_API_KEY, or base_url for a server of your own",
        ),
        Ok(Reached::Refused { address, status }) => Finding::wrong(
            about,
            format_args!("{address} refuses the key ({status})"),
            "set another key; a key of one vendor does not fit another",
        ),
        Ok(Reached::Fails { address, why }) => Finding::wrong(
            about,
            format_args!("{address}: {why}"),
            "look at base_url, at the network and the proxy of this machine, and at the server there",
        ),
        Ok(Reached::Answers { address, model, has_model: Some(false) }) => Finding::warning(
            about,
            format_args!("{address} answers, and does not list the model {model}"),
            "set agent.model to one that it lists",
        ),
        Ok(Reached::Answers { address, model, .. }) => {
            Finding::good(about, format_args!("{address} answers; the model is {model}"))
        }
    }
}

fn program(
    about: &str,
    project: &ProjectConfig,
    environment: &BTreeMap<String, String>,
) -> Finding {
    let agent = &project.agent;
    let is_claude_code = agent.kind == AgentKind::ClaudeCode;
    let preset = agent.acp.preset.map(Preset::facts);
    let command = match (is_claude_code, &agent.acp.command, preset) {
        (true, ..) => agent.claude_code.command.as_str(),
        (_, Some(command), _) => command.as_str(),
        (_, None, facts) => facts.map_or("", |facts| facts.command),
    };
    let Some(found) = program_file(command, environment) else {
        let to_do = "install it for the user of the server; `parlor agents` says how";
        return Finding::wrong(about, format_args!("there is no program {command}"), to_do);
    };
    let version = version(&found);
    let shown = version.as_deref().unwrap_or("of an unknown version");
    let what = format!("{} is {shown}", found.display());
    let is_durable = match &version {
        Some(version) if is_claude_code => {
            agent.claude_code.durable_approvals && claude_code::can_defer(version)
        }
        _ => preset.is_some_and(|facts| facts.is_durable),
    };
    if is_durable {
        Finding::good(about, format_args!("{what}; its questions outlive its process"))
    } else if is_claude_code && agent.claude_code.durable_approvals {
        let to_do = "npm install -g @anthropic-ai/claude-code@2.1.325, or a newer one";
        let what =
            format!("{what}; its questions end with its process: that needs 2.1.325 or newer");
        Finding::warning(about, what, to_do)
    } else {
        Finding::good(about, format_args!("{what}; its questions end with its process"))
    }
}

fn program_file(command: &str, environment: &BTreeMap<String, String>) -> Option<PathBuf> {
    if command.contains('/') {
        return Some(PathBuf::from(command)).filter(|file| Path::is_file(file));
    }
    find_in(environment.get("PATH")?.as_ref(), command)
}
