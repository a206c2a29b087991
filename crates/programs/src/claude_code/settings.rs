//! The settings of Claude Code, and the command line that follows from them.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use parlor_agent::TurnContext;
use parlor_process::{
    LimitSettings, SettingValue, SpawnSpec, User, WrongSetting, check_command, environment,
    find_user,
};
use parlor_protocol::Mode;
use secrecy::SecretString;
use serde::{Deserialize, Serialize};

use super::permission_mode::PermissionMode;
use super::policy::ToolPolicy;
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
    pub(super) durable_approvals: bool,
    pub(super) working_dir: PathBuf,
    pub(super) user: Option<User>,
    pub(super) limits: ProgramLimits,
    pub(super) spec: SpawnSpec,
}

/// A day. A larger value is a mistake, and could overflow a timer.
const LONGEST_TIME: f64 = 86_400.0;

/// Switches off its telemetry and its updates of itself.
const QUIET: &[&str] =
    &["CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "DISABLE_AUTOUPDATER", "DISABLE_TELEMETRY"];
const BASE_URL: &str = "ANTHROPIC_BASE_URL";
const HOME: &str = "HOME";

impl ClaudeCodeSettings {
    /// Checks the settings. `env` looks up an environment variable of the server.
    pub(crate) fn resolve(
        &self,
        model: Option<&str>,
        base_url: Option<&str>,
        env: &dyn Fn(&str) -> Option<String>,
    ) -> Result<Launch, WrongSetting> {
        check_command(&self.command)?;
        let working_dir = self.directory()?;
        let user = find_user(self.user.as_deref())?;
        let environment = self.environment(base_url, user.as_ref(), env)?;
        let program = find_program(&self.command, &environment)?;
        if user.is_none() {
            tracing::warn!(
                directory = %working_dir.display(),
                "the agent runs as the same user as this server, and can read its files; set \
                 agent.claude_code.user to another user"
            );
        }
        Ok(Launch {
            model: model.map(str::to_owned),
            permission_mode: self.permission_mode,
            tools: Arc::new(self.policy()?),
            durable_approvals: self.durable_approvals,
            limits: self.bridge_limits()?,
            spec: SpawnSpec {
                program,
                arguments: Vec::new(),
                environment,
                working_dir: Some(working_dir.clone()),
                user: user.clone(),
                limits: self.limits.into(),
                // It would take the end of its input as a refusal of its question, and continue.
                dies_at_once: true,
            },
            working_dir,
            user,
        })
    }

    /// The home directory of the program, for masking.
    pub fn home(&self, env: &dyn Fn(&str) -> Option<String>) -> Option<String> {
        match self.env.get(HOME) {
            Some(SettingValue::Fixed(home)) => Some(home.clone()),
            Some(SettingValue::Variable(from)) => env(&from.env),
            None => match self.user.as_deref().map(User::find) {
                Some(Ok(user)) => user.home,
                Some(Err(_)) => None,
                None => env(HOME),
            },
        }
    }

    fn directory(&self) -> Result<PathBuf, WrongSetting> {
        let wrong = |why: String| ("working_dir".to_owned(), why);
        let Some(dir) = &self.working_dir else {
            return Err(wrong("set it to the directory that the agent works in".to_owned()));
        };
        match dir.canonicalize() {
            Ok(dir) if dir.is_dir() => Ok(dir),
            Ok(_) => Err(wrong(format!("{} is not a directory", dir.display()))),
            Err(error) => Err(wrong(format!("{}: {error}", dir.display()))),
        }
    }

    fn environment(
        &self,
        base_url: Option<&str>,
        user: Option<&User>,
        env: &dyn Fn(&str) -> Option<String>,
    ) -> Result<Vec<(String, SecretString)>, WrongSetting> {
        let mut variables = environment(&self.env, user, env)?;
        let quiet = QUIET.iter().map(|name| (*name, "1"));
        for (name, value) in quiet.chain(base_url.map(|url| (BASE_URL, url))) {
            if !variables.iter().any(|(known, _)| known == name) {
                variables.push((name.to_owned(), SecretString::from(value)));
            }
        }
        Ok(variables)
    }

    fn policy(&self) -> Result<ToolPolicy, WrongSetting> {
        for (key, tools) in
            [("allowed_tools", &self.allowed_tools), ("disallowed_tools", &self.disallowed_tools)]
        {
            let bad = |tool: &&String| tool.trim().is_empty() || tool.starts_with('-');
            if let Some(tool) = tools.iter().find(bad) {
                return Err((key.to_owned(), format!("'{tool}' is not the name of a tool")));
            }
        }
        Ok(ToolPolicy::new(&self.allowed_tools, &self.disallowed_tools))
    }

    fn bridge_limits(&self) -> Result<ProgramLimits, WrongSetting> {
        let time = |key: &str, seconds: f64| {
            if (0.001..=LONGEST_TIME).contains(&seconds) {
                return Ok(Duration::from_secs_f64(seconds));
            }
            Err((key.to_owned(), "it must be more than 0 and at most 86400 seconds".to_owned()))
        };
        let size = |key: &str, bytes: usize| {
            if (1_024..=1 << 30).contains(&bytes) {
                return Ok(bytes);
            }
            Err((key.to_owned(), "it must be 1024 to 1073741824".to_owned()))
        };
        Ok(ProgramLimits {
            idle: time("idle_timeout_seconds", self.idle_timeout_seconds)?,
            turn: time("turn_timeout_seconds", self.turn_timeout_seconds)?,
            line_bytes: size("max_line_bytes", self.max_line_bytes)?,
            output_bytes: size("max_output_bytes", self.max_output_bytes)?,
            processes: match self.max_processes {
                most @ 1..=10_000 => most,
                _ => return Err(("max_processes".to_owned(), "it must be 1 to 10000".to_owned())),
            },
        })
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

/// Looks up the program in the `PATH`, so that a missing one is reported before anyone writes a
/// message.
fn find_program(
    command: &str,
    environment: &[(String, SecretString)],
) -> Result<String, WrongSetting> {
    use secrecy::ExposeSecret as _;
    if command.contains('/') {
        let missing = || format!("there is no program {command}");
        let found = PathBuf::from(command).canonicalize();
        let found = found.map_err(|_| ("command".to_owned(), missing()))?;
        return Ok(found.display().to_string());
    }
    let path = environment.iter().find(|(name, _)| name == "PATH");
    let path = path.map(|(_, value)| value.expose_secret()).unwrap_or_default();
    let found = std::env::split_paths(path).any(|dir| dir.join(command).is_file());
    if found {
        return Ok(command.to_owned());
    }
    let why = format!(
        "there is no program '{command}' in the PATH of the agent; install it (npm install -g \
         @anthropic-ai/claude-code@2.1.325), or set its whole path"
    );
    Err(("command".to_owned(), why))
}
