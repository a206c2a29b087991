//! The database that is copied into: created, migrated, and marked while it is filled.

use crate::batch::Batch;
use crate::database::Database;
use crate::fault::Fault;
use crate::location::Location;
use crate::purpose::UNFINISHED_COPY;
use crate::query::query;
use crate::transfer::component::Component;
use crate::transfer::error::CopyError;

/// Opens a database to copy into. It is created if there is none; one that has another schema
/// than this version's is refused and stays as it is.
pub async fn open_target(
    location: &Location,
    component: &Component,
) -> Result<Database, CopyError> {
    if !matches!(location, Location::File(path) if !path.exists()) {
        let database = Database::open_as_is(location).await?;
        let found = database.schema_version(component.migrations).await?;
        database.close().await;
        if let Some(found) = found.filter(|found| *found != component.version()) {
            let database = location.to_string();
            return Err(CopyError::OtherSchema { database, found, known: component.version() });
        }
    }
    Ok(Database::open_for_copy(location, component.migrations).await?)
}

/// Marks a target. Returns whether an earlier copy from the same source had marked it; if
/// none did, every table must be empty.
pub(super) async fn mark(
    marked: &Database,
    source: &str,
    targets: &[(&Component, &Database)],
) -> Result<bool, CopyError> {
    match marked.unfinished_copy().await? {
        Some(earlier) if earlier == source => return Ok(true),
        Some(earlier) => return Err(CopyError::OtherCopy { source_of_copy: earlier }),
        None => {}
    }
    for (component, database) in targets {
        for table in component.tables {
            let first = query(format!("SELECT 1 AS one FROM {} LIMIT 1", table.name));
            if first.fetch_optional(*database).await?.is_some() {
                return Err(CopyError::InUse { table: table.name });
            }
        }
    }
    let mut transaction = marked.begin().await?;
    let create = query(format!("CREATE TABLE {UNFINISHED_COPY} (source TEXT NOT NULL)"));
    create.execute(&mut transaction).await?;
    let insert = query(format!("INSERT INTO {UNFINISHED_COPY} (source) VALUES ($1)"));
    insert.bind(source).execute(&mut transaction).await?;
    transaction.commit().await?;
    Ok(false)
}

/// Removes the mark: the target is complete.
pub(super) async fn unmark(marked: &Database) -> Result<(), Fault> {
    let mut unmark = Batch::default();
    unmark.add(format!("DROP TABLE {UNFINISHED_COPY}"));
    marked.run(unmark).await
}
