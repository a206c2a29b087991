//! `parlor doctor`: whether this installation can do its work, and what to do where it cannot (O-2).
//!
//! 1. The configuration is read. If it cannot be, that is the only finding.
//! 2. What it names is looked at, one part after the other: [`data`] (directory, disk, databases, the
//!    channel between nodes), [`agents`], [`tools`], [`address`] (the public URL, as browsers reach it).
//! 3. The findings are printed, each with what to do. The exit code is 1 if something is wrong.
//!
//! A server may run meanwhile, or not. Nothing is changed, and no model is asked for an answer. MCP servers that
//! are child processes are started for a moment.

mod address;
mod agents;
mod data;
mod finding;
mod tools;

use std::io::Write as _;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;

use self::finding::{Finding, State};
use super::tenant_store::block_on;
use crate::compose::all_secrets;
use crate::config::{Config, Sources};
use crate::start::install_tls;
use parlor_guard::sanitizer::Sanitizer;

/// Looks at this installation, and says what to do where something is wrong.
///
/// It reads the configuration and looks at the data directory, the databases, the models, the agent
/// programs, the MCP servers and the public address. The exit code is 1 if something is wrong.
#[derive(Debug, Args)]
#[command(after_long_help = "Examples:
  parlor doctor
  parlor doctor --config /etc/parlor/parlor.toml --json | jq 'select(.state == \"wrong\")'")]
pub(super) struct Arguments {
    /// The configuration; `parlor.toml` if there is one here.
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// The directory of the database.
    #[arg(long, value_name = "DIR")]
    data_dir: Option<PathBuf>,
    /// One JSON object a line.
    #[arg(long)]
    json: bool,
}

pub(super) fn run(arguments: Arguments) -> anyhow::Result<ExitCode> {
    install_tls();
    let sources = Sources {
        file: arguments.config,
        data_dir: arguments.data_dir,
        environment: Sources::process_environment(),
        ..Sources::default()
    };
    let findings = block_on(async { Ok(look(&sources).await) })?;
    let mut out = std::io::stdout().lock();
    for finding in &findings {
        if arguments.json {
            serde_json::to_writer(&mut out, finding)?;
            out.write_all(b"\n")?;
        } else {
            write!(out, "{finding}")?;
        }
    }
    let wrong = findings.iter().filter(|finding| finding.state == State::Wrong).count();
    if !arguments.json {
        writeln!(out, "{}", summary(wrong))?;
    }
    out.flush()?;
    Ok(if wrong == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn summary(wrong: usize) -> String {
    match wrong {
        0 => "nothing is wrong".to_owned(),
        1 => "1 thing is wrong".to_owned(),
        more => format!("{more} things are wrong"),
    }
}

async fn look(sources: &Sources) -> Vec<Finding> {
    let config = match Config::load(sources) {
        Ok(config) => config,
        Err(error) => {
            return vec![Finding::wrong("configuration", error, "correct it, and look again")];
        }
    };
    let mut findings =
        vec![Finding::good("configuration", "it can be read, and every value is valid")];
    findings.extend(config.warnings.iter().map(|warning| {
        Finding::warning("configuration", warning, "correct the name, or remove the variable")
    }));
    findings.extend(data::look(&config, sources.file.as_deref()).await);
    findings.extend(agents::look(&config, &sources.environment).await);
    findings.extend(tools::look(&config, &sources.environment).await);
    findings.extend(address::look(&config).await);
    without_secrets(findings, &config, sources)
}

/// What servers say of themselves may quote a key.
fn without_secrets(findings: Vec<Finding>, config: &Config, sources: &Sources) -> Vec<Finding> {
    let secrets = all_secrets(config, &sources.environment);
    let Ok(masks) = Sanitizer::for_log(secrets) else {
        return vec![Finding::wrong(
            "configuration", "it has too many secrets to hide them", "use fewer",
        )];
    };
    findings.into_iter().map(|finding| finding.masked(&masks)).collect()
}
