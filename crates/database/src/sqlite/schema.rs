//! What SQLite says about its schema and its file.

use sqlx::{ConnectOptions, Connection, Row};

use super::file::File;
use crate::fault::Fault;

/// The version of the library.
pub(crate) const VERSION: &str = "SELECT sqlite_version() AS version";

/// The migrations that were applied, with their checksums in hex. A file holds one component.
pub(crate) const APPLIED: &str =
    "SELECT version, LOWER(HEX(checksum)) AS checksum FROM _sqlx_migrations";

/// Whether there is a table of this name.
pub(crate) const HAS_TABLE: &str = "SELECT EXISTS (
    SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = $1) AS found";

/// All columns. A key is never NULL here, but only a rowid's table says so. What a virtual table keeps its
/// index in is the engine's own.
pub(crate) const COLUMNS: &str = "SELECT t.name AS table_name, c.name AS column_name,
    c.type AS type_name, c.\"notnull\" = 0 AND c.pk = 0 AS nullable, c.pk > 0 AS in_key
    FROM pragma_table_list t JOIN pragma_table_info(t.name) c
    WHERE t.schema = 'main' AND t.type = 'table' AND t.name NOT LIKE 'sqlite_%'
    ORDER BY t.name, c.cid";

impl File {
    /// What is wrong with the file: pages, indexes, constraints.
    pub(crate) async fn damage(&self) -> Result<Vec<String>, Fault> {
        // A new connection: those that are open have pages in memory.
        let mut connection = self.check_options().connect().await?;
        let found = sqlx::query("PRAGMA integrity_check").fetch_all(&mut connection).await;
        let _closed = connection.close().await;
        let mut damage = Vec::new();
        for row in found? {
            damage.push(row.try_get::<String, _>(0)?);
        }
        damage.retain(|line| line != "ok");
        Ok(damage)
    }
}
