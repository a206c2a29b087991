//! Migrates the schema.
//!
//! All steps run in one transaction that holds an advisory lock from its beginning: of
//! several servers that start at once one migrates, the others wait and find it done; a
//! kill leaves the schema as it was.

use tokio_postgres::{Client, Error, Transaction};

use crate::migrations::{Migrations, PostgresMigration};
use crate::purpose::{Purpose, UNFINISHED_COPY, unfinished};

/// Any number that nothing else in the database locks: "parlor" in ASCII.
const LOCK: i64 = 0x70_61_72_6c_6f_72;

/// The oldest server that is known to work.
const OLDEST_VERSION: i32 = 140_000;

/// Why a schema cannot be migrated.
#[derive(Debug)]
pub(super) enum MigrateError {
    Newer { found: i64, known: i64 },
    Refused(String),
    Failed(Error),
}

impl From<Error> for MigrateError {
    fn from(error: Error) -> Self {
        Self::Failed(error)
    }
}

/// Brings the schema of a component to this version, if the purpose is to use it.
pub(super) async fn migrate(client: &mut Client, purpose: Purpose<'_>) -> Result<(), MigrateError> {
    check_version(client).await?;
    let Some(migrations) = purpose.migrations() else { return Ok(()) };
    let transaction = client.transaction().await?;
    transaction.execute("SELECT pg_advisory_xact_lock($1)", &[&LOCK]).await?;
    if matches!(purpose, Purpose::Serve(_)) {
        refuse_unfinished_copy(&transaction).await?;
    }
    // `IF NOT EXISTS` would need the right to create tables even if it exists.
    if !exists(&transaction, "schema_migrations").await? {
        let create = "CREATE TABLE schema_migrations (
             component TEXT NOT NULL, version BIGINT NOT NULL, description TEXT NOT NULL,
             checksum TEXT NOT NULL, applied_at TIMESTAMPTZ NOT NULL DEFAULT now(),
             PRIMARY KEY (component, version))";
        transaction.batch_execute(create).await?;
    }
    let select = "SELECT version, checksum FROM schema_migrations WHERE component = $1";
    let rows = transaction.query(select, &[&migrations.component]).await?;
    let mut applied = Vec::with_capacity(rows.len());
    for row in rows {
        applied.push((row.try_get::<_, i64>(0)?, row.try_get::<_, String>(1)?));
    }
    for migration in missing(migrations, &applied)? {
        transaction.batch_execute(migration.sql).await?;
        let insert = "INSERT INTO schema_migrations (component, version, description, checksum)
             VALUES ($1, $2, $3, $4)";
        let (version, description) = (migration.version, migration.description);
        let checksum = migration.checksum();
        let row: [&(dyn tokio_postgres::types::ToSql + Sync); 4] =
            [&migrations.component, &version, &description, &checksum];
        transaction.execute(insert, &row).await?;
    }
    Ok(transaction.commit().await?)
}

async fn refuse_unfinished_copy(transaction: &Transaction<'_>) -> Result<(), MigrateError> {
    if !exists(transaction, UNFINISHED_COPY).await? {
        return Ok(());
    }
    let select = format!("SELECT source FROM {UNFINISHED_COPY}");
    let source = transaction.query_one(&select, &[]).await?;
    Err(MigrateError::Refused(unfinished(source.try_get(0)?)))
}

async fn exists(transaction: &Transaction<'_>, table: &str) -> Result<bool, Error> {
    let exists = "SELECT to_regclass($1) IS NOT NULL";
    transaction.query_one(exists, &[&table]).await?.try_get(0)
}

async fn check_version(client: &Client) -> Result<(), MigrateError> {
    let version = "SELECT current_setting('server_version_num')::int, \
                   current_setting('server_version')";
    let row = client.query_one(version, &[]).await?;
    if row.try_get::<_, i32>(0)? >= OLDEST_VERSION {
        return Ok(());
    }
    let found: String = row.try_get(1)?;
    Err(MigrateError::Refused(format!("it is PostgreSQL {found}; version 14 or newer is needed")))
}

/// The migrations that are not applied yet. Those that are must be the same as here.
fn missing<'m>(
    migrations: &'m Migrations,
    applied: &[(i64, String)],
) -> Result<Vec<&'m PostgresMigration>, MigrateError> {
    let known = migrations.postgres.iter().map(|m| m.version).max().unwrap_or_default();
    if let Some(found) = applied.iter().map(|(version, _)| *version).filter(|v| *v > known).max() {
        return Err(MigrateError::Newer { found, known });
    }
    let mut missing = Vec::new();
    for migration in &migrations.postgres {
        match applied.iter().find(|(version, _)| *version == migration.version) {
            None => missing.push(migration),
            Some((_, found)) if *found == migration.checksum() => {}
            Some((version, _)) => {
                return Err(MigrateError::Refused(format!(
                    "its schema {version} was made by a development version; restore a backup"
                )));
            }
        }
    }
    Ok(missing)
}
