//! `parlor serve`: runs the server.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Context;
use clap::Args;
use rustix::process::{DumpableBehavior, set_dumpable_behavior};

use crate::compose::all_secrets;
use crate::config::{Config, Sources};
use crate::{logging, start};

/// Runs the chat server.
///
/// Without a configuration it listens on this machine only and uses a demo model. On
/// the first start it creates passwords and a key and prints them once.
#[derive(Debug, Args)]
#[command(after_long_help = "Examples:
  parlor serve
  parlor serve --config /etc/parlor.toml
  PARLOR_PASSWORD=… PARLOR_API_KEY=… parlor serve --bind 127.0.0.1:9000 --data-dir /tmp/parlor

SIGTERM or Ctrl-C stops it: running answers are finished or ended, questions wait for the
next start, then it exits with 0. A second one ends it at once.
parlor.example.toml documents every setting.")]
pub(super) struct Arguments {
    /// The configuration; `parlor.toml` if there is one here.
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// The address to listen on.
    #[arg(long, value_name = "ADDRESS:PORT")]
    bind: Option<String>,
    /// The directory of the database.
    #[arg(long, value_name = "DIR")]
    data_dir: Option<PathBuf>,
}

pub(super) fn run(arguments: Arguments) -> anyhow::Result<ExitCode> {
    // First: otherwise a child process of the same user could read our environment.
    set_dumpable_behavior(DumpableBehavior::NotDumpable)
        .context("the environment cannot be hidden from other processes")?;
    let environment = Sources::process_environment();
    let config = Config::load(&Sources {
        file: arguments.config,
        bind: arguments.bind,
        data_dir: arguments.data_dir,
        environment: environment.clone(),
    })?;
    logging::start_for(&config.server, all_secrets(&config, &environment))?;
    // For shared tasks; connections are served by the worker threads.
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .context("the runtime cannot be started")?;
    runtime.block_on(start::start(config))?;
    Ok(ExitCode::SUCCESS)
}
