//! What people and administrators are shown of budgets and of what was used.

use parlor_protocol::{
    BudgetScope, BudgetUse, Measure, Period, ProjectId, SpentBudget, TenantId, Timestamp,
};
use parlor_storage::{
    ListedUse, PageCursor, Person, Spent, StorageError, Store, UsageOf, UsagePage,
};

use super::limits::{amount, units};
use super::{Budget, Budgets, Calendar, subject_of};
use crate::caller::Caller;
use crate::over_budget::OverBudget;

/// Rows on a page for administrators.
const ROWS_PER_PAGE: u32 = 100;

/// A page of what everybody of a scope used in a period.
#[derive(Debug)]
pub struct UsedPage {
    /// The day or the month: `2026-11-19` or `2026-11`.
    pub name: String,
    /// When it ends or ended.
    pub ends_at: Timestamp,
    /// Most tokens first, each with the budget that it is held to now.
    pub rows: Vec<(ListedUse, Budget)>,
    /// Set if there are more.
    pub next_before: Option<PageCursor>,
}

impl Budgets {
    /// The budgets that hold for somebody, in all projects of their tenant. Of those that others
    /// use too they see the share that is used, and no more.
    pub async fn of_caller(
        &self,
        store: &Store,
        caller: &Caller,
    ) -> Result<Vec<BudgetUse>, StorageError> {
        let budgets = self.of(&caller.tenant);
        let (calendar, now) = (&budgets.calendar, self.now());
        let names = Period::ALL.map(|period| calendar.name(period, now));
        let person = subject_of(caller.person());
        let periods = [names[0].as_str(), names[1].as_str()];
        let of = UsageOf { tenant: &caller.tenant, periods, person: &person, project: None };
        let used = store.usage(of).await?;
        let own = self.of_person(store, &caller.tenant, caller.person()).await?;
        let own = (BudgetScope::Person, None, person.as_str(), &own);
        let projects = budgets.projects.iter();
        let projects = projects.map(|(id, of)| (BudgetScope::Project, Some(id), id.as_str(), of));
        let all = [own].into_iter().chain(projects);
        let all = all.chain([(BudgetScope::Tenant, None, "", &budgets.tenant)]);
        let mut found = Vec::new();
        for (scope, project, subject, budget) in all {
            for (period, name) in Period::ALL.into_iter().zip(&names) {
                let row = used.iter().find(|used| {
                    let account = &used.account;
                    account.scope == scope && account.subject == subject && account.period == *name
                });
                let spent = row.map(|row| row.spent).unwrap_or_default();
                let ends_at = calendar.ends_at(period, now);
                found.extend(uses(budget, &spent, (scope, project), (period, ends_at)));
            }
        }
        Ok(found)
    }

    /// A page of what everybody of a scope used, in this period or in one that is so many back.
    pub async fn used(
        &self,
        store: &Store,
        tenant: &TenantId,
        (scope, period, back): (BudgetScope, Period, u32),
        before: Option<&PageCursor>,
    ) -> Result<UsedPage, StorageError> {
        let calendar = &self.of(tenant).calendar;
        let then = calendar.back(period, self.now(), back);
        let name = calendar.name(period, then);
        let page = store.usage_page(tenant, scope, &name, before, ROWS_PER_PAGE).await?;
        let UsagePage { rows, next_before } = page;
        let people = match scope {
            BudgetScope::Person => store.people().list(tenant).await?,
            BudgetScope::Project | BudgetScope::Tenant => Vec::new(),
        };
        let with_budget = |row: ListedUse| {
            let budget = self.of_subject(tenant, scope, &row.subject, &people);
            (row, budget)
        };
        let rows = rows.into_iter().map(with_budget).collect();
        Ok(UsedPage { name, ends_at: calendar.ends_at(period, then), rows, next_before })
    }

    /// Deletes what is too old to be shown.
    pub async fn remove_old(&self, store: &Store) -> Result<(), StorageError> {
        let day = Calendar::default().back(Period::Day, self.now(), Self::MOST_DAYS_BACK + 2);
        store.remove_old_usage(&Calendar::default().name(Period::Day, day)).await
    }

    /// How many days back what was used in a day is kept; months are kept.
    pub const MOST_DAYS_BACK: u32 = 400;

    fn of_subject(
        &self,
        tenant: &TenantId,
        scope: BudgetScope,
        subject: &str,
        people: &[Person],
    ) -> Budget {
        let budgets = self.of(tenant);
        match scope {
            BudgetScope::Tenant => budgets.tenant,
            BudgetScope::Project => {
                let project = budgets.projects.iter().find(|(id, _)| id.as_str() == subject);
                project.map(|(_, budget)| *budget).unwrap_or_default()
            }
            BudgetScope::Person if subject.is_empty() => budgets.people.of_shared_account(),
            BudgetScope::Person => {
                let person = people.iter().find(|person| person.id.to_string() == subject);
                person.map_or(budgets.people.anybody, |person| budgets.people.of(person))
            }
        }
    }
}

/// How much is used of each limit of a budget.
fn uses(
    budget: &Budget,
    spent: &Spent,
    (scope, project): (BudgetScope, Option<&ProjectId>),
    (period, ends_at): (Period, Timestamp),
) -> Vec<BudgetUse> {
    let measured = |measure: Measure| {
        let (used, most) = (amount(spent, measure), budget.most(period, measure)?);
        let is_own = scope == BudgetScope::Person;
        let shown = |amount: u64| is_own.then(|| amount as f64 / units(measure));
        let (percent, used, limit) = (percent(used, most), shown(used), shown(most));
        let project = project.cloned();
        Some(BudgetUse { scope, project, measure, period, percent, used, limit, ends_at })
    };
    Measure::ALL.into_iter().filter_map(measured).collect()
}

/// A budget that is used up, in words.
pub(super) fn over(budget: SpentBudget, calendar: &Calendar, now: Timestamp) -> OverBudget {
    let whose = match budget.scope {
        BudgetScope::Person => "Your budget",
        BudgetScope::Project => "The budget of this project",
        BudgetScope::Tenant => "The budget that everybody here shares",
    };
    let what = match budget.measure {
        Measure::Messages => "messages",
        Measure::Tokens => "tokens",
        Measure::CostUsd => "dollars",
        Measure::AgentMinutes => "minutes of agents",
    };
    let when = match budget.period {
        Period::Day => "today",
        Period::Month => "this month",
    };
    let next = calendar.written(budget.ends_at);
    let message = format!("{whose} of {what} is used up for {when}. A new one begins on {next}.");
    let left = u64::try_from(budget.ends_at.0.saturating_sub(now.0)).unwrap_or_default();
    OverBudget { budget, message, retry_after: left.div_ceil(1_000).max(1) }
}

/// How much is used: 100 only if nothing is left.
fn percent(used: u64, most: u64) -> u8 {
    if used >= most {
        return 100;
    }
    let percent = u128::from(used) * 100 / u128::from(most.max(1));
    u8::try_from(percent.min(99)).unwrap_or(99)
}
