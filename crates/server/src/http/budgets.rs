//! `GET /api/me/usage` and `GET /api/admin/budgets`: what was used, and how much may be (Y-3).

use std::sync::Arc;

use axum::extract::State;
use axum::response::Response;
use parlor_chat::{Budget, Budgets, units};
use parlor_protocol::{BudgetScope, BudgetUse, Measure, Period, Timestamp};
use parlor_storage::{ListedUse, PageCursor, Spent};
use serde::{Deserialize, Serialize};

use super::body::{Parameters, page_cursor};
use super::errors::ApiError;
use super::json;
use super::principal::Admin;
use crate::app::App;
use crate::auth::Principal;
use crate::config::TenantConfig;

#[derive(Debug, Serialize)]
struct MyUsage {
    /// The budgets that hold for whoever asks; none if there are no limits.
    budgets: Vec<BudgetUse>,
}

#[derive(Debug, Deserialize)]
pub(crate) struct Query {
    scope: Option<BudgetScope>,
    period: Option<Period>,
    /// How many periods back.
    back: Option<u32>,
    before: Option<String>,
}

#[derive(Debug, Serialize)]
struct UsagePage {
    scope: BudgetScope,
    period: Period,
    /// The day or the month: `2026-11-19` or `2026-11`.
    name: String,
    time_zone: String,
    /// When it ends or ended.
    ends_at: Timestamp,
    /// Most tokens first.
    rows: Vec<UsageRow>,
    #[serde(skip_serializing_if = "Option::is_none")]
    next_before: Option<PageCursor>,
}

#[derive(Debug, Serialize)]
struct UsageRow {
    /// The person or the project; none for the shared account, and for the tenant.
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<String>,
    /// None for the shared account, and for what is gone.
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<String>,
    used: Amounts,
    /// What may be used in such a period, where there is a limit.
    limits: Amounts,
}

#[derive(Debug, Default, Serialize)]
struct Amounts {
    #[serde(skip_serializing_if = "Option::is_none")]
    messages: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tokens: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    cost_usd: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    agent_minutes: Option<f64>,
}

/// The budgets of the principal.
pub(crate) async fn mine(
    State(app): State<Arc<App>>,
    principal: Principal,
) -> Result<Response, ApiError> {
    let budgets = app.chat.projects().budgets();
    json(&MyUsage { budgets: budgets.of_caller(&app.store, &principal.caller).await? })
}

/// What people, projects or the tenant used in a day or a month; by default, people in this month.
pub(crate) async fn list(
    State(app): State<Arc<App>>,
    Admin(principal): Admin,
    Parameters(query): Parameters<Query>,
) -> Result<Response, ApiError> {
    let Query { scope, period, back, before } = query;
    let (scope, period) = (scope.unwrap_or(BudgetScope::Person), period.unwrap_or(Period::Month));
    let back = back.unwrap_or_default();
    if back > most_back(period) {
        let most = most_back(period);
        return Err(ApiError::malformed(format!("back is 0 to {most} for a {}.", period.as_str())));
    }
    let before = page_cursor(before.as_deref())?;
    let tenant = &principal.caller.tenant;
    let config = app.config.tenants.get(tenant).ok_or_else(ApiError::not_found)?;
    let budgets = app.chat.projects().budgets();
    let page = budgets.used(&app.store, tenant, (scope, period, back), before.as_ref()).await?;
    let row = |(row, budget)| usage_row(config, scope, period, row, &budget);
    json(&UsagePage {
        scope,
        period,
        name: page.name,
        time_zone: budgets.of(tenant).calendar.zone().to_owned(),
        ends_at: page.ends_at,
        rows: page.rows.into_iter().map(row).collect(),
        next_before: page.next_before,
    })
}

fn most_back(period: Period) -> u32 {
    match period {
        Period::Day => Budgets::MOST_DAYS_BACK,
        Period::Month => 120,
    }
}

fn usage_row(
    config: &TenantConfig,
    scope: BudgetScope,
    period: Period,
    row: ListedUse,
    budget: &Budget,
) -> UsageRow {
    let ListedUse { subject, name, spent } = row;
    let name = match scope {
        BudgetScope::Person => name,
        BudgetScope::Project => {
            let project = config.projects.iter().find(|(id, _)| id.as_str() == subject);
            project.map(|(_, project)| project.name.clone())
        }
        BudgetScope::Tenant => Some(config.name.clone()),
    };
    let most = |measure| budget.most(period, measure);
    let in_units = |amount: u64, measure| amount as f64 / units(measure);
    let Spent { messages, tokens, cost_micros, agent_ms } = spent;
    UsageRow {
        id: Some(subject).filter(|subject| !subject.is_empty()),
        name,
        used: Amounts {
            messages: Some(messages),
            tokens: Some(tokens),
            cost_usd: Some(in_units(cost_micros, Measure::CostUsd)),
            agent_minutes: Some(in_units(agent_ms, Measure::AgentMinutes)),
        },
        limits: Amounts {
            messages: most(Measure::Messages),
            tokens: most(Measure::Tokens),
            cost_usd: most(Measure::CostUsd).map(|most| in_units(most, Measure::CostUsd)),
            agent_minutes: most(Measure::AgentMinutes)
                .map(|most| in_units(most, Measure::AgentMinutes)),
        },
    }
}
