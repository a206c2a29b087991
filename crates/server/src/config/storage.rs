//! `[storage]`: where conversations and recipes are stored.

use std::path::Path;
use std::time::Duration;

use parlor_database::{Location, ServerUrl};

use super::raw::RawStorage;
use super::{AtPlace, ConfigError};

/// The file of conversations in the data directory.
pub(crate) const CHAT: &str = "parlor.db";
/// The file of recipes beside it.
pub(crate) const RECIPES: &str = "recipes.db";
const DEFAULT_CONNECTIONS: u32 = 16;
const DEFAULT_UNDO: Duration = Duration::from_secs(7 * 86_400);
/// What is deleted for good some day is deleted within ten years.
const LONGEST_UNDO: Duration = Duration::from_secs(3_650 * 86_400);

/// Where data is stored.
#[derive(Debug, Clone)]
pub struct StorageConfig {
    /// `None`: SQLite files in the data directory.
    url: Option<Location>,
    /// How many connections to a PostgreSQL server there are at most.
    pub connections: u32,
    /// The PostgreSQL server itself, if `url` names a pooler: for what needs a connection of
    /// its own.
    pub direct: Option<ServerUrl>,
    /// For how long the deletion of a conversation can be undone.
    pub undo_deletion: Duration,
}

impl Default for StorageConfig {
    fn default() -> Self {
        let undo_deletion = DEFAULT_UNDO;
        Self { url: None, connections: DEFAULT_CONNECTIONS, direct: None, undo_deletion }
    }
}

impl StorageConfig {
    pub(super) fn resolve(raw: RawStorage) -> Result<Self, ConfigError> {
        let url = raw.url.as_deref().map(read_url).transpose().at("storage.url")?;
        let connections = raw.connections.unwrap_or(DEFAULT_CONNECTIONS);
        if connections < 2 {
            let why = "at least 2 are needed: one waits for a write while another reads";
            return Err(ConfigError::invalid("storage.connections", why.to_owned()));
        }
        let direct = raw.direct_url.as_deref().map(read_server).transpose();
        let direct = direct.at("storage.direct_url")?;
        if direct.is_some() && !matches!(url, Some(Location::Server(_))) {
            let why = "it goes with a storage.url that names a PostgreSQL server".to_owned();
            return Err(ConfigError::invalid("storage.direct_url", why));
        }
        let undo_deletion = raw.undo_deletion.map_or(DEFAULT_UNDO, |span| span.0);
        if undo_deletion > LONGEST_UNDO {
            let why = "it must be \"3650d\" at most".to_owned();
            return Err(ConfigError::invalid("storage.undo_deletion", why));
        }
        Ok(Self { url, connections, direct, undo_deletion })
    }

    /// Of the environment alone, for a child process that reads no configuration.
    pub(crate) fn of_environment(url: Option<&str>) -> Result<Self, ConfigError> {
        let url = url.filter(|url| !url.is_empty()).map(str::to_owned);
        Self::resolve(RawStorage { url, ..RawStorage::default() })
    }

    /// Where conversations are.
    pub fn chat(&self, data_dir: &Path) -> Location {
        self.url.clone().unwrap_or_else(|| Location::File(data_dir.join(CHAT)))
    }

    /// Where recipes are: in the same database if it is a server's, else in a file of their
    /// own, so that `parlor mcp recipes` needs nothing else.
    pub fn recipes(&self, data_dir: &Path) -> Location {
        match &self.url {
            Some(server @ Location::Server(_)) => server.clone(),
            Some(Location::File(chat)) => Location::File(chat.with_file_name(RECIPES)),
            None => Location::File(data_dir.join(RECIPES)),
        }
    }

    /// Whether several servers may share it.
    pub fn is_shared(&self) -> bool {
        matches!(self.url, Some(Location::Server(_)))
    }

    /// The passwords of the database, and the URLs that hold them.
    pub(crate) fn secrets(&self) -> Vec<String> {
        let url = match &self.url {
            Some(Location::Server(url)) => Some(url),
            Some(Location::File(_)) | None => None,
        };
        let urls = url.into_iter().chain(&self.direct);
        let secrets = urls.filter_map(|url| Some([url.password()?, url.expose().to_owned()]));
        secrets.flatten().collect()
    }

    /// The URL, if one is configured. It may hold a password.
    pub(crate) fn url_with_password(&self) -> Option<String> {
        match self.url.as_ref()? {
            Location::Server(url) => Some(url.expose().to_owned()),
            Location::File(path) => {
                let path = std::path::absolute(path).unwrap_or_else(|_| path.clone());
                Some(format!("sqlite:{}", path.display()))
            }
        }
    }
}

fn read_server(url: &str) -> Result<ServerUrl, String> {
    match read_url(url)? {
        Location::Server(url) => Ok(url),
        Location::File(_) => Err("it must name a PostgreSQL server".to_owned()),
    }
}

fn read_url(url: &str) -> Result<Location, String> {
    url.trim().parse().map_err(|error: parlor_database::InvalidLocation| error.to_string())
}
