//! What to do next in a turn. Pure: inputs in, effects out.
//!
//! A turn is a number of rounds. In each the model is asked, and its answer is passed on
//! and collected. How a round ends decides:
//! - the model is finished, or reached its limit: the turn is complete;
//! - it paused: its message is kept, and the next round begins;
//! - it calls tools: its message is kept, the calls are proposed and made one after the
//!   other ([`super::calls`]), and the next round begins with their results;
//! - it failed before anything was shown: the same round is tried again, after
//!   the wait that the vendor asks for; afterwards, or too often, the turn fails;
//! - it declined: the message of this round is withheld, and the turn fails;
//! - it was stopped.
//!
//! Every other message is kept in every case, and every turn ends exactly once.

use std::collections::VecDeque;
use std::time::Duration;

use parlor_agent::tools::{ToolCall, ToolOutcome};
use parlor_agent::{
    AgentError, AgentEvent, Checkpoint, ContentBlock, HistoryMessage, ModelError, TurnOutcome,
    Usage,
};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use uuid::Uuid;

use super::LoopLimits;
use super::calls::{Call, Calls};
use super::draft::Draft;
use crate::client::{ModelEvent, StopReason};

/// What happened.
#[derive(Debug, Clone)]
pub(super) enum Input {
    /// The model said something.
    Model(ModelEvent),
    /// The model could not be asked, or broke off.
    ModelFailed(ModelError),
    /// The wait is over.
    WaitOver,
    /// A call may be made.
    Run { id: String, arguments: Map<String, Value>, run: Uuid },
    /// A call that is made is over, or one that is proposed cannot be made.
    CallEnded { id: String, outcome: ToolOutcome },
    /// The result of a call, for the model.
    Settled { id: String, content: Vec<ContentBlock>, is_error: bool },
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
    /// Propose this call, if it can be made at all.
    Propose(Call),
    /// A call of the newest message runs with these arguments instead of the model's.
    Amend { id: String, arguments: Map<String, Value> },
    /// Make this call.
    MakeCall { id: String, call: ToolCall },
    /// Wait, and say when it is over.
    Wait(Duration),
}

/// The state of a turn.
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
    /// The calls of the message before, while they are made.
    #[serde(default)]
    calls: Calls,
    over: bool,
}

impl LoopState {
    /// A turn that begins.
    pub(super) fn begin(effects: &mut VecDeque<Effect>) -> Self {
        ask_model(effects);
        Self {
            round: 1,
            attempt: 1,
            shown: false,
            draft: Draft::default(),
            usage: None,
            calls: Calls::default(),
            over: false,
        }
    }

