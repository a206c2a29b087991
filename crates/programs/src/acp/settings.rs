//! The settings of an agent that speaks the protocol, and what is started with them.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use parlor_process::{LimitSettings, SettingValue, SpawnSpec, WrongSetting};
use parlor_protocol::Content;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::modes::{Wanted, is_unasked};
use super::preset::Preset;
use super::tools::ToolLists;
use crate::contained::{self, Contained, check_tools};
use crate::program::ProgramLimits;

/// How an agent is run for a project.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct AcpSettings {
    /// A known agent: it has a program, arguments and modes, unless they are set here.
    pub preset: Option<Preset>,
    /// The program: a name in the `PATH`, or a path.
    pub command: Option<String>,
    /// Its arguments.
    pub args: Option<Vec<String>>,
    /// Its working directory, which must exist.
    pub working_dir: Option<PathBuf>,
    /// The user that it runs as, if the server was started as root.
    pub user: Option<String>,
    /// Its mode in conversations that may change things.
    pub mode: Option<String>,
    /// Its mode in conversations that plan.
    pub plan_mode: Option<String>,
    /// How it logs in, if it wants that: one of its own methods, with what `env` holds.
    pub auth_method: Option<String>,
    /// Tools that run without approval, by the names that approvals show.
    pub allowed_tools: Vec<String>,
    /// Tools that are refused.
    pub disallowed_tools: Vec<String>,
    /// Whose words are in the files of its working directory (F-1).
    pub working_dir_content: Content,
    /// Whether its questions outlive its process and the server, if it can resume its session.
    /// Then no process runs while a person is asked.
    pub durable_approvals: bool,
    /// The most processes at once, in all conversations of the project.
    pub max_processes: usize,
    /// How long an idle process is kept.
    pub idle_timeout_seconds: f64,
    /// How long a turn may take, without the time that people take to answer.
    pub turn_timeout_seconds: f64,
    /// The longest line that it may write, in bytes.
    pub max_line_bytes: usize,
    /// The most that it may write in one turn, in bytes.
    pub max_output_bytes: usize,
    /// Its environment variables beside `PATH`, `HOME`, the language and the time zone.
    pub env: BTreeMap<String, SettingValue>,
    /// The resource limits of its process.
    pub limits: LimitSettings,
}

impl Default for AcpSettings {
    fn default() -> Self {
        Self {
            preset: None,
            command: None,
            args: None,
            working_dir: None,
            user: None,
            mode: None,
            plan_mode: None,
            auth_method: None,
            allowed_tools: Vec::new(),
            disallowed_tools: Vec::new(),
            working_dir_content: Content::Own,
            durable_approvals: true,
            max_processes: 8,
            idle_timeout_seconds: 900.0,
            turn_timeout_seconds: 1_800.0,
            max_line_bytes: 16 << 20,
            max_output_bytes: 256 << 20,
            env: BTreeMap::new(),
            limits: LimitSettings::default(),
        }
    }
}

/// Everything that is needed to start an agent.
#[derive(Debug)]
pub(crate) struct Launch {
    pub(super) spec: SpawnSpec,
    pub(super) working_dir: PathBuf,
    pub(super) working_dir_content: Content,
    pub(super) limits: ProgramLimits,
    pub(super) wanted: Wanted,
    pub(super) session_meta: Map<String, Value>,
    pub(super) auth_method: Option<String>,
    pub(super) warns_in_text: bool,
    pub(super) tools: Arc<ToolLists>,
    pub(super) durable: bool,
}

impl AcpSettings {
    /// Checks the settings. `env` looks up an environment variable of the server.
    pub(super) fn resolve(
        &self,
        model: Option<&str>,
        base_url: Option<&str>,
        env: &dyn Fn(&str) -> Option<String>,
    ) -> Result<Launch, WrongSetting> {
        let facts = self.preset.map(Preset::facts);
        let wanted = self.wanted(model, base_url)?;
        let tools = self.tools()?;
        let mut start = self.contained(model, base_url)?.resolve(env)?;
        start.spec.arguments = match (&self.args, facts) {
            (Some(args), _) => args.clone(),
            (None, Some(facts)) => facts.args.iter().map(|arg| (*arg).to_owned()).collect(),
            (None, None) => Vec::new(),
        };
        let auth_method = facts.and_then(|facts| facts.auth_method).map(str::to_owned);
        Ok(Launch {
            spec: start.spec,
            working_dir: start.working_dir,
            working_dir_content: self.working_dir_content,
            limits: start.limits,
            wanted,
            session_meta: self.preset.map(Preset::session_meta).unwrap_or_default(),
            auth_method: self.auth_method.clone().or(auth_method),
            warns_in_text: facts.is_some_and(|facts| facts.warns_in_text),
            tools: Arc::new(tools),
            durable: self.durable_approvals,
        })
    }

    /// The home directory of the program, for masking.
    pub fn home(&self, env: &dyn Fn(&str) -> Option<String>) -> Option<String> {
        contained::home(&self.env, self.user.as_deref(), env)
    }

    fn contained(
        &self,
        model: Option<&str>,
        base_url: Option<&str>,
    ) -> Result<Contained<'_>, WrongSetting> {
        let facts = self.preset.map(Preset::facts);
        let command = match (&self.command, facts) {
            (Some(command), _) => command.as_str(),
            (None, Some(facts)) => facts.command,
            (None, None) => {
                let names: Vec<&str> = Preset::ALL.iter().map(|preset| preset.name()).collect();
                let why = format!("set it, or set preset to one of: {}", names.join(", "));
                return Err(("command".to_owned(), why));
            }
        };
        let environment = |preset: Preset| preset.environment(model, base_url);
        Ok(Contained {
            section: "acp",
            command,
            install: match facts {
                Some(facts) => format!("install it (npm install -g {})", facts.package),
                None => "install it".to_owned(),
            },
            working_dir: self.working_dir.as_deref(),
            user: self.user.as_deref(),
            env: &self.env,
            default_env: self.preset.map(environment).unwrap_or_default(),
            limits: self.limits,
            idle_timeout_seconds: self.idle_timeout_seconds,
            turn_timeout_seconds: self.turn_timeout_seconds,
            max_line_bytes: self.max_line_bytes,
            max_output_bytes: self.max_output_bytes,
            max_processes: self.max_processes,
        })
    }

    /// A mode in which nobody is asked cannot be configured.
    fn wanted(&self, model: Option<&str>, base_url: Option<&str>) -> Result<Wanted, WrongSetting> {
        for (key, mode) in [("mode", &self.mode), ("plan_mode", &self.plan_mode)] {
            if let Some(mode) = mode.as_deref().filter(|mode| is_unasked(mode)) {
                let why = format!("in its mode '{mode}' nobody is asked, or a model decides");
                return Err((key.to_owned(), why));
            }
        }
        let usual = self.preset.map(Preset::wanted).unwrap_or_default();
        let by_option = self.preset.is_none_or(|preset| preset.chooses_model_by_option(base_url));
        Ok(Wanted {
            act: self.mode.clone().or(usual.act),
            plan: self.plan_mode.clone().or(usual.plan),
            model: model.filter(|_| by_option).map(str::to_owned),
            ..usual
        })
    }

    fn tools(&self) -> Result<ToolLists, WrongSetting> {
        let (allowed, denied) = (&self.allowed_tools, &self.disallowed_tools);
        check_tools([("allowed_tools", allowed), ("disallowed_tools", denied)])?;
        Ok(ToolLists::new(allowed, denied))
    }
}
