//! Budgets: how much a person, a project or a tenant may use in a day or a month (Y-3).
//!
//! 1. [`limits`]: what the configuration allows. [`calendar`]: when a day and a month begin.
//! 2. A message is refused as long as a budget that it would count against is used up
//!    ([`Budgets::admit`]): nothing of it is stored.
//! 3. A turn looks again before each call of its model, and while a program works
//!    (`turn/budget_check.rs`). What was used is added to the counters in the write with which it
//!    becomes known, so whoever looks next sees it, on any node and after a restart.
//! 4. So a budget is exceeded by at most one call of each turn that runs when it is used up.
//! 5. [`report`]: what people and administrators are shown.

mod calendar;
mod limits;
mod report;

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use parlor_protocol::{
    BudgetScope, Measure, Period, PersonId, ProjectId, SpentBudget, TenantId, Timestamp,
};
use parlor_storage::{AccountUse, Spent, StorageError, Store, UsageAccount, UsageOf, UsageWrite};

pub use self::calendar::Calendar;
use self::limits::amount;
pub use self::limits::{Budget, Limit, PersonBudgets, Prices, TenantBudgets, units};
pub use self::report::UsedPage;
use crate::caller::Caller;
use crate::clock;
use crate::error::ChatError;
use crate::over_budget::OverBudget;

/// How far a test moved the time of day ahead, in milliseconds.
pub type AheadMs = Arc<dyn Fn() -> i64 + Send + Sync>;

/// The budgets of all tenants.
#[derive(Clone)]
pub struct Budgets {
    tenants: BTreeMap<TenantId, TenantBudgets>,
    /// Those of a tenant without any.
    none: TenantBudgets,
    ahead: AheadMs,
}

/// Whom a turn counts against.
#[derive(Debug, Clone)]
pub(crate) struct Payer {
    pub(crate) tenant: TenantId,
    pub(crate) project: ProjectId,
    /// None for the shared account.
    pub(crate) person: Option<PersonId>,
    /// The person's own budget.
    budget: Budget,
}

/// What is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Asked {
    /// Another message, with all that comes of it.
    Message,
    /// A call of a model, or that a program goes on. The message is counted already.
    Call,
}

/// How things stand.
#[derive(Debug, Default)]
pub(crate) struct Standing {
    /// The budget that is used up; of several the one that takes longest.
    pub(crate) over: Option<OverBudget>,
    /// For how long agents may still work.
    pub(crate) time_left: Option<Duration>,
}

impl Default for Budgets {
    fn default() -> Self {
        Self::new(BTreeMap::new(), Arc::new(|| 0))
    }
}

impl fmt::Debug for Budgets {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Budgets").field("tenants", &self.tenants).finish_non_exhaustive()
    }
}

impl Budgets {
    /// The budgets of tenants.
    pub fn new(tenants: BTreeMap<TenantId, TenantBudgets>, ahead: AheadMs) -> Self {
        Self { tenants, none: TenantBudgets::default(), ahead }
    }

    /// Those of a tenant.
    pub fn of(&self, tenant: &TenantId) -> &TenantBudgets {
        self.tenants.get(tenant).unwrap_or(&self.none)
    }

    /// Admits a message, unless a budget is used up; returns how it is counted.
    pub(crate) async fn admit(
        &self,
        store: &Store,
        caller: &Caller,
        project: &ProjectId,
    ) -> Result<UsageWrite, ChatError> {
        let payer = self.payer(store, &caller.tenant, project, caller.person()).await?;
        match self.standing(store, &payer, Asked::Message).await?.over {
            Some(over) => Err(ChatError::BudgetExceeded(Box::new(over))),
            None => Ok(self.usage(&payer, Spent { messages: 1, ..Spent::default() })),
        }
    }

    /// Whom a turn of this person counts against; without one, the shared account.
    pub(crate) async fn payer(
        &self,
        store: &Store,
        tenant: &TenantId,
        project: &ProjectId,
        person: Option<PersonId>,
    ) -> Result<Payer, StorageError> {
        let budget = self.of_person(store, tenant, person).await?;
        Ok(Payer { tenant: tenant.clone(), project: project.clone(), person, budget })
    }

    async fn of_person(
        &self,
        store: &Store,
        tenant: &TenantId,
        person: Option<PersonId>,
    ) -> Result<Budget, StorageError> {
        let people = &self.of(tenant).people;
        let Some(id) = person else { return Ok(people.of_shared_account()) };
        if !people.have_exceptions() {
            return Ok(people.anybody);
        }
        match store.people().find(tenant, id).await {
            Ok(person) => Ok(people.of(&person)),
            // A visitor of another site has no account; they count like others who may chat.
            Err(StorageError::NotFound) => Ok(people.of_visitor()),
            Err(error) => Err(error),
        }
    }

