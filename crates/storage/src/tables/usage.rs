//! What was used in a day or a month: the counters that budgets are compared with (Y-3).
//!
//! - The same use is added to several accounts at once, in one statement, and in the write with
//!   which it becomes known: it is counted if and only if that is committed.
//! - Everybody adds in the same order, the account of most people last, so that no two writes
//!   wait for each other, and the row that many need is locked for the shortest time.
//! - Which periods there are, and where a limit is, is decided elsewhere.

use parlor_database::{Batch, Row, query};
use parlor_protocol::{BudgetScope, TenantId, Timestamp};

use crate::columns::{counter, to_column};
use crate::error::StorageError;
use crate::pages::{self, PageCursor};
use crate::store::Store;

/// The most that one write adds to a counter. Agents say how much they used, and what they say must
/// not overflow a column.
const MOST: u64 = 1_000_000_000_000;

/// What was used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Spent {
    /// Messages that began a turn.
    pub messages: u64,
    /// Tokens in and out.
    pub tokens: u64,
    /// Millionths of a dollar.
    pub cost_micros: u64,
    /// Milliseconds in which agents worked.
    pub agent_ms: u64,
}

/// Where a use is counted: one row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UsageAccount {
    /// Whose it is.
    pub scope: BudgetScope,
    /// The person or the project; empty for the shared account, and for the tenant.
    pub subject: String,
    /// The day or the month.
    pub period: String,
}

/// A use, and everywhere where it is counted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UsageWrite {
    /// The tenant.
    pub tenant: TenantId,
    /// In the order of [`BudgetScope::ALL`].
    pub accounts: Vec<UsageAccount>,
    /// What was used.
    pub spent: Spent,
}

/// What was used on an account so far.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AccountUse {
    /// The account.
    pub account: UsageAccount,
    /// What was used.
    pub spent: Spent,
}

/// Whose accounts are read, beside that of the tenant.
#[derive(Debug, Clone, Copy)]
pub struct UsageOf<'u> {
    /// The tenant.
    pub tenant: &'u TenantId,
    /// The day and the month.
    pub periods: [&'u str; 2],
    /// The person; empty for the shared account.
    pub person: &'u str,
    /// The project, or all of them.
    pub project: Option<&'u str>,
}

/// A page of what people or projects used in a period, most tokens first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UsagePage {
    /// The rows.
    pub rows: Vec<ListedUse>,
    /// Set if there are more.
    pub next_before: Option<PageCursor>,
}

/// What somebody used in a period.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListedUse {
    /// The person or the project; empty for the shared account, and for the tenant.
    pub subject: String,
    /// The name of the person, who may be gone.
    pub name: Option<String>,
    /// What was used.
    pub spent: Spent,
}

impl Spent {
    /// Whether nothing was used.
    pub fn is_nothing(&self) -> bool {
        *self == Self::default()
    }
}

impl std::ops::AddAssign for Spent {
    fn add_assign(&mut self, other: Self) {
        let add = |to: &mut u64, more: u64| *to = to.saturating_add(more);
        add(&mut self.messages, other.messages);
        add(&mut self.tokens, other.tokens);
        add(&mut self.cost_micros, other.cost_micros);
        add(&mut self.agent_ms, other.agent_ms);
    }
}

impl Store {
    /// Adds a use that no other write belongs to.
    pub async fn add_usage(&self, usage: &UsageWrite) -> Result<(), StorageError> {
        let mut batch = Batch::default();
        add(&mut batch, usage);
        self.run(batch).await
    }

    /// What was used on these accounts. Those on which nothing was are left out.
    pub async fn usage(&self, of: UsageOf<'_>) -> Result<Vec<AccountUse>, StorageError> {
        let select = "SELECT * FROM usage WHERE tenant = $1 AND period IN ($2, $3) AND scope";
        let project = if of.project.is_some() { " AND subject = $5" } else { "" };
        // Each of these finds its rows by the key.
        let select = query(format!(
            "{select} = 'person' AND subject = $4 UNION ALL {select} = 'project'{project}
             UNION ALL {select} = 'tenant'"
        ));
        let [day, month] = of.periods;
        let mut select = select.bind(of.tenant.as_str()).bind(day).bind(month).bind(of.person);
        if let Some(project) = of.project {
            select = select.bind(project);
        }
        let rows = select.fetch_all(self.reader()).await?;
        rows.iter()
            .map(|row| Ok(AccountUse { account: account(row)?, spent: spent(row)? }))
            .collect()
    }

