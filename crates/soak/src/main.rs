//! The soak: real nodes under load, killed, paused and cut off from what they need, at random from a
//! printed seed. At the end, what every client saw is compared with what is stored.
//!
//! 1. Everything is started: the nodes and what they need ([`cluster`], [`servers`]), and the model
//!    that they ask ([`model`]). Their tools write down each call ([`tool`]).
//! 2. Clients send, answer, stop, leave and come back ([`client`]), while things break ([`chaos`]).
//! 3. When everything works again, clients stay until nothing runs any more. What is stored is read
//!    ([`stored`]), the nodes are stopped, and nothing of them may be left.
//! 4. The checker says what must not have happened ([`checker`]).
//!
//! `cargo xtask soak` builds what is needed and starts it.

mod arguments;
mod calm;
mod chaos;
mod checker;
mod client;
mod cluster;
mod event;
mod evidence;
mod memory;
mod model;
mod plan;
mod process;
mod seen;
mod servers;
mod soak;
mod stored;
mod summary;
mod tool;
mod violation;

use std::process::ExitCode;

use clap::Parser as _;

use arguments::{Arguments, Command};

fn main() -> anyhow::Result<ExitCode> {
    let arguments = Arguments::parse();
    if let Some(Command::Tool { file }) = &arguments.command {
        tool::serve(file)?;
        return Ok(ExitCode::SUCCESS);
    }
    let _installed = rustls::crypto::ring::default_provider().install_default();
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let is_good = runtime.block_on(soak::run(&arguments))?;
    Ok(if is_good { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
