//! The session of the built-in loop: carries out what `step` decides.
//!
//! Polling it does, in this order:
//! 1. The effects that are due, one after the other; one that is meant for the
//!    caller is yielded, and the rest waits for the next poll. So a request that
//!    comes after a checkpoint is not made before the caller asks for more.
//! 2. If none is due, it polls what is open, a request or a wait, and gives the
//!    outcome to `step`.

use std::collections::VecDeque;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker, ready};

use futures_core::Stream;
use parlor_protocol::ConversationId;
use tokio::time::{Sleep, sleep};

use super::LoopLimits;
use super::step::{Effect, Input, LoopState};
use crate::agent::{AgentEvent, AgentSession, TurnContext, TurnEnd, TurnStart};
use crate::llm::{Llm, LlmError, LlmRequest, LlmStream};

/// A conversation with a model.
pub(super) struct LoopSession {
    llm: Arc<dyn Llm>,
    limits: LoopLimits,
    conversation: ConversationId,
    effects: VecDeque<Effect>,
    /// The turn that runs.
    turn: Option<Turn>,
    /// Who polled last; a turn may begin after that.
    waker: Option<Waker>,
}

struct Turn {
    state: LoopState,
    context: TurnContext,
    open: Open,
}

/// What the turn waits for.
enum Open {
    Nothing,
    Request(LlmStream),
    Wait(Pin<Box<Sleep>>),
}

impl LoopSession {
    pub(super) fn new(llm: Arc<dyn Llm>, limits: LoopLimits, conversation: ConversationId) -> Self {
        Self { llm, limits, conversation, effects: VecDeque::new(), turn: None, waker: None }
    }

    /// Carries out an effect; what is meant for the caller is given back.
    fn perform(&mut self, effect: Effect) -> Option<AgentEvent> {
        match (effect, &mut self.turn) {
            (Effect::Emit(event), _) => return Some(event),
            (Effect::Remember(message), Some(turn)) => turn.context.history.push(message),
            (Effect::AskModel, Some(turn)) => {
                let (round, attempt) = turn.state.position();
                tracing::debug!(
                    conversation = %self.conversation,
                    mode = ?turn.context.mode,
                    round,
                    attempt,
                    "asking the model"
                );
                turn.open = Open::Request(self.llm.stream(&LlmRequest {
                    system_prompt: turn.context.system_prompt.as_deref(),
                    history: &turn.context.history,
                    tools: &[],
                }));
            }
            (Effect::Wait(delay), Some(turn)) => turn.open = Open::Wait(Box::pin(sleep(delay))),
            // The turn ended before it came to this.
            (Effect::Remember(_) | Effect::AskModel | Effect::Wait(_), None) => {}
        }
        None
    }

    fn handle(&mut self, input: Input) {
        let Some(turn) = &mut self.turn else { return };
        turn.state.handle(input, &self.limits, &mut self.effects);
        if turn.state.is_over() {
            // This closes the connection; what is left to say is in the effects.
            self.turn = None;
        }
    }

    fn wake(&mut self) {
        if let Some(waker) = self.waker.take() {
            waker.wake();
        }
    }
}

impl AgentSession for LoopSession {
    fn begin(&mut self, start: TurnStart) {
        self.stop();
        let (context, state) = match start {
            TurnStart::Message(context) => (context, Ok(LoopState::begin(&mut self.effects))),
            TurnStart::Resume(context, checkpoint) => {
                (context, LoopState::resume(checkpoint, &mut self.effects))
            }
        };
        match state {
            Ok(state) => self.turn = Some(Turn { state, context, open: Open::Nothing }),
            Err(error) => {
                let end = AgentEvent::Ended(TurnEnd::Failed(error));
                self.effects.push_back(Effect::Emit(end));
            }
        }
        self.wake();
    }

    fn stop(&mut self) {
        if self.turn.is_some() {
            // What was decided and not done yet is not done any more.
            self.effects.retain(|effect| match effect {
                Effect::Emit(event) => !matches!(event, AgentEvent::Checkpoint(_)),
                Effect::Remember(_) | Effect::AskModel | Effect::Wait(_) => false,
            });
            self.handle(Input::Stop);
            self.wake();
        }
    }
}

impl Stream for LoopSession {
    type Item = AgentEvent;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<AgentEvent>> {
        loop {
            while let Some(effect) = self.effects.pop_front() {
                if let Some(event) = self.perform(effect) {
                    return Poll::Ready(Some(event));
                }
            }
            if !self.waker.as_ref().is_some_and(|waker| waker.will_wake(cx.waker())) {
                self.waker = Some(cx.waker().clone());
            }
            let Some(turn) = &mut self.turn else { return Poll::Pending };
            let input = ready!(turn.open.poll(cx));
            self.handle(input);
        }
    }
}

impl Open {
    fn poll(&mut self, cx: &mut Context<'_>) -> Poll<Input> {
        let broken = |why: &str| Input::ModelFailed(LlmError::Interrupted(why.to_owned()));
        Poll::Ready(match self {
            Self::Request(answer) => match ready!(answer.as_mut().poll_next(cx)) {
                Some(Ok(event)) => Input::Model(event),
                Some(Err(error)) => Input::ModelFailed(error),
                None => broken("it ended without its end marker"),
            },
            Self::Wait(timer) => {
                ready!(timer.as_mut().poll(cx));
                Input::WaitOver
            }
            // Ending the turn is better than waiting for nothing.
            Self::Nothing => broken("no request is open"),
        })
    }
}