    /// A page of what everybody of a scope used in a period.
    pub async fn usage_page(
        &self,
        tenant: &TenantId,
        scope: BudgetScope,
        period: &str,
        before: Option<&PageCursor>,
        limit: u32,
    ) -> Result<UsagePage, StorageError> {
        // The position is the number of tokens, where other lists have a time.
        let (tokens, subject) = PageCursor::bounds(before);
        let rows = query(
            "SELECT u.*, COALESCE(p.name, v.name) AS name FROM usage u
             LEFT JOIN people p ON p.id = u.subject LEFT JOIN visitors v ON v.id = u.subject
             WHERE u.tenant = $1 AND u.scope = $2 AND u.period = $3
             AND (u.tokens < $4 OR (u.tokens = $4 AND u.subject < $5))
             ORDER BY u.tokens DESC, u.subject DESC LIMIT $6",
        )
        .bind(tenant.as_str())
        .bind(scope.as_str())
        .bind(period)
        .bind(tokens)
        .bind(subject)
        .bind(i64::from(limit) + 1)
        .fetch_all(self.reader())
        .await?;
        let rows: Result<Vec<ListedUse>, StorageError> = rows.iter().map(listed).collect();
        let position =
            |row: &ListedUse| (Timestamp(to_column(row.spent.tokens)), row.subject.clone());
        let (rows, next_before) = pages::cut(rows?, limit, position);
        Ok(UsagePage { rows, next_before })
    }

    /// Deletes the days before this one. Months stay: there are twelve in a year.
    pub async fn remove_old_usage(&self, day: &str) -> Result<(), StorageError> {
        let mut batch = Batch::default();
        batch.add("DELETE FROM usage WHERE period < $1 AND LENGTH(period) > 7").bind(day);
        self.run(batch).await
    }
}

/// Adds a use to its accounts.
pub(crate) fn add(batch: &mut Batch, usage: &UsageWrite) {
    let UsageWrite { tenant, accounts, spent } = usage;
    if spent.is_nothing() {
        return;
    }
    let amount = |amount: u64| to_column(amount.min(MOST));
    batch.upsert(
        "usage (tenant, period, scope, subject, messages, tokens, cost_micros, agent_ms)",
        " ON CONFLICT (tenant, period, scope, subject) DO UPDATE SET
         messages = usage.messages + excluded.messages, tokens = usage.tokens + excluded.tokens,
         cost_micros = usage.cost_micros + excluded.cost_micros,
         agent_ms = usage.agent_ms + excluded.agent_ms",
        accounts,
        |batch, UsageAccount { scope, subject, period }| {
            batch.bind(tenant.as_str()).bind(period).bind(scope.as_str()).bind(subject);
            batch.bind(amount(spent.messages)).bind(amount(spent.tokens));
            batch.bind(amount(spent.cost_micros)).bind(amount(spent.agent_ms));
        },
    );
}

fn account(row: &Row) -> Result<UsageAccount, StorageError> {
    let name: String = row.try_get("scope")?;
    let scope = BudgetScope::ALL.into_iter().find(|scope| scope.as_str() == name);
    let scope =
        scope.ok_or_else(|| StorageError::Corrupt(format!("column scope holds {name:?}")))?;
    Ok(UsageAccount { scope, subject: row.try_get("subject")?, period: row.try_get("period")? })
}

fn spent(row: &Row) -> Result<Spent, StorageError> {
    Ok(Spent {
        messages: counter(row, "messages")?,
        tokens: counter(row, "tokens")?,
        cost_micros: counter(row, "cost_micros")?,
        agent_ms: counter(row, "agent_ms")?,
    })
}

fn listed(row: &Row) -> Result<ListedUse, StorageError> {
    Ok(ListedUse {
        subject: row.try_get("subject")?,
        name: row.try_get("name")?,
        spent: spent(row)?,
    })
}
