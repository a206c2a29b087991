//! One fault: what breaks, how, and for how long.

use std::fmt;
use std::time::Duration;

use clap::ValueEnum;
use fastrand::Rng;

use crate::cluster::{Cluster, LEASE};

/// Something that breaks, and is put right after a while.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Fault {
    target: Target,
    kind: FaultKind,
    time: Duration,
}

/// What breaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Target {
    Node(usize),
    Postgres,
    Redis,
}

/// What may break at all.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Breakable {
    Nodes,
    Postgres,
    Redis,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum FaultKind {
    /// `kill -9`; of PostgreSQL, an immediate stop.
    Kill,
    /// In good order.
    Stop,
    /// SIGSTOP: it wakes up and believes that no time has passed.
    Pause,
    /// Its clients lose their connections; it goes on.
    Cut,
    /// All data of Redis is removed; it goes on.
    Flush,
}

/// How often what was broken.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Faults {
    /// Kills of nodes.
    pub(crate) kills: u64,
    /// Pauses of nodes.
    pub(crate) pauses: u64,
    /// Stops of nodes in good order.
    pub(crate) stops: u64,
    /// Faults of PostgreSQL and Redis.
    pub(crate) servers: u64,
}

impl Fault {
    /// Draws one of those that the cluster can have, of one thing only if that is wanted.
    pub(super) fn draw(cluster: &Cluster, only: Option<Breakable>, rng: &mut Rng) -> Self {
        let (target, kind) = loop {
            let node = Target::Node(rng.usize(0..cluster.nodes.len()));
            let drawn = match rng.u32(0..23) {
                0..9 => (node, FaultKind::Kill),
                9..13 => (node, FaultKind::Pause),
                13..15 => (node, FaultKind::Stop),
                15 => (Target::Postgres, FaultKind::Kill),
                16 => (Target::Postgres, FaultKind::Stop),
                17 => (Target::Postgres, FaultKind::Pause),
                18 => (Target::Postgres, FaultKind::Cut),
                19 => (Target::Redis, FaultKind::Kill),
                20 => (Target::Redis, FaultKind::Pause),
                21 => (Target::Redis, FaultKind::Cut),
                _ => (Target::Redis, FaultKind::Flush),
            };
            let exists = match drawn.0 {
                Target::Node(_) => true,
                Target::Postgres => cluster.postgres.is_some(),
                Target::Redis => cluster.redis.is_some(),
            };
            if exists && only.is_none_or(|only| only == drawn.0.part()) {
                break drawn;
            }
        };
        // Where others can take over, every third fault is long enough for that.
        let is_long = cluster.nodes.len() > 1 && rng.u32(0..3) == 0;
        let lease = LEASE.as_millis() as u64;
        let time = if is_long { rng.u64(lease..lease * 3) } else { rng.u64(0..2_500) };
        Self { target, kind, time: Duration::from_millis(time) }
    }

    pub(super) fn target(&self) -> Target {
        self.target
    }

    /// Breaks it, waits, and puts it right.
    pub(super) async fn carry_out(&self, cluster: &Cluster) -> anyhow::Result<()> {
        match self.target {
            Target::Node(number) => self.break_node(cluster, number).await,
            Target::Postgres => self.break_postgres(cluster).await,
            Target::Redis => self.break_redis(cluster).await,
        }
    }

    async fn break_node(&self, cluster: &Cluster, number: usize) -> anyhow::Result<()> {
        let mut node = cluster.nodes[number].lock().await;
        match self.kind {
            FaultKind::Pause => {
                node.pause(true);
                self.wait().await;
                node.pause(false);
                return Ok(());
            }
            FaultKind::Stop => node.terminate().await?,
            FaultKind::Kill | FaultKind::Cut | FaultKind::Flush => node.kill(),
        }
        self.wait().await;
        node.start().await
    }

    async fn break_postgres(&self, cluster: &Cluster) -> anyhow::Result<()> {
        let Some(postgres) = &cluster.postgres else { return Ok(()) };
        let mut postgres = postgres.lock().await;
        match self.kind {
            FaultKind::Cut => postgres.cut(),
            FaultKind::Pause => {
                postgres.pause(true);
                self.wait().await;
                postgres.pause(false);
            }
            FaultKind::Kill | FaultKind::Stop | FaultKind::Flush => {
                postgres.stop(self.kind == FaultKind::Stop).await;
                self.wait().await;
                postgres.start_again().await?;
            }
        }
        Ok(())
    }

    async fn break_redis(&self, cluster: &Cluster) -> anyhow::Result<()> {
        let Some(redis) = &cluster.redis else { return Ok(()) };
        let mut redis = redis.lock().await;
        match self.kind {
            FaultKind::Flush => redis.flush()?,
            FaultKind::Cut => redis.cut()?,
            FaultKind::Pause => {
                redis.pause(true);
                self.wait().await;
                redis.pause(false);
            }
            FaultKind::Kill | FaultKind::Stop => {
                redis.stop().await;
                self.wait().await;
                redis.start_again().await?;
            }
        }
        Ok(())
    }

    async fn wait(&self) {
        tokio::time::sleep(self.time).await;
    }
}

impl Target {
    fn part(self) -> Breakable {
        match self {
            Self::Node(_) => Breakable::Nodes,
            Self::Postgres => Breakable::Postgres,
            Self::Redis => Breakable::Redis,
        }
    }
}

impl Faults {
    pub(super) fn count(&mut self, fault: &Fault) {
        let count = match (fault.target, fault.kind) {
            (Target::Node(_), FaultKind::Kill) => &mut self.kills,
            (Target::Node(_), FaultKind::Pause) => &mut self.pauses,
            (Target::Node(_), _) => &mut self.stops,
            (Target::Postgres | Target::Redis, _) => &mut self.servers,
        };
        *count += 1;
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.target {
            Target::Node(number) => write!(f, "node {number}")?,
            Target::Postgres => f.write_str("PostgreSQL")?,
            Target::Redis => f.write_str("Redis")?,
        }
        let how = match self.kind {
            FaultKind::Kill => "killed",
            FaultKind::Stop => "stopped",
            FaultKind::Pause => "paused",
            FaultKind::Cut => return f.write_str(": connections cut"),
            FaultKind::Flush => return f.write_str(" flushed"),
        };
        write!(f, " {how} for {:.1} s", self.time.as_secs_f64())
    }
}
