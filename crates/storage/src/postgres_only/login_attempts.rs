//! Login attempts on any node: a row of `login_attempts` for each address, which says when
//! the next one is accepted, and one for each tenant and for each name in it, which count failures
//! for a minute.
//!
//! An attempt is counted when it begins, by one statement:
//!
//! 1. `refused` reads the address without a lock. An attempt that comes too early ends here.
//! 2. `counted` counts it, which locks the row. If others were counted meanwhile and it comes
//!    too early now, nothing is counted, and the statement is repeated.
//! 3. `is_attacked`: whether the minute of the tenant or of the name has many failures.
//!
//! Each statement writes one row, so no two can wait for each other.

use std::time::Duration;

use parlor_database::{Row, query};

use super::{ATTEMPTS, MILLISECONDS, SharedLimits, WITHOUT_WAITING, contended};
use crate::columns::to_column;
use crate::error::StorageError;

/// A tenant's failures are counted for so long, and a time of the database's clock that is
/// further ahead was stored before the clock was set back.
const MINUTE: i64 = 60_000;

/// When attempts are accepted.
#[derive(Debug, Clone, Copy)]
pub struct AttemptRules<'r> {
    /// The pause after an address's first attempt, second attempt and so on. The last stands
    /// for all that follow.
    pub pauses: &'r [Duration],
    /// An address without an attempt for this long starts again.
    pub forget_after: Duration,
    /// Failures per minute from which on a tenant is under attack.
    pub many_failures: u32,
    /// The same for a name.
    pub many_of_a_name: u32,
}

/// What becomes of an attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LoginAttempt {
    /// It was counted.
    Counted {
        /// Whether the tenant, or the name in it, is under attack.
        is_attacked: bool,
    },
    /// It was not: the next one is accepted after this time.
    TooEarly(Duration),
}

impl SharedLimits {
    /// An attempt of an address begins, with a name or with none. `at` is the time, in milliseconds since 1970, if not
    /// that of the database.
    pub async fn begin_attempt(
        &self,
        address: &str,
        tenant: &str,
        name: Option<&str>,
        rules: &AttemptRules<'_>,
        at: Option<i64>,
    ) -> Result<LoginAttempt, StorageError> {
        let sql = begin(rules.pauses);
        for _ in 0..ATTEMPTS {
            let row = query(sql.clone())
                .bind(at)
                .bind(of_address(address))
                .bind(of_tenant(tenant))
                .bind(milliseconds(rules.forget_after))
                .bind(i64::from(rules.many_failures))
                .bind(MINUTE)
                .bind(name.map(|name| of_name(tenant, name)))
                .bind(i64::from(rules.many_of_a_name))
                .fetch_one(self.store.reader())
                .await?;
            if let Some(attempt) = attempt(&row)? {
                return Ok(attempt);
            }
        }
        Err(contended())
    }

    /// Counts a failed attempt in the minutes of the tenant and of the name.
    pub async fn count_failure(
        &self,
        tenant: &str,
        name: Option<&str>,
        at: Option<i64>,
    ) -> Result<(), StorageError> {
        if let Some(name) = name {
            self.count_failure_of(of_name(tenant, name), at).await?;
        }
        self.count_failure_of(of_tenant(tenant), at).await
    }

    async fn count_failure_of(&self, sender: String, at: Option<i64>) -> Result<(), StorageError> {
        let is_over = "(excluded.counted_at NOT BETWEEN a.counted_at - $3
                        AND a.counted_at + $3 - 1)";
        query(format!(
            "INSERT INTO login_attempts AS a (sender, count, counted_at, open_at)
             SELECT $2, 1, m.now, m.now FROM (SELECT COALESCE($1, {MILLISECONDS}) AS now) m
             ON CONFLICT (sender) DO UPDATE SET
             count = CASE WHEN {is_over} THEN 1 ELSE a.count + 1 END,
             counted_at = CASE WHEN {is_over} THEN excluded.counted_at ELSE a.counted_at END
             RETURNING {WITHOUT_WAITING}"
        ))
        .bind(at)
        .bind(sender)
        .bind(MINUTE)
        .fetch_all(self.store.reader())
        .await?;
        Ok(())
    }

    /// Forgets the attempts of an address.
    pub async fn forget_attempts(&self, address: &str) -> Result<(), StorageError> {
        query(format!("DELETE FROM login_attempts WHERE sender = $1 RETURNING {WITHOUT_WAITING}"))
            .bind(of_address(address))
            .fetch_all(self.store.reader())
            .await?;
        Ok(())
    }

    /// Deletes what no longer matters. It waits for nobody: what is in use is not old.
    pub async fn remove_old_attempts(
        &self,
        rules: &AttemptRules<'_>,
        at: Option<i64>,
    ) -> Result<(), StorageError> {
        query(format!(
            "DELETE FROM login_attempts WHERE sender IN (
                 SELECT a.sender FROM login_attempts a,
                 (SELECT COALESCE($1, {MILLISECONDS}) AS now) m
                 WHERE a.counted_at NOT BETWEEN m.now - $2 AND m.now + $2
                 FOR UPDATE OF a SKIP LOCKED)"
        ))
        .bind(at)
        .bind(milliseconds(rules.forget_after))
        .execute(self.store.reader())
        .await?;
        Ok(())
    }
}

