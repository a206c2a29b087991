//! What the agent must not do by itself: written down, shown, waited for.
//!
//! 1. A call is looked up in the ledger: after a restart the agent proposes
//!    again what was not settled, and the ledger knows how far it came.
//! 2. A new one is judged ([`crate::oversight`]). One that may run is written
//!    down as started, and made; one that must be asked for becomes a prompt,
//!    in the same write as its line in the ledger.
//! 3. While a prompt is open the turn is parked: it waits for a hint, for the
//!    clock, and looks by itself now and then. The agent is polled on: it may
//!    withdraw the question, or die.
//! 4. Once the prompt is closed, by whomever, [`super::settling`] goes on.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use parlor_agent::{AgentEvent, Answer, AskedBy, PromptRequest, ProposedCall, Reply, TurnRunner};
use parlor_protocol::{
    EventBody, Preview, PromptId, PromptOutcome, PromptType, PromptUpdated, Timestamp, ToolStatus,
    Verdict,
};
use parlor_storage::{NewPrompt, Prompt, PromptWrite, RunStatus, RunWrite, StorageError};
use tokio::sync::{Notify, watch};

use super::Session;
use super::deadline::Deadline;
use crate::oversight;
use crate::power_cut;
use crate::prompts::opening::{Opening, Place, lapses};
use crate::prompts::{AGENT, form, preview, unanswered};
use crate::session_registry::Stop;

/// How often a parked turn looks by itself: hints can get lost between nodes.
const LOOK_AGAIN: Duration = Duration::from_secs(5);

/// Questions of the turn.
pub(crate) struct Asking {
    hint: Arc<Notify>,
    /// Whether the server goes down.
    closing: watch::Receiver<bool>,
    /// The one that is open.
    pub(super) open: Option<OpenPrompt>,
    /// What the agent asked meanwhile.
    pub(super) queue: VecDeque<AgentEvent>,
}

#[derive(Debug, Clone)]
pub(super) struct OpenPrompt {
    id: PromptId,
    ask: String,
    deadline: Option<Deadline>,
}

/// Why a turn that waits for a person wakes up.
pub(super) enum Look {
    /// Something about the prompt may have changed, or its time may be up.
    Prompt,
    /// The server goes down: nobody can answer.
    NobodyAnswers,
}

impl Asking {
    pub(crate) fn new(hint: Arc<Notify>, closing: watch::Receiver<bool>) -> Self {
        Self { hint, closing, open: None, queue: VecDeque::new() }
    }

    pub(super) fn is_open(&self) -> bool {
        self.open.is_some()
    }

    /// Waits until it is time to look at the open prompt; a turn that has been told
    /// to stop does not hear of it twice. Dropping it loses nothing.
    pub(super) async fn look(&self, hears_of_closing: bool) -> Look {
        let deadline = self.open.as_ref().and_then(|open| open.deadline);
        let pause = deadline.map_or(LOOK_AGAIN, |deadline| deadline.left().min(LOOK_AGAIN));
        let mut closing = self.closing.clone();
        tokio::select! {
            () = self.hint.notified() => Look::Prompt,
            () = tokio::time::sleep(pause) => Look::Prompt,
            _ = closing.wait_for(|closing| *closing), if hears_of_closing => Look::NobodyAnswers,
        }
    }
}

impl Session {
    /// Takes what the agent asks, or keeps it until the open question is settled.
    pub(super) async fn asked(
        &mut self,
        agent: &mut dyn TurnRunner,
        event: AgentEvent,
    ) -> Result<(), StorageError> {
        self.end_block().await?;
        self.has_calls = true;
        match event {
            AgentEvent::Proposes(_) | AgentEvent::Asks(_) if self.asking.is_open() => {
                self.asking.queue.push_back(event);
                Ok(())
            }
            AgentEvent::Proposes(call) => self.proposes(agent, *call).await,
            AgentEvent::Asks(ask) => self.asks(agent, *ask).await,
            AgentEvent::Withdrawn(ask) => self.withdrawn(agent, &ask).await,
            _ => Ok(()),
        }
    }