    /// A turn that is resumed from a checkpoint.
    pub(super) fn resume(
        checkpoint: Checkpoint,
        effects: &mut VecDeque<Effect>,
    ) -> Result<Self, AgentError> {
        let mut state: Self = serde_json::from_value(checkpoint.0)
            .map_err(|error| AgentError::CannotResume(error.to_string()))?;
        if state.over {
            return Err(AgentError::CannotResume("the turn was over".into()));
        }
        state.calls.interrupted();
        state.go_on(effects);
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
            // While calls are settled the model is not asked, so it says nothing.
            Input::Model(_) | Input::ModelFailed(_) | Input::WaitOver
                if self.calls.current().is_some() => {}
            Input::Model(event) => self.model(event, limits, effects),
            Input::ModelFailed(error) => self.failed(error, limits, effects),
            Input::WaitOver => ask_model(effects),
            Input::Run { id, arguments, run } => self.make_call(id, arguments, run, effects),
            Input::CallEnded { id, outcome } => {
                if let Some(current) = self.calls.current().filter(|call| call.id == id) {
                    let tool = current.name.clone();
                    let ended = AgentEvent::CallEnded { call: id, tool, outcome, read: false };
                    effects.push_back(Effect::Emit(ended));
                }
            }
            Input::Settled { id, content, is_error } => {
                if self.calls.is_current(&id) {
                    self.calls.settle(content, is_error);
                    self.after_call(effects);
                }
            }
            Input::Stop => self.end(TurnOutcome::Stopped, effects),
        }
    }

    /// Whether the next piece of text only continues one that is open and shown.
    pub(super) fn continues(&self) -> bool {
        !self.over && self.shown && self.calls.current().is_none() && self.draft.is_text()
    }

    /// Takes such a piece, which is only passed on.
    pub(super) fn continue_text(&mut self, piece: &str) {
        self.draft.text(piece);
    }

    fn model(&mut self, event: ModelEvent, limits: &LoopLimits, effects: &mut VecDeque<Effect>) {
        let (ended, shown) = match event {
            ModelEvent::Text(text) => (self.draft.text(&text), Some(AgentEvent::Text(text))),
            ModelEvent::Thinking(text) => {
                (self.draft.thinking(&text), Some(AgentEvent::Thinking(text)))
            }
            ModelEvent::Signature(piece) => (self.draft.sign(&piece), None),
            ModelEvent::BlockEnd => (self.draft.close(), None),
            ModelEvent::ContentBlock(block) => (self.draft.push(block), None),
            ModelEvent::Usage(usage) => {
                self.usage = Some(usage);
                (false, None)
            }
            ModelEvent::Stop(reason) => return self.round_end(reason, limits, effects),
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
        let last_round = self.round >= limits.max_rounds;
        let end = match reason {
            // Some servers say that they are finished although they call tools.
            StopReason::EndTurn | StopReason::ToolUse if self.draft.has_calls() => {
                if !last_round {
                    return self.begin_calls(effects);
                }
                TurnOutcome::Failed(AgentError::TooManyRounds(self.round))
            }
            StopReason::EndTurn | StopReason::ToolUse => TurnOutcome::Complete { cut_off: false },
            StopReason::CutOff => TurnOutcome::Complete { cut_off: true },
            StopReason::Declined => {
                self.withhold(effects);
                TurnOutcome::Failed(AgentError::Declined)
            }
            StopReason::Pause if !last_round => return self.next_round(effects),
            StopReason::Pause => TurnOutcome::Failed(AgentError::TooManyRounds(self.round)),
        };
        self.end(end, effects);
    }

    /// What the vendor stopped is neither shown on nor told to the model again.
    fn withhold(&mut self, effects: &mut VecDeque<Effect>) {
        self.finish_block(effects);
        self.draft.take();
        if self.shown {
            effects.push_back(Effect::Emit(AgentEvent::Withheld));
        }
    }

    fn next_round(&mut self, effects: &mut VecDeque<Effect>) {
        self.finish_block(effects);
        if let Some(message) = self.draft.take() {
            effects.push_back(Effect::Remember(message.clone()));
            effects.push_back(Effect::Emit(AgentEvent::AssistantMessage(message)));
        }
        self.ask_again(effects);
    }

    /// Keeps the message with its calls, and proposes the first.
    fn begin_calls(&mut self, effects: &mut VecDeque<Effect>) {
        self.finish_block(effects);
        let message = self.draft.take_with_calls();
        self.calls = Calls::of(&message);
        effects.push_back(Effect::Remember(message.clone()));
        effects.push_back(Effect::Emit(AgentEvent::AssistantMessage(message)));
        effects.push_back(Effect::Emit(AgentEvent::Checkpoint(self.checkpoint())));
        self.go_on(effects);
    }

    fn make_call(
        &mut self,
        id: String,
        arguments: Map<String, Value>,
        run: Uuid,
        effects: &mut VecDeque<Effect>,
    ) {
        let Some(current) = self.calls.current().filter(|call| call.id == id) else { return };
        let amended = !current.has_arguments(&arguments);
        let call = ToolCall { tool: current.name.clone(), arguments, run };
        if !self.calls.is_running() {
            self.calls.started();
            if amended {
                let arguments = call.arguments.clone();
                effects.push_back(Effect::Amend { id: id.clone(), arguments });
            }
            effects.push_back(Effect::MakeCall { id, call });
        }
    }

    /// The next call, or the next round with all results.
    fn after_call(&mut self, effects: &mut VecDeque<Effect>) {
        if self.calls.current().is_some() {
            return self.go_on(effects);
        }
        self.hand_over_results(effects);
        self.ask_again(effects);
    }

    fn hand_over_results(&mut self, effects: &mut VecDeque<Effect>) {
        let results = self.calls.message();
        effects.push_back(Effect::Remember(results.clone()));
        effects.push_back(Effect::Emit(AgentEvent::ToolMessage(results)));
    }

    fn ask_again(&mut self, effects: &mut VecDeque<Effect>) {
        self.round += 1;
        self.attempt = 1;
        self.shown = false;
        effects.push_back(Effect::Emit(AgentEvent::Checkpoint(self.checkpoint())));
        self.go_on(effects);
    }

    /// What comes next between two inputs: a call that is not settled, or the model.
    fn go_on(&self, effects: &mut VecDeque<Effect>) {
        match self.calls.current().cloned() {
            Some(call) => effects.push_back(Effect::Propose(call)),
            None => ask_model(effects),
        }
    }

    fn failed(&mut self, error: ModelError, limits: &LoopLimits, effects: &mut VecDeque<Effect>) {
        let Some(after) = self.retry_delay(&error, limits) else {
            return self.end(TurnOutcome::Failed(error.into()), effects);
        };
        self.finish_block(effects);
        self.draft.take();
        let attempt = self.attempt;
        self.attempt += 1;
        effects.push_back(Effect::Emit(AgentEvent::Retrying { after, attempt, error }));
        effects.push_back(Effect::Wait(after));
    }

    /// In how long to try again; `None` if not. Nothing that was shown is ever
    /// said twice, and a vendor who asks for a longer wait than we are ready for
    /// would only refuse again.
    fn retry_delay(&self, error: &ModelError, limits: &LoopLimits) -> Option<Duration> {
        let passing = match error {
            ModelError::RateLimited { .. }
            | ModelError::Overloaded { .. }
            | ModelError::ServerFailed { .. }
            | ModelError::Unreachable(_)
            | ModelError::Interrupted(_) => true,
            // A person waited long enough for a silent model.
            ModelError::Silent { .. }
            | ModelError::TooLarge { .. }
            | ModelError::WrongKey { .. }
            | ModelError::NotPermitted(_)
            | ModelError::NoCredit(_)
            | ModelError::UnknownModel(_)
            | ModelError::ContextTooLong(_)
            | ModelError::PictureRefused(_)
            | ModelError::BadRequest(_)
            | ModelError::Malformed(_) => false,
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

    fn end(&mut self, end: TurnOutcome, effects: &mut VecDeque<Effect>) {
        self.finish_block(effects);
        let message = self.draft.take();
        effects.extend(message.map(AgentEvent::AssistantMessage).map(Effect::Emit));
        if self.calls.current().is_some() {
            self.calls.give_up();
            self.hand_over_results(effects);
        }
        effects.push_back(Effect::Emit(AgentEvent::Ended(end)));
        self.over = true;
    }

    /// Ends what streams, and says what it cost.
    fn finish_block(&mut self, effects: &mut VecDeque<Effect>) {
        if self.draft.close() {
            effects.push_back(Effect::Emit(AgentEvent::BlockEnd));
        }
        effects.extend(self.usage.take().map(AgentEvent::Usage).map(Effect::Emit));
    }

    fn checkpoint(&self) -> Checkpoint {
        // A state has string keys and plain numbers only, which is always JSON.
        Checkpoint(serde_json::to_value(self).unwrap_or_default())
    }
}

/// The request is made when whoever polls has allowed it, by asking for more.
fn ask_model(effects: &mut VecDeque<Effect>) {
    effects.push_back(Effect::Emit(AgentEvent::CallsModel));
    effects.push_back(Effect::AskModel);
}