/// The statement that begins an attempt.
fn begin(pauses: &[Duration]) -> String {
    let pauses: Vec<String> = pauses.iter().map(|p| milliseconds(*p).to_string()).collect();
    let (pauses, most) = (format!("(ARRAY[{}]::BIGINT[])", pauses.join(", ")), pauses.len());
    // The row as it is now, `a`, against the time at which this attempt began. An attempt that
    // waited for the row may have begun before the one that was counted last.
    let recent = |now: &str| format!("a.counted_at BETWEEN {now} - $4 + 1 AND {now} + $6");
    let too_early =
        |now: &str| format!("({} AND a.open_at > GREATEST({now}, a.counted_at))", recent(now));
    let now = "excluded.counted_at";
    let (is_recent, is_too_early) = (recent(now), too_early(now));
    let count = format!("CASE WHEN {is_recent} THEN a.count + 1 ELSE 1 END");
    let counted_at =
        format!("CASE WHEN {is_recent} THEN GREATEST({now}, a.counted_at) ELSE {now} END");
    let is_refused = too_early("m.now");
    format!(
        "WITH m AS MATERIALIZED (SELECT COALESCE($1, {MILLISECONDS}) AS now),
         refused AS (
             SELECT a.open_at - m.now AS wait FROM login_attempts a, m
             WHERE a.sender = $2 AND {is_refused}
         ), counted AS (
             INSERT INTO login_attempts AS a (sender, count, counted_at, open_at)
             SELECT $2, 1, m.now, m.now + {pauses}[1] FROM m
             WHERE NOT EXISTS (SELECT 1 FROM refused)
             ON CONFLICT (sender) DO UPDATE SET count = {count}, counted_at = {counted_at},
             open_at = {counted_at} + {pauses}[CAST(LEAST({count}, {most}) AS INT)]
             WHERE NOT {is_too_early}
             RETURNING 1
         )
         SELECT EXISTS (SELECT 1 FROM counted) AS counted, (SELECT wait FROM refused) AS wait,
         EXISTS (
             SELECT 1 FROM login_attempts a, m
             WHERE ((a.sender = $3 AND a.count >= $5) OR (a.sender = $7 AND a.count >= $8))
             AND m.now BETWEEN a.counted_at - $6 AND a.counted_at + $6 - 1
         ) AS is_attacked, {WITHOUT_WAITING}"
    )
}

/// What the statement answers; `None` if it must be repeated.
fn attempt(row: &Row) -> Result<Option<LoginAttempt>, StorageError> {
    if let Some(wait) = row.try_get::<Option<i64>>("wait")? {
        let wait = Duration::from_millis(u64::try_from(wait).unwrap_or_default());
        return Ok(Some(LoginAttempt::TooEarly(wait)));
    }
    let is_attacked = row.try_get("is_attacked")?;
    let counted: bool = row.try_get("counted")?;
    Ok(counted.then_some(LoginAttempt::Counted { is_attacked }))
}

fn of_address(address: &str) -> String {
    format!("address:{address}")
}

fn of_tenant(tenant: &str) -> String {
    format!("tenant:{tenant}")
}

fn of_name(tenant: &str, name: &str) -> String {
    format!("name:{tenant}/{name}")
}

fn milliseconds(duration: Duration) -> i64 {
    to_column(u64::try_from(duration.as_millis()).unwrap_or(u64::MAX))
}
