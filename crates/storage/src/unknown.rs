//! Writes whose end is unknown, because the connection was lost before the answer came: the
//! database is asked whether they took effect.

use std::time::{Duration, Instant};

use parlor_database::Query;

use crate::error::StorageError;
use crate::store::Store;

/// How long a database that is away is waited for.
const LONGEST: Duration = Duration::from_secs(10);
const PAUSE: Duration = Duration::from_millis(250);

impl Store {
    /// Whether a write that failed took effect all the same: `find` finds a row that only it
    /// writes. False for any failure whose end is known. An error if the database does not
    /// answer in time.
    pub(crate) async fn is_written(
        &self,
        error: &StorageError,
        find: impl Fn() -> Query,
    ) -> Result<bool, StorageError> {
        if !error.is_unknown() {
            return Ok(false);
        }
        let start = Instant::now();
        loop {
            match find().fetch_optional(self.reader()).await.map_err(StorageError::from) {
                Ok(row) => return Ok(row.is_some()),
                Err(again) if again.is_transient() && start.elapsed() < LONGEST => {
                    tokio::time::sleep(PAUSE).await;
                }
                Err(_) => return Err(error.clone()),
            }
        }
    }
}
