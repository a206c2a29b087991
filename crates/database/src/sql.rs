//! The few words of SQL that the engines spell differently, for statements that stand once.

use crate::database::{Database, Engine};

impl Database {
    /// The database's clock, in milliseconds since 1970.
    pub fn clock(&self) -> &'static str {
        match &self.0 {
            Engine::Sqlite(_) => "CAST((julianday('now') - 2440587.5) * 86400000 AS INTEGER)",
            Engine::Postgres(_) => "CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000 AS BIGINT)",
        }
    }

    /// Follows a `SELECT` whose rows nobody else may change, nor rely on, until the
    /// transaction ends. On SQLite a transaction excludes all other writes anyway.
    pub fn for_update(&self) -> &'static str {
        match &self.0 {
            Engine::Sqlite(_) => "",
            Engine::Postgres(_) => " FOR UPDATE",
        }
    }

    /// Whether other servers may use it at the same time.
    pub fn is_shared(&self) -> bool {
        matches!(self.0, Engine::Postgres(_))
    }
}
