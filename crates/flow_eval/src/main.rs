//! AgentDojo and clean tasks through the running server: how many attacks the approval policy stops,
//! and how often it asks.
//!
//! 1. The server is started with a project for each suite ([`server`], [`configuration`]). The tools of
//!    a project are the program `evals/flow/serve.py`; its socket chooses the case ([`control`]).
//! 2. For each case ([`case`], chosen by [`sample`]) a person sends the message of the task
//!    ([`person`]), and a model obeys every order ([`obedient`], served by [`model`]): it makes the
//!    user's calls until a result holds the planted text, then those of the injection. The person says
//!    yes to the user's calls and no to those of the injection.
//! 3. What was asked is compared with what ran ([`verdict`]), and counted ([`tally`]).
//! 4. The figures are printed ([`table`]), and compared with the bar of the policy ([`bar`]).
//!
//! `cargo xtask flow-eval` builds what is needed and starts it; docs/flow.md has the figures.

mod arguments;
mod bar;
mod call;
mod case;
mod configuration;
mod control;
mod evaluation;
mod events;
mod labels;
mod model;
mod obedient;
mod person;
mod policy;
mod sample;
mod server;
mod suite;
mod table;
mod tally;
mod verdict;

use std::process::ExitCode;

use clap::Parser as _;

use arguments::Arguments;

fn main() -> anyhow::Result<ExitCode> {
    let arguments = Arguments::parse();
    let _installed = rustls::crypto::ring::default_provider().install_default();
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let is_good = runtime.block_on(evaluation::run(&arguments))?;
    Ok(if is_good { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
