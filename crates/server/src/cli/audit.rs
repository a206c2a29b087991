//! `parlor audit`: the decisions of people about prompts.

use std::io::Write;
use std::process::ExitCode;

use clap::{Args, Subcommand};
use parlor_protocol::Timestamp;

use super::tenant_store::{TenantArguments, TenantStore, block_on};

/// How many decisions are read at once.
const PAGE: u32 = 500;

/// Exports the audit: every answer to every prompt.
#[derive(Debug, Args)]
pub(super) struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Prints every decision of a tenant, oldest first, one JSON object a line:
    /// what was asked, who answered what and when and why, from which session, the
    /// arguments that were allowed to run and the hash of their exact bytes, and
    /// what was proposed if that is something else.
    Export {
        #[command(flatten)]
        tenant: TenantArguments,
    },
}

pub(super) fn run(arguments: Arguments) -> anyhow::Result<ExitCode> {
    block_on(async move {
        match arguments.command {
            Command::Export { tenant } => export(tenant.open().await?).await,
        }
    })?;
    Ok(ExitCode::SUCCESS)
}

async fn export(tenant: TenantStore) -> anyhow::Result<()> {
    let mut out = std::io::stdout().lock();
    let (mut at, mut id) = (Timestamp(i64::MIN), String::new());
    loop {
        let decisions = tenant.store.decisions(&tenant.tenant, (at, &id), PAGE).await?;
        let Some(last) = decisions.last() else { break };
        (at, id) = (last.at, last.id.clone());
        for decision in &decisions {
            serde_json::to_writer(&mut out, decision)?;
            out.write_all(b"\n")?;
        }
    }
    out.flush()?;
    Ok(())
}
