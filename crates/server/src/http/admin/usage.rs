//! `GET /api/admin/usage`: turns, tokens, cost, errors and how long turns took, by hour or by day.
//!
//! 1. The figures of hours are read: as many as the wanted days have, whatever the number of turns.
//! 2. They are added up for each point of a plot, for each project and for all.

use std::collections::BTreeMap;
use std::sync::Arc;

use axum::extract::State;
use axum::response::Response;
use parlor_protocol::{ProjectId, Timestamp};
use parlor_storage::{Histogram, TurnHour};
use serde::{Deserialize, Serialize};

use crate::app::App;
use crate::http::body::Parameters;
use crate::http::errors::ApiError;
use crate::http::json;
use crate::http::principal::Admin;

const HOUR_MS: i64 = 3_600_000;
const DAY_MS: i64 = 24 * HOUR_MS;
const MINUTE_MS: i64 = 60_000;
/// Time zones are at most so far from UTC, in minutes.
const FARTHEST: i64 = 14 * 60;
/// How many days can be asked for.
const DAYS: [u32; 4] = [1, 7, 30, 90];

#[derive(Debug, Deserialize)]
pub(crate) struct Query {
    days: Option<u32>,
    utc_offset_minutes: Option<i64>,
}

#[derive(Debug, Serialize)]
struct Usage {
    /// How long a point is: an hour, or a day.
    step_seconds: i64,
    /// One after the other up to now, those without turns included.
    points: Vec<UsagePoint>,
    total: UsageFigures,
    /// The most frequent first.
    errors: Vec<ErrorCount>,
    projects: Vec<ProjectUsage>,
}

#[derive(Debug, Serialize)]
struct UsagePoint {
    /// When it begins.
    at: Timestamp,
    #[serde(flatten)]
    figures: UsageFigures,
}

#[derive(Debug, Serialize)]
struct ProjectUsage {
    id: ProjectId,
    /// Its id, if it is no longer configured.
    name: String,
    #[serde(flatten)]
    figures: UsageFigures,
}

#[derive(Debug, Serialize)]
struct UsageFigures {
    /// Turns that ended.
    turns: u64,
    /// Those of them that failed.
    failed: u64,
    /// Those that a person stopped.
    stopped: u64,
    /// Those that the server's end interrupted.
    interrupted: u64,
    /// As far as they are known.
    tokens: u64,
    /// As far as the agents report their cost.
    cost_usd: f64,
    /// Estimates of how long the first words took, in half of the turns and in 95 of 100.
    #[serde(skip_serializing_if = "Option::is_none")]
    first_p50_ms: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    first_p95_ms: Option<u64>,
    /// The same of whole turns, without the time that people took to answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    turn_p50_ms: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    turn_p95_ms: Option<u64>,
}

#[derive(Debug, Serialize)]
struct ErrorCount {
    /// What happened: `model_overloaded`, `wrong_key`, …
    code: String,
    count: u64,
}

/// Figures of several hours.
#[derive(Debug, Clone, Default)]
struct Sum {
    turns: u64,
    stopped: u64,
    interrupted: u64,
    tokens: u64,
    cost_micros: u64,
    errors: BTreeMap<String, u64>,
    first: Histogram,
    took: Histogram,
}

/// The points of a plot.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Points {
    from: i64,
    step: i64,
    count: usize,
}

/// The figures of the tenant.
pub(crate) async fn read(
    State(app): State<Arc<App>>,
    Admin(principal): Admin,
    Parameters(query): Parameters<Query>,
) -> Result<Response, ApiError> {
    let tenant = &principal.caller.tenant;
    let days = query.days.unwrap_or(1);
    if !DAYS.contains(&days) {
        return Err(ApiError::malformed("days: it must be 1, 7, 30 or 90"));
    }
    let offset = query.utc_offset_minutes.unwrap_or(0);
    if offset.abs() > FARTHEST {
        return Err(ApiError::malformed("utc_offset_minutes: it must be -840 to 840"));
    }
    let points = Points::until(app.access.now(), days, offset);
    let hours = app.store.turn_hours(tenant, Timestamp(points.from)).await?;
    let projects = app.chat.projects();
    let name = |id: &ProjectId| {
        let project = projects.get(tenant, id);
        project.map_or_else(|| id.to_string(), |project| project.name.clone())
    };
    json(&usage(points, &hours, name))
}

