//! A running turn: polls the agent and takes its events one by one.
//!
//! - Text is shown as it comes ([`super::text`]).
//! - A message for the history is kept for the next write; a checkpoint is committed before
//!   the agent is polled again.
//! - A call, a question, or the end of a call is decided on ([`super::step`]) and acted on
//!   ([`super::carry_out`]) before the next event.
//! - Before a call of the model, and from time to time, budgets are looked at ([`super::budget_check`]).
//! - Meanwhile the turn waits for a stop signal and for an open prompt.

use std::sync::Arc;

use parlor_agent::{
    AgentEvent, Checkpoint, ProposedCall, ToolOutcome, TurnOutcome, TurnRunner, TurnStart, Usage,
};
use parlor_protocol::{EventBody, PromptOutcome, TenantId, ToolStatus, metadata};
use parlor_storage::{BlockKind, RunStatus, RunWrite, StorageError};
use tokio::sync::oneshot;

use super::answer_limit::AnswerLimit;
use super::call_end::AnsweredCall;
use super::edited_call::{Edits, amended};
use super::effect::{CallResult, ResultCode};
use super::inputs::{Rows, ended_run, new_run, without_secrets};
use super::prompt_wait::{PromptWait, Wake};
use super::spending::Spending;
use super::step::{Input, step};
use super::text::TextStream;
use super::timing::TurnTiming;
use super::writer::TurnWriter;
use crate::fail_point::{self, FailPoint};
use crate::images::ImageChecks;
use crate::live_turns::Stop;
use crate::project::Project;
use crate::state::ChatState;

/// A turn that runs.
pub(super) struct RunningTurn {
    pub(super) writer: TurnWriter,
    pub(super) tenant: TenantId,
    pub(super) project: Arc<Project>,
    pub(super) text: TextStream,
    pub(super) wait: PromptWait,
    /// Calls that a person changed.
    pub(super) edits: Edits,
    /// Whether the ledger may have rows of this turn.
    pub(super) has_calls: bool,
    pub(super) usage: Usage,
    pub(super) spending: Spending,
    pub(super) stopped: Option<Stop>,
    pub(super) timing: TurnTiming,
    images: ImageChecks,
    /// The CLI sessions of the conversation, which are masked (S-3).
    pub(super) cli_sessions: Vec<String>,
    /// Where the agent could resume after a crash.
    checkpoint: Option<Checkpoint>,
}

/// What a turn wakes up for.
pub(super) enum Next {
    /// An event of the agent.
    Event(Option<AgentEvent>),
    /// The stop signal.
    Stop(Stop),
    /// The open prompt.
    Prompt(Wake),
    /// What is used.
    Look,
}

impl RunningTurn {
    pub(super) fn new(
        state: &ChatState,
        writer: TurnWriter,
        tenant: TenantId,
        project: Arc<Project>,
        wait: PromptWait,
        timing: TurnTiming,
        spending: Spending,
    ) -> Self {
        let limit = AnswerLimit::new(project.max_answer_bytes);
        Self {
            text: TextStream::new(state.flusher.clone(), limit, &project.sanitizer),
            writer,
            tenant,
            project,
            wait,
            edits: Edits::new(),
            has_calls: false,
            usage: Usage::default(),
            spending,
            stopped: None,
            timing,
            images: state.images.clone(),
            cli_sessions: Vec::new(),
            checkpoint: None,
        }
    }

    /// The turn is resumed after a crash. The number of text that was shown and not stored is
    /// closed, so that its readers learn that it is lost.
    pub(super) fn resumed(mut self, lost: parlor_storage::TextBlock, from: Checkpoint) -> Self {
        self.checkpoint = Some(from);
        self.writer.pending.step.closes_block = Some(lost);
        self.has_calls = true;
        self.timing.is_resumed();
        self
    }

    /// Runs the turn to its end.
    pub(super) async fn run(
        mut self,
        mut agent: Box<dyn TurnRunner>,
        start: TurnStart,
        mut stop: oneshot::Receiver<Stop>,
    ) -> Result<(), StorageError> {
        let (TurnStart::Message(context)
        | TurnStart::AgentInitiated(context)
        | TurnStart::Resume(context, _)) = &start;
        self.learn_cli_sessions(&context.history);
        if !self.begin_agent(&mut *agent, start).await? {
            return self.end(TurnOutcome::Stopped).await;
        }
        loop {
            if self.stopped.is_none()
                && let Ok(why) = stop.try_recv()
                && self.stop_for(why, &mut *agent)?
            {
                return Ok(());
            }
            if self.text.limit.stops_agent() {
                agent.stop();
            }
            match self.next(&mut *agent, &mut stop).await {
                // Nearly every event is this one: it takes the shortest path.
                Next::Event(Some(AgentEvent::Text(text))) => {
                    self.timing.said();
                    self.model_said();
                    self.text.push(&mut self.writer, BlockKind::Text, &text).await?;
                }
                Next::Event(Some(AgentEvent::Ended(end))) => return self.end(end).await,
                Next::Event(Some(event)) => self.handle(&mut *agent, event).await?,
                // The stream must not end by itself; the turn ends as stopped.
                Next::Event(None) => return self.end(TurnOutcome::Stopped).await,
                Next::Stop(why) => {
                    if self.stop_for(why, &mut *agent)? {
                        return Ok(());
                    }
                }
                Next::Look => self.look(&mut *agent).await?,
                Next::Prompt(Wake::CheckPrompt) => self.check_prompt(&mut *agent).await?,
                Next::Prompt(Wake::Shutdown) => {
                    if self.stop_for(Stop::Shutdown, &mut *agent)? {
                        return Ok(());
                    }
                }
            }
        }
    }

