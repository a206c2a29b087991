//! Which servers of Parlor use a database server: an advisory lock.
//!
//! A server of Parlor shares the lock on a connection of its own for as long as it runs. A
//! command that must be alone takes it exclusively: it fails while a server runs, and no
//! server starts while it is held. The lock belongs to the connection: it ends with it,
//! however the process ends. Behind PgBouncer the connection must be direct, or pooled by
//! session.

use super::connection::PostgresConnection;
use super::server::Server;
use crate::fault::Fault;
use crate::query::query;

/// The number that is locked: the next one after that of migrations.
pub(crate) const PRESENCE: i64 = 0x70_61_72_6c_6f_72 + 1;

/// The lock, until it is dropped.
#[derive(Debug)]
pub(crate) struct Alone(PostgresConnection);

impl Server {
    /// Keeps servers of Parlor away; `None` if one runs.
    pub(crate) async fn be_alone(&self) -> Result<Option<Alone>, Fault> {
        // Dropping it closes the connection, so that it never returns to the pool locked.
        let mut alone = Alone(self.connection().await?);
        let lock = query("SELECT pg_try_advisory_lock($1) AS locked").bind(PRESENCE);
        let rows = alone.0.fetch(lock).await?;
        let locked: bool = rows.first().ok_or(Fault::NoRow)?.try_get("locked")?;
        Ok(locked.then_some(alone))
    }
}

impl Drop for Alone {
    fn drop(&mut self) {
        self.0.give_up();
    }
}
