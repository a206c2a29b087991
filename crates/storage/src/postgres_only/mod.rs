//! Limits that several nodes keep together. These statements are for PostgreSQL only.
//!
//! Everywhere else a statement has one text for both engines. These have one engine:
//! - On SQLite there is one node. It counts in memory, which costs nothing, so there is
//!   nothing to share and no second text to keep.
//! - A limit of several nodes must be decided where its rows are locked, without a round
//!   trip in between: by one statement that locks, decides and writes. That takes
//!   `FOR UPDATE` and `WITH` parts that write, which SQLite does not have.
//!
//! What holds for all of them:
//! - Each is a transaction of its own, in one round trip.
//! - The database's clock decides: those of the nodes may differ. Tests pass a time instead
//!   (`at`).
//! - What they do not know when they begin they do not guess: if another node wrote the
//!   same row at the same moment, the statement changes nothing and is repeated.
//! - Nobody waits for the disk. If the database server crashes, it forgets what was counted
//!   in the last moments (0.6 s by default): a few messages or guesses more, once.

pub(crate) mod login_attempts;
pub(crate) mod rate_limits;

use parlor_database::Fault;

use crate::error::StorageError;
use crate::store::Store;

/// Limits that hold across all nodes of a database.
#[derive(Debug, Clone)]
pub struct SharedLimits {
    store: Store,
}

impl Store {
    /// Limits that hold across all nodes; `None` if there is one only.
    pub fn shared_limits(&self) -> Option<SharedLimits> {
        self.is_shared().then(|| SharedLimits { store: self.clone() })
    }
}

/// The time of the database, in microseconds and in milliseconds since 1970.
const MICROSECONDS: &str = "CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000000 AS BIGINT)";
const MILLISECONDS: &str = "CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000 AS BIGINT)";

/// Selected by a statement whose commit does not wait for the disk. It holds until the end of
/// the transaction, which is the statement.
const WITHOUT_WAITING: &str = "set_config('synchronous_commit', 'off', TRUE)";

/// How often a statement is repeated because of others. The second time all rows are there;
/// more is needed only if old rows are deleted at the same moment.
const ATTEMPTS: usize = 5;

/// Others were faster each time.
fn contended() -> StorageError {
    StorageError::Fault(Fault::Busy("too many nodes count the same sender".to_owned()))
}
