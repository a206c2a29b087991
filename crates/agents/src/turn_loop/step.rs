//! What to do next in a turn. Pure: inputs in, effects out.
//!
//! A turn is a number of rounds. In each the model is asked, and what it says
//! is passed on and collected. How a round ends decides:
//! - the model is finished, or cannot say more: the turn is complete;
//! - it paused: what it said is kept, and the next round begins;
//! - it calls a tool: there are none yet, so this is an error (the round of a
//!   tool call will go on like a pause, once the results are there);
//! - it failed before anything was shown: the same round is tried again, after
//!   the wait that the vendor asks for; afterwards, or too often, the turn fails;
//! - it was stopped.
//!
//! Whatever was said is kept in every case, and every turn ends exactly once.

use std::collections::VecDeque;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::LoopLimits;
use super::draft::Draft;
use crate::agent::{AgentEvent, Checkpoint, TurnEnd, Usage};
use crate::error::AgentError;
use crate::history::HistoryMessage;
use crate::llm::{LlmError, LlmEvent, StopReason};

/// What happened.
#[derive(Debug, Clone)]
pub(super) enum Input {
    /// The model said something.
    Model(LlmEvent),
    /// The model could not be asked, or broke off.
    ModelFailed(LlmError),
    /// The wait is over.
    WaitOver,
    /// The turn shall end.
    Stop,
}

/// What to do, in this order.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Effect {
    /// Yield this.
    Emit(AgentEvent),
    /// Append this to the history of the next request.
    Remember(HistoryMessage),
    /// Ask the model.
    AskModel,
    /// Wait, and say when it is over.
    Wait(Duration),
}

/// Where a turn stands.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct LoopState {
    /// The number of the request, from 1.
    round: u32,
    /// The number of the attempt at it, from 1.
    attempt: u32,
    /// Whether anything of this round was shown.
    shown: bool,
    /// What the model said in this round.
    draft: Draft,
    /// What this round cost so far.
    usage: Option<Usage>,
    over: bool,
}

impl LoopState {
    /// A turn that begins.
    pub(super) fn begin(effects: &mut VecDeque<Effect>) -> Self {
        effects.push_back(Effect::AskModel);
        Self {
            round: 1,
            attempt: 1,
            shown: false,
            draft: Draft::default(),
            usage: None,
            over: false,
        }
    }

    /// A turn that goes on from a checkpoint.
    pub(super) fn resume(
        checkpoint: Checkpoint,
        effects: &mut VecDeque<Effect>,
    ) -> Result<Self, AgentError> {
        let state: Self = serde_json::from_value(checkpoint.0)
            .map_err(|error| AgentError::CannotResume(error.to_string()))?;
        if state.over {
            return Err(AgentError::CannotResume("the turn was over".into()));
        }
        effects.push_back(Effect::AskModel);
        Ok(state)
    }

    /// Whether the turn has ended.
    pub(super) fn is_over(&self) -> bool {
        self.over
    }

    /// The number of the request and of the attempt at it, for the log.
    pub(super) fn position(&self) -> (u32, u32) {
        (self.round, self.attempt)
    }

    /// Takes one input.
    pub(super) fn handle(
        &mut self,
        input: Input,
        limits: &LoopLimits,
        effects: &mut VecDeque<Effect>,
    ) {
        if self.over {
            return;
        }
        match input {
            Input::Model(event) => self.model(event, limits, effects),
            Input::ModelFailed(error) => self.failed(error, limits, effects),
            Input::WaitOver => effects.push_back(Effect::AskModel),
            Input::Stop => self.end(TurnEnd::Stopped, effects),
        }
    }

    fn model(&mut self, event: LlmEvent, limits: &LoopLimits, effects: &mut VecDeque<Effect>) {
        let (ended, shown) = match event {
            LlmEvent::Text(text) => (self.draft.text(&text), Some(AgentEvent::Text(text))),
            LlmEvent::Thinking(text) => {
                (self.draft.thinking(&text), Some(AgentEvent::Thinking(text)))
            }
            LlmEvent::Signature(piece) => (self.draft.sign(&piece), None),
            LlmEvent::BlockEnd => (self.draft.close(), None),
            LlmEvent::Block(block) => (self.draft.push(block), None),
            LlmEvent::Usage(usage) => {
                self.usage = Some(usage);
                (false, None)
            }
            LlmEvent::Stop(reason) => return self.round_end(reason, limits, effects),
        };
        self.shown |= shown.is_some();
        let events = ended.then_some(AgentEvent::BlockEnd).into_iter().chain(shown);
        effects.extend(events.map(Effect::Emit));
    }

