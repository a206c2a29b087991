//! Everything that runs: the nodes, the proxy before them, and the servers behind them.

mod configuration;
mod node;

use std::path::Path;
use std::time::Duration;

use anyhow::Context as _;
use tokio::sync::Mutex;

use crate::servers::{Postgres, Proxy, Redis};
use configuration::Settings;
pub(crate) use configuration::{KEY, LEASE, PASSWORD, PROJECT, TENANT};
pub(crate) use node::Node;

/// What a run is made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Shape {
    pub(crate) nodes: usize,
    /// PostgreSQL instead of SQLite. Several nodes always have it.
    pub(crate) postgres: bool,
    /// Redis for hints and live text.
    pub(crate) redis: bool,
    /// nginx before the nodes. Several nodes always have it.
    pub(crate) proxy: bool,
}

/// The running system. Parts that can be broken have a lock each, because they are broken
/// independently of each other.
pub(crate) struct Cluster {
    pub(crate) nodes: Vec<Mutex<Node>>,
    pub(crate) postgres: Option<Mutex<Postgres>>,
    pub(crate) redis: Option<Mutex<Redis>>,
    proxy: Option<Mutex<Proxy>>,
    /// Where clients connect: `127.0.0.1:<port>`.
    pub(crate) address: String,
}

impl Cluster {
    /// Starts everything.
    pub(crate) async fn start(
        shape: Shape,
        folder: &Path,
        model: &str,
        calls: &Path,
    ) -> anyhow::Result<Self> {
        let postgres = if shape.postgres { Some(Postgres::start(folder).await?) } else { None };
        let redis = if shape.redis { Some(Redis::start(folder).await?) } else { None };
        let mut proxy = if shape.proxy { Some(Proxy::prepare(folder)?) } else { None };
        let settings = Settings {
            proxy: proxy.as_ref().map(|proxy| proxy.port),
            storage: postgres.as_ref().map(|postgres| postgres.url.clone()),
            fanout: redis.as_ref().map(Redis::url),
            several: shape.nodes > 1,
            model: model.to_owned(),
            calls: calls.to_owned(),
        };
        let file = folder.join("parlor.toml");
        std::fs::write(&file, settings.file()?)?;
        let mut nodes = Vec::new();
        for number in 0..shape.nodes {
            let mut node = Node::new(number, folder, &file, settings.variables())?;
            node.start().await.with_context(|| format!("node {number}"))?;
            nodes.push(node);
        }
        let ports: Vec<u16> = nodes.iter().map(|node| node.port).collect();
        if let Some(proxy) = &mut proxy {
            proxy.start(&ports).await?;
        }
        let port = proxy.as_ref().map(|proxy| proxy.port).or(ports.first().copied());
        Ok(Self {
            nodes: nodes.into_iter().map(Mutex::new).collect(),
            postgres: postgres.map(Mutex::new),
            redis: redis.map(Mutex::new),
            proxy: proxy.map(Mutex::new),
            address: format!("127.0.0.1:{}", port.context("there is no node")?),
        })
    }

    /// Stops all nodes in good order; returns those that did not stop so.
    pub(crate) async fn stop_nodes(&self) -> Vec<String> {
        let mut failed = Vec::new();
        for node in &self.nodes {
            failed.extend(
                node.lock().await.terminate().await.err().map(|error| format!("{error:#}")),
            );
        }
        failed
    }

    /// Stops what is left.
    pub(crate) async fn stop_servers(&self) {
        if let Some(proxy) = &self.proxy {
            proxy.lock().await.stop().await;
        }
        if let Some(redis) = &self.redis {
            redis.lock().await.stop().await;
        }
        if let Some(postgres) = &self.postgres {
            postgres.lock().await.stop(true).await;
        }
    }

    /// How long the others may take to notice that a node is gone, and to take over; and a node,
    /// to notice at its second look that it does not run a turn that it owns.
    pub(crate) fn settling(&self) -> Duration {
        if self.nodes.len() > 1 { LEASE * 3 } else { Duration::from_secs(2) }
    }
}