    /// Stops the agent. True if the turn is suspended instead: the server shuts down while it
    /// waits for a person, and another run of the server resumes it from its rows (P-9). An
    /// error if another node has it already: nothing more is written.
    fn stop_for(&mut self, why: Stop, agent: &mut dyn TurnRunner) -> Result<bool, StorageError> {
        if why == Stop::TakenOver {
            return Err(StorageError::TakenOver);
        }
        self.stopped = Some(why);
        let can_resume =
            self.checkpoint.as_ref().is_some_and(|from| self.project.agent.can_resume(from));
        let is_suspended = why == Stop::Shutdown && self.wait.is_open() && can_resume;
        if !is_suspended {
            agent.stop();
        }
        Ok(is_suspended)
    }

    async fn handle(
        &mut self,
        agent: &mut dyn TurnRunner,
        event: AgentEvent,
    ) -> Result<(), StorageError> {
        self.spending.set_queued(event == AgentEvent::Queued);
        match event {
            AgentEvent::Queued => {
                self.writer.add_event(EventBody::Queued { turn_id: self.writer.turn() });
                self.writer.commit().await?;
            }
            AgentEvent::Thinking(text) => {
                self.model_said();
                self.text.push(&mut self.writer, BlockKind::Thinking, &text).await?;
            }
            AgentEvent::BlockEnd => self.text.end_block(&mut self.writer).await?,
            AgentEvent::BrokeOff => {
                self.text.end_block(&mut self.writer).await?;
                self.writer.mark_last_message(|facts| metadata::INCOMPLETE.set(facts, &true));
            }
            // Committed with what comes next, which is nearly always the end: then the end
            // can still mark the message that it cut short.
            AgentEvent::AssistantMessage(message) => {
                // One that calls tools may say nothing before.
                self.model_said();
                self.text.end_block(&mut self.writer).await?;
                self.text.set_remembered();
                self.remember(&amended(&self.edits, message));
            }
            AgentEvent::Withheld => self.text.withhold(&mut self.writer).await?,
            AgentEvent::ToolMessage(message) => self.remember(&message),
            AgentEvent::Proposes(_) | AgentEvent::Asks(_) | AgentEvent::CallsClient(_) => {
                self.asked(agent, event).await?;
            }
            AgentEvent::Withdrawn(id) => self.withdrawn(agent, &id).await?,
            AgentEvent::Calls(call) => self.call_started(*call).await?,
            AgentEvent::Progress { call, progress } => {
                self.writer.publish_progress(&call, progress);
            }
            AgentEvent::CallEnded { call, tool, outcome, read } => {
                self.call_ended(agent, call, tool, outcome, read).await?;
            }
            AgentEvent::CallsModel => {
                self.before_call(agent).await?;
                self.timing.calls_model();
            }
            AgentEvent::Usage(usage) => {
                self.usage += self.spending.add(&mut self.writer.pending.step, usage);
            }
            AgentEvent::Checkpoint(checkpoint) => self.checkpoint(agent, checkpoint).await?,
            AgentEvent::Retrying { after, attempt, error } => {
                tracing::info!(?after, attempt, %error, "the model is asked again");
            }
            // `run` takes these.
            AgentEvent::Text(_) | AgentEvent::Ended(_) => {}
        }
        Ok(())
    }

    /// The model says something: how long the first of it took is counted.
    fn model_said(&mut self) {
        if let Some(took) = self.timing.model_said() {
            self.project.metrics.first_token.add(took);
        }
    }

    async fn checkpoint(
        &mut self,
        agent: &mut dyn TurnRunner,
        checkpoint: Checkpoint,
    ) -> Result<(), StorageError> {
        self.writer.pending.step.checkpoint = Some(checkpoint.0.clone());
        self.checkpoint = Some(checkpoint);
        self.spending.add_time(&mut self.writer.pending.step);
        self.writer.commit().await?;
        fail_point::reached(FailPoint::Said);
        // A question in the text ends the turn; its answer begins the next.
        if self.text.has_questions() {
            agent.stop();
        }
        Ok(())
    }

