//! What a turn uses (Y-3).
//!
//! Tokens and cost are added to the next write of the turn. So is the time in which its agent
//! worked; while a person is asked, and in a queue, nobody works.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use parlor_agent::Usage;
use parlor_protocol::{PersonId, TenantId};
use parlor_storage::{Spent, Step, StorageError, Store};
use tokio::time::{Sleep, sleep};

use crate::budgets::{Asked, Budgets, Payer, Prices, Standing};
use crate::over_budget::OverBudget;
use crate::project::Project;

/// The longest time between two looks at a turn that runs.
const LOOK: Duration = Duration::from_secs(30);
/// The shortest.
const MIN_LOOK: Duration = Duration::from_millis(50);
/// The shortest and the longest pause before the counters are read again.
const MIN_BACKOFF: Duration = Duration::from_millis(100);
const MAX_BACKOFF: Duration = Duration::from_secs(5);

/// What one turn uses, and whom it counts against.
pub(super) struct Spending {
    budgets: Arc<Budgets>,
    payer: Payer,
    prices: Option<Prices>,
    pub(super) is_program: bool,
    /// How long the agent worked, as far as it is not in a write.
    worked: Duration,
    /// Whether it waits until others have ended.
    is_queued: bool,
    next_look: Pin<Box<Sleep>>,
    /// The budget that ended the turn.
    pub(super) over: Option<OverBudget>,
}

impl Spending {
    /// Nothing is used yet.
    pub(super) async fn new(
        budgets: Arc<Budgets>,
        store: &Store,
        tenant: &TenantId,
        project: &Project,
        person: Option<PersonId>,
    ) -> Result<Self, StorageError> {
        let payer = budgets.payer(store, tenant, &project.id, person).await?;
        Ok(Self {
            budgets,
            payer,
            prices: project.prices,
            is_program: project.agent.needs_home(),
            worked: Duration::ZERO,
            is_queued: false,
            next_look: Box::pin(sleep(LOOK)),
            over: None,
        })
    }

    /// The budget that ended the turn.
    pub(super) fn over(&self) -> Option<&OverBudget> {
        self.over.as_ref()
    }

    /// Whether the agent waits in a queue.
    pub(super) fn set_queued(&mut self, is_queued: bool) {
        self.is_queued = is_queued;
    }

    /// The agent was waited for since then, and for nobody else.
    pub(super) fn worked_since(&mut self, then: Instant) {
        if !self.is_queued {
            self.worked += then.elapsed();
        }
    }

    /// Ready when the turn has to be looked after.
    pub(super) fn poll_look(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        self.next_look.as_mut().poll(cx)
    }

    /// Adds what a call used to a step, with its price if the agent does not say what it cost.
    pub(super) fn add(&self, step: &mut Step, mut usage: Usage) -> Usage {
        if let (0, Some(prices)) = (usage.cost_micros, &self.prices) {
            usage.cost_micros = prices.of(&usage);
        }
        let (tokens, cost_micros) = (usage.total(), usage.cost_micros);
        self.add_spent(step, Spent { tokens, cost_micros, ..Spent::default() });
        usage
    }

    /// Adds the time in which the agent worked to a step.
    pub(super) fn add_time(&mut self, step: &mut Step) {
        let spent = self.take_time();
        self.add_spent(step, spent);
    }

    fn take_time(&mut self) -> Spent {
        let agent_ms = u64::try_from(self.worked.as_millis()).unwrap_or(u64::MAX);
        self.worked = self.worked.saturating_sub(Duration::from_millis(agent_ms));
        Spent { agent_ms, ..Spent::default() }
    }

    fn add_spent(&self, step: &mut Step, spent: Spent) {
        match &mut step.usage {
            _ if spent.is_nothing() => {}
            Some(usage) => usage.spent += spent,
            None => step.usage = Some(self.budgets.usage(&self.payer, spent)),
        }
    }

    /// Stores the time so far. If that fails, the next write has it.
    pub(super) async fn save_time(&mut self, store: &Store) -> Result<(), StorageError> {
        let spent = self.take_time();
        if spent.is_nothing() {
            return Ok(());
        }
        match store.add_usage(&self.budgets.usage(&self.payer, spent)).await {
            Err(error) if error.is_transient() => {
                self.worked += Duration::from_millis(spent.agent_ms);
                tracing::warn!(%error, "failed to store how long an agent worked; trying again");
                Ok(())
            }
            // It may be stored, and must not count twice.
            Err(error) if error.is_unknown() => {
                tracing::warn!(%error, "how long an agent worked may not be stored");
                Ok(())
            }
            stored => stored,
        }
    }

    /// Reads the counters. As long as the database does not answer, nothing goes on.
    pub(super) async fn standing(&self, store: &Store) -> Result<Standing, StorageError> {
        let mut backoff = MIN_BACKOFF;
        loop {
            match self.budgets.standing(store, &self.payer, Asked::Call).await {
                Err(error) if error.is_transient() || error.is_unknown() => {
                    tracing::warn!(%error, "failed to read what is used; trying again");
                    tokio::time::sleep(backoff).await;
                    backoff = (backoff * 2).min(MAX_BACKOFF);
                }
                read => return read,
            }
        }
    }

    pub(super) fn look_again(&mut self, time_left: Option<Duration>) {
        let left = time_left.map_or(LOOK, |left| left.saturating_sub(self.worked));
        let next = tokio::time::Instant::now() + left.clamp(MIN_LOOK, LOOK);
        self.next_look.as_mut().reset(next);
    }
}
