//! The settings of Claude Code, and the command line that follows from them.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use parlor_agent::TurnContext;
use parlor_process::{LimitSettings, SettingValue, SpawnSpec, User, WrongSetting};
use parlor_protocol::{Content, Mode};
use serde::{Deserialize, Serialize};

use super::permission_mode::PermissionMode;
use super::policy::ToolPolicy;
use crate::contained::{self, Contained, check_tools};
use crate::program::ProgramLimits;

/// How Claude Code is run for a project.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ClaudeCodeSettings {
    /// The program: a name in the `PATH`, or a path.
    pub command: String,
    /// Its working directory, which must exist.
    pub working_dir: Option<PathBuf>,
    /// The user that it runs as, if the server was started as root.
    pub user: Option<String>,
    /// What it may do without asking, in a conversation that may change things.
    pub permission_mode: PermissionMode,
    /// Tools that run without approval.
    pub allowed_tools: Vec<String>,
    /// Tools that it does not have.
    pub disallowed_tools: Vec<String>,
    /// Whose words are in the files of its working directory (F-1).
    pub working_dir_content: Content,
    /// Whether its questions outlive its process and the server. Each question costs two
    /// starts of the program; while it waits, no process runs.
    pub durable_approvals: bool,
    /// The most processes at once, in all conversations of the project. A message that finds
    /// none free is queued; an idle process is ended for it.
    pub max_processes: usize,
    /// How long an idle process is kept.
    pub idle_timeout_seconds: f64,
    /// How long a turn may take, without the time that people take to answer.
    pub turn_timeout_seconds: f64,
    /// The longest line that it may write, in bytes. Pictures that it reads are
    /// in its lines.
    pub max_line_bytes: usize,
    /// The most that it may write in one turn, in bytes.
    pub max_output_bytes: usize,
    /// Its environment variables beside `PATH`, `HOME`, the language and the time zone.
    pub env: BTreeMap<String, SettingValue>,
    /// The resource limits of its process.
    pub limits: LimitSettings,
}

impl Default for ClaudeCodeSettings {
    fn default() -> Self {
        Self {
            command: "claude".to_owned(),
            working_dir: None,
            user: None,
            permission_mode: PermissionMode::Default,
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

/// Everything that is needed to start Claude Code.
#[derive(Debug)]
pub(crate) struct Launch {
    pub(super) model: Option<String>,
    pub(super) permission_mode: PermissionMode,
    pub(super) tools: Arc<ToolPolicy>,
    pub(super) working_dir_content: Content,
    pub(super) durable_approvals: bool,
    pub(super) working_dir: PathBuf,
    pub(super) user: Option<User>,
    pub(super) limits: ProgramLimits,
    pub(super) spec: SpawnSpec,
}

/// Switches off its telemetry and its updates of itself.
const QUIET: &[&str] =
    &["CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "DISABLE_AUTOUPDATER", "DISABLE_TELEMETRY"];
const BASE_URL: &str = "ANTHROPIC_BASE_URL";
/// How to get the program.
const INSTALL: &str = "install it (npm install -g @anthropic-ai/claude-code@2.1.325)";

impl ClaudeCodeSettings {
    /// Checks the settings. `env` looks up an environment variable of the server.
    pub(crate) fn resolve(
        &self,
        model: Option<&str>,
        base_url: Option<&str>,
        env: &dyn Fn(&str) -> Option<String>,
    ) -> Result<Launch, WrongSetting> {
        let start = self.contained(base_url).resolve(env)?;
        Ok(Launch {
            model: model.map(str::to_owned),
            permission_mode: self.permission_mode,
            tools: Arc::new(self.policy()?),
            working_dir_content: self.working_dir_content,
            durable_approvals: self.durable_approvals,
            limits: start.limits,
            spec: start.spec,
            working_dir: start.working_dir,
            user: start.user,
        })
    }

    /// The home directory of the program, for masking.
    pub fn home(&self, env: &dyn Fn(&str) -> Option<String>) -> Option<String> {
        contained::home(&self.env, self.user.as_deref(), env)
    }

    fn contained(&self, base_url: Option<&str>) -> Contained<'_> {
        let quiet = QUIET.iter().map(|name| (*name, "1"));
        let default_env = quiet.chain(base_url.map(|url| (BASE_URL, url)));
        Contained {
            section: "claude_code",
            command: &self.command,
            install: INSTALL.to_owned(),
            working_dir: self.working_dir.as_deref(),
            user: self.user.as_deref(),
            env: &self.env,
            default_env: default_env.map(|(n, v)| (n.to_owned(), v.to_owned())).collect(),
            limits: self.limits,
            idle_timeout_seconds: self.idle_timeout_seconds,
            turn_timeout_seconds: self.turn_timeout_seconds,
            max_line_bytes: self.max_line_bytes,
            max_output_bytes: self.max_output_bytes,
            max_processes: self.max_processes,
        }
    }

    fn policy(&self) -> Result<ToolPolicy, WrongSetting> {
        let (allowed, denied) = (&self.allowed_tools, &self.disallowed_tools);
        check_tools([("allowed_tools", allowed), ("disallowed_tools", denied)])?;
        Ok(ToolPolicy::new(allowed, denied))
    }
}

impl Launch {
    /// Its permission mode in a conversation of this mode.
    pub(super) fn mode_for(&self, mode: Mode) -> PermissionMode {
        match mode {
            Mode::Plan => PermissionMode::Plan,
            Mode::Act => self.permission_mode,
        }
    }

    /// The command line. Every part of it comes from the configuration, from the program itself
    /// (its CLI session) or from this file: nothing is written by a person.
    pub(super) fn spawn_spec(
        &self,
        context: &TurnContext,
        mode: PermissionMode,
        cli_session: Option<&str>,
    ) -> SpawnSpec {
        let mut arguments: Vec<String> = [
            "-p", "--input-format", "stream-json", "--output-format", "stream-json", "--verbose",
            "--include-partial-messages",
            // Undocumented. Without it, the program asks nobody and refuses by itself.
            "--permission-prompt-tool", "stdio",
            // Files in the working directory may be written by the agent: they must not grant
            // permissions, run hooks or start servers.
            "--setting-sources", "user", "--strict-mcp-config",
        ]
        .map(str::to_owned)
        .into();
        let mut add = |flag: &str, value: Option<&str>| {
            // As one argument: a value that begins with a dash stays a value.
            arguments.extend(value.map(|value| format!("{flag}={value}")));
        };
        add("--append-system-prompt", context.system_prompt.as_deref());
        let listed = |tools: Vec<&str>| Some(tools.join(",")).filter(|tools| !tools.is_empty());
        add("--allowedTools", listed(self.tools.its_own_rules()).as_deref());
        add("--disallowedTools", listed(self.tools.denied()).as_deref());
        let mut add = |flag: &str, value: Option<&str>| {
            arguments.extend([Some(flag), value].into_iter().flatten().map(str::to_owned));
        };
        add("--permission-mode", Some(mode.as_str()));
        if let Some(model) = &self.model {
            add("--model", Some(model));
        }
        if let Some(cli_session) = cli_session.filter(|id| is_cli_session(id)) {
            add("--resume", Some(cli_session));
        }
        SpawnSpec { arguments, ..self.spec.clone() }
    }
}

/// Whether an id is a UUID, as all its CLI sessions are.
fn is_cli_session(id: &str) -> bool {
    uuid::Uuid::try_parse(id).is_ok()
}