    async fn proposes(
        &mut self,
        agent: &mut dyn TurnRunner,
        call: ProposedCall,
    ) -> Result<(), StorageError> {
        let Some(run) = self.writer.store.tool_run(self.writer.turn, &call.id).await? else {
            return self.judge_call(agent, call).await;
        };
        match run.status {
            // Approved, and perhaps not even told: the end of its prompt comes first.
            RunStatus::Proposed | RunStatus::Approved => self.wait_again(agent, &call.id).await,
            // Nobody knows, so nobody repeats it.
            RunStatus::Started => self.outcome_unknown(agent, &run, None).await,
            RunStatus::Finished
            | RunStatus::Refused
            | RunStatus::Cancelled
            | RunStatus::OutcomeUnknown => self.settled_before(agent, &run).await,
        }
    }

    async fn judge_call(
        &mut self,
        agent: &mut dyn TurnRunner,
        call: ProposedCall,
    ) -> Result<(), StorageError> {
        let allowances = self.writer.store.allowances(self.writer.conversation).await?;
        let verdict = oversight::judge(&call, &allowances);
        let mut run = self.new_run(&call, RunStatus::Proposed);
        match verdict {
            Verdict::Allow => {
                run.status = RunStatus::Started;
                self.finished.runs.push(RunWrite::Add(run.clone()));
                self.tool_use(&run, ToolStatus::Running);
                self.commit_finished().await?;
                agent.answer(&call.id, Reply::Run { arguments: call.input, run: run.id });
                Ok(())
            }
            Verdict::Block => {
                run.status = RunStatus::Refused;
                self.finished.runs.push(RunWrite::Add(run.clone()));
                let why = format!("{} is not allowed here. Do not try it again.", call.name);
                self.not_run(agent, &run, why, "tool_denied").await
            }
            Verdict::Ask => {
                agent.waits(&call.id);
                let preview = self.preview(&call).await;
                let place = Place { ends_with_agent: call.ends_with_agent, ..self.place() };
                let opening = place.approval(&call, run.id, preview);
                self.tool_use(&run, ToolStatus::Waiting);
                self.finished.runs.push(RunWrite::Add(run));
                self.open_prompt(opening).await
            }
        }
    }

    /// What the call would change (P-7), if its arguments or its server can tell.
    pub(super) async fn preview(&self, call: &ProposedCall) -> Option<Preview> {
        if call.preview.is_some() {
            return call.preview.clone();
        }
        let tool = call.tool.as_ref()?;
        preview::of_tools(&self.project, &tool.spec.name, &call.input).await
    }

    async fn asks(
        &mut self,
        agent: &mut dyn TurnRunner,
        ask: PromptRequest,
    ) -> Result<(), StorageError> {
        if let Some(prompt) = self.writer.store.prompt_of(self.writer.turn, &ask.id).await? {
            return self.take_up(agent, prompt).await;
        }
        let origin = match &ask.from {
            AskedBy::Agent => AGENT.to_owned(),
            AskedBy::Server(server) => format!("mcp:{server}"),
        };
        if let (PromptType::Form, Some(schema)) = (ask.draft.prompt_type, &ask.draft.schema)
            && let Some(why) = form::refusal(schema)
        {
            tracing::warn!(%origin, %why, "a question was not shown");
            agent.answer(&ask.id, Reply::Answer(Answer::Refused(Some(why))));
            return Ok(());
        }
        agent.waits(&ask.id);
        let place = Place { ends_with_agent: ask.ends_with_agent, ..self.place() };
        let opening = place.question(&ask.id, &origin, ask.draft, true);
        self.open_prompt(opening).await
    }

