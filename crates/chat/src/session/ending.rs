//! The end of a turn: one write, exactly one `done` (H-1).

use parlor_agent::{AgentError, TurnOutcome};
use parlor_guard::Clean;
use parlor_protocol::message::Message;
use parlor_protocol::{DoneReason, ErrorCode, EventBody, MessageId, MessageType, PromptOutcome};
use parlor_storage::{StorageError, TurnStatus};
use serde_json::{Value, json};
use uuid::Uuid;

use super::Session;
use crate::prompts::AGENT;
use crate::refused_pictures;
use crate::session_registry::Stop;

impl Session {
    /// Writes what is left, and ends the turn.
    pub(super) async fn end(mut self, end: TurnOutcome) -> Result<(), StorageError> {
        self.end_block().await?;
        self.close_all(self.why_unanswered(&end)).await?;
        if self.has_calls {
            for run in self.writer.store.unfinished_runs(self.writer.turn).await? {
                self.abandon(&run);
            }
        }
        let end = match end {
            // It was the limit that ended the turn, not a person.
            TurnOutcome::Stopped if self.stopped.is_none() && self.room.cut_off_at().is_some() => {
                TurnOutcome::Complete { cut_off: true }
            }
            // What was asked in the text ended the turn, not a person.
            TurnOutcome::Stopped if self.stopped.is_none() && self.blocks.has_questions() => {
                TurnOutcome::Complete { cut_off: false }
            }
            end => end,
        };
        let (reason, status) = match (&end, self.stopped) {
            (TurnOutcome::Complete { .. }, _) => (DoneReason::Complete, TurnStatus::Complete),
            (TurnOutcome::Failed(_), _) => (DoneReason::Error, TurnStatus::Error),
            (TurnOutcome::Stopped, Some(Stop::Shutdown)) => {
                (DoneReason::Interrupted, TurnStatus::Interrupted)
            }
            (TurnOutcome::Stopped, _) => (DoneReason::Stopped, TurnStatus::Stopped),
        };
        match &end {
            TurnOutcome::Complete { cut_off: true } => {
                self.mark_last("cut_off");
                if let Some(limit) = self.room.cut_off_at() {
                    self.mark_last_with("cut_off_bytes", json!(limit));
                }
            }
            TurnOutcome::Complete { cut_off: false } => {}
            TurnOutcome::Stopped => self.mark_last("stopped"),
            TurnOutcome::Failed(error) => {
                self.mark_last("incomplete");
                self.add_error(error);
                if error.is_about_pictures() {
                    self.finished.history.push(refused_pictures::mark());
                }
            }
        }
        if matches!(end, TurnOutcome::Complete { .. }) {
            self.open_questions();
        }
        let tokens_used = Some(self.usage.total()).filter(|tokens| *tokens > 0);
        let done = EventBody::Done {
            conversation_id: self.writer.conversation,
            turn_id: self.writer.turn,
            tokens_used,
            reason,
        };
        self.finished.event(&self.sanitizer, done);
        let cost_micros = Some(self.usage.cost_micros).filter(|cost| *cost > 0);
        self.finished.end = Some(parlor_storage::TurnOutcome { status, tokens_used, cost_micros });
        let step = std::mem::take(&mut self.finished);
        self.writer.commit(step).await
    }

    /// What became of a question that nobody answered before the turn ended:
    /// whoever asked is gone (P-9), or asks no longer.
    fn why_unanswered(&self, end: &TurnOutcome) -> PromptOutcome {
        match end {
            TurnOutcome::Failed(_) => PromptOutcome::Expired,
            TurnOutcome::Stopped if self.stopped == Some(Stop::Shutdown) => PromptOutcome::Expired,
            TurnOutcome::Stopped | TurnOutcome::Complete { .. } => PromptOutcome::Cancelled,
        }
    }

    /// What was asked in the text waits from now on, without a clock.
    fn open_questions(&mut self) {
        for (id, draft) in self.blocks.take_questions() {
            let opening = self.place().question_as(id, &id.to_string(), AGENT, draft, false);
            self.show_prompt(opening.prompt);
        }
    }

    /// Marks the message that the end cut short, if it is not written yet.
    pub(super) fn mark_last(&mut self, how: &str) {
        self.mark_last_with(how, Value::Bool(true));
    }

    fn mark_last_with(&mut self, how: &str, what: Value) {
        let Some(last) = self.finished.events.last_mut() else { return };
        let Some(message) = last.message.take() else { return };
        let mut marked: Message = message.into_inner();
        marked.metadata.insert(how.to_owned(), what);
        let message = Clean::new(&self.sanitizer, marked);
        last.body = message.to_event();
        last.message = Some(message);
    }

    /// The error as a message, which stays, and as an event, for clients that
    /// only know events.
    fn add_error(&mut self, error: &AgentError) {
        tracing::warn!(%error, turn = %self.writer.turn, "a turn failed");
        let words = error.user_message().into_owned();
        let recoverable = error.is_recoverable();
        let mut message = Message {
            content: words.clone(),
            ..self.message(MessageId::new(Uuid::now_v7()), MessageType::Error)
        };
        message.metadata.insert("code".to_owned(), json!(ErrorCode::AgentFailed.as_str()));
        message.metadata.insert("recoverable".to_owned(), json!(recoverable));
        if !recoverable {
            message.metadata.insert("remedy".to_owned(), json!(error.remedy().as_str()));
        }
        self.finished.message(Clean::new(&self.sanitizer, message));
        let event = EventBody::Error { message: words, code: ErrorCode::AgentFailed, recoverable };
        self.finished.event(&self.sanitizer, event);
    }
}
