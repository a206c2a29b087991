//! `parlor db copy`: everything into another database.

use std::io::{IsTerminal, Write};
use std::process::ExitCode;

use anyhow::{Context, bail};
use clap::Args;
use parlor_database::transfer::open_target;
use parlor_database::transfer::{Component, CopyError, Part, TableCopy, copy as copy_rows};
use parlor_database::{Database, Location};

use super::databases::Databases;
use super::in_use::{be_alone, directory};
use crate::start;

/// From where to where. The URLs are parsed later: an error of the command line would show
/// them, with their passwords.
#[derive(Args)]
pub(super) struct CopyArguments {
    /// The database to read: `sqlite:PATH` or `postgres://…`.
    #[arg(long, value_name = "URL")]
    from: Option<String>,
    /// The database to fill; it must be empty.
    #[arg(long, value_name = "URL")]
    to: Option<String>,
}

impl std::fmt::Debug for CopyArguments {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("CopyArguments").finish_non_exhaustive()
    }
}

pub(super) async fn copy(arguments: CopyArguments) -> anyhow::Result<ExitCode> {
    let from = location("--from", "PARLOR_COPY_FROM", arguments.from)?;
    let to = location("--to", "PARLOR_COPY_TO", arguments.to)?;
    let source = place(&from)?;
    if let Location::File(path) = &to {
        start::make_directory(&directory(path))?;
    }
    if source == place(&to)? {
        bail!("source and target are the same; name another target");
    }
    let _source = be_alone(&from).await?;
    let _target = be_alone(&to).await?;
    let parts = open(&Databases::at(from.clone()), &Databases::at(to.clone())).await?;
    let copied = copy_rows(&parts, &source, &mut show_progress()).await;
    for part in &parts {
        part.from.close().await;
        part.to.close().await;
    }
    print(&copied?, &from, &to)?;
    Ok(ExitCode::SUCCESS)
}

/// The URL of a flag, or else of an environment variable.
fn location(flag: &str, variable: &str, value: Option<String>) -> anyhow::Result<Location> {
    let url = match value.or_else(|| std::env::var(variable).ok()) {
        Some(url) => url,
        None => bail!("name the database with {flag}, or in {variable}"),
    };
    url.parse().with_context(|| flag.to_owned())
}

/// A name for a place that stays the same, wherever the command is run. The recipes are
/// beside the file, so the place of a file is its directory.
fn place(location: &Location) -> anyhow::Result<String> {
    match location {
        Location::File(path) => {
            let directory = directory(path);
            let whole = directory.canonicalize();
            let whole = whole.with_context(|| format!("{} cannot be read", directory.display()))?;
            Ok(whole.display().to_string())
        }
        Location::Server(url) => Ok(url.to_string()),
    }
}

async fn open(from: &Databases, to: &Databases) -> Result<Vec<Part>, CopyError> {
    let mut parts = Vec::new();
    let sources = from.each();
    for ((_, from, component), (_, to, _)) in sources.into_iter().zip(to.each()) {
        let from = open_source(from, &component).await?;
        parts.push(Part { from, to: open_target(to, &component).await?, component });
    }
    Ok(parts)
}

/// Opens the source and changes nothing in it, so it must have this version's schema.
async fn open_source(location: &Location, component: &Component) -> Result<Database, CopyError> {
    let database = Database::open_as_is(location).await?;
    let found = database.schema_version(component.migrations).await?.unwrap_or_default();
    if found == component.version() {
        return Ok(database);
    }
    let database = location.to_string();
    Err(CopyError::OtherSchema { database, found, known: component.version() })
}

/// Shows the table and the number of its rows to somebody who waits.
fn show_progress() -> impl FnMut(&'static str, u64) + Send {
    let is_shown = std::io::stderr().is_terminal();
    move |table, rows| {
        if is_shown {
            let _shown = write!(std::io::stderr(), "\r\x1b[K{table}: {rows} rows\r");
        }
    }
}

fn print(copied: &[TableCopy], from: &Location, to: &Location) -> std::io::Result<()> {
    let mut out = std::io::stdout().lock();
    writeln!(out, "{:<16} {:>12}  hash", "table", "rows")?;
    for TableCopy { table, digest } in copied {
        writeln!(out, "{table:<16} {:>12}  {digest}", digest.rows)?;
    }
    let rows: u64 = copied.iter().map(|table| table.digest.rows).sum();
    writeln!(
        out,
        "copied {rows} rows from {from} to {to}\n\
         verified: each table has the same number of rows, with the same hash, on both sides"
    )
}
