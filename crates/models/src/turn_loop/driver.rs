//! The turn runner of the built-in loop: carries out what `step` decides.
//!
//! Polling it does, in this order:
//! 1. The effects that are due, one after the other; one that is meant for the
//!    caller is yielded, and the rest waits for the next poll. So a request that
//!    comes after a checkpoint, or after the word that the model is asked, is not made before
//!    the caller asks for more.
//! 2. If none is due, it polls what is open, a request, a call or a wait, and
//!    gives the outcome to `step`. While a reply is waited for, nothing is open.

use std::collections::VecDeque;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker, ready};

use futures_core::Stream;
use parlor_agent::tools::{ElicitationReply, ToolEvent, ToolOutcome, ToolStream};
use parlor_agent::{
    AgentEvent, Answer, AskedBy, ClientCall, HistoryMessage, ModelError, PromptRequest,
    ProposedCall, Reply, TurnContext, TurnOutcome, TurnRunner, TurnStart,
};
use parlor_protocol::{ConversationId, PromptDraft, PromptType};
use serde_json::Value;
use tokio::sync::oneshot;
use tokio::time::{Sleep, sleep};

use super::step::{Effect, Input, LoopState};
use super::{Toolbox, ask_user, calls};
use crate::client::{ModelClient, ModelEvent, ModelRequest, ModelStream};
use crate::turn_loop::LoopLimits;

/// Takes the turns of a conversation with a model.
pub(super) struct LoopRunner {
    llm: Arc<dyn ModelClient>,
    /// Those of the project.
    all_tools: Toolbox,
    /// Those of the person of the turn.
    tools: Toolbox,
    limits: LoopLimits,
    conversation: ConversationId,
    effects: VecDeque<Effect>,
    /// The turn that runs.
    turn: Option<Turn>,
    /// Polled last; a turn may begin after that.
    waker: Option<Waker>,
}

struct Turn {
    state: LoopState,
    context: TurnContext,
    open: Open,
}

/// What the turn waits for.
enum Open {
    /// For whoever polls: it replies, or the turn is stopped.
    Reply,
    Request(ModelStream),
    Wait(Pin<Box<Sleep>>),
    Call(OpenCall),
}

/// A call that is being made.
struct OpenCall {
    id: String,
    /// The server that is called.
    server: String,
    events: ToolStream,
    /// What the server wants to know right now, and the number of the question.
    question: Option<oneshot::Sender<ElicitationReply>>,
    questions: usize,
}

/// What came of polling.
enum Polled {
    Input(Input),
    Event(AgentEvent),
}

impl LoopRunner {
    pub(super) fn new(
        llm: Arc<dyn ModelClient>,
        all_tools: Toolbox,
        limits: LoopLimits,
        conversation: ConversationId,
    ) -> Self {
        // Of nobody before a turn begins.
        let tools = all_tools.of_person(None);
        let effects = VecDeque::new();
        Self { llm, all_tools, tools, limits, conversation, effects, turn: None, waker: None }
    }

    /// Carries out an effect; what is meant for the caller is given back.
    fn perform(&mut self, effect: Effect) -> Option<AgentEvent> {
        if let Effect::Emit(event) = effect {
            return Some(event);
        }
        // Without a turn: it ended before it came to this.
        let turn = self.turn.as_mut()?;
        match effect {
            Effect::Emit(event) => return Some(event),
            Effect::Remember(message) => turn.context.history.push(message),
            Effect::AskModel => {
                let (round, attempt) = turn.state.position();
                tracing::debug!(
                    conversation = %self.conversation,
                    mode = ?turn.context.mode,
                    round,
                    attempt,
                    "asking the model"
                );
                let list = self.tools.list();
                turn.open = Open::Request(self.llm.stream(&ModelRequest {
                    system_prompt: turn.context.system_prompt.as_deref(),
                    history: &turn.context.history,
                    tools: &self.tools.specs(&list, &turn.context.client_tools),
                }));
            }
            Effect::Wait(delay) => turn.open = Open::Wait(Box::pin(sleep(delay))),
            Effect::Propose(call) => {
                turn.open = Open::Reply;
                return Some(self.propose(call));
            }
            Effect::Amend { id, arguments } => {
                let mut newest_first = turn.context.history.iter_mut().rev();
                let _found = newest_first.any(|message| message.amend_call(&id, &arguments));
            }
            Effect::MakeCall { id, call } => {
                let server = self.tools.find(&call.tool).map(|tool| tool.server);
                turn.open = Open::Call(OpenCall {
                    id,
                    server: server.unwrap_or_default(),
                    events: self.tools.call(call),
                    question: None,
                    questions: 0,
                });
            }
        }
        None
    }

