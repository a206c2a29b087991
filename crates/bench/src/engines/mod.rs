//! Compares engines and nodes, in one run: `cargo xtask bench engines`.
//!
//! 1. [`backends`]: PostgreSQL and Redis are started by `cargo xtask`, such that a commit waits for
//!    the disk. Databases are created, and dropped at the end.
//! 2. [`held`]: fresh servers hold idle streams.
//! 3. [`setup`]: the pass-through, the server on SQLite, the server on PostgreSQL, and two nodes on
//!    one database, with Redis between them and without. What does not start is skipped.
//! 4. [`streams`]: long answers. With two nodes one takes the messages, and the same conversations
//!    are read on the other one, too.
//! 5. [`turns`]: short turns, as many as the machine can do.
//!
//! All setups have their rounds in turn, and what is told is the middle: on a noisy machine ratios
//! within one run are meaningful. `others` is how many cores were busy with what is no part of the
//! benchmark; figures are worth something while it is near zero.

mod backends;
mod held;
mod meter;
mod postgres;
mod readers;
mod redis;
mod setup;
mod streams;
mod table;
mod turns;

use anyhow::bail;
use parlor_testkit::ScriptedModel;

use self::backends::Backends;

const HELD: &str = "held";
const STREAMS: &str = "streams";
const TURNS: &str = "turns";

/// Measures the parts that are named, or all.
pub(crate) async fn run(parts: &[String]) -> anyhow::Result<()> {
    if let Some(unknown) =
        parts.iter().find(|part| ![HELD, STREAMS, TURNS].contains(&part.as_str()))
    {
        bail!("there is no part '{unknown}'; parts are {HELD}, {STREAMS} and {TURNS}");
    }
    let backends = Backends::connect().await?;
    backends.print().await?;
    let measured = measure(parts, &backends).await;
    backends.postgres.drop_databases().await?;
    measured
}

async fn measure(parts: &[String], backends: &Backends) -> anyhow::Result<()> {
    let is_asked = |part: &str| parts.is_empty() || parts.iter().any(|asked| asked == part);
    let binary = crate::beside("parlor")?;
    let model = ScriptedModel::start().await?;
    println!("one wait for the disk {:.1?}", crate::disk::wait()?);
    if is_asked(HELD) {
        held::run(&binary, &model, backends).await?;
    }
    if !is_asked(STREAMS) && !is_asked(TURNS) {
        return Ok(());
    }
    let setups = setup::start(&binary, &model.base_url(), backends).await?;
    if is_asked(STREAMS) {
        streams::run(&setups, &model, backends).await?;
    }
    if is_asked(TURNS) {
        turns::run(&setups, &model, backends).await?;
    }
    Ok(())
}
