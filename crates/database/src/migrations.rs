//! Migrations that are embedded in the binary.
//!
//! They are built at run time: the macro of sqlx would compile sqlx and SQLite a
//! second time, for the compiler's own use.

use std::collections::BTreeMap;

use sha2::{Digest, Sha256};
use sqlx::SqlSafeStr;
use sqlx::migrate::{Migration, MigrationType, Migrator};

/// The version, description and text of a file.
type Files<const N: usize> = [(i64, &'static str, &'static str); N];

/// The steps from an empty database to the schema of this version, for both engines. A
/// step has the same version in both; PostgreSQL begins with the schema of its first.
///
/// A database remembers a checksum of each text and refuses another one, so a file must
/// not change once it was released.
#[derive(Debug)]
pub struct Migrations {
    pub(crate) component: &'static str,
    pub(crate) sqlite: Migrator,
    pub(crate) postgres: Vec<PostgresMigration>,
}

#[derive(Debug, Clone)]
pub(crate) struct PostgresMigration {
    pub(crate) version: i64,
    pub(crate) description: &'static str,
    pub(crate) sql: &'static str,
}

impl PostgresMigration {
    /// What a database remembers of it: the SHA-256 of its text, in hex.
    pub(crate) fn checksum(&self) -> String {
        hex(&Sha256::digest(self.sql.as_bytes()))
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

impl Migrations {
    /// The migrations of a component. Components share a PostgreSQL database, so each
    /// has a name.
    pub fn new<const S: usize, const P: usize>(
        component: &'static str,
        sqlite: Files<S>,
        postgres: Files<P>,
    ) -> Self {
        let step = |(version, description, sql): (i64, &'static str, &'static str)| {
            let sql = sql.into_sql_str();
            Migration::new(version, description.into(), MigrationType::Simple, sql, false)
        };
        let postgres = postgres.map(|(version, description, sql)| PostgresMigration {
            version,
            description,
            sql,
        });
        Self {
            component,
            sqlite: Migrator::with_migrations(sqlite.map(step).into()),
            postgres: postgres.into(),
        }
    }

    /// None: the schema is taken as it is.
    pub fn none() -> Self {
        let mut none = Self::new("none", [], []);
        none.sqlite.set_ignore_missing(true);
        none
    }

    /// The same with one more step, for tests of what a newer version leaves behind.
    #[must_use]
    pub fn and_then(&self, sqlite: &'static str, postgres: &'static str) -> Self {
        let version = self.newest() + 1;
        let step = sqlite.into_sql_str();
        let step = Migration::new(version, "next".into(), MigrationType::Simple, step, false);
        let mut later = self.postgres.clone();
        later.push(PostgresMigration { version, description: "next", sql: postgres });
        Self {
            component: self.component,
            sqlite: Migrator::with_migrations(self.sqlite.iter().cloned().chain([step]).collect()),
            postgres: later,
        }
    }

    /// Those of an earlier version, for tests of what it left behind.
    #[must_use]
    pub fn up_to(&self, version: i64) -> Self {
        let sqlite = self.sqlite.iter().filter(|step| step.version <= version).cloned();
        let postgres = self.postgres.iter().filter(|step| step.version <= version).cloned();
        Self {
            component: self.component,
            sqlite: Migrator::with_migrations(sqlite.collect()),
            postgres: postgres.collect(),
        }
    }

    /// The version of the schema that they end in.
    pub fn newest(&self) -> i64 {
        let sqlite = self.sqlite.iter().map(|migration| migration.version);
        let postgres = self.postgres.iter().map(|migration| migration.version);
        sqlite.chain(postgres).max().unwrap_or_default()
    }

    /// The checksum of each of SQLite's, in hex.
    pub(crate) fn checksums_of_sqlite(&self) -> BTreeMap<i64, String> {
        self.sqlite.iter().map(|migration| (migration.version, hex(&migration.checksum))).collect()
    }

    /// The checksum of each of PostgreSQL's.
    pub(crate) fn checksums_of_postgres(&self) -> BTreeMap<i64, String> {
        self.postgres.iter().map(|migration| (migration.version, migration.checksum())).collect()
    }

    /// Those of SQLite.
    pub fn sqlite(&self) -> &Migrator {
        &self.sqlite
    }

    /// The version and text of each of PostgreSQL's.
    pub fn postgres(&self) -> impl Iterator<Item = (i64, &'static str)> {
        self.postgres.iter().map(|migration| (migration.version, migration.sql))
    }
}
