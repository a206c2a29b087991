//! Migrations that are embedded in the binary.
//!
//! They are built at run time: the macro of sqlx would compile sqlx and SQLite a
//! second time, for the compiler's own use.

use sqlx::SqlSafeStr;
use sqlx::migrate::{Migration, MigrationType, Migrator};

/// The migrations of a database: the version, description and text of each file.
/// A database remembers the SHA-384 of each text and refuses another one, so a file
/// must not change once it was released.
pub fn migrator<const N: usize>(files: [(i64, &'static str, &'static str); N]) -> Migrator {
    let migration = |(version, description, sql): (i64, &'static str, &'static str)| {
        let sql = sql.into_sql_str();
        Migration::new(version, description.into(), MigrationType::Simple, sql, false)
    };
    Migrator::with_migrations(files.map(migration).into())
}
