//! Compares Parlor with a bare axum pass-through, on the same scripted upstream, in one run: on a
//! noisy machine, ratios within one run are meaningful, and absolute figures of two runs are not.
//!
//! 1. A scripted model streams pieces that carry their number and the time when they were sent.
//! 2. The pass-through (this binary, started again) and the server run as processes of their own,
//!    so that their CPU time can be read.
//! 3. Fresh servers hold idle streams and WebSockets.
//! 4. The load client opens 1, 10 and 100 streams, checks order, gaps and duplicates, and measures
//!    the latency of each piece.
//! 5. The same over 100 WebSockets with a process of `fake-agent` behind each.
//!
//! Run it as `cargo xtask bench`, as `cargo xtask bench 100` for one of the rounds of streams, or
//! as `cargo xtask bench sockets` (or `sockets 10`) for WebSockets. Engines and nodes are compared by
//! [`engines`], and the cost of polling a signal or a timer by [`poll_cost`].

mod disk;
mod engines;
mod held;
mod load;
mod parlor;
mod passthrough;
mod poll_cost;
mod process;
mod report;
mod target;

use std::time::Duration;

use anyhow::Context;
use parlor_testkit::{Script, ScriptedModel};

use load::{Door, Load};
use parlor::Parlor;
use target::Target;

/// The arguments that start this binary as a pass-through.
const PASSTHROUGH: &str = "passthrough";
const PASSTHROUGH_AGENT: &str = "passthrough-agent";
/// The number of parallel streams in each round. The last round is repeated; the median of its
/// ratios is printed at the end.
const STREAMS: [usize; 7] = [1, 10, 100, 100, 100, 100, 100];
/// How often each stream sends an event.
const EVERY: Duration = Duration::from_millis(20);
/// How long a round takes.
const ROUND: Duration = Duration::from_secs(10);
/// The number of parallel WebSockets in each round.
const SOCKETS: [usize; 1] = [100];

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let _installed = rustls::crypto::ring::default_provider().install_default();
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.as_slice() {
        [command, upstream] if command == PASSTHROUGH => passthrough::serve(upstream).await,
        [command, program] if command == PASSTHROUGH_AGENT => {
            passthrough::serve_agent(program.clone()).await
        }
        [] => {
            streams(&STREAMS).await?;
            sockets(&SOCKETS).await
        }
        [what] if what == "poll-cost" => {
            poll_cost::run().await;
            Ok(())
        }
        [what, parts @ ..] if what == "engines" => engines::run(parts).await,
        [what] if what == "sockets" => sockets(&SOCKETS).await,
        [what, rounds @ ..] if what == "sockets" => sockets(&numbers(rounds)?).await,
        rounds => streams(&numbers(rounds)?).await,
    }
}

fn numbers(words: &[String]) -> anyhow::Result<Vec<usize>> {
    let numbers: Result<Vec<usize>, _> = words.iter().map(|word| word.parse()).collect();
    numbers.context("usage: parlor-bench [poll-cost | engines [PART…] | [sockets] [COUNT…]]")
}

/// The path of a program that was built into the same directory as this one.
fn beside(name: &str) -> anyhow::Result<String> {
    let program = std::env::current_exe()?.with_file_name(name);
    Ok(program.to_str().context("the path of this program is not UTF-8")?.to_owned())
}

fn pieces() -> u64 {
    (ROUND.as_millis() / EVERY.as_millis()) as u64
}

/// Measures streams with a model behind them.
async fn streams(rounds: &[usize]) -> anyhow::Result<()> {
    let binary = beside("parlor")?;
    let model = ScriptedModel::start().await?;
    model.always(Script::answer().steady(pieces(), EVERY, load::stamp));
    report::held(&held::streams(&binary, &model).await.context("held streams")?);
    let upstream = model.base_url();
    let bare = Target::passthrough(&[PASSTHROUGH, &upstream]).await.context("the pass-through")?;
    let parlor = Parlor::with_model(&binary, &upstream).start().await.context("the server")?;
    report::start(&binary, &parlor, disk::wait()?)?;
    report::table("streams, a model behind them");
    compare(Door::Stream, rounds, bare, parlor).await
}

/// Measures WebSockets with an agent process behind each.
async fn sockets(rounds: &[usize]) -> anyhow::Result<()> {
    let (binary, agent) = (beside("parlor")?, beside("fake-agent")?);
    let model = ScriptedModel::start().await?;
    report::held(&held::sockets(&binary, &model).await.context("held WebSockets")?);
    let bare = Target::passthrough(&[PASSTHROUGH_AGENT, &agent]).await?;
    let parlor = Parlor::with_agent(&binary, &agent).start().await.context("the server")?;
    report::table("WebSockets, a process behind each");
    compare(Door::Socket, rounds, bare, parlor).await
}

async fn compare(
    door: Door,
    rounds: &[usize],
    mut bare: Target,
    mut parlor: Target,
) -> anyhow::Result<()> {
    let mut ratios = Vec::new();
    for &streams in rounds {
        let load = Load { door, streams, pieces: pieces() };
        let bare_round = load.run(&mut bare).await.context("the pass-through")?;
        let parlor_round = load.run(&mut parlor).await.context("the server")?;
        ratios.push(report::round(streams, &bare_round, &parlor_round));
    }
    report::middle(ratios);
    Ok(())
}
