//! The end of a turn: one write, with exactly one `done` (H-1).

use parlor_agent::{AgentError, TurnOutcome};
use parlor_protocol::message::Message;
use parlor_protocol::{
    DoneReason, ErrorCode, EventBody, MessageId, MessageType, PromptOutcome, metadata,
};
use parlor_storage::{StorageError, TurnStatus};
use uuid::Uuid;

use super::prompt_wait::show_prompt;
use super::running::RunningTurn;
use crate::live_turns::Stop;
use crate::prompts::AGENT;
use crate::refused_images;

impl RunningTurn {
    /// Writes what is left, and ends the turn.
    pub(super) async fn end(mut self, end: TurnOutcome) -> Result<(), StorageError> {
        self.text.end_block(&mut self.writer).await?;
        let outcome = self.outcome_of_open_prompts(&end);
        self.wait.cancel(&mut self.writer, outcome).await?;
        if self.has_calls {
            self.wait.cancel_all(&mut self.writer, outcome).await?;
            for run in self.writer.store.unfinished_runs(self.writer.turn()).await? {
                self.writer.abandon(&run);
            }
        }
        let end = self.real_end(end);
        self.mark_end(&end);
        if matches!(end, TurnOutcome::Complete { .. }) {
            self.open_questions();
        }
        let (reason, status) = match (&end, self.stopped) {
            (TurnOutcome::Complete { .. }, _) => (DoneReason::Complete, TurnStatus::Complete),
            (TurnOutcome::Failed(_), _) => (DoneReason::Error, TurnStatus::Error),
            (TurnOutcome::Stopped, Some(Stop::Shutdown)) => {
                (DoneReason::Interrupted, TurnStatus::Interrupted)
            }
            (TurnOutcome::Stopped, _) => (DoneReason::Stopped, TurnStatus::Stopped),
        };
        let tokens_used = Some(self.usage.total()).filter(|tokens| *tokens > 0);
        let cost_micros = Some(self.usage.cost_micros).filter(|cost| *cost > 0);
        self.spending.add_time(&mut self.writer.pending.step);
        self.writer.add_event(EventBody::Done {
            conversation_id: self.writer.conversation(),
            turn_id: self.writer.turn(),
            tokens_used,
            reason,
        });
        let error = match &end {
            TurnOutcome::Failed(error) => Some(error.code()),
            TurnOutcome::Complete { .. } | TurnOutcome::Stopped => None,
        };
        let figures = self.timing.figures(&self.tenant, &self.project.id, error);
        self.writer.pending.step.figures = Some(figures);
        self.writer.end(parlor_storage::TurnOutcome { status, tokens_used, cost_micros }).await
    }

    /// An agent that we stopped because of a limit, a budget or a question was not stopped by a person.
    fn real_end(&self, end: TurnOutcome) -> TurnOutcome {
        match end {
            TurnOutcome::Stopped if self.stopped.is_some() => TurnOutcome::Stopped,
            TurnOutcome::Stopped if let Some(over) = self.spending.over() => {
                TurnOutcome::Failed(AgentError::BudgetExceeded(over.message.clone()))
            }
            TurnOutcome::Stopped if self.text.limit.cut_off_at().is_some() => {
                TurnOutcome::Complete { cut_off: true }
            }
            TurnOutcome::Stopped if self.text.has_questions() => {
                TurnOutcome::Complete { cut_off: false }
            }
            end => end,
        }
    }

    /// Prompts that nobody answered before the turn ended: the asker is gone (P-9), or asks
    /// no longer.
    fn outcome_of_open_prompts(&self, end: &TurnOutcome) -> PromptOutcome {
        match end {
            TurnOutcome::Failed(_) => PromptOutcome::Expired,
            TurnOutcome::Stopped if self.stopped == Some(Stop::Shutdown) => PromptOutcome::Expired,
            TurnOutcome::Stopped | TurnOutcome::Complete { .. } => PromptOutcome::Cancelled,
        }
    }

    /// Marks the message that the end cut short, if it is not committed yet, and shows an error.
    fn mark_end(&mut self, end: &TurnOutcome) {
        match end {
            TurnOutcome::Complete { cut_off: true } => {
                let limit = self.text.limit.cut_off_at();
                self.writer.mark_last_message(|facts| {
                    metadata::CUT_OFF.set(facts, &true);
                    if let Some(limit) = limit {
                        metadata::CUT_OFF_BYTES.set(facts, &limit);
                    }
                });
            }
            TurnOutcome::Complete { cut_off: false } => {}
            TurnOutcome::Stopped => {
                self.writer.mark_last_message(|facts| metadata::STOPPED.set(facts, &true));
            }
            TurnOutcome::Failed(error) => {
                self.writer.mark_last_message(|facts| metadata::INCOMPLETE.set(facts, &true));
                self.show_error(error);
                if error.is_about_pictures() {
                    self.writer.pending.step.history.push(refused_images::mark());
                }
            }
        }
    }

    /// Questions in the text open now, without a deadline.
    fn open_questions(&mut self) {
        for (id, draft) in self.text.take_questions() {
            let asker = self.asker(false);
            let opening = asker.question_with_id(id, &id.to_string(), AGENT, draft, false);
            show_prompt(&mut self.writer, opening.prompt);
        }
    }

    /// Shows an error as a message, which stays, and as an event, for clients that only know
    /// events.
    fn show_error(&mut self, error: &AgentError) {
        tracing::warn!(%error, "a turn failed");
        let text = error.user_message().into_owned();
        let (recoverable, code) = (error.is_recoverable(), code(error));
        let mut message = Message {
            content: text.clone(),
            ..self.writer.new_message(MessageId::new(Uuid::now_v7()), MessageType::Error)
        };
        metadata::CODE.set(&mut message.metadata, code.as_str());
        if let Some(over) = self.spending.over().filter(|_| code == ErrorCode::BudgetExceeded) {
            metadata::BUDGET.set(&mut message.metadata, &over.budget);
        }
        metadata::RECOVERABLE.set(&mut message.metadata, &recoverable);
        if !recoverable {
            metadata::REMEDY.set(&mut message.metadata, error.remedy().as_str());
        }
        self.writer.add_message(message);
        self.writer.add_event(EventBody::Error { message: text, code, recoverable });
    }
}

fn code(error: &AgentError) -> ErrorCode {
    match error {
        AgentError::BudgetExceeded(_) => ErrorCode::BudgetExceeded,
        _ => ErrorCode::AgentFailed,
    }
}
