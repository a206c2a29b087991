//! The few words of SQL that the engines spell differently, for statements that stand once.

use crate::database::{Database, Engine};

impl Database {
    /// Whether other servers may use it at the same time.
    pub fn is_shared(&self) -> bool {
        matches!(self.0, Engine::Postgres(_))
    }
}
