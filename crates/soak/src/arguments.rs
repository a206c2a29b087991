//! The arguments.

use std::path::PathBuf;
use std::time::Duration;

use anyhow::ensure;
use clap::{Parser, Subcommand};

use crate::chaos::{Breakable, Limits};
use crate::cluster::Shape;

/// Kills and pauses servers under load, and compares what clients saw with what is stored.
#[derive(Debug, Parser)]
#[command(name = "parlor-soak")]
pub(crate) struct Arguments {
    /// How many nodes; several are behind nginx, on PostgreSQL, with Redis.
    #[arg(long, default_value_t = 1)]
    nodes: usize,
    /// PostgreSQL behind a single node, too.
    #[arg(long)]
    postgres: bool,
    /// nginx before a single node, too.
    #[arg(long)]
    proxy: bool,
    /// Several nodes without Redis.
    #[arg(long)]
    no_redis: bool,
    /// How long things break.
    #[arg(long, default_value_t = 1.0)]
    minutes: f64,
    /// Goes on until nodes were killed so often.
    #[arg(long, default_value_t = 0)]
    kills: u64,
    /// Only these break.
    #[arg(long)]
    only: Option<Breakable>,
    /// All choices come from it. Without one, a new one is printed.
    #[arg(long)]
    pub(crate) seed: Option<u64>,
    /// Conversations at the same time, with three clients in each.
    #[arg(long, default_value_t = 6)]
    pub(crate) rooms: usize,
    /// Keeps the folder with logs and databases although nothing was found.
    #[arg(long)]
    pub(crate) keep: bool,
    #[command(subcommand)]
    pub(crate) command: Option<Command>,
}

/// What else this program can be.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// The MCP server that nodes start; not for people.
    #[command(hide = true)]
    Tool {
        /// Where calls are written down.
        file: PathBuf,
    },
}

impl Arguments {
    pub(crate) fn shape(&self) -> Shape {
        let several = self.nodes > 1;
        Shape {
            nodes: self.nodes.max(1),
            postgres: self.postgres || several,
            redis: several && !self.no_redis,
            proxy: self.proxy || several,
        }
    }

    pub(crate) fn limits(&self) -> anyhow::Result<Limits> {
        let exists = match self.only {
            Some(Breakable::Postgres) => self.shape().postgres,
            Some(Breakable::Redis) => self.shape().redis,
            Some(Breakable::Nodes) | None => true,
        };
        ensure!(exists, "there is nothing that could break; see --postgres and --nodes");
        let minutes = self.minutes.clamp(0.0, 100_000.0);
        let time = Duration::from_secs_f64(minutes * 60.0);
        Ok(Limits { time, kills: self.kills, only: self.only })
    }
}