fn usage(points: Points, hours: &[TurnHour], name: impl Fn(&ProjectId) -> String) -> Usage {
    let mut sums = vec![Sum::default(); points.count];
    let (mut total, mut projects) = (Sum::default(), BTreeMap::<ProjectId, Sum>::new());
    for hour in hours {
        if let Some(sum) = points.index(hour.hour).and_then(|index| sums.get_mut(index)) {
            sum.add(hour);
            total.add(hour);
            projects.entry(hour.project.clone()).or_default().add(hour);
        }
    }
    let mut errors: Vec<ErrorCount> = total
        .errors
        .iter()
        .map(|(code, count)| ErrorCount { code: code.clone(), count: *count })
        .collect();
    errors.sort_by_key(|error| std::cmp::Reverse(error.count));
    let at = (0..).map(|index| Timestamp(points.from + index * points.step));
    let project = |(id, sum): (&ProjectId, &Sum)| ProjectUsage {
        id: id.clone(),
        name: name(id),
        figures: sum.figures(),
    };
    Usage {
        step_seconds: points.step / 1000,
        points: at.zip(&sums).map(|(at, sum)| UsagePoint { at, figures: sum.figures() }).collect(),
        total: total.figures(),
        errors,
        projects: projects.iter().map(project).collect(),
    }
}

impl Points {
    /// One day by the hour, several by the day, up to now. Days are those of a time zone.
    fn until(now: Timestamp, days: u32, offset_minutes: i64) -> Self {
        if days == 1 {
            let last = now.0.div_euclid(HOUR_MS) * HOUR_MS;
            return Self { from: last - 23 * HOUR_MS, step: HOUR_MS, count: 24 };
        }
        let offset = offset_minutes * MINUTE_MS;
        let today = (now.0 + offset).div_euclid(DAY_MS) * DAY_MS - offset;
        let from = today - i64::from(days - 1) * DAY_MS;
        Self { from, step: DAY_MS, count: days as usize }
    }

    fn index(self, at: Timestamp) -> Option<usize> {
        usize::try_from((at.0 - self.from).div_euclid(self.step)).ok()
    }
}

impl Sum {
    fn add(&mut self, hour: &TurnHour) {
        self.turns += hour.turns;
        self.stopped += hour.stopped;
        self.interrupted += hour.interrupted;
        self.tokens += hour.tokens;
        self.cost_micros += hour.cost_micros;
        for (code, count) in &hour.errors {
            *self.errors.entry(code.clone()).or_default() += count;
        }
        self.first.merge(&hour.first);
        self.took.merge(&hour.took);
    }

    fn figures(&self) -> UsageFigures {
        UsageFigures {
            turns: self.turns,
            failed: self.errors.values().sum(),
            stopped: self.stopped,
            interrupted: self.interrupted,
            tokens: self.tokens,
            cost_usd: self.cost_micros as f64 / 1e6,
            first_p50_ms: self.first.percentile(50),
            first_p95_ms: self.first.percentile(95),
            turn_p50_ms: self.took.percentile(50),
            turn_p95_ms: self.took.percentile(95),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Y-4: a day of a plot is the reader's own day.
    #[test]
    fn days_are_those_of_the_reader() {
        // 2026-11-18, 01:30 in UTC, is the evening before in São Paulo.
        let now = Timestamp(1_794_965_400_000);
        let hours = Points::until(now, 1, -180);
        assert_eq!((hours.step, hours.count), (HOUR_MS, 24));
        assert_eq!(hours.index(now), Some(23));
        let utc = Points::until(now, 7, 0);
        let here = Points::until(now, 7, -180);
        assert_eq!((utc.index(now), here.index(now)), (Some(6), Some(6)));
        assert_eq!(utc.from - here.from, DAY_MS - 3 * HOUR_MS);
        assert_eq!(here.index(Timestamp(here.from - 1)), None);
    }
}
