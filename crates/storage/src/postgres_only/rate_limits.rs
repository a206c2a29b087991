//! Tokens of rate limits, taken by any node: one row of `quotas` for each bucket.
//!
//! One statement takes all tokens of a message, or none:
//!
//! 1. `known` reads the buckets without a lock. If one is empty, the message is refused here:
//!    whoever sends too much writes nothing and keeps nobody waiting.
//! 2. `held` locks the buckets in the order of their keys, as every node does, so that no two
//!    can wait for each other. It sees what others have taken meanwhile.
//! 3. `verdict` and `taken`: if each bucket has a token, all are taken.
//! 4. `added`: a row that does not exist cannot be locked. It is added unused, and the
//!    statement is repeated.
//!
//! The order of keys (`address`, `preview`, `project`, `session`, `tenant`) locks the row that
//! most messages need last, and so for the shortest time.

use std::fmt::Write;
use std::time::Duration;

use parlor_database::{Row, query};

use super::{ATTEMPTS, MICROSECONDS, SharedLimits, WITHOUT_WAITING, contended};
use crate::error::StorageError;

/// How long an unused bucket keeps its row, in microseconds: an hour. Adding one takes a
/// second round trip, which most messages should not need.
const KEPT: i64 = 3_600_000_000;

/// A bucket of which a token is wanted. Times are in microseconds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TokenWanted {
    /// Whose bucket it is.
    pub sender: String,
    /// How long one token takes to refill.
    pub refill: i64,
    /// How long an empty bucket takes to refill.
    pub capacity: i64,
}

/// Whether tokens were taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TokensTaken {
    /// One of each bucket.
    All,
    /// None: a bucket is empty, and has a token after this time.
    NoneFor(Duration),
}

impl SharedLimits {
    /// Takes a token of each bucket, or of none. Their senders differ. `at` is the time, in
    /// microseconds since 1970, if not that of the database.
    ///
    /// Messages of one tenant wait for each other at its row. From 16 connections 3,800 of them
    /// are counted in a second, or 228,000 in a minute, and 12,000 are refused in a second
    /// (PostgreSQL 15, four buckets for each message, two cores for server and clients).
    pub async fn take_tokens(
        &self,
        wanted: &[TokenWanted],
        at: Option<i64>,
    ) -> Result<TokensTaken, StorageError> {
        let sql = take(wanted.len());
        for _ in 0..ATTEMPTS {
            let mut take = query(sql.clone()).bind(at);
            for TokenWanted { sender, refill, capacity } in wanted {
                take = take.bind(sender).bind(refill).bind(capacity);
            }
            let row = take.fetch_one(self.store.reader()).await?;
            if let Some(taken) = taken(&row)? {
                return Ok(taken);
            }
        }
        Err(contended())
    }

    /// Deletes the rows of buckets that nobody has used for long. It waits for nobody: what is
    /// in use is not old.
    pub async fn remove_unused_buckets(&self, at: Option<i64>) -> Result<(), StorageError> {
        query(format!(
            "DELETE FROM quotas WHERE sender IN (
                 SELECT q.sender FROM quotas q, (SELECT COALESCE($1, {MICROSECONDS}) AS now) m
                 WHERE q.rested_at NOT BETWEEN m.now - $2 AND m.now + $2
                 FOR UPDATE OF q SKIP LOCKED)"
        ))
        .bind(at)
        .bind(KEPT)
        .execute(self.store.reader())
        .await?;
        Ok(())
    }
}

/// The statement for this number of buckets. It is the arithmetic of a bucket whose state is
/// the time at which it is full: a token moves that time on, but not beyond the capacity.
fn take(buckets: usize) -> String {
    let mut values = String::new();
    for bucket in 0..buckets {
        let (separator, first) = (if bucket == 0 { "" } else { ", " }, 2 + 3 * bucket);
        let (refill, capacity) = (first + 1, first + 2);
        // Writing to a string cannot fail.
        let _ok = write!(values, "{separator}(${first}, ${refill}, ${capacity})");
    }
    // A clock that was set back must not lock anybody out for longer than the capacity.
    let full_at = "GREATEST(w.now, LEAST(q.rested_at, w.now + w.capacity)) + w.refill";
    format!(
        "WITH wanted AS MATERIALIZED (
             SELECT v.sender, v.refill, v.capacity, m.now
             FROM (VALUES {values}) v (sender, refill, capacity),
             (SELECT COALESCE($1, {MICROSECONDS}) AS now) m
         ), known AS (
             SELECT COUNT(*) AS buckets, MAX({full_at} - w.now - w.capacity) AS wait
             FROM wanted w JOIN quotas q ON q.sender = w.sender
         ), held AS (
             SELECT w.sender, {full_at} AS full_at, w.now + w.capacity AS latest
             FROM wanted w JOIN quotas q ON q.sender = w.sender
             WHERE (SELECT buckets = {buckets} AND wait <= 0 FROM known)
             ORDER BY q.sender FOR UPDATE OF q
         ), verdict AS (
             SELECT COUNT(*) AS buckets, MAX(full_at - latest) AS wait FROM held
         ), taken AS (
             INSERT INTO quotas (sender, rested_at)
             SELECT sender, full_at FROM held
             WHERE (SELECT buckets = {buckets} AND wait <= 0 FROM verdict)
             ON CONFLICT (sender) DO UPDATE SET rested_at = excluded.rested_at
         ), added AS (
             INSERT INTO quotas (sender, rested_at)
             SELECT sender, now FROM wanted
             WHERE (SELECT buckets < {buckets} AND COALESCE(wait, 0) <= 0 FROM known)
             ORDER BY sender COLLATE \"C\"
             ON CONFLICT (sender) DO NOTHING
         )
         SELECT verdict.buckets = {buckets} AS decided,
         COALESCE(GREATEST(known.wait, verdict.wait), 0) AS wait, {WITHOUT_WAITING}
         FROM known, verdict"
    )
}

/// What the statement answers; `None` if it must be repeated.
fn taken(row: &Row) -> Result<Option<TokensTaken>, StorageError> {
    let wait: i64 = row.try_get("wait")?;
    let decided: bool = row.try_get("decided")?;
    Ok(match u64::try_from(wait) {
        Ok(wait) if wait > 0 => Some(TokensTaken::NoneFor(Duration::from_micros(wait))),
        _ => decided.then_some(TokensTaken::All),
    })
}
