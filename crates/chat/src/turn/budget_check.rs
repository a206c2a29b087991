//! The end of a turn when a budget is used up (Y-3).
//!
//! - Before each call of a model the counters are read. If a budget is used up, the agent is
//!   stopped, and what was said stays.
//! - A program calls its model by itself. It is looked after before it begins, before it is told
//!   an answer, and from time to time while it works. The same look ends any turn whose time is
//!   up, and stores the time so far, so that little of it is lost with a server.

use parlor_agent::{TurnRunner, TurnStart};
use parlor_storage::StorageError;

use super::running::RunningTurn;
use crate::budgets::Standing;

/// At what point of a turn the counters are read.
#[derive(Clone, Copy, PartialEq, Eq)]
enum At {
    /// Before something that costs.
    Call,
    /// While the agent works.
    Work,
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
