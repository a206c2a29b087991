//! What a turn uses, and its end when a budget is used up (Y-3).
//!
//! - Tokens and cost are added to the next write of the turn. So is the time in which its agent
//!   worked; while a person is asked, and in a queue, nobody works.
//! - Before each call of a model the counters are read. If a budget is used up, the agent is
//!   stopped, and what was said stays.
//! - A program calls its model by itself. It is looked after before it begins, before it is told
//!   an answer, and from time to time while it works. The same look ends any turn whose time is
//!   up, and stores the time so far, so that little of it is lost with a server.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use parlor_agent::{TurnRunner, TurnStart, Usage};
use parlor_protocol::{PersonId, TenantId};
use parlor_storage::{Spent, Step, StorageError, Store};
use tokio::time::{Sleep, sleep};

use super::running::RunningTurn;
use crate::budgets::{Asked, Budgets, OverBudget, Payer, Prices, Standing};
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
    is_program: bool,
    /// How long the agent worked, as far as it is not in a write.
    worked: Duration,
    /// Whether it waits until others have ended.
    is_queued: bool,
    next_look: Pin<Box<Sleep>>,
    /// The budget that ended the turn.
    over: Option<OverBudget>,
}

/// At what point of a turn the counters are read.
#[derive(Clone, Copy, PartialEq, Eq)]
enum At {
    /// Before something that costs.
    Call,
    /// While the agent works.
    Work,
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
    async fn save_time(&mut self, store: &Store) -> Result<(), StorageError> {
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
    async fn standing(&self, store: &Store) -> Result<Standing, StorageError> {
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

    fn look_again(&mut self, time_left: Option<Duration>) {
        let left = time_left.map_or(LOOK, |left| left.saturating_sub(self.worked));
        let next = tokio::time::Instant::now() + left.clamp(MIN_LOOK, LOOK);
        self.next_look.as_mut().reset(next);
    }
}

impl RunningTurn {
    /// Begins the agent's turn. False if a budget is used up and nothing has begun.
    pub(super) async fn begin_agent(
        &mut self,
        agent: &mut dyn TurnRunner,
        start: TurnStart,
    ) -> Result<bool, StorageError> {
        let is_over = match &start {
            // It waits for an answer, which is looked at when it comes.
            TurnStart::Resume(..) => false,
            TurnStart::Message(_) | TurnStart::AgentInitiated(_) => {
                self.spending.is_program && self.is_over(At::Call).await?
            }
        };
        match start {
            TurnStart::Message(_) if is_over => return Ok(false),
            start => agent.begin(start),
        }
        // What the agent began by itself would go on.
        if is_over {
            agent.stop();
        }
        Ok(true)
    }

    /// The model is called next: what was used so far is stored, and if that is too much, the
    /// agent is stopped instead.
    pub(super) async fn before_call(
        &mut self,
        agent: &mut dyn TurnRunner,
    ) -> Result<(), StorageError> {
        if self.writer.pending.step.usage.is_some() {
            self.writer.commit().await?;
        }
        if self.is_over(At::Call).await? {
            agent.stop();
        }
        Ok(())
    }

    /// An answer came. True if the agent is a program that is stopped instead of being told.
    pub(super) async fn stops_program(
        &mut self,
        agent: &mut dyn TurnRunner,
    ) -> Result<bool, StorageError> {
        let stops = self.spending.is_program && self.is_over(At::Call).await?;
        if stops {
            agent.stop();
        }
        Ok(stops)
    }

    /// Looks after an agent that works.
    pub(super) async fn look(&mut self, agent: &mut dyn TurnRunner) -> Result<(), StorageError> {
        self.spending.save_time(&self.writer.store).await?;
        if self.wait.is_open() {
            self.spending.look_again(None);
        } else if self.is_over(At::Work).await? {
            agent.stop();
        }
        Ok(())
    }

    /// Whether a budget is used up, so that the turn has to end.
    async fn is_over(&mut self, at: At) -> Result<bool, StorageError> {
        if self.stopped.is_some() {
            self.spending.look_again(None);
            return Ok(false);
        }
        let Standing { over, time_left } = self.spending.standing(&self.writer.store).await?;
        self.spending.look_again(time_left);
        let is_time_up = time_left.is_some_and(|left| left.is_zero());
        let ends = at == At::Call || self.spending.is_program || is_time_up;
        let over = over.filter(|_| ends);
        if let Some(over) = &over {
            let (turn, budget) = (self.writer.turn(), &over.budget);
            tracing::info!(%turn, ?budget, "a turn ends because a budget is used up");
        }
        let is_over = over.is_some();
        self.spending.over = self.spending.over.take().or(over);
        Ok(is_over)
    }
}
