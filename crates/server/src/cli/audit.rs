//! `parlor audit`: the decisions of people about prompts, and the chain that shows whether the audit was
//! changed.

mod verification;

use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, Subcommand};
use parlor_protocol::Timestamp;

use super::tenant_store::{TenantArguments, TenantStore, block_on};
use crate::audit::entry::Line;
use crate::audit::key::PublicKey;

/// How many rows are read at once.
const PAGE: u32 = 500;

/// Exports the audit, and checks that nobody changed it.
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
    /// Prints the chain of a tenant, one entry a line: decisions, blocked inputs and acts of
    /// administrators, each with its hash and signature. Keep it where nobody can change it.
    Chain {
        #[command(flatten)]
        tenant: TenantArguments,
    },
    /// Finds entries that were changed, removed or moved: in files, or without one in the database.
    /// The exit code is 1 if anything is wrong.
    Verify(Verify),
    /// Prints the public key that the entries of this server are signed with. Note it elsewhere: with
    /// it anybody can verify a file.
    Key {
        #[command(flatten)]
        tenant: TenantArguments,
    },
}

#[derive(Debug, Args)]
pub(super) struct Verify {
    /// Files of entries, in their order.
    files: Vec<PathBuf>,
    /// A key that may have signed; several nodes may have several. Without one, it is the key of this
    /// server if its data is here, and otherwise any, which is printed.
    #[arg(long, value_name = "KEY")]
    key: Vec<PublicKey>,
    /// The number of the first entry, for files whose earlier ones are elsewhere.
    #[arg(long, value_name = "N", default_value_t = 1)]
    from: u64,
    /// Also compares the files with the database.
    #[arg(long)]
    database: bool,
    #[command(flatten)]
    tenant: TenantArguments,
}

pub(super) fn run(arguments: Arguments) -> anyhow::Result<ExitCode> {
    block_on(async move {
        match arguments.command {
            Command::Export { tenant } => export(tenant.open().await?).await?,
            Command::Chain { tenant } => chain(tenant.open().await?).await?,
            Command::Verify(verify) => return verification::verify(verify).await,
            Command::Key { tenant } => println!("{}", tenant.open().await?.audit_key()?.public()),
        }
        Ok(ExitCode::SUCCESS)
    })
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

async fn chain(tenant: TenantStore) -> anyhow::Result<()> {
    let mut out = std::io::stdout().lock();
    let mut after = 0;
    loop {
        let chains = tenant.store.audit_chains();
        let entries = chains.entries(&tenant.tenant, after, PAGE).await?;
        let Some(last) = entries.last() else { break };
        after = last.seq;
        for entry in entries {
            serde_json::to_writer(&mut out, &Line::new(&tenant.tenant, entry))?;
            out.write_all(b"\n")?;
        }
    }
    out.flush()?;
    Ok(())
}
