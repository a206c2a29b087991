//! Measures what a round uses: CPU of each process, WAL, bytes written, and how busy the machine was
//! with anything else.

use std::time::{Duration, Instant};

use super::backends::Backends;
use super::setup::Setup;
use crate::process::{Cpu, Machine, others, written};

/// A measurement that has begun.
pub(super) struct Meter {
    started: Instant,
    before: Reading,
}

/// What was used between two readings.
#[derive(Debug)]
pub(super) struct Used {
    pub(super) took: Duration,
    /// CPU time of each process.
    pub(super) owner: Duration,
    pub(super) reader: Duration,
    pub(super) postgres: Duration,
    pub(super) redis: Duration,
    /// Bytes of WAL.
    pub(super) wal: u64,
    /// Bytes that the owner wrote to disks.
    pub(super) written: u64,
    /// How many cores were busy with what is no part of the benchmark.
    pub(super) others: f64,
}

struct Reading {
    owner: Cpu,
    reader: Cpu,
    postgres: Cpu,
    redis: Cpu,
    /// This process: the load client and the scripted model.
    own: Cpu,
    machine: Machine,
    wal: u64,
    written: u64,
}

impl Meter {
    pub(super) async fn start(setup: &Setup, backends: &Backends) -> anyhow::Result<Self> {
        let before = Reading::take(setup, backends).await?;
        Ok(Self { started: Instant::now(), before })
    }

    pub(super) async fn stop(self, setup: &Setup, backends: &Backends) -> anyhow::Result<Used> {
        let (took, before) = (self.started.elapsed(), self.before);
        let after = Reading::take(setup, backends).await?;
        let used = Used {
            took,
            owner: after.owner.since(&before.owner),
            reader: after.reader.since(&before.reader),
            postgres: after.postgres.since(&before.postgres),
            redis: after.redis.since(&before.redis),
            wal: after.wal.saturating_sub(before.wal),
            written: after.written.saturating_sub(before.written),
            others: 0.0,
        };
        let own = after.own.since(&before.own);
        let ours = used.owner + used.reader + used.postgres + used.redis + own;
        let busy = after.machine.busy_since(&before.machine, took);
        Ok(Used { others: (busy - ours.as_secs_f64() / took.as_secs_f64()).max(0.0), ..used })
    }
}

impl Reading {
    async fn take(setup: &Setup, backends: &Backends) -> anyhow::Result<Self> {
        let redis = match &backends.redis {
            Some(redis) => redis.cpu().await?,
            None => Cpu::default(),
        };
        let reader = setup.reader.as_ref().map(|reader| Cpu::of(reader.pid())).transpose()?;
        Ok(Self {
            owner: Cpu::of(setup.owner.pid())?,
            reader: reader.unwrap_or_default(),
            postgres: backends.postgres.cpu()?,
            redis,
            own: Cpu::of(std::process::id())?,
            machine: others()?,
            wal: backends.postgres.wal().await?,
            written: written(setup.owner.pid())?,
        })
    }
}