    /// The event that asks for the reply to a call.
    fn propose(&self, call: calls::Call) -> AgentEvent {
        if self.tools.can_ask() && call.name == ask_user::NAME {
            return match ask_user::draft(&call.input) {
                Ok(draft) => {
                    let (id, from) = (call.id, AskedBy::Agent);
                    let ask = PromptRequest { id, from, draft, ends_with_agent: false };
                    AgentEvent::Asks(Box::new(ask))
                }
                Err(why) => {
                    let why = format!("The person was not asked: {why}. Try again.");
                    not_run(call.id, call.name, why)
                }
            };
        }
        let tool = self.tools.find(&call.name);
        let context = self.turn.as_ref().map(|turn| &turn.context);
        let mode = context.map(|context| context.mode).unwrap_or_default();
        let of_client = context.map_or(&[][..], |context| &context.client_tools);
        if tool.is_none() && of_client.iter().any(|tool| tool.name == call.name) {
            return match calls::for_client(&call, mode) {
                Ok(input) => {
                    let (id, name) = (call.id, call.name);
                    AgentEvent::CallsClient(Box::new(ClientCall { id, name, input }))
                }
                Err(why) => not_run(call.id, call.name, why),
            };
        }
        match calls::admissible(&call, tool.as_ref(), mode) {
            Ok(input) => AgentEvent::Proposes(Box::new(ProposedCall {
                id: call.id,
                name: call.name,
                input,
                tool,
                description: None,
                preview: None,
                ends_with_agent: false,
                caveats: Vec::new(),
            })),
            Err(why) => not_run(call.id, call.name, why),
        }
    }

    fn handle(&mut self, input: Input) {
        let Some(turn) = &mut self.turn else { return };
        let input = match input {
            // It was about something else: there is no picture.
            Input::ModelFailed(ModelError::PictureRefused(said))
                if !turn.context.history.iter().any(HistoryMessage::has_picture) =>
            {
                Input::ModelFailed(ModelError::BadRequest(said))
            }
            input => input,
        };
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

impl TurnRunner for LoopRunner {
    fn begin(&mut self, start: TurnStart) {
        self.stop();
        let (context, state) = match start {
            // A model begins no turn by itself.
            TurnStart::AgentInitiated(_) => {
                let end = AgentEvent::Ended(TurnOutcome::Complete { cut_off: false });
                self.effects.push_back(Effect::Emit(end));
                return self.wake();
            }
            TurnStart::Message(context) => (context, Ok(LoopState::begin(&mut self.effects))),
            TurnStart::Resume(context, checkpoint) => {
                (context, LoopState::resume(checkpoint, &mut self.effects))
            }
        };
        match state {
            Ok(state) => {
                self.tools = self.all_tools.of_person(context.person);
                self.turn = Some(Turn { state, context, open: Open::Reply });
            }
            Err(error) => {
                let end = AgentEvent::Ended(TurnOutcome::Failed(error));
                self.effects.push_back(Effect::Emit(end));
            }
        }
        self.wake();
    }

    fn answer(&mut self, id: &str, reply: Reply) {
        let id = id.to_owned();
        match reply {
            Reply::Run { arguments, run } => self.handle(Input::Run { id, arguments, run }),
            Reply::Result { content, is_error } => {
                self.handle(Input::Settled { id, content, is_error });
            }
            Reply::Answer(answer) => {
                if let Some(Turn { open: Open::Call(call), .. }) = &mut self.turn {
                    call.answer(&id, answer);
                } else {
                    let (content, is_error) = calls::result_of(answer);
                    self.handle(Input::Settled { id, content, is_error });
                }
            }
        }
        self.wake();
    }

    fn stop(&mut self) {
        if self.turn.is_some() {
            // What was decided and not done yet is not done any more.
            self.effects.retain(|effect| match effect {
                Effect::Emit(event) => {
                    !matches!(event, AgentEvent::Checkpoint(_) | AgentEvent::CallsModel)
                }
                Effect::Remember(_)
                | Effect::AskModel
                | Effect::Wait(_)
                | Effect::Propose(_)
                | Effect::Amend { .. }
                | Effect::MakeCall { .. } => false,
            });
            self.handle(Input::Stop);
            self.wake();
        }
    }
}

impl Stream for LoopRunner {
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
            match ready!(turn.open.poll(cx)) {
                // Nearly every event is this one: there is nothing to decide.
                Polled::Input(Input::Model(ModelEvent::Text(text))) if turn.state.continues() => {
                    turn.state.continue_text(&text);
                    return Poll::Ready(Some(AgentEvent::Text(text)));
                }
                Polled::Input(input) => self.handle(input),
                Polled::Event(event) => return Poll::Ready(Some(event)),
            }
        }
    }
}

