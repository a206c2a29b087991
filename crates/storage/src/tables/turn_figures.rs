//! What turns took, by project and hour: added with the end of each turn, so that administrators
//! read figures of weeks without a scan of turns.
//!
//! A row is one figure of one hour. Durations are counted in buckets ([`Histogram`]). An hour has
//! several rows of each figure: turns that end at the same moment rarely wait for each other.

use std::collections::BTreeMap;
use std::fmt;

use parlor_database::{Batch, Row, query};
use parlor_protocol::{ProjectId, TenantId, Timestamp, TurnId};

use crate::columns::{counter, parsed, to_column};
use crate::error::StorageError;
use crate::histogram::Histogram;
use crate::store::Store;
use crate::tables::turns::{TurnOutcome, TurnStatus};

const HOUR_MS: i64 = 3_600_000;
/// How many rows a figure of an hour has at most.
const SHARDS: u128 = 8;
/// The most figures of a project in an hour are fewer than this, so that one query is bounded.
const MOST_ROWS: i64 = 500_000;

/// What was measured of a turn that ends.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TurnFigures {
    /// The tenant.
    pub tenant: TenantId,
    /// The project.
    pub project: ProjectId,
    /// How long its first words took, in milliseconds, if there were any.
    pub first_ms: Option<u64>,
    /// How long it took, without the time that people took to answer, if it was measured.
    pub took_ms: Option<u64>,
    /// The code of what it failed with.
    pub error: Option<&'static str>,
}

/// The turns of one project that ended in one hour.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TurnHour {
    /// The project.
    pub project: ProjectId,
    /// When the hour began.
    pub hour: Timestamp,
    /// Turns.
    pub turns: u64,
    /// Tokens in and out, as far as they are known.
    pub tokens: u64,
    /// Millionths of a dollar, as far as they are known.
    pub cost_micros: u64,
    /// Turns that a person stopped.
    pub stopped: u64,
    /// Turns that the server's end interrupted.
    pub interrupted: u64,
    /// Turns that failed, by code.
    pub errors: BTreeMap<String, u64>,
    /// How long the first words took.
    pub first: Histogram,
    /// How long the turns took.
    pub took: Histogram,
}

/// One figure.
#[derive(Debug, Clone, Copy)]
enum Figure<'f> {
    Turns,
    Tokens,
    CostMicros,
    Stopped,
    Interrupted,
    Error(&'f str),
    First(usize),
    Took(usize),
}

/// Adds a turn that ends, in the write that ends it.
pub(crate) fn add(
    batch: &mut Batch,
    turn: TurnId,
    outcome: &TurnOutcome,
    figures: &TurnFigures,
    now: Timestamp,
) {
    let hour = now.0.div_euclid(HOUR_MS) * HOUR_MS;
    let shard = i64::try_from(turn.as_uuid().as_u128() % SHARDS).unwrap_or_default();
    let amounts = amounts(outcome, figures);
    let rows: Vec<String> = (0..amounts.len())
        .map(|row| {
            let first = row * 6 + 1;
            let numbers: Vec<String> = (first..first + 6).map(|n| format!("${n}")).collect();
            format!("({})", numbers.join(", "))
        })
        .collect();
    batch.add(format!(
        "INSERT INTO turn_figures (tenant, project, hour, figure, shard, amount) VALUES {}
         ON CONFLICT (tenant, hour, project, figure, shard)
         DO UPDATE SET amount = turn_figures.amount + excluded.amount",
        rows.join(", ")
    ));
    for (figure, amount) in amounts {
        batch
            .bind(figures.tenant.as_str())
            .bind(figures.project.as_str())
            .bind(hour)
            .bind(figure.to_string())
            .bind(shard)
            .bind(to_column(amount));
    }
}

/// What a turn adds. The order is always the same, so that two writes never wait for each other.
fn amounts<'f>(outcome: &TurnOutcome, figures: &'f TurnFigures) -> Vec<(Figure<'f>, u64)> {
    let mut amounts = vec![(Figure::Turns, 1)];
    amounts.extend(outcome.tokens_used.map(|tokens| (Figure::Tokens, tokens)));
    amounts.extend(outcome.cost_micros.map(|micros| (Figure::CostMicros, micros)));
    match outcome.status {
        TurnStatus::Stopped => amounts.push((Figure::Stopped, 1)),
        TurnStatus::Interrupted => amounts.push((Figure::Interrupted, 1)),
        TurnStatus::Running | TurnStatus::Complete | TurnStatus::Error => {}
    }
    amounts.extend(figures.error.map(|code| (Figure::Error(code), 1)));
    amounts.extend(figures.first_ms.map(|ms| (Figure::First(Histogram::bucket(ms)), 1)));
    amounts.extend(figures.took_ms.map(|ms| (Figure::Took(Histogram::bucket(ms)), 1)));
    amounts
}

