//! Holds idle streams, each on a conversation of its own: memory, and CPU of keep-alives.
//!
//! 1. One server makes the conversations and ends: what its work left in its memory would be reused.
//! 2. A fresh one holds a stream on each.
//! 3. It sends keep-alives much more often than usual, so that their CPU can be measured.

use std::time::Duration;

use anyhow::Context;
use parlor_testkit::{Script, ScriptedModel};
use tokio::task::JoinSet;

use super::backends::Backends;
use super::setup::{POSTGRES, SQLITE, WITH_REDIS, WITHOUT_REDIS};
use super::table::Table;
use crate::load::open;
use crate::parlor::Parlor;
use crate::process::{Cpu, memory_kb};
use crate::target::{Target, conversation_in};

/// How many streams are held.
const HELD: usize = 2_000;
/// The first streams also pay for one-time costs: tables, threads, pages of code.
const FIRST: usize = 200;
/// How many conversations are made at the same time.
const AT_ONCE: usize = 16;
/// For how long CPU time is measured, once without streams and once with them.
const IDLE: Duration = Duration::from_secs(20);
const KEEP_ALIVE: &str = "1s";
/// When a node is declared dead that did not end in good order, by default.
const LEASE: Duration = Duration::from_secs(12);

const COLUMNS: &[&str] =
    &["KB each", "Redis B each", "idle ms/s", "keep-alive µs", "PG idle ms/s", "PG held ms/s"];

/// Measures each engine, and a node that has another one beside it: then it must hear of turns that
/// run there.
pub(super) async fn run(
    binary: &str,
    model: &ScriptedModel,
    backends: &Backends,
) -> anyhow::Result<()> {
    model.always(Script::answer().text("A short answer."));
    println!("\nheld streams: CPU in ms per second without streams and with them");
    let mut table = Table::new(format!("{HELD} streams"), COLUMNS);
    table.header();
    let parlor = Parlor::with_model(binary, &model.base_url());
    let files = tempfile::tempdir()?;
    let file = format!("sqlite:{}", files.path().join("parlor.db").display());
    let on_sqlite = parlor.clone().on(&file);
    table.line(SQLITE, measure(on_sqlite, 1, backends).await.context(SQLITE)?);
    let (_, url) = backends.postgres.create("held").await?;
    let node = parlor.on(&url);
    table.line(POSTGRES, measure(node.clone(), 1, backends).await.context(POSTGRES)?);
    if let Some(redis) = &backends.redis {
        add(&mut table, WITH_REDIS, measure(node.clone().fanout(&redis.url), 2, backends).await);
    }
    add(&mut table, WITHOUT_REDIS, measure(node, 2, backends).await);
    Ok(())
}

fn add(table: &mut Table, setup: &'static str, figures: anyhow::Result<Vec<Option<f64>>>) {
    match figures {
        Ok(figures) => table.line(setup, figures),
        Err(why) => println!("skipped: {setup}: {why:#}"),
    }
}

/// Measures one node of so many; the figures are in the order of [`COLUMNS`].
async fn measure(
    node: Parlor,
    nodes: usize,
    backends: &Backends,
) -> anyhow::Result<Vec<Option<f64>>> {
    let conversations = conversations(&node.clone().start().await?).await?;
    let mut others = Vec::new();
    for _ in 1..nodes {
        others.push(node.clone().start().await?);
    }
    let node = node.setting("PARLOR_LIMITS_KEEP_ALIVE", KEEP_ALIVE).start().await?;
    // The node that made the conversations was killed: by now the others know it.
    tokio::time::sleep(LEASE).await;
    let idle = cpu(&node, backends).await?;
    let (first, rest) = conversations.split_at(FIRST);
    let mut held = hold(&node, first).await?;
    let (before, redis_before) = (memory_kb(node.pid())?, redis_memory(backends).await?);
    held.extend(hold(&node, rest).await?);
    let (after, redis_after) = (memory_kb(node.pid())?, redis_memory(backends).await?);
    let busy = cpu(&node, backends).await?;
    let sent = held.len() as f64 * IDLE.as_secs_f64();
    Ok(vec![
        Some(after.saturating_sub(before) as f64 / HELD as f64),
        Some((redis_after - redis_before) / HELD as f64),
        Some(idle.0 * 1e3),
        Some((busy.0 - idle.0) * IDLE.as_secs_f64() * 1e6 / sent),
        Some(idle.1 * 1e3),
        Some(busy.1 * 1e3),
    ])
}

/// Makes conversations of one short turn each.
async fn conversations(node: &Target) -> anyhow::Result<Vec<String>> {
    let mut made = Vec::with_capacity(FIRST + HELD);
    let mut turns = JoinSet::new();
    while made.len() < FIRST + HELD {
        while turns.len() < AT_ONCE.min(FIRST + HELD - made.len()) {
            let chat = node.chat();
            turns.spawn(async move { anyhow::Ok(open(chat).await?.text().await?) });
        }
        let stream = turns.join_next().await.context("no turn")???;
        made.push(conversation_in(&stream).context("no conversation is named")?.to_owned());
    }
    Ok(made)
}

/// Opens a stream on each conversation. The stored events come first; then it is idle.
async fn hold(node: &Target, conversations: &[String]) -> anyhow::Result<Vec<reqwest::Response>> {
    let mut held = Vec::with_capacity(conversations.len());
    for conversation in conversations {
        let mut response = open(node.events(conversation)).await?;
        response.chunk().await?;
        held.push(response);
    }
    Ok(held)
}

/// How many seconds of CPU the node and PostgreSQL take in a second.
async fn cpu(node: &Target, backends: &Backends) -> anyhow::Result<(f64, f64)> {
    let before = (Cpu::of(node.pid())?, backends.postgres.cpu()?);
    tokio::time::sleep(IDLE).await;
    let after = (Cpu::of(node.pid())?, backends.postgres.cpu()?);
    let rate = |used: Duration| used.as_secs_f64() / IDLE.as_secs_f64();
    Ok((rate(after.0.since(&before.0)), rate(after.1.since(&before.1))))
}

async fn redis_memory(backends: &Backends) -> anyhow::Result<f64> {
    match &backends.redis {
        Some(redis) => redis.memory().await,
        None => Ok(0.0),
    }
}
