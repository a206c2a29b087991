//! Measures Parlor beside a bare axum pass-through, on the same scripted
//! upstream, in one run: ratios of one run mean something on a noisy machine,
//! absolute figures of two runs do not.
//!
//! 1. A scripted model streams pieces that carry their number and the moment
//!    when they were sent.
//! 2. The pass-through (this binary, started again) and the server run as
//!    processes of their own, so that their CPU time can be read.
//! 3. A fresh server holds streams in which nothing happens.
//! 4. The load client opens 1, 10 and 100 streams, checks order, gaps and
//!    duplicates, and notes how late each piece is.
//!
//! Run it as `cargo xtask bench`, or as `cargo xtask bench 100` for one of the
//! rounds.

mod disk;
mod held;
mod load;
mod passthrough;
mod process;
mod report;
mod target;

use std::time::Duration;

use anyhow::Context;
use parlor_testkit::{Script, ScriptedModel};

use load::Load;
use target::Target;

/// How many streams at once.
const STREAMS: [usize; 3] = [1, 10, 100];
/// How often each stream says something.
const EVERY: Duration = Duration::from_millis(20);
/// How long a round takes.
const ROUND: Duration = Duration::from_secs(10);

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let _installed = rustls::crypto::ring::default_provider().install_default();
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.as_slice() {
        [command, upstream] if command == "passthrough" => passthrough::serve(upstream).await,
        [] => measure(&STREAMS).await,
        rounds => {
            let rounds: Result<Vec<usize>, _> = rounds.iter().map(|round| round.parse()).collect();
            measure(&rounds.context("usage: parlor-bench [STREAMS…]")?).await
        }
    }
}

/// The server is the binary beside this one: both were built the same way.
async fn measure(rounds: &[usize]) -> anyhow::Result<()> {
    let binary = std::env::current_exe()?.with_file_name("parlor");
    let binary = binary.to_str().context("the path of this program is not UTF-8")?;
    let model = ScriptedModel::start().await?;
    let pieces = (ROUND.as_millis() / EVERY.as_millis()) as u64;
    model.always(Script::answer().steady(pieces, EVERY, load::stamp));

    report::held(&held::measure(binary, &model).await.context("held streams")?);
    let mut bare = Target::passthrough(&model.base_url()).await.context("the pass-through")?;
    let mut parlor = Target::parlor(binary, &model.base_url()).await.context("the server")?;
    report::start(binary, &parlor, disk::wait()?)?;
    for &streams in rounds {
        let load = Load { streams, pieces };
        let bare_round = load.run(&mut bare).await?;
        let parlor_round = load.run(&mut parlor).await?;
        report::round(streams, &bare_round, &parlor_round);
    }
    Ok(())
}
