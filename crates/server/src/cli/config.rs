//! `parlor config`: what is wrong with a configuration, and what holds.

use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, Subcommand};

use super::tenant_store::block_on;
use crate::compose;
use crate::config::{Config, ConfigError, EffectiveValue, Sources, ValueSource};
use crate::{logo, start};

/// Checks a configuration, or shows what holds and where it comes from.
///
/// Both read the environment as the server does. Nothing is started, and nothing is written.
#[derive(Debug, Args)]
pub(super) struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Says everything that is wrong, one problem a line; the exit code is 1 if anything is.
    Check {
        /// The configuration; `parlor.toml` if there is one here.
        file: Option<PathBuf>,
    },
    /// Prints every value and where it comes from: the file and its line, a variable, or the
    /// default. Secrets are masked.
    Show {
        /// The configuration; `parlor.toml` if there is one here.
        #[arg(long, value_name = "FILE")]
        config: Option<PathBuf>,
        /// Only what is set, without the defaults.
        #[arg(long)]
        set: bool,
        /// One JSON object a line.
        #[arg(long)]
        json: bool,
    },
}

pub(super) fn run(arguments: Arguments) -> anyhow::Result<ExitCode> {
    match arguments.command {
        Command::Check { file } => check(&sources(file)),
        Command::Show { config, set, json } => match Config::check(&sources(config)) {
            Ok(config) => show(&config, set, json).map(|()| ExitCode::SUCCESS),
            Err(errors) => Ok(report(&said(&errors))),
        },
    }
}

fn sources(file: Option<PathBuf>) -> Sources {
    let environment = Sources::process_environment();
    Sources { file, environment, ..Sources::default() }
}

fn check(sources: &Sources) -> anyhow::Result<ExitCode> {
    let config = match Config::check(sources) {
        Ok(config) => config,
        Err(errors) => return Ok(report(&said(&errors))),
    };
    let problems = block_on(async {
        start::install_tls();
        let mut problems = compose::problems(&config, &sources.environment);
        problems.extend(logo::check_all(&config).await.err().map(|error| error.to_string()));
        Ok(problems)
    })?;
    for warning in &config.warnings {
        eprintln!("warning: {warning}");
    }
    if !problems.is_empty() {
        return Ok(report(&problems));
    }
    let tenants = config.tenants.len();
    let projects: usize = config.tenants.values().map(|tenant| tenant.projects.len()).sum();
    eprintln!("the configuration can be used; tenants: {tenants}, projects: {projects}");
    Ok(ExitCode::SUCCESS)
}

fn said(errors: &[ConfigError]) -> Vec<String> {
    errors.iter().map(ToString::to_string).collect()
}

fn report(problems: &[String]) -> ExitCode {
    for problem in problems {
        eprintln!("{problem}");
    }
    eprintln!("problems: {}", problems.len());
    ExitCode::FAILURE
}

fn show(config: &Config, set: bool, json: bool) -> anyhow::Result<()> {
    let values = config.effective.values();
    let values: Vec<EffectiveValue> =
        values.filter(|value| !set || value.source != ValueSource::Default).collect();
    let mut out = std::io::stdout().lock();
    for value in &values {
        if json {
            serde_json::to_writer(&mut out, value)?;
            writeln!(out)?;
        } else {
            let place = value.place.as_deref().unwrap_or("default");
            writeln!(out, "{} = {}  # {place}", value.key, value.value)?;
        }
    }
    Ok(out.flush()?)
}
