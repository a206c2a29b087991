//! The prompt that a turn waits for, and what the agent asked meanwhile.
//!
//! While a prompt is open the turn waits for a signal and for the deadline, and checks the
//! row from time to time. The agent is still polled: it may withdraw the question, or fail.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use parlor_agent::AgentEvent;
use parlor_protocol::{EventBody, PromptId, PromptOutcome, PromptUpdated, TenantId, Timestamp};
use parlor_storage::{NewPrompt, Prompt, PromptWrite, Scope, StorageError};
use tokio::sync::{Notify, watch};

use super::deadline::Deadline;
use super::writer::TurnWriter;
use crate::fail_point::{self, FailPoint};
use crate::prompts::closing::unanswered;
use crate::prompts::opening::expiry;

/// How often the row is checked without a signal.
const CHECK_INTERVAL: Duration = Duration::from_secs(5);

/// The open prompt of a turn.
pub(super) struct PromptWait {
    /// The server's own.
    scope: Scope,
    /// Signals that the prompt may have changed.
    prompt_changed: Arc<Notify>,
    /// Whether the server shuts down.
    shutting_down: watch::Receiver<bool>,
    open: Option<OpenPrompt>,
    /// What the agent asked while a prompt was open.
    queue: VecDeque<AgentEvent>,
}

#[derive(Debug, Clone)]
struct OpenPrompt {
    id: PromptId,
    ask_id: String,
    deadline: Option<Deadline>,
}

/// Why a turn that waits for a person wakes up.
pub(super) enum Wake {
    /// The prompt may have changed or expired.
    CheckPrompt,
    /// The server shuts down: nobody can answer.
    Shutdown,
}

impl PromptWait {
    pub(super) fn new(
        tenant: TenantId,
        prompt_changed: Arc<Notify>,
        shutting_down: watch::Receiver<bool>,
    ) -> Self {
        let scope = Scope::of_server(tenant);
        Self { scope, prompt_changed, shutting_down, open: None, queue: VecDeque::new() }
    }

    /// Whether a prompt is open.
    pub(super) fn is_open(&self) -> bool {
        self.open.is_some()
    }

    /// Waits until the open prompt has to be checked, or until the server shuts down, if that
    /// is wanted. Cancel-safe.
    pub(super) async fn wake(&self, on_shutdown: bool) -> Wake {
        let deadline = self.open.as_ref().and_then(|open| open.deadline);
        let pause = deadline.map_or(CHECK_INTERVAL, |at| at.left().min(CHECK_INTERVAL));
        let mut shutting_down = self.shutting_down.clone();
        tokio::select! {
            () = self.prompt_changed.notified() => Wake::CheckPrompt,
            () = tokio::time::sleep(pause) => Wake::CheckPrompt,
            _ = shutting_down.wait_for(|now| *now), if on_shutdown => Wake::Shutdown,
        }
    }

    /// Keeps what the agent asks until the open prompt is closed.
    pub(super) fn enqueue(&mut self, event: AgentEvent) {
        self.queue.push_back(event);
    }

    /// What the agent asked next, if no prompt is open.
    pub(super) fn dequeue(&mut self) -> Option<AgentEvent> {
        if self.is_open() { None } else { self.queue.pop_front() }
    }

    /// Drops what the agent asked under this id from the queue. True if it is the open prompt.
    pub(super) fn withdraw(&mut self, ask_id: &str) -> bool {
        self.queue.retain(|event| match event {
            AgentEvent::Proposes(call) => call.id != ask_id,
            AgentEvent::Asks(ask) => ask.id != ask_id,
            AgentEvent::CallsClient(call) => call.id != ask_id,
            _ => true,
        });
        self.open.as_ref().is_some_and(|open| open.ask_id == ask_id)
    }

    /// Waits for a prompt that opens with the next write.
    pub(super) fn open(&mut self, prompt: &NewPrompt) {
        let public = prompt.public.get();
        let deadline = Deadline::read(public.expires_at, prompt.timeout_ms);
        self.open = Some(OpenPrompt { id: public.id, ask_id: prompt.ask_id.clone(), deadline });
    }

    /// After a restart: waits for a prompt again, with its full time (P-4).
    pub(super) async fn reopen(
        &mut self,
        writer: &mut TurnWriter,
        prompt: &Prompt,
    ) -> Result<(), StorageError> {
        let expires_at = expiry(prompt.timeout_ms);
        let deadline = Deadline::read(expires_at, prompt.timeout_ms);
        self.open = Some(OpenPrompt { id: prompt.id, ask_id: prompt.ask_id.clone(), deadline });
        if prompt.expires_at != expires_at {
            writer.pending.step.prompts.push(PromptWrite::Renew(prompt.id, expires_at));
            show_expiry(writer, prompt.id, expires_at);
        }
        writer.commit().await
    }

