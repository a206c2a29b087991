//! The configuration: raw → resolved.
//!
//! 1. The file (`--config`, `PARLOR_CONFIG`, or `parlor.toml` if it exists) is parsed
//!    into [`raw`]: every key is optional, an unknown one is refused with a
//!    [`suggestion`].
//! 2. The environment and then the flags override it ([`environment`]).
//! 3. It is resolved into [`Config`]: defaults are filled in and everything is checked.
//!    Every error names the key and what would be valid.
//!
//! `parlor.example.toml` documents every key; a test holds it to the defaults.

mod access;
mod agent;
mod colour;
mod default_name;
mod environment;
mod explain;
mod limits;
mod login;
mod look;
mod network;
mod nodes;
mod on_reload;
mod public_url;
mod raw;
mod server;
mod storage;
mod suggestion;
mod tenants;
mod units;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use parlor_protocol::TenantId;

pub use access::{AccessConfig, Credentials};
pub use agent::{AgentConfig, AgentKind};
pub use colour::{Accent, Colour};
pub use limits::Limits;
pub use login::{LoginConfig, OidcConfig};
pub use look::{LookConfig, Suggestion, SuggestionMode, Words};
pub use network::Network;
pub use nodes::NodesConfig;
pub use on_reload::OnReload;
pub use public_url::PublicUrl;
pub use server::{OpenAiConfig, ServerConfig};
pub use storage::StorageConfig;
pub(crate) use storage::{CHAT, RECIPES};
pub use tenants::{HOME, ProjectConfig, TenantConfig};

use environment::Override;
use raw::RawConfig;

/// All settings.
#[derive(Debug, Clone)]
pub struct Config {
    /// The address, the URL and the limits.
    pub server: ServerConfig,
    /// Where data is stored.
    pub storage: StorageConfig,
    /// How it takes part with other servers on the same database.
    pub nodes: NodesConfig,
    /// The lifetime of sessions.
    pub access: AccessConfig,
    /// The tenants and their projects.
    pub tenants: BTreeMap<TenantId, TenantConfig>,
    /// Credentials from the environment.
    pub credentials: Credentials,
    /// Likely mistakes that are not errors.
    pub warnings: Vec<String>,
}

/// Where a configuration comes from.
#[derive(Debug, Clone, Default)]
pub struct Sources {
    /// `--config`.
    pub file: Option<PathBuf>,
    /// `--bind`.
    pub bind: Option<String>,
    /// `--data-dir`.
    pub data_dir: Option<PathBuf>,
    /// The environment variables.
    pub environment: BTreeMap<String, String>,
}

/// Why a configuration cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ConfigError {
    /// The file cannot be read.
    #[error("the configuration {path} cannot be read: {why}")]
    CannotRead {
        /// Which file.
        path: String,
        /// The error of the system.
        why: String,
    },
    /// A setting is invalid.
    #[error("{place}: {why}")]
    Invalid {
        /// The file, the key, the variable or the flag.
        place: String,
        /// What is invalid, and what would be valid.
        why: String,
    },
}

impl Config {
    /// Reads, merges and checks.
    pub fn load(sources: &Sources) -> Result<Self, ConfigError> {
        Self::merge(read_file(sources)?, sources)
    }

    /// Lays the environment and the flags over what the file says, and checks the result.
    fn merge(mut table: toml::Table, sources: &Sources) -> Result<Self, ConfigError> {
        let mut raw = to_raw(&table).at("parlor.toml")?;
        for setting in overrides(sources) {
            // One after the other, so that an error names its source.
            setting.apply(&mut table).at(&setting.source)?;
            raw = to_raw(&table).at(&setting.source)?;
        }
        let storage = StorageConfig::resolve(raw.storage)?;
        Ok(Self {
            server: ServerConfig::resolve(raw.server)?,
            nodes: NodesConfig::resolve(raw.nodes, raw.fanout, &storage)?,
            storage,
            access: AccessConfig::resolve(&raw.access)?,
            tenants: tenants::resolve(raw.tenants)?,
            credentials: Credentials::resolve(&sources.environment)?,
            warnings: environment::unknown_variables(&sources.environment),
        })
    }
}

/// The configuration of a file with this text, for the fuzz targets.
pub(crate) fn from_text(text: &str, sources: &Sources) -> Result<Config, ConfigError> {
    Config::merge(parse(text).at(USUAL_FILE)?, sources)
}

impl Sources {
    /// The environment of the process. Variables that are not Unicode are left out.
    pub fn process_environment() -> BTreeMap<String, String> {
        std::env::vars_os()
            .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)))
            .collect()
    }
}

impl ConfigError {
    fn invalid(place: &str, why: String) -> Self {
        Self::Invalid { place: place.to_owned(), why }
    }
}

/// Adds the place to an error.
trait AtPlace<T> {
    fn at(self, place: &str) -> Result<T, ConfigError>;
}

impl<T> AtPlace<T> for Result<T, String> {
    fn at(self, place: &str) -> Result<T, ConfigError> {
        self.map_err(|why| ConfigError::invalid(place, why))
    }
}

const USUAL_FILE: &str = "parlor.toml";

fn read_file(sources: &Sources) -> Result<toml::Table, ConfigError> {
    let named = sources.file.clone().or_else(|| {
        sources.environment.get("PARLOR_CONFIG").filter(|v| !v.is_empty()).map(PathBuf::from)
    });
    let path = match named {
        Some(path) => path,
        None if Path::new(USUAL_FILE).exists() => USUAL_FILE.into(),
        None => return Ok(toml::Table::new()),
    };
    let shown = path.display().to_string();
    let text = fs::read_to_string(&path)
        .map_err(|error| ConfigError::CannotRead { path: shown.clone(), why: error.to_string() })?;
    parse(&text).at(&shown)
}

/// Parsed into the raw types first: their errors point at a line.
fn parse(text: &str) -> Result<toml::Table, String> {
    toml::from_str::<RawConfig>(text).map_err(|error| explain::explain(&error))?;
    toml::from_str(text).map_err(|error| explain::explain(&error))
}

fn to_raw(table: &toml::Table) -> Result<RawConfig, String> {
    table.clone().try_into().map_err(|error| explain::explain(&error))
}

fn overrides(sources: &Sources) -> Vec<Override> {
    let mut settings = environment::overrides(&sources.environment);
    if let Some(bind) = &sources.bind {
        settings.push(Override::flag("--bind", "server.bind", bind.clone()));
    }
    if let Some(dir) = &sources.data_dir {
        let dir = dir.display().to_string();
        settings.push(Override::flag("--data-dir", "server.data_dir", dir));
    }
    settings
}

#[cfg(test)]
mod tests;
