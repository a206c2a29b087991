//! A copy of the file while it is in use.

use std::path::Path;

use sqlx::{ConnectOptions, Connection};

use super::file::File;
use crate::fault::Fault;

impl File {
    /// Writes one state of the database to a new file. Writes go on meanwhile. The new file
    /// is not on the disk before the caller syncs it: SQLite does not.
    pub(crate) async fn back_up(&self, to: &Path) -> Result<(), Fault> {
        let to = to.to_str().ok_or_else(|| Fault::other("the path is not valid Unicode"))?;
        let mut connection = self.check_options().connect().await?;
        let copied = sqlx::query("VACUUM INTO $1").bind(to).execute(&mut connection).await;
        let _closed = connection.close().await;
        copied?;
        Ok(())
    }
}