    /// Checks the open prompt: it may be closed, expired, or have more time. Returns it once
    /// it is closed; from then on it is not waited for.
    pub(super) async fn check(
        &mut self,
        writer: &mut TurnWriter,
    ) -> Result<Option<Prompt>, StorageError> {
        let Some(open) = self.open.clone() else { return Ok(None) };
        let mut prompt = writer.store.prompt(&self.scope, open.id).await?;
        let same_time = Deadline::is(open.deadline, prompt.expires_at);
        if let Some(deadline) = open.deadline.filter(|_| same_time && prompt.outcome.is_none()) {
            if let Some(right) = deadline.correction() {
                self.correct_time(writer, &prompt, right).await?;
                return Ok(None);
            }
            if deadline.left().is_zero() {
                let mut expired = unanswered(&prompt, PromptOutcome::Expired);
                expired.closing.now = deadline.expired_at();
                writer.store.resolve_prompt(&expired).await?;
                fail_point::reached(FailPoint::Answered);
                prompt = writer.store.prompt(&self.scope, open.id).await?;
            }
        }
        if prompt.outcome.is_some() {
            self.open = None;
            return Ok(Some(prompt));
        }
        if !same_time {
            self.set_deadline(writer, &prompt, prompt.expires_at);
            writer.commit().await?;
        }
        Ok(None)
    }

    /// Closes the open prompt: the turn is over, or the agent asks no longer. An answer that
    /// came at this very moment wins, and is shown.
    pub(super) async fn cancel(
        &mut self,
        writer: &mut TurnWriter,
        outcome: PromptOutcome,
    ) -> Result<(), StorageError> {
        let Some(open) = self.open.take() else { return Ok(()) };
        let prompt = writer.store.prompt(&self.scope, open.id).await?;
        self.close(writer, &prompt, outcome).await
    }

    /// Cancels the open prompt if it is a question within this call.
    pub(super) async fn cancel_within(
        &mut self,
        writer: &mut TurnWriter,
        call_id: &str,
    ) -> Result<(), StorageError> {
        let prefix = format!("{call_id}/");
        if self.open.as_ref().is_some_and(|open| open.ask_id.starts_with(&prefix)) {
            self.cancel(writer, PromptOutcome::Cancelled).await?;
        }
        Ok(())
    }

    /// Closes every prompt of the turn whose end is not in the log, also those that a resumed
    /// turn has not asked about again.
    pub(super) async fn cancel_all(
        &mut self,
        writer: &mut TurnWriter,
        outcome: PromptOutcome,
    ) -> Result<(), StorageError> {
        for prompt in writer.store.unlogged_prompts(writer.turn()).await? {
            let shown =
                |write: &PromptWrite| matches!(write, PromptWrite::Logged(id) if *id == prompt.id);
            if !writer.pending.step.prompts.iter().any(shown) {
                self.close(writer, &prompt, outcome).await?;
            }
        }
        Ok(())
    }

    async fn close(
        &self,
        writer: &mut TurnWriter,
        prompt: &Prompt,
        outcome: PromptOutcome,
    ) -> Result<(), StorageError> {
        let mut close = unanswered(prompt, outcome);
        // Whatever its deadline.
        close.closing.forced = true;
        writer.store.resolve_prompt(&close).await?;
        fail_point::reached(FailPoint::Answered);
        let prompt = writer.store.prompt(&self.scope, prompt.id).await?;
        show_end(writer, &prompt);
        Ok(())
    }

    /// The time of day has jumped: the row and its countdowns are corrected.
    async fn correct_time(
        &mut self,
        writer: &mut TurnWriter,
        prompt: &Prompt,
        at: Timestamp,
    ) -> Result<(), StorageError> {
        tracing::warn!(prompt = %prompt.id, "the clock was set; a prompt keeps its time");
        writer.pending.step.prompts.push(PromptWrite::Renew(prompt.id, Some(at)));
        self.set_deadline(writer, prompt, Some(at));
        writer.commit().await
    }

    fn set_deadline(&mut self, writer: &mut TurnWriter, prompt: &Prompt, at: Option<Timestamp>) {
        if let Some(open) = &mut self.open {
            open.deadline = Deadline::read(at, prompt.timeout_ms);
        }
        show_expiry(writer, prompt.id, at);
    }
}

/// Adds a new prompt to the next write: the row, and the event that shows it.
pub(super) fn show_prompt(writer: &mut TurnWriter, prompt: NewPrompt) {
    writer.add_event(EventBody::UserPrompt(Box::new(prompt.public.get().clone())));
    writer.pending.step.prompts.push(PromptWrite::Open(Box::new(prompt)));
}

/// Adds the end of a prompt to the next write, unless the log has it.
pub(super) fn show_end(writer: &mut TurnWriter, prompt: &Prompt) {
    if let Some(closed) = prompt.closed().filter(|_| !prompt.logged) {
        writer.metrics.closed(prompt, closed.outcome, closed.at);
        writer.add_event(EventBody::UserPromptClosed(Box::new(closed)));
        writer.pending.step.prompts.push(PromptWrite::Logged(prompt.id));
    }
}

fn show_expiry(writer: &mut TurnWriter, id: PromptId, expires_at: Option<Timestamp>) {
    writer.add_event(EventBody::UserPromptUpdated(PromptUpdated { id, expires_at }));
}