impl Store {
    /// The hours since then in which turns of a tenant ended, by hour and project.
    pub async fn turn_hours(
        &self,
        tenant: &TenantId,
        since: Timestamp,
    ) -> Result<Vec<TurnHour>, StorageError> {
        let rows = query(
            "SELECT hour, project, figure, CAST(SUM(amount) AS BIGINT) AS amount
             FROM turn_figures WHERE tenant = $1 AND hour >= $2
             GROUP BY hour, project, figure ORDER BY hour, project, figure LIMIT $3",
        )
        .bind(tenant.as_str())
        .bind(since.0)
        .bind(MOST_ROWS)
        .fetch_all(self.reader())
        .await?;
        let mut hours: Vec<TurnHour> = Vec::new();
        for row in &rows {
            let (project, hour) = (parsed(row, "project")?, Timestamp(row.try_get("hour")?));
            let is_last = |last: &TurnHour| last.project == project && last.hour == hour;
            if !hours.last().is_some_and(is_last) {
                hours.push(TurnHour::empty(project, hour));
            }
            if let Some(last) = hours.last_mut() {
                last.add(row)?;
            }
        }
        Ok(hours)
    }

    /// Removes the figures of a tenant's hours before a time.
    pub async fn forget_turn_figures(
        &self,
        tenant: &TenantId,
        before: Timestamp,
    ) -> Result<(), StorageError> {
        let mut transaction = self.begin().await?;
        query("DELETE FROM turn_figures WHERE tenant = $1 AND hour < $2")
            .bind(tenant.as_str())
            .bind(before.0)
            .execute(&mut *transaction)
            .await?;
        transaction.commit().await?;
        Ok(())
    }
}

impl TurnHour {
    fn empty(project: ProjectId, hour: Timestamp) -> Self {
        Self {
            project,
            hour,
            turns: 0,
            tokens: 0,
            cost_micros: 0,
            stopped: 0,
            interrupted: 0,
            errors: BTreeMap::new(),
            first: Histogram::default(),
            took: Histogram::default(),
        }
    }

    fn add(&mut self, row: &Row) -> Result<(), StorageError> {
        let (figure, amount) = (row.try_get::<&str>("figure")?, counter(row, "amount")?);
        match Figure::from_name(figure) {
            Some(Figure::Turns) => self.turns += amount,
            Some(Figure::Tokens) => self.tokens += amount,
            Some(Figure::CostMicros) => self.cost_micros += amount,
            Some(Figure::Stopped) => self.stopped += amount,
            Some(Figure::Interrupted) => self.interrupted += amount,
            Some(Figure::Error(code)) => *self.errors.entry(code.to_owned()).or_default() += amount,
            Some(Figure::First(bucket)) => self.first.add(bucket, amount),
            Some(Figure::Took(bucket)) => self.took.add(bucket, amount),
            // Of a later version, which shares the database.
            None => {}
        }
        Ok(())
    }
}

impl<'f> Figure<'f> {
    fn from_name(name: &'f str) -> Option<Self> {
        Some(match name.split_once(':') {
            None => match name {
                "turns" => Self::Turns,
                "tokens" => Self::Tokens,
                "cost_micros" => Self::CostMicros,
                "stopped" => Self::Stopped,
                "interrupted" => Self::Interrupted,
                _ => return None,
            },
            Some(("error", code)) => Self::Error(code),
            Some(("first", bucket)) => Self::First(bucket.parse().ok()?),
            Some(("took", bucket)) => Self::Took(bucket.parse().ok()?),
            Some(_) => return None,
        })
    }
}

impl fmt::Display for Figure<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Turns => f.write_str("turns"),
            Self::Tokens => f.write_str("tokens"),
            Self::CostMicros => f.write_str("cost_micros"),
            Self::Stopped => f.write_str("stopped"),
            Self::Interrupted => f.write_str("interrupted"),
            Self::Error(code) => write!(f, "error:{code}"),
            Self::First(bucket) => write!(f, "first:{bucket}"),
            Self::Took(bucket) => write!(f, "took:{bucket}"),
        }
    }
}
