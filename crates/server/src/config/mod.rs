//! The configuration: raw → resolved.
//!
//! 1. The file (`--config`, `PARLOR_CONFIG`, or `parlor.toml` if it exists) is parsed
//!    into [`raw`]: every key is optional, an unknown one is refused with a
//!    [`suggestion`].
//! 2. The environment and then the flags override it ([`environment`]).
//! 3. It is resolved into [`Config`]: defaults are filled in and everything is checked.
//!    Every error names the key and what would be valid; [`problems`] finds all of them.
//! 4. What holds, and where each value comes from, is kept for administrators ([`effective`]).
//!
//! `parlor.example.toml` documents every key; a test holds it to the defaults.

mod access;
mod agent;
mod approvers;
mod budgets;
mod colour;
mod default_name;
mod effective;
mod environment;
mod explain;
mod limits;
mod login;
mod look;
mod masking;
mod network;
mod nodes;
mod observed;
mod on_reload;
mod origins;
mod places;
mod problems;
mod public_url;
mod push;
mod raw;
mod server;
mod share_links;
mod storage;
mod suggestion;
mod tenants;
mod units;
mod webhooks;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use parlor_protocol::TenantId;

pub use access::{AccessConfig, Credentials};
pub use agent::{AgentConfig, AgentKind};
pub use colour::{Accent, Colour};
pub use effective::{Effective, EffectiveValue, ValueSource};
pub use limits::Limits;
pub use login::{LoginConfig, OidcConfig};
pub use look::{LookConfig, Suggestion, SuggestionMode, Words};
pub use network::Network;
pub use nodes::NodesConfig;
pub use observed::{LogFormat, MetricLabels, MetricsConfig, WebhookContent};
pub use on_reload::OnReload;
pub(crate) use origins::origin;
pub use public_url::PublicUrl;
pub use push::{PushConfig, PushContent};
pub use server::{OpenAiConfig, ServerConfig};
pub use share_links::ShareLinks;
pub use storage::StorageConfig;
pub(crate) use storage::{CHAT, RECIPES};
pub use tenants::{EmbedConfig, HOME, ProjectConfig, TenantConfig};
pub(crate) use webhooks::REMEDY;
pub use webhooks::WebhookConfig;

use effective::Layers;
use environment::Override;
use places::Places;
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
    /// Notifications to browsers that are closed.
    pub push: PushConfig,
    /// The tenants and their projects.
    pub tenants: BTreeMap<TenantId, TenantConfig>,
    /// Credentials from the environment.
    pub credentials: Credentials,
    /// Likely mistakes that are not errors.
    pub warnings: Vec<String>,
    /// What holds, and where each value comes from, without secrets.
    pub effective: Effective,
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
    /// Reads, merges and checks; the first error, if there are several.
    pub fn load(sources: &Sources) -> Result<Self, ConfigError> {
        let file = File::read(sources)?;
        let table = parse(&file.text).at(&file.name)?;
        Self::merge(table, &file.places(), sources).map_err(first)
    }

    /// The same, for whoever wants to know all that is wrong.
    pub fn check(sources: &Sources) -> Result<Self, Vec<ConfigError>> {
        let file = File::read(sources).map_err(|error| vec![error])?;
        let places = file.places();
        let (table, mut problems) = problems::readable(&file, &places)?;
        match Self::merge(table, &places, sources) {
            Ok(config) if problems.is_empty() => Ok(config),
            Ok(_) => Err(problems),
            Err(more) => {
                problems.extend(more);
                Err(problems)
            }
        }
    }

    /// Lays the environment and the flags over what the file says, and checks the result: all of
    /// it, so that every section says what is wrong with it.
    fn merge(
        mut table: toml::Table,
        places: &Places,
        sources: &Sources,
    ) -> Result<Self, Vec<ConfigError>> {
        let mut found = Vec::new();
        let overrides = overrides(sources);
        for setting in &overrides {
            // One after the other, so that an error names its source.
            let before = table.clone();
            let applied = setting.apply(&mut table).and_then(|()| to_raw(&table).map(drop));
            if let Err(error) = applied.at(&setting.source) {
                found.push(error);
                table = before;
            }
        }
        let raw = to_raw(&table).at(USUAL_FILE).map_err(|error| vec![error])?;
        let mut collect = |error| found.push(error);
        let storage = kept(StorageConfig::resolve(raw.storage), &mut collect);
        let server = kept(ServerConfig::resolve(raw.server), &mut collect);
        let nodes = storage.as_ref().and_then(|storage| {
            kept(NodesConfig::resolve(raw.nodes, raw.fanout, storage), &mut collect)
        });
        let access = kept(AccessConfig::resolve(&raw.access), &mut collect);
        let own = server.as_ref().and_then(|server| server.public_url.as_ref());
        let push = kept(PushConfig::resolve(raw.push, own), &mut collect);
        let tenants = tenants::resolve(raw.tenants, &mut collect);
        let credentials = kept(Credentials::resolve(&sources.environment), &mut collect);
        let (Some(server), Some(storage), Some(nodes)) = (server, storage, nodes) else {
            return Err(found);
        };
        let (Some(access), Some(push), Some(credentials)) = (access, push, credentials) else {
            return Err(found);
        };
        if !found.is_empty() {
            return Err(found);
        }
        let warnings = environment::unknown_variables(&sources.environment);
        let effective = Effective::default();
        let mut config = Self {
            server,
            storage,
            nodes,
            access,
            push,
            tenants,
            credentials,
            warnings,
            effective,
        };
        let environment = &sources.environment;
        let layers = Layers { set: &table, places, overrides: &overrides, environment };
        config.effective = Effective::of(&config, &layers);
        Ok(config)
    }
}

/// The configuration of a file with this text, for the fuzz targets.
pub(crate) fn from_text(text: &str, sources: &Sources) -> Result<Config, ConfigError> {
    let table = parse(text).at(USUAL_FILE)?;
    let places = Places::of_file(USUAL_FILE.to_owned(), text);
    Config::merge(table, &places, sources).map_err(first)
}

/// What was resolved; an error is collected.
fn kept<T>(resolved: Result<T, ConfigError>, collect: &mut dyn FnMut(ConfigError)) -> Option<T> {
    resolved.map_err(collect).ok()
}

/// The error that is shown if only one is.
fn first(errors: Vec<ConfigError>) -> ConfigError {
    let unknown = || ConfigError::invalid(USUAL_FILE, "it cannot be used".to_owned());
    errors.into_iter().next().unwrap_or_else(unknown)
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

/// The configuration file; an empty one, if there is none.
struct File {
    /// As people name it.
    name: String,
    text: String,
}

impl File {
    fn read(sources: &Sources) -> Result<Self, ConfigError> {
        let named = sources.file.clone().or_else(|| {
            let named = sources.environment.get("PARLOR_CONFIG");
            named.filter(|name| !name.is_empty()).map(PathBuf::from)
        });
        let path = match named {
            Some(path) => path,
            None if Path::new(USUAL_FILE).exists() => USUAL_FILE.into(),
            None => return Ok(Self { name: USUAL_FILE.to_owned(), text: String::new() }),
        };
        let name = path.display().to_string();
        match fs::read_to_string(&path) {
            Ok(text) => Ok(Self { name, text }),
            Err(error) => Err(ConfigError::CannotRead { path: name, why: error.to_string() }),
        }
    }

    fn places(&self) -> Places {
        Places::of_file(self.name.clone(), &self.text)
    }
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