    /// Shows a prompt, once it is a row, and parks the turn.
    pub(super) async fn open_prompt(&mut self, opening: Opening) -> Result<(), StorageError> {
        let public = opening.prompt.public.get();
        self.asking.open = Some(OpenPrompt {
            id: public.id,
            ask: opening.prompt.ask_id.clone(),
            deadline: Deadline::read(public.expires_at, opening.prompt.timeout_ms),
        });
        self.finished.message(opening.message);
        self.show_prompt(opening.prompt);
        self.commit_finished().await?;
        power_cut::after(power_cut::Step::Proposed);
        Ok(())
    }

    /// After a restart: the same question, with its full time (P-4).
    async fn wait_again(
        &mut self,
        agent: &mut dyn TurnRunner,
        ask: &str,
    ) -> Result<(), StorageError> {
        match self.writer.store.prompt_of(self.writer.turn, ask).await? {
            Some(prompt) => self.take_up(agent, prompt).await,
            // A run is proposed in the write that opens its prompt.
            None => Err(StorageError::Corrupt("a proposed run has no prompt".to_owned())),
        }
    }

    pub(super) async fn take_up(
        &mut self,
        agent: &mut dyn TurnRunner,
        prompt: Prompt,
    ) -> Result<(), StorageError> {
        let expires_at = lapses(prompt.timeout_ms);
        let (id, ask) = (prompt.id, prompt.ask_id.clone());
        let deadline = Deadline::read(expires_at, prompt.timeout_ms);
        self.asking.open = Some(OpenPrompt { id, ask, deadline });
        if prompt.outcome.is_some() {
            return self.settle(agent, prompt).await;
        }
        if prompt.expires_at != expires_at {
            self.finished.prompts.push(PromptWrite::Renew(id, expires_at));
            self.prompt_updated(id, expires_at);
        }
        self.commit_finished().await
    }

    /// Looks at the open prompt: it may be closed, lapsed, or have more time.
    pub(super) async fn look_at_prompt(
        &mut self,
        agent: &mut dyn TurnRunner,
    ) -> Result<(), StorageError> {
        let Some(open) = self.asking.open.clone() else { return Ok(()) };
        let mut prompt = self.writer.store.prompt(&self.tenant, open.id).await?;
        let same_time = Deadline::is(open.deadline, prompt.expires_at);
        if let Some(deadline) = open.deadline.filter(|_| same_time && prompt.outcome.is_none()) {
            if let Some(right) = deadline.correction() {
                return self.correct_time(&prompt, right).await;
            }
            if deadline.left().is_zero() {
                let mut lapse = unanswered(&prompt, PromptOutcome::Expired);
                lapse.closing.now = deadline.lapsed_at();
                self.writer.store.resolve_prompt(&lapse).await?;
                power_cut::after(power_cut::Step::Answered);
                prompt = self.writer.store.prompt(&self.tenant, open.id).await?;
            }
        }
        if prompt.outcome.is_some() {
            return self.settle(agent, prompt).await;
        }
        if !same_time {
            self.set_deadline(&prompt, prompt.expires_at);
            self.commit_finished().await?;
        }
        Ok(())
    }

    /// The time of day has jumped: the row, and whoever counts it down, are told.
    async fn correct_time(&mut self, prompt: &Prompt, at: Timestamp) -> Result<(), StorageError> {
        tracing::warn!(prompt = %prompt.id, "the clock was set; a prompt keeps the time it has left");
        self.finished.prompts.push(PromptWrite::Renew(prompt.id, Some(at)));
        self.set_deadline(prompt, Some(at));
        self.commit_finished().await
    }

    fn set_deadline(&mut self, prompt: &Prompt, at: Option<Timestamp>) {
        if let Some(open) = &mut self.asking.open {
            open.deadline = Deadline::read(at, prompt.timeout_ms);
        }
        self.prompt_updated(prompt.id, at);
    }

