//! This server as one of several on the same database: its name, and the channel to the
//! others.

use std::fs;
use std::io::{self, Write};
use std::path::Path;

use anyhow::Context;
use parlor_chat::Membership;
use parlor_fanout::Fanout;
use parlor_protocol::NodeId;
use parlor_storage::{StorageError, Store};
use uuid::Uuid;

use crate::config::{Config, NodesConfig, StorageConfig};

/// The file in the data directory that names the node, so that it is the same after a
/// restart.
const FILE: &str = "node";

/// How this server takes part.
pub async fn membership(config: &Config, store: &Store) -> anyhow::Result<Membership> {
    Ok(Membership {
        id: node_id(&config.server.data_dir)?,
        name: config.nodes.name.clone().unwrap_or_else(host_name),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        lease: config.nodes.lease,
        home_patience: config.nodes.home_patience,
        fanout: fanout(&config.nodes, &config.storage, store).await?,
    })
}

/// The channel to the other servers. A database of its own needs none.
pub(crate) async fn fanout(
    nodes: &NodesConfig,
    storage: &StorageConfig,
    store: &Store,
) -> Result<Fanout, StorageError> {
    let Some(database) = store.shared_database() else { return Ok(Fanout::alone()) };
    Ok(match &nodes.fanout {
        Some(redis) => Fanout::over_redis(redis, &store.installation().await?),
        None => Fanout::over_postgres(database, storage.direct.clone()),
    })
}

/// Reads the name of this node, or makes one.
fn node_id(data_dir: &Path) -> anyhow::Result<NodeId> {
    let path = data_dir.join(FILE);
    let context = || format!("{}", path.display());
    match fs::read_to_string(&path) {
        // A file that a crash left empty names nothing.
        Ok(text) if text.trim().is_empty() => new_id(&path).with_context(context),
        Ok(text) => text.trim().parse().with_context(|| {
            format!("{} does not hold the id of a node; delete it", path.display())
        }),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            new_id(&path).with_context(context)
        }
        Err(error) => Err(error).with_context(context),
    }
}

fn new_id(path: &Path) -> io::Result<NodeId> {
    let id = NodeId::new(Uuid::now_v7());
    let mut file = fs::File::create(path)?;
    writeln!(file, "{id}")?;
    file.sync_all()?;
    Ok(id)
}

fn host_name() -> String {
    rustix::system::uname().nodename().to_string_lossy().into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// E-2: a node has the same id after a restart, and a broken file says what to do.
    #[test]
    fn the_id_of_a_node_stays() {
        let dir = tempfile::tempdir().unwrap();
        let first = node_id(dir.path()).unwrap();
        assert_eq!(node_id(dir.path()).unwrap(), first);
        fs::write(dir.path().join(FILE), "").unwrap();
        let second = node_id(dir.path()).unwrap();
        assert_ne!(second, first);
        fs::write(dir.path().join(FILE), "nonsense").unwrap();
        assert!(node_id(dir.path()).unwrap_err().to_string().contains("delete it"));
    }
}
