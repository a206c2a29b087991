//! `[nodes]` and `[fanout]`: several servers on one PostgreSQL database.

use std::time::Duration;

use parlor_fanout::RedisUrl;

use super::raw::{RawFanout, RawNodes};
use super::storage::StorageConfig;
use super::{AtPlace, ConfigError};

const DEFAULT_LEASE: Duration = Duration::from_secs(10);
const DEFAULT_HOME_PATIENCE: Duration = Duration::from_secs(600);
/// A beat is a tenth of a lease; a shorter one would declare nodes dead that are only busy.
const SHORTEST_LEASE: Duration = Duration::from_secs(2);

/// How this server takes part.
#[derive(Debug, Clone)]
pub struct NodesConfig {
    /// Its name in the status; the host's name if there is none.
    pub name: Option<String>,
    /// A node that did not beat for so long is declared dead.
    pub lease: Duration,
    /// How long a turn that waits for a person stays with a dead node that is its home.
    pub home_patience: Duration,
    /// The Redis or Valkey server that carries hints and text between nodes.
    pub fanout: Option<RedisUrl>,
}

impl NodesConfig {
    pub(super) fn resolve(
        nodes: RawNodes,
        fanout: RawFanout,
        storage: &StorageConfig,
    ) -> Result<Self, ConfigError> {
        let lease = nodes.lease.map_or(DEFAULT_LEASE, |span| span.0);
        if lease < SHORTEST_LEASE {
            let why = format!("it is at least {SHORTEST_LEASE:?}: a node beats ten times in it");
            return Err(ConfigError::invalid("nodes.lease", why));
        }
        let url = fanout.url.filter(|url| !url.trim().is_empty());
        let url = url.map(|url| read(&url)).transpose().at("fanout.url")?;
        if url.is_some() && !storage.is_shared() {
            let why = "it connects servers that share a database: set storage.url to a PostgreSQL \
                       server, or remove it";
            return Err(ConfigError::invalid("fanout.url", why.to_owned()));
        }
        let home_patience = nodes.home_patience.map_or(DEFAULT_HOME_PATIENCE, |span| span.0);
        Ok(Self { name: nodes.name, lease, home_patience, fanout: url })
    }

    /// The password of the Redis server, and the URL that holds it.
    pub(crate) fn secrets(&self) -> Vec<String> {
        self.fanout.as_ref().map(RedisUrl::secrets).unwrap_or_default()
    }
}

fn read(url: &str) -> Result<RedisUrl, String> {
    url.trim().parse().map_err(|error: parlor_fanout::InvalidRedisUrl| error.to_string())
}