    /// How a use is counted: in the day and the month, of the person, the project and the tenant.
    pub(crate) fn usage(&self, payer: &Payer, spent: Spent) -> UsageWrite {
        let (calendar, now) = (&self.of(&payer.tenant).calendar, self.now());
        let periods = Period::ALL.map(|period| calendar.name(period, now));
        let account = |scope: BudgetScope| {
            let subject = payer.subject(scope);
            periods.clone().map(|period| UsageAccount { scope, subject: subject.clone(), period })
        };
        let accounts = BudgetScope::ALL.into_iter().flat_map(account).collect();
        UsageWrite { tenant: payer.tenant.clone(), accounts, spent }
    }

    /// Whether a budget is used up. Where there is none, nothing is read.
    pub(crate) async fn standing(
        &self,
        store: &Store,
        payer: &Payer,
        asked: Asked,
    ) -> Result<Standing, StorageError> {
        let budgets = self.budgets_of(payer);
        if budgets.iter().all(|(_, budget)| budget.is_unlimited()) {
            return Ok(Standing::default());
        }
        let (calendar, now) = (&self.of(&payer.tenant).calendar, self.now());
        let names = Period::ALL.map(|period| calendar.name(period, now));
        let used = store
            .usage(UsageOf {
                tenant: &payer.tenant,
                periods: [&names[0], &names[1]],
                person: &payer.subject(BudgetScope::Person),
                project: Some(payer.project.as_str()),
            })
            .await?;
        let mut standing = Standing::default();
        for (scope, budget) in budgets {
            for (period, name) in Period::ALL.into_iter().zip(&names) {
                let spent = spent_of(&used, scope, name);
                let left = left_of(&budget, period, &spent);
                for (measure, left) in left.filter(|(measure, _)| asked.needs(*measure)) {
                    if measure == Measure::AgentMinutes {
                        standing.has_time(Duration::from_millis(left));
                    }
                    if left == 0 {
                        let ends_at = calendar.ends_at(period, now);
                        let budget = SpentBudget { scope, measure, period, ends_at };
                        standing.is_over(budget, calendar, now);
                    }
                }
            }
        }
        Ok(standing)
    }

    /// The budgets that a payer is held to.
    fn budgets_of(&self, payer: &Payer) -> [(BudgetScope, Budget); 3] {
        let budgets = self.of(&payer.tenant);
        BudgetScope::ALL.map(|scope| {
            let budget = match scope {
                BudgetScope::Person => payer.budget,
                BudgetScope::Project => {
                    budgets.projects.get(&payer.project).copied().unwrap_or_default()
                }
                BudgetScope::Tenant => budgets.tenant,
            };
            (scope, budget)
        })
    }

    /// The time of day, as all nodes have it.
    fn now(&self) -> Timestamp {
        Timestamp(clock::now().0.saturating_add((self.ahead)()))
    }
}

impl Payer {
    /// What the counters call it.
    fn subject(&self, scope: BudgetScope) -> String {
        match scope {
            BudgetScope::Person => subject_of(self.person),
            BudgetScope::Project => self.project.to_string(),
            BudgetScope::Tenant => String::new(),
        }
    }
}

impl Asked {
    fn needs(self, measure: Measure) -> bool {
        self == Self::Message || measure != Measure::Messages
    }
}

impl Standing {
    fn has_time(&mut self, left: Duration) {
        self.time_left = Some(self.time_left.map_or(left, |time| time.min(left)));
    }

    fn is_over(&mut self, budget: SpentBudget, calendar: &Calendar, now: Timestamp) {
        if self.over.as_ref().is_none_or(|over| over.budget.ends_at < budget.ends_at) {
            self.over = Some(report::over(budget, calendar, now));
        }
    }
}

/// What the counters call a person; nothing for the shared account.
fn subject_of(person: Option<PersonId>) -> String {
    person.map(|person| person.to_string()).unwrap_or_default()
}

/// What is left of each measure that has a limit.
fn left_of(budget: &Budget, period: Period, spent: &Spent) -> impl Iterator<Item = (Measure, u64)> {
    Measure::ALL.into_iter().filter_map(move |measure| {
        let most = budget.most(period, measure)?;
        Some((measure, most.saturating_sub(amount(spent, measure))))
    })
}

/// What was used on one account. No other row is of this scope and period.
fn spent_of(used: &[AccountUse], scope: BudgetScope, period: &str) -> Spent {
    let found =
        used.iter().find(|used| used.account.scope == scope && used.account.period == period);
    found.map(|used| used.spent).unwrap_or_default()
}
