//! Rounds of long answers: what an event costs, and how late it comes.
//!
//! Every setup has the same round in turn, several times; what is told at the end is the middle.

use std::time::Duration;

use anyhow::Context;
use parlor_testkit::{Script, ScriptedModel};
use tokio::task::JoinSet;

use super::backends::Backends;
use super::meter::{Meter, Used};
use super::readers::read;
use super::setup::{BARE, POSTGRES, SQLITE, Setup, WITH_REDIS, WITHOUT_REDIS};
use super::table::{Table, middle, ms};
use crate::process::memory_kb;
use crate::report::at;
use crate::{EVERY, load, pieces};

/// The number of parallel streams in each round. Ten leave the machine quiet, so that latencies
/// mean something; a hundred use enough CPU to measure it.
const STREAMS: [usize; 8] = [10, 10, 10, 100, 100, 100, 100, 100];

const COLUMNS: &[&str] = &[
    "events/s", "owner µs", "reader µs", "PG µs", "Redis µs", "p50 ms", "p99 ms", "+p50 ms",
    "+p99 ms", "first ms", "behind p50", "behind p99", "joining p99", "WAL B", "RSS MB", "others",
];

/// What is asked, as ratios and differences within one run.
const MOST_CPU: f64 = 1.6;
const MOST_BEHIND_WITH_REDIS: f64 = 20.0;
const MOST_BEHIND_WITHOUT: f64 = 300.0;

/// The results of one round.
struct Round {
    used: Used,
    latencies: Vec<Duration>,
    first: Vec<Duration>,
    behind: Vec<Duration>,
    joining: Vec<Duration>,
    memory_kb: u64,
}

/// Runs all rounds and prints the results.
pub(super) async fn run(
    setups: &[Setup],
    model: &ScriptedModel,
    backends: &Backends,
) -> anyhow::Result<()> {
    model.always(Script::answer().steady(pieces(), EVERY, load::stamp));
    println!("\nstreams: CPU and WAL are per event; behind: a reader on the second node");
    for rounds in STREAMS.chunk_by(|one, other| one == other) {
        let streams = rounds[0];
        let mut table = Table::new(format!("{streams} streams"), COLUMNS);
        for _ in rounds {
            table.header();
            let mut bare = None;
            for setup in setups {
                let round = Round::run(setup, backends, streams).await.context(setup.name)?;
                table.line(setup.name, round.figures(setup, bare.as_ref()));
                if setup.name == BARE {
                    bare = Some(round);
                }
            }
        }
        table.middles();
        conclude(&table);
    }
    Ok(())
}

impl Round {
    async fn run(setup: &Setup, backends: &Backends, streams: usize) -> anyhow::Result<Self> {
        let meter = Meter::start(setup, backends).await?;
        let mut turns = JoinSet::new();
        for _ in 0..streams {
            turns.spawn(read(setup.owner.clone(), setup.reader.clone(), pieces()));
            // The starts of the streams are spread over one interval.
            tokio::time::sleep(EVERY / streams as u32).await;
        }
        let (mut latencies, mut first) = (Vec::new(), Vec::new());
        let (mut behind, mut joining) = (Vec::new(), Vec::new());
        while let Some(turn) = turns.join_next().await {
            let seen = turn??;
            first.push(seen.first);
            latencies.extend(seen.latencies);
            behind.extend(seen.behind);
            joining.extend(seen.joining);
        }
        let used = meter.stop(setup, backends).await?;
        for durations in [&mut latencies, &mut first, &mut behind, &mut joining] {
            durations.sort();
        }
        let memory_kb = memory_kb(setup.owner.pid())?;
        Ok(Self { used, latencies, first, behind, joining, memory_kb })
    }

    /// The figures in the order of [`COLUMNS`].
    fn figures(&self, setup: &Setup, bare: Option<&Self>) -> Vec<Option<f64>> {
        let (used, events) = (&self.used, self.latencies.len().max(1) as f64);
        let each = |cpu: Duration| cpu.as_secs_f64() * 1e6 / events;
        let latency = |percent: usize| ms(at(&self.latencies, percent));
        let added =
            |percent: usize| bare.map(|bare| latency(percent) - ms(at(&bare.latencies, percent)));
        let behind = |percent: usize| setup.reader.is_some().then(|| ms(at(&self.behind, percent)));
        let is_on_postgres = setup.database.is_some();
        vec![
            Some(events / used.took.as_secs_f64()),
            Some(each(used.owner)),
            setup.reader.as_ref().map(|_| each(used.reader)),
            is_on_postgres.then(|| each(used.postgres)),
            (setup.name == WITH_REDIS).then(|| each(used.redis)),
            Some(latency(50)),
            Some(latency(99)),
            added(50),
            added(99),
            Some(ms(at(&self.first, 50))),
            behind(50),
            behind(99),
            setup.reader.as_ref().map(|_| ms(at(&self.joining, 99))),
            is_on_postgres.then(|| used.wal as f64 / events),
            Some(self.memory_kb as f64 / 1e3),
            Some(used.others),
        ]
    }
}

/// Compares with what is asked, within each round.
fn conclude(table: &Table) {
    let ratios = table.column(POSTGRES, "owner µs").zip(table.column(SQLITE, "owner µs"));
    let ratio = middle(ratios.map(|(postgres, sqlite)| postgres / sqlite).collect());
    if let Some(ratio) = ratio {
        println!("CPU of the server on PostgreSQL: × {ratio:.2} of SQLite's (at most {MOST_CPU})");
    }
    for (setup, most) in
        [(WITH_REDIS, MOST_BEHIND_WITH_REDIS), (WITHOUT_REDIS, MOST_BEHIND_WITHOUT)]
    {
        if let Some(behind) = middle(table.column(setup, "behind p99").collect()) {
            println!("a reader elsewhere, {setup}: {behind:.1} ms behind at p99 (at most {most})");
        }
    }
}
