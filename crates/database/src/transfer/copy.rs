//! The copy itself, table by table.

use crate::batch::Batch;
use crate::connection::Snapshot;
use crate::database::Database;
use crate::executor::Executor;
use crate::fault::Fault;
use crate::query::query;
use crate::transfer::component::Component;
use crate::transfer::digest::Digest;
use crate::transfer::error::CopyError;
use crate::transfer::pages::Pages;
use crate::transfer::table::Table;
use crate::transfer::target::{mark, unmark};
use crate::value::Value;

/// A component to copy.
#[derive(Debug)]
pub struct Part {
    /// Its tables.
    pub component: Component,
    /// Where they are read.
    pub from: Database,
    /// Where they are written; see [`super::open_target`].
    pub to: Database,
}

/// A table that was copied: on both sides it has these rows.
#[derive(Debug, Clone)]
pub struct TableCopy {
    /// Its name.
    pub table: &'static str,
    /// Its rows.
    pub digest: Digest,
}

/// Copies all tables of all parts and verifies them. `source` names where they come from: a
/// copy that was interrupted goes on if it is called with the same name. `progress` is told
/// the table and the number of its rows so far, after each page. The mark is in the first
/// part's target, which a server opens first.
pub async fn copy(
    parts: &[Part],
    source: &str,
    progress: &mut (dyn FnMut(&'static str, u64) + Send),
) -> Result<Vec<TableCopy>, CopyError> {
    for part in parts {
        check_tables(&part.component, &part.from, "source").await?;
        check_tables(&part.component, &part.to, "target").await?;
    }
    let Some(Part { to: marked, .. }) = parts.first() else { return Ok(Vec::new()) };
    let targets: Vec<_> = parts.iter().map(|part| (&part.component, &part.to)).collect();
    let goes_on = mark(marked, source, &targets).await?;
    let mut copied = Vec::new();
    for part in parts {
        let mut from = part.from.snapshot().await?;
        for table in part.component.tables {
            let failed = |fault| CopyError::Table { table: table.name, fault };
            let read = copy_table(table, &mut from, &part.to, goes_on, progress).await;
            copied.push(TableCopy { table: table.name, digest: read.map_err(failed)? });
        }
    }
    verify(parts, &copied).await?;
    unmark(marked).await?;
    Ok(copied)
}

async fn check_tables(
    component: &Component,
    database: &Database,
    side: &'static str,
) -> Result<(), CopyError> {
    let missing = component.missing(&database.schema().await?);
    match missing.is_empty() {
        true => Ok(()),
        false => Err(CopyError::OtherTables { side, columns: missing.join(", ") }),
    }
}

/// Writes the rows of a table that the target does not have. Returns what the source has.
async fn copy_table(
    table: &'static Table,
    from: &mut Snapshot,
    to: &Database,
    goes_on: bool,
    progress: &mut (dyn FnMut(&'static str, u64) + Send),
) -> Result<Digest, Fault> {
    let is_complete = goes_on && count(table, &mut *from).await? == count(table, to).await?;
    let mut digest = Digest::default();
    let mut pages = Pages::new(table);
    loop {
        let rows = pages.next(from).await?;
        if rows.is_empty() {
            return Ok(digest);
        }
        rows.iter().for_each(|row| digest.add(row));
        if !is_complete {
            to.run(insert(table, rows)).await?;
        }
        progress(table.name, digest.rows);
    }
}

async fn count(table: &Table, on: impl Into<Executor<'_>>) -> Result<i64, Fault> {
    let count = query(format!("SELECT COUNT(*) AS rows FROM {}", table.name));
    count.fetch_one(on).await?.try_get("rows")
}

fn insert(table: &Table, rows: Vec<Vec<Value>>) -> Batch {
    let mut batch = Batch::default();
    let into = format!("{} ({})", table.name, table.column_names());
    batch.insert_missing(into, &table.key_names(), rows, |batch, row| {
        for value in row {
            batch.bind(value);
        }
    });
    batch
}

/// Compares what the targets have with what was read.
async fn verify(parts: &[Part], copied: &[TableCopy]) -> Result<(), CopyError> {
    let mut expected = copied.iter();
    for part in parts {
        let mut to = part.to.snapshot().await?;
        for (table, expected) in part.component.tables.iter().zip(&mut expected) {
            let failed = |fault| CopyError::Table { table: table.name, fault };
            let found = digest(table, &mut to).await.map_err(failed)?;
            if found != expected.digest {
                let from = expected.digest.clone();
                return Err(CopyError::Differs { table: table.name, from, to: found });
            }
        }
    }
    Ok(())
}

async fn digest(table: &Table, from: &mut Snapshot) -> Result<Digest, Fault> {
    let mut digest = Digest::default();
    let mut pages = Pages::new(table);
    loop {
        let rows = pages.next(from).await?;
        if rows.is_empty() {
            return Ok(digest);
        }
        rows.iter().for_each(|row| digest.add(row));
    }
}
