//! The settings of any child: its environment and its limits.
//!
//! A setting names the environment variable that holds a secret, so that no secret has to be
//! in a file.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::{fmt, fs, io};

use secrecy::SecretString;
use serde::{Deserialize, Serialize};

use crate::environment::base_environment;
use crate::spawn::Limits;
use crate::user::User;

/// A value in the configuration, in an environment variable of the server, or in a file of its own.
#[derive(Clone, PartialEq, Serialize, Deserialize)]
#[serde(
    untagged,
    expecting = "a text, { env = \"VARIABLE\", prefix = \"Bearer \" }, or { file = \"/path\" }"
)]
pub enum SettingValue {
    /// The value itself.
    Fixed(String),
    /// The value of a variable.
    Variable(FromVariable),
    /// What a file holds.
    File(FromFile),
}

/// A value in an environment variable.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FromVariable {
    /// The variable.
    pub env: String,
    /// What stands before its value.
    #[serde(default)]
    pub prefix: String,
}

/// A value in a file, such as one that a container is given. White space around it is no part of it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FromFile {
    /// The file.
    pub file: PathBuf,
    /// What stands before its value.
    #[serde(default)]
    pub prefix: String,
}

/// What a child process may use. What is not set is as for the server.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct LimitSettings {
    /// Open files.
    pub open_files: Option<u64>,
    /// Address space, in megabytes. Programs in JavaScript need a lot.
    pub memory_mb: Option<u64>,
    /// Processes of the same user: of use with a user of its own.
    pub processes: Option<u64>,
    /// Processor time, in seconds.
    pub cpu_seconds: Option<u64>,
}

/// An invalid setting: its key below the child's own, and why.
pub type WrongSetting = (String, String);

impl SettingValue {
    /// The value. `env` looks up an environment variable of the server.
    pub fn resolve(&self, env: &dyn Fn(&str) -> Option<String>) -> Result<SecretString, String> {
        match self {
            Self::Fixed(value) => Ok(SecretString::from(value.as_str())),
            Self::Variable(from) => match env(&from.env) {
                Some(value) => Ok(SecretString::from(format!("{}{value}", from.prefix))),
                None => Err(format!("the variable {} is not set", from.env)),
            },
            Self::File(from) => match from.read() {
                Ok(value) => Ok(SecretString::from(format!("{}{value}", from.prefix))),
                Err(why) => Err(format!("{} cannot be read: {why}", from.file.display())),
            },
        }
    }
}

impl FromFile {
    /// What it holds.
    pub fn read(&self) -> io::Result<String> {
        Ok(fs::read_to_string(&self.file)?.trim().to_owned())
    }
}

/// The whole environment of a child: what every child gets, and what is listed for this one.
pub fn environment(
    listed: &BTreeMap<String, SettingValue>,
    user: Option<&User>,
    env: &dyn Fn(&str) -> Option<String>,
) -> Result<Vec<(String, SecretString)>, WrongSetting> {
    let mut environment = base_environment(env, user);
    for (name, value) in listed {
        let key = format!("env.{name}");
        if name.is_empty() || name.contains(['=', '\0']) {
            return Err((key, "this is not a name of a variable".to_owned()));
        }
        let value = value.resolve(env).map_err(|why| (key, why))?;
        environment.retain(|(known, _)| known != name);
        environment.push((name.clone(), value));
    }
    Ok(environment)
}

/// Whether this can be the name or the path of a program.
pub fn check_command(command: &str) -> Result<(), WrongSetting> {
    if command.trim().is_empty() || command.contains('\0') {
        let why = "it must be the name or the path of a program";
        return Err(("command".to_owned(), why.to_owned()));
    }
    Ok(())
}

/// The user that a setting names, if any.
pub fn find_user(user: Option<&str>) -> Result<Option<User>, WrongSetting> {
    user.map(User::find).transpose().map_err(|error| ("user".to_owned(), error.to_string()))
}

impl From<LimitSettings> for Limits {
    fn from(settings: LimitSettings) -> Self {
        Self {
            open_files: settings.open_files,
            memory: settings.memory_mb.map(|megabytes| megabytes.saturating_mul(1 << 20)),
            processes: settings.processes,
            cpu_seconds: settings.cpu_seconds,
        }
    }
}

impl Default for LimitSettings {
    fn default() -> Self {
        Self { open_files: Some(1_024), memory_mb: None, processes: None, cpu_seconds: None }
    }
}

/// A secret that is in the file all the same is not in a log.
impl fmt::Debug for SettingValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Fixed(_) => f.write_str("Fixed(…)"),
            Self::Variable(variable) => variable.fmt(f),
            Self::File(file) => file.fmt(f),
        }
    }
}
