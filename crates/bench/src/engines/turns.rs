//! Rounds of short turns: how many are acknowledged in a second, and what a turn costs.
//!
//! Clients work in parallel. Each has one conversation at a time and sends the next message when the
//! turn is done. With two nodes each message goes to the other one than the message before.

use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::Context;
use parlor_testkit::{Script, ScriptedModel};
use tokio::task::JoinSet;

use super::backends::Backends;
use super::meter::{Meter, Used};
use super::setup::{POSTGRES, SQLITE, Setup, WITH_REDIS, WITHOUT_REDIS};
use super::table::{Table, middle, ms};
use crate::load::open;
use crate::report::at;
use crate::target::{Target, conversation_in};

/// How many clients there are: the most turns per second are had with one of these numbers.
const CLIENTS: [usize; 3] = [8, 32, 128];
/// How often each setup has a round with each number.
const ROUNDS: usize = 3;
const ROUND: Duration = Duration::from_secs(5);
/// Then a new conversation begins: the model reads all of it for each turn.
const TURNS_OF_A_CONVERSATION: usize = 10;

const COLUMNS: &[&str] = &[
    "turns/s", "ack p50 ms", "ack p99 ms", "owner µs", "second µs", "PG µs", "Redis µs", "WAL B",
    "stored B", "written B", "connections", "others",
];

/// The results of one round.
struct Round {
    used: Used,
    /// From each message to its `start`.
    acknowledged: Vec<Duration>,
    /// How much the PostgreSQL database grew.
    stored: Option<i64>,
    connections: Option<i64>,
}

/// Runs all rounds and prints the results.
pub(super) async fn run(
    setups: &[Setup],
    model: &ScriptedModel,
    backends: &Backends,
) -> anyhow::Result<()> {
    model.always(Script::answer().text("A short answer."));
    println!("\nturns of one piece: CPU, WAL and bytes written by the owner are per turn");
    let mut tables = Vec::new();
    for clients in CLIENTS {
        let mut table = Table::new(format!("{clients} clients"), COLUMNS);
        for _ in 0..ROUNDS {
            table.header();
            for setup in setups {
                let round = Round::run(setup, backends, clients).await.context(setup.name)?;
                table.line(setup.name, round.figures(setup));
            }
        }
        table.middles();
        tables.push((clients, table));
    }
    conclude(&tables);
    Ok(())
}

impl Round {
    async fn run(setup: &Setup, backends: &Backends, clients: usize) -> anyhow::Result<Self> {
        let nodes: Vec<Arc<Target>> =
            [&setup.owner].into_iter().chain(&setup.reader).cloned().collect();
        let before = size(setup, backends).await?;
        let meter = Meter::start(setup, backends).await?;
        let end = Instant::now() + ROUND;
        let mut working = JoinSet::new();
        for client in 0..clients {
            working.spawn(take_turns(nodes.clone(), client, end));
        }
        let mut acknowledged = Vec::new();
        while let Some(client) = working.join_next().await {
            acknowledged.extend(client??);
        }
        let used = meter.stop(setup, backends).await?;
        acknowledged.sort();
        let connections = match &setup.database {
            Some(database) => Some(backends.postgres.connections(database).await?),
            None => None,
        };
        let after = size(setup, backends).await?;
        let stored = after.zip(before).map(|(after, before)| after - before);
        Ok(Self { used, acknowledged, stored, connections })
    }

    /// The figures in the order of [`COLUMNS`].
    fn figures(&self, setup: &Setup) -> Vec<Option<f64>> {
        let (used, turns) = (&self.used, self.acknowledged.len().max(1) as f64);
        let each = |cpu: Duration| cpu.as_secs_f64() * 1e6 / turns;
        let is_on_postgres = setup.database.is_some();
        vec![
            Some(turns / used.took.as_secs_f64()),
            Some(ms(at(&self.acknowledged, 50))),
            Some(ms(at(&self.acknowledged, 99))),
            Some(each(used.owner)),
            setup.reader.as_ref().map(|_| each(used.reader)),
            is_on_postgres.then(|| each(used.postgres)),
            (setup.name == WITH_REDIS).then(|| each(used.redis)),
            is_on_postgres.then(|| used.wal as f64 / turns),
            self.stored.map(|bytes| bytes as f64 / turns),
            Some(used.written as f64 / turns),
            self.connections.map(|connections| connections as f64),
            Some(used.others),
        ]
    }
}

async fn size(setup: &Setup, backends: &Backends) -> anyhow::Result<Option<i64>> {
    Ok(match &setup.database {
        Some(database) => Some(backends.postgres.size(database).await?),
        None => None,
    })
}

/// Takes one turn after the other until the end; returns how long each acknowledgement took.
async fn take_turns(
    nodes: Vec<Arc<Target>>,
    client: usize,
    end: Instant,
) -> anyhow::Result<Vec<Duration>> {
    let mut acknowledged = Vec::new();
    let mut conversation: Option<String> = None;
    while Instant::now() < end {
        let turn = acknowledged.len();
        if turn.is_multiple_of(TURNS_OF_A_CONVERSATION) {
            conversation = None;
        }
        let node = &nodes[(client + turn) % nodes.len()];
        let asked = Instant::now();
        let mut response = open(node.chat_in(conversation.as_deref())).await?;
        let start = response.chunk().await?.context("the stream is empty")?;
        acknowledged.push(asked.elapsed());
        let start = String::from_utf8_lossy(&start);
        conversation = conversation.or(conversation_in(&start).map(str::to_owned));
        while response.chunk().await?.is_some() {}
    }
    Ok(acknowledged)
}

/// The most turns per second of each setup.
fn conclude(tables: &[(usize, Table)]) {
    println!();
    for setup in [SQLITE, POSTGRES, WITH_REDIS, WITHOUT_REDIS] {
        let of = |(clients, table): &(usize, Table)| {
            Some((*clients, middle(table.column(setup, "turns/s").collect())?))
        };
        let most = tables.iter().filter_map(of).max_by(|one, other| one.1.total_cmp(&other.1));
        if let Some((clients, turns)) = most {
            println!("{setup}: {turns:.0} turns per second, with {clients} clients");
        }
    }
}