impl Open {
    fn poll(&mut self, cx: &mut Context<'_>) -> Poll<Polled> {
        Poll::Ready(Polled::Input(match self {
            Self::Request(answer) => match ready!(answer.as_mut().poll_next(cx)) {
                Some(Ok(event)) => Input::Model(event),
                Some(Err(error)) => Input::ModelFailed(error),
                None => {
                    let why = "it ended without its end marker".to_owned();
                    Input::ModelFailed(ModelError::Interrupted(why))
                }
            },
            Self::Wait(timer) => {
                ready!(timer.as_mut().poll(cx));
                Input::WaitOver
            }
            Self::Call(call) => {
                let polled = ready!(call.poll(cx));
                if let Polled::Input(_) = polled {
                    *self = Self::Reply;
                }
                return Poll::Ready(polled);
            }
            Self::Reply => return Poll::Pending,
        }))
    }
}

impl OpenCall {
    fn poll(&mut self, cx: &mut Context<'_>) -> Poll<Polled> {
        let outcome = match ready!(self.events.as_mut().poll_next(cx)) {
            Some(ToolEvent::Elicitation { message, schema, reply }) => {
                self.question = Some(reply);
                self.questions += 1;
                return Poll::Ready(Polled::Event(self.ask(message, schema)));
            }
            Some(ToolEvent::Progress(progress)) => {
                let call = self.id.clone();
                return Poll::Ready(Polled::Event(AgentEvent::Progress { call, progress }));
            }
            Some(ToolEvent::Done(outcome)) => outcome,
            None => ToolOutcome::Unknown("the call ended without an answer".to_owned()),
        };
        Poll::Ready(Polled::Input(Input::CallEnded { id: self.id.clone(), outcome }))
    }

    fn ask(&self, message: String, schema: Value) -> AgentEvent {
        let mut draft = PromptDraft::bare(PromptType::Form, message);
        draft.schema = Some(schema);
        AgentEvent::Asks(Box::new(PromptRequest {
            id: self.question_id(),
            from: AskedBy::Server(self.server.clone()),
            draft,
            ends_with_agent: false,
        }))
    }

    fn answer(&mut self, id: &str, answer: Answer) {
        if id != self.question_id() {
            return;
        }
        let reply = match answer {
            Answer::Given(value) => ElicitationReply::Accept(value),
            Answer::Refused(_) => ElicitationReply::Decline,
            Answer::Expired => ElicitationReply::Cancel,
        };
        if let Some(question) = self.question.take() {
            // A server that no longer waits has ended its call, which comes next.
            let _received = question.send(reply);
        }
    }

    /// Questions of a call are told apart by their number.
    fn question_id(&self) -> String {
        format!("{}/{}", self.id, self.questions)
    }
}

fn not_run(call: String, tool: String, why: String) -> AgentEvent {
    AgentEvent::CallEnded { call, tool, outcome: ToolOutcome::NotRun(why), read: false }
}