    /// The agent proposes a call or asks a question. While a prompt is open, it is queued.
    async fn asked(
        &mut self,
        agent: &mut dyn TurnRunner,
        event: AgentEvent,
    ) -> Result<(), StorageError> {
        self.text.end_block(&mut self.writer).await?;
        self.has_calls = true;
        self.wait.enqueue(event);
        self.take_queued(agent).await
    }

    /// Takes what the agent has asked, until a prompt opens.
    async fn take_queued(&mut self, agent: &mut dyn TurnRunner) -> Result<(), StorageError> {
        while let Some(event) = self.wait.dequeue() {
            self.text.end_block(&mut self.writer).await?;
            let mut rows = Rows::default();
            let (writer, project) = (&self.writer, &self.project);
            let input = match event {
                AgentEvent::Proposes(call) => {
                    rows.of_call(writer, project, &self.edits, call).await?
                }
                AgentEvent::Asks(ask) => rows.of_question(writer, project, ask).await?,
                AgentEvent::CallsClient(call) => {
                    rows.of_client_call(writer, project, *call).await?
                }
                _ => continue,
            };
            let input = self.with_client_result(input).await;
            self.carry_out(agent, step(input)?).await?;
        }
        Ok(())
    }

    /// The prompt may be closed: then its answer is acted on, and the next question taken.
    async fn check_prompt(&mut self, agent: &mut dyn TurnRunner) -> Result<(), StorageError> {
        let Some(prompt) = self.wait.check(&mut self.writer).await? else { return Ok(()) };
        if self.stops_program(agent).await? {
            return Ok(());
        }
        let mut rows = Rows::default();
        let input = rows.of_prompt(&self.writer.store, &self.project, prompt).await?;
        let input = self.with_client_result(input).await;
        self.carry_out(agent, step(input)?).await?;
        self.take_queued(agent).await
    }

    /// The agent no longer wants an answer.
    async fn withdrawn(
        &mut self,
        agent: &mut dyn TurnRunner,
        ask_id: &str,
    ) -> Result<(), StorageError> {
        self.text.end_block(&mut self.writer).await?;
        self.has_calls = true;
        if !self.wait.withdraw(ask_id) {
            return Ok(());
        }
        // A server that shuts down takes the agent with it (P-9).
        let outcome = match self.stopped {
            Some(Stop::Shutdown) => PromptOutcome::Expired,
            Some(Stop::Person | Stop::TakenOver) | None => PromptOutcome::Cancelled,
        };
        self.wait.cancel(&mut self.writer, outcome).await?;
        if let Some(run) = self.writer.store.tool_run(self.writer.turn(), ask_id).await? {
            self.writer.abandon(&run);
        }
        self.writer.commit().await?;
        self.take_queued(agent).await
    }

    /// An agent makes a call by its own rules: it is stored and shown.
    async fn call_started(&mut self, call: ProposedCall) -> Result<(), StorageError> {
        self.text.end_block(&mut self.writer).await?;
        self.has_calls = true;
        let run = new_run(&call, RunStatus::Started);
        self.writer.show_status(&run, ToolStatus::Running);
        self.writer.pending.step.runs.push(RunWrite::Add(run));
        self.writer.commit().await
    }

    /// A call is over, or could not even be proposed.
    async fn call_ended(
        &mut self,
        agent: &mut dyn TurnRunner,
        call_id: String,
        tool: String,
        outcome: ToolOutcome,
        read: bool,
    ) -> Result<(), StorageError> {
        fail_point::reached(FailPoint::Called);
        self.text.end_block(&mut self.writer).await?;
        self.wait.cancel_within(&mut self.writer, &call_id).await?;
        let run = ended_run(&self.writer, call_id, tool).await?;
        let edited = self.edits.contains_key(&run.call_id);
        let sanitizer = &self.writer.sanitizer;
        let input = match outcome {
            ToolOutcome::Answered { content, is_error, extras } => {
                let content = content.into_iter().map(|block| without_secrets(sanitizer, block));
                let max_bytes = self.project.files.image_bytes;
                let (content, images) = self.images.of_result(content.collect(), max_bytes).await;
                let scan = self.scan(&content).await;
                let result = CallResult { content, is_error };
                // What an agent has read already cannot be marked.
                let data_mark = self.data_mark().filter(|_| !read);
                let answered =
                    AnsweredCall { run, result, images, extras, data_mark, scan, read, edited };
                Input::CallAnswered(Box::new(answered))
            }
            ToolOutcome::NotRun(why) => {
                let why = sanitizer.without_secrets(why);
                Input::CallNotMade { run, why, code: ResultCode::NotRun }
            }
            ToolOutcome::LoginNeeded(why) => {
                let why = sanitizer.without_secrets(why);
                Input::CallNotMade { run, why, code: ResultCode::LoginNeeded }
            }
            ToolOutcome::Unknown(why) => {
                Input::CallLost { run, why: sanitizer.without_secrets(why), edited }
            }
        };
        self.carry_out(agent, step(input)?).await?;
        self.take_queued(agent).await
    }
}
