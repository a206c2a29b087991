//! The configuration: written → resolved.
//!
//! 1. The file (`--config`, `PARLOR_CONFIG`, or `parlor.toml` if there is one)
//!    is read into [`raw`]: every key is optional, an unknown one is refused
//!    with the nearest known one.
//! 2. The environment and then the flags are laid over it ([`environment`]).
//! 3. It is resolved into [`Config`]: defaults filled in, everything checked,
//!    every error with the place and what would be right.
//!
//! `parlor.example.toml` documents every key; a test holds it to the defaults.

mod access;
mod environment;
mod explain;
mod network;
mod public_url;
mod raw;
mod server;
mod tenants;
mod units;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use parlor_protocol::TenantId;

pub use access::{AccessConfig, Credentials};
pub use network::Network;
pub use public_url::PublicUrl;
pub use server::{Limits, ServerConfig};
pub use tenants::{HOME, OnReload, ProjectConfig, TenantConfig};

use environment::Override;
use raw::RawConfig;

/// Everything that an administrator decided.
#[derive(Debug, Clone)]
pub struct Config {
    /// Where it listens, its name, its limits.
    pub server: ServerConfig,
    /// How long sessions last.
    pub access: AccessConfig,
    /// Who uses it.
    pub tenants: BTreeMap<TenantId, TenantConfig>,
    /// Credentials that the environment sets.
    pub credentials: Credentials,
    /// What looks like a mistake and is not an error.
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
    /// The environment's variables.
    pub environment: BTreeMap<String, String>,
}

/// A configuration that cannot be used, and what to change.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ConfigError {
    /// The file cannot be read.
    #[error("the configuration {path} cannot be read: {why}")]
    CannotRead {
        /// Which file.
        path: String,
        /// What the system says.
        why: String,
    },
    /// A setting is wrong.
    #[error("{place}: {why}")]
    Invalid {
        /// The file, the key, the variable or the flag.
        place: String,
        /// What is wrong, and what would be right.
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
            // One after the other, so that an error has a name.
            setting.lay_over(&mut table).at(&setting.source)?;
            raw = to_raw(&table).at(&setting.source)?;
        }
        Ok(Self {
            server: ServerConfig::resolve(raw.server)?,
            access: AccessConfig::resolve(&raw.access)?,
            tenants: tenants::resolve(raw.tenants)?,
            credentials: Credentials::resolve(&sources.environment)?,
            warnings: environment::strangers(&sources.environment),
        })
    }
}

/// The configuration of a file with this text, for the fuzz targets.
pub(crate) fn from_text(text: &str, sources: &Sources) -> Result<Config, ConfigError> {
    Config::merge(parse(text).at(USUAL_FILE)?, sources)
}

impl Sources {
    /// The process's own environment. A variable that is not Unicode is none of ours.
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

/// Says where something is wrong.
trait Problem<T> {
    fn at(self, place: &str) -> Result<T, ConfigError>;
}

impl<T> Problem<T> for Result<T, String> {
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

/// The text is read as what it must be first: then errors point at a line.
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