    fn round_end(
        &mut self,
        reason: StopReason,
        limits: &LoopLimits,
        effects: &mut VecDeque<Effect>,
    ) {
        let end = match reason {
            StopReason::EndTurn => TurnEnd::Complete { cut_off: false },
            StopReason::CutOff => TurnEnd::Complete { cut_off: true },
            StopReason::Declined => TurnEnd::Failed(AgentError::Declined),
            StopReason::Pause if self.round < limits.max_rounds => return self.next_round(effects),
            StopReason::Pause => TurnEnd::Failed(AgentError::TooManyRounds(self.round)),
            StopReason::ToolUse => {
                let tool = self.draft.tool().unwrap_or_default().to_owned();
                TurnEnd::Failed(AgentError::NoSuchTool(tool))
            }
        };
        self.end(end, effects);
    }

    fn next_round(&mut self, effects: &mut VecDeque<Effect>) {
        let message = self.finish_message(effects);
        self.round += 1;
        self.attempt = 1;
        self.shown = false;
        if let Some(message) = message {
            effects.push_back(Effect::Remember(message.clone()));
            effects.push_back(Effect::Emit(AgentEvent::AssistantMessage(message)));
        }
        effects.push_back(Effect::Emit(AgentEvent::Checkpoint(self.checkpoint())));
        effects.push_back(Effect::AskModel);
    }

    fn failed(&mut self, error: LlmError, limits: &LoopLimits, effects: &mut VecDeque<Effect>) {
        let Some(after) = self.retry_delay(&error, limits) else {
            return self.end(TurnEnd::Failed(error.into()), effects);
        };
        self.finish_message(effects);
        let attempt = self.attempt;
        self.attempt += 1;
        effects.push_back(Effect::Emit(AgentEvent::Retrying { after, attempt, error }));
        effects.push_back(Effect::Wait(after));
    }

    /// In how long to try again; `None` if not. Nothing that was shown is ever
    /// said twice, and a vendor who asks for a longer wait than we are ready for
    /// would only refuse again.
    fn retry_delay(&self, error: &LlmError, limits: &LoopLimits) -> Option<Duration> {
        let passing = match error {
            LlmError::RateLimited { .. }
            | LlmError::Overloaded { .. }
            | LlmError::ServerFailed { .. }
            | LlmError::Unreachable(_)
            | LlmError::Interrupted(_) => true,
            // A person waited long enough for a silent model.
            LlmError::Silent { .. }
            | LlmError::TooLarge { .. }
            | LlmError::WrongKey { .. }
            | LlmError::NotPermitted(_)
            | LlmError::NoCredit(_)
            | LlmError::UnknownModel(_)
            | LlmError::ContextTooLong(_)
            | LlmError::BadRequest(_)
            | LlmError::Malformed(_) => false,
        };
        if !passing || self.shown || self.attempt >= limits.max_attempts {
            return None;
        }
        let doubled = limits.retry_delay.saturating_mul(1 << (self.attempt - 1).min(16));
        match error.retry_after() {
            Some(asked) => (asked <= limits.max_retry_delay).then_some(asked),
            None => Some(doubled.min(limits.max_retry_delay)),
        }
    }

    fn end(&mut self, end: TurnEnd, effects: &mut VecDeque<Effect>) {
        let message = self.finish_message(effects);
        effects.extend(message.map(AgentEvent::AssistantMessage).map(Effect::Emit));
        effects.push_back(Effect::Emit(AgentEvent::Ended(end)));
        self.over = true;
    }

    /// Ends what streams, says what it cost, and takes the message out.
    fn finish_message(&mut self, effects: &mut VecDeque<Effect>) -> Option<HistoryMessage> {
        if self.draft.close() {
            effects.push_back(Effect::Emit(AgentEvent::BlockEnd));
        }
        effects.extend(self.usage.take().map(AgentEvent::Usage).map(Effect::Emit));
        self.draft.take()
    }

    fn checkpoint(&self) -> Checkpoint {
        // A state has string keys and plain numbers only, which is always JSON.
        Checkpoint(serde_json::to_value(self).unwrap_or_default())
    }
}