    /// The agent no longer wants to know.
    async fn withdrawn(
        &mut self,
        agent: &mut dyn TurnRunner,
        ask: &str,
    ) -> Result<(), StorageError> {
        self.asking.queue.retain(|event| match event {
            AgentEvent::Proposes(call) => call.id != ask,
            AgentEvent::Asks(queued) => queued.id != ask,
            _ => true,
        });
        if self.asking.open.as_ref().is_some_and(|open| open.ask == ask) {
            // A server that goes down takes whoever asked with it (P-9).
            let shutdown = self.stopped == Some(Stop::Shutdown);
            let outcome = if shutdown { PromptOutcome::Expired } else { PromptOutcome::Cancelled };
            self.close_open(outcome).await?;
            if let Some(run) = self.writer.store.tool_run(self.writer.turn, ask).await? {
                self.abandon(&run);
            }
            self.commit_finished().await?;
            if let Some(next) = self.asking.queue.pop_front() {
                return Box::pin(self.asked(agent, next)).await;
            }
        }
        Ok(())
    }

    /// Closes the prompt of a call that ended in the middle of its question.
    pub(super) async fn cancel_questions_of(&mut self, call: &str) -> Result<(), StorageError> {
        let prefix = format!("{call}/");
        if self.asking.open.as_ref().is_some_and(|open| open.ask.starts_with(&prefix)) {
            self.close_open(PromptOutcome::Cancelled).await?;
        }
        Ok(())
    }

    /// Closes the open prompt: the turn that asked is over, or asks no longer.
    /// Whoever answered in this very moment was first, and is told so.
    pub(super) async fn close_open(&mut self, outcome: PromptOutcome) -> Result<(), StorageError> {
        let Some(open) = self.asking.open.take() else { return Ok(()) };
        let prompt = self.writer.store.prompt(&self.tenant, open.id).await?;
        self.close_and_tell(&prompt, outcome).await
    }

    /// Closes everything that holds up the turn, also what a turn that goes on
    /// after a restart has not asked again yet.
    pub(super) async fn close_all(&mut self, outcome: PromptOutcome) -> Result<(), StorageError> {
        self.close_open(outcome).await?;
        if !self.has_calls {
            return Ok(());
        }
        for prompt in self.writer.store.unlogged_prompts(self.writer.turn).await? {
            let told =
                |write: &PromptWrite| matches!(write, PromptWrite::Logged(id) if *id == prompt.id);
            if !self.finished.prompts.iter().any(told) {
                self.close_and_tell(&prompt, outcome).await?;
            }
        }
        Ok(())
    }

    async fn close_and_tell(
        &mut self,
        prompt: &Prompt,
        outcome: PromptOutcome,
    ) -> Result<(), StorageError> {
        let mut answering = unanswered(prompt, outcome);
        // Its time may not be up.
        answering.closing.forced = true;
        self.writer.store.resolve_prompt(&answering).await?;
        power_cut::after(power_cut::Step::Answered);
        let prompt = self.writer.store.prompt(&self.tenant, prompt.id).await?;
        self.tell_end(&prompt);
        Ok(())
    }

    pub(super) fn show_prompt(&mut self, prompt: NewPrompt) {
        let shown = EventBody::UserPrompt(Box::new(prompt.public.get().clone()));
        self.finished.event(&self.sanitizer, shown);
        self.finished.prompts.push(PromptWrite::Open(Box::new(prompt)));
    }

    fn prompt_updated(&mut self, id: PromptId, expires_at: Option<Timestamp>) {
        let updated = EventBody::UserPromptUpdated(PromptUpdated { id, expires_at });
        self.finished.event(&self.sanitizer, updated);
    }

    pub(super) fn place(&self) -> Place<'_> {
        Place {
            tenant: &self.tenant,
            project: &self.project,
            sanitizer: &self.sanitizer,
            conversation: self.writer.conversation,
            turn: self.writer.turn,
            ends_with_agent: false,
        }
    }
}
