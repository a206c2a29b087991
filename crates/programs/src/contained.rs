//! The settings that all programs have in common: what is started, where, as whom, with which
//! environment and limits. Whatever is wrong about them is said before anyone writes a message.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use parlor_process::{
    LimitSettings, SettingValue, SpawnSpec, User, WrongSetting, check_command, environment,
    find_user,
};
use secrecy::{ExposeSecret as _, SecretString};

use crate::program::ProgramLimits;

/// A day. A larger value is a mistake, and could overflow a timer.
const LONGEST_TIME: f64 = 86_400.0;
const HOME: &str = "HOME";

/// The settings as they are configured.
#[derive(Debug)]
pub(crate) struct Contained<'s> {
    /// Where they are in the configuration, below `agent`.
    pub(crate) section: &'static str,
    pub(crate) command: &'s str,
    /// How to get the program, if it is not there.
    pub(crate) install: String,
    pub(crate) working_dir: Option<&'s Path>,
    pub(crate) user: Option<&'s str>,
    pub(crate) env: &'s BTreeMap<String, SettingValue>,
    /// Variables that are set unless `env` has them.
    pub(crate) default_env: Vec<(String, String)>,
    pub(crate) limits: LimitSettings,
    pub(crate) idle_timeout_seconds: f64,
    pub(crate) turn_timeout_seconds: f64,
    pub(crate) max_line_bytes: usize,
    pub(crate) max_output_bytes: usize,
    pub(crate) max_processes: usize,
}

/// What is started.
#[derive(Debug)]
pub(crate) struct Start {
    pub(crate) spec: SpawnSpec,
    pub(crate) working_dir: PathBuf,
    pub(crate) user: Option<User>,
    pub(crate) limits: ProgramLimits,
}

impl Contained<'_> {
    /// Checks the settings. `env` looks up an environment variable of the server.
    pub(crate) fn resolve(
        &self,
        env: &dyn Fn(&str) -> Option<String>,
    ) -> Result<Start, WrongSetting> {
        check_command(self.command)?;
        let working_dir = self.directory()?;
        let user = find_user(self.user)?;
        let environment = self.environment(user.as_ref(), env)?;
        let program = self.find_program(&environment)?;
        if user.is_none() {
            tracing::warn!(
                directory = %working_dir.display(),
                "the agent runs as the same user as this server, and can read its files; set \
                 agent.{}.user to another user", self.section
            );
        }
        Ok(Start {
            limits: self.limits()?,
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

    fn directory(&self) -> Result<PathBuf, WrongSetting> {
        let wrong = |why: String| ("working_dir".to_owned(), why);
        let Some(dir) = self.working_dir else {
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
        user: Option<&User>,
        env: &dyn Fn(&str) -> Option<String>,
    ) -> Result<Vec<(String, SecretString)>, WrongSetting> {
        let mut variables = environment(self.env, user, env)?;
        for (name, value) in &self.default_env {
            if !variables.iter().any(|(known, _)| known == name) {
                variables.push((name.clone(), SecretString::from(value.as_str())));
            }
        }
        Ok(variables)
    }

    /// Looks up the program in the `PATH` of its environment.
    fn find_program(&self, environment: &[(String, SecretString)]) -> Result<String, WrongSetting> {
        let command = self.command;
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
            "there is no program '{command}' in the PATH of the agent; {}, or set its whole path",
            self.install
        );
        Err(("command".to_owned(), why))
    }

    fn limits(&self) -> Result<ProgramLimits, WrongSetting> {
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

/// The home directory of a program, for masking.
pub(crate) fn home(
    listed: &BTreeMap<String, SettingValue>,
    user: Option<&str>,
    env: &dyn Fn(&str) -> Option<String>,
) -> Option<String> {
    match listed.get(HOME) {
        Some(SettingValue::Fixed(home)) => Some(home.clone()),
        Some(SettingValue::Variable(from)) => env(&from.env),
        Some(SettingValue::File(from)) => from.read().ok(),
        None => match user.map(User::find) {
            Some(Ok(user)) => user.home,
            Some(Err(_)) => None,
            None => env(HOME),
        },
    }
}

/// Checks lists of tools by their names; `key` is the setting.
pub(crate) fn check_tools(lists: [(&str, &[String]); 2]) -> Result<(), WrongSetting> {
    for (key, tools) in lists {
        let bad = |tool: &&String| tool.trim().is_empty() || tool.starts_with('-');
        if let Some(tool) = tools.iter().find(bad) {
            return Err((key.to_owned(), format!("'{tool}' is not the name of a tool")));
        }
    }
    Ok(())
}
