//! How many connections are in use.

/// The connections of a pool: those that read a SQLite file, or those to a PostgreSQL server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PoolUse {
    /// How many there may be.
    pub most: u64,
    /// How many are in use.
    pub in_use: u64,
}
