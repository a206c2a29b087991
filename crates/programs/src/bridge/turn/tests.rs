//! Walks of a turn through its phases, without a process.

use std::collections::VecDeque;
use std::time::Duration;

use parlor_agent::{AgentError, AgentEvent, ProposedCall, Reply, ToolOutcome, TurnOutcome};
use serde_json::{Map, Value};
use uuid::Uuid;

use super::effect::{Effect, Input, Timeout, Waits};
use super::step::TurnState;
use crate::bridge::child::Exit;
use crate::cli_session::SuspendedTurn;
use crate::dialect::{DeferredCall, Output};

const MOST_BYTES: usize = 100;
const COMPLETE: TurnOutcome = TurnOutcome::Complete { cut_off: false };

struct Walk {
    state: TurnState,
}

impl Walk {
    /// A turn whose message was told to a process.
    fn told(resumes: bool) -> Self {
        let mut walk = Self { state: TurnState::new(false, MOST_BYTES) };
        assert_eq!(walk.step(Input::ProcessIsFree), [Effect::Tell]);
        assert!(walk.step(Input::Started { resumes }).is_empty());
        walk
    }

    /// A turn of a message that waits for a person, without a process.
    fn suspended() -> Self {
        Self::told(false).suspend(false)
    }

    /// A turn that waits for a person after a restart of the server.
    fn resumed(message_pending: bool) -> Self {
        let from = SuspendedTurn { call: call(), message_pending };
        Self { state: TurnState::resumed(from, MOST_BYTES) }.ask(message_pending)
    }

    /// The program defers a call and asks about it.
    fn suspend(mut self, message_pending: bool) -> Self {
        let effects = self.step(Input::Output(Output::Deferred(call())));
        assert_eq!(effects, [Effect::EndProcess, Effect::Continue(call())]);
        self.step(Input::Started { resumes: true });
        self.ask(message_pending)
    }

    /// The question about the deferred call suspends the turn.
    fn ask(mut self, message_pending: bool) -> Self {
        let effects = self.step(Input::Output(Output::Durable(call())));
        let suspended = SuspendedTurn { call: call(), message_pending };
        assert_eq!(effects, [Effect::Checkpoint(Some(suspended))]);
        let effects = self.step(Input::Output(proposes("call")));
        assert_eq!(effects, [Effect::Suspend, Effect::Emit(question("call", false))]);
        assert_eq!(self.state.waits(false), Some(Waits::WithoutProcess));
        self
    }

    /// The deferred call is approved and made, and what it was a part of ends.
    fn call_made(&mut self) {
        self.step(Input::Answer("call".to_owned(), yes()));
        self.step(Input::Started { resumes: true });
        self.step(Input::Output(proposes("call")));
        assert!(self.step(Input::Output(Output::Over(COMPLETE))).is_empty());
    }

    fn step(&mut self, input: Input) -> Vec<Effect> {
        let mut effects = VecDeque::new();
        self.state.handle(input, &mut effects);
        effects.into()
    }

    fn outcome(self) -> (TurnOutcome, bool) {
        assert_eq!(self.state.waits(true), None, "the turn is over");
        self.state.into_outcome()
    }
}

fn call() -> DeferredCall {
    DeferredCall { call: "call".to_owned(), state: Value::Null }
}

fn question(id: &str, ends_with_agent: bool) -> AgentEvent {
    AgentEvent::Proposes(Box::new(ProposedCall {
        id: id.to_owned(),
        name: "Write".to_owned(),
        input: Map::new(),
        tool: None,
        description: None,
        preview: None,
        ends_with_agent,
        caveats: Vec::new(),
    }))
}

fn proposes(id: &str) -> Output {
    Output::Event(question(id, false))
}

fn yes() -> Reply {
    Reply::Run { arguments: Map::new(), run: Uuid::nil() }
}

fn exited(has_spoken: bool) -> Input {
    Input::Exited { exit: Exit::Ended("why".to_owned()), has_spoken }
}

fn lost(why: &str) -> TurnOutcome {
    TurnOutcome::Failed(AgentError::Lost(why.to_owned()))
}

#[test]
fn a_message_is_told_once_the_program_has_finished_what_it_began() {
    let mut walk = Walk { state: TurnState::new(false, MOST_BYTES) };
    assert_eq!(walk.state.waits(true), Some(Waits::ForProcess));
    assert!(walk.step(Input::Output(Output::Over(COMPLETE))).is_empty());
    assert_eq!(walk.state.waits(false), Some(Waits::ForNothing));
    assert_eq!(walk.step(Input::ProcessIsFree), [Effect::Tell]);
    walk.step(Input::Output(Output::Over(COMPLETE)));
    assert_eq!(walk.outcome(), (COMPLETE, false));
}

/// B-1, P-9: what the program began by itself may defer a call. The message is told after it,
/// also if the server restarts while the call waits for a person.
#[test]
fn a_message_is_told_after_a_call_that_was_deferred_before_it() {
    let unprompted = Walk { state: TurnState::new(false, MOST_BYTES) };
    for mut walk in [unprompted.suspend(true), Walk::resumed(true)] {
        walk.call_made();
        assert_eq!(walk.state.waits(false), Some(Waits::ForNothing));
        assert_eq!(walk.step(Input::ProcessIsFree), [Effect::Tell]);
        // From here on it is not told again.
        let mut walk = walk.suspend(false);
        walk.call_made();
        assert_eq!(walk.outcome(), (COMPLETE, false));
    }
}

/// B-1, P-9: a message that was told is not told again after a restart, and an agent-initiated
/// turn has none.
#[test]
fn a_resumed_turn_tells_nothing_that_is_not_pending() {
    let agent_initiated = Walk { state: TurnState::new(true, MOST_BYTES) };
    for mut walk in [Walk::suspended(), agent_initiated.suspend(false), Walk::resumed(false)] {
        walk.call_made();
        assert_eq!(walk.outcome(), (COMPLETE, false));
    }
}

#[test]
fn an_agent_initiated_turn_tells_nothing() {
    let mut walk = Walk { state: TurnState::new(true, MOST_BYTES) };
    assert!(walk.step(Input::ProcessIsFree).is_empty());
    assert_eq!(walk.outcome(), (COMPLETE, false));
    let cut_off = TurnOutcome::Complete { cut_off: true };
    let mut walk = Walk { state: TurnState::new(true, MOST_BYTES) };
    walk.step(Input::Output(Output::Over(cut_off.clone())));
    assert_eq!(walk.outcome(), (cut_off, false));
}

#[test]
fn a_turn_that_finds_no_slot_is_queued_until_it_gets_one() {
    let mut walk = Walk { state: TurnState::new(false, MOST_BYTES) };
    walk.step(Input::ProcessIsFree);
    assert_eq!(walk.step(Input::NoSlot), [Effect::Emit(AgentEvent::Queued)]);
    assert_eq!(walk.state.waits(false), Some(Waits::WithoutProcess));
    assert!(walk.step(Input::Answer("call".to_owned(), yes())).is_empty());
    assert_eq!(walk.step(Input::SlotGranted), [Effect::Tell]);
    walk.step(Input::NoSlot);
    walk.step(Input::Stop);
    assert_eq!(walk.outcome(), (TurnOutcome::Stopped, false));
}

/// P-9: the answer goes to the process that asks again, and from then on the turn cannot be
/// resumed.
#[test]
fn an_answer_starts_a_process_that_asks_again_and_gets_it() {
    let mut walk = Walk::suspended();
    assert!(walk.step(Input::PersonAsked("call".to_owned())).is_empty());
    assert!(walk.step(Input::Answer("another".to_owned(), yes())).is_empty());
    let effects = walk.step(Input::Answer("call".to_owned(), yes()));
    assert_eq!(effects, [Effect::Continue(call())]);
    assert_eq!(walk.step(Input::NoSlot), [Effect::Emit(AgentEvent::Queued)]);
    assert_eq!(walk.step(Input::SlotGranted), [Effect::Continue(call())]);
    walk.step(Input::Started { resumes: true });
    assert!(walk.step(Input::Output(Output::Durable(call()))).is_empty(), "it is known");
    let effects = walk.step(Input::Output(proposes("call")));
    let answer = Effect::Answer { id: "call".to_owned(), reply: yes(), person_asked: true };
    assert_eq!(effects, [Effect::Checkpoint(None), answer]);
    walk.step(exited(true));
    assert_eq!(walk.outcome(), (lost("why"), false));
}

/// P-9: a process that exits before it has the answer is replaced, a few times.
#[test]
fn a_process_without_the_answer_is_replaced() {
    let mut walk = Walk::suspended();
    walk.step(Input::Answer("call".to_owned(), yes()));
    for _ in 0..2 {
        walk.step(Input::Started { resumes: true });
        assert_eq!(walk.step(exited(false)), [Effect::Continue(call())]);
    }
    walk.step(Input::Started { resumes: true });
    assert!(walk.step(exited(false)).is_empty());
    assert_eq!(walk.outcome(), (lost("why"), false));
}

#[test]
fn a_call_that_the_program_made_by_its_own_rules_is_no_longer_waited_for() {
    let mut walk = Walk::told(false);
    walk.step(Input::Output(Output::Deferred(call())));
    assert!(walk.state.has_deferred_call());
    let ended = AgentEvent::CallEnded {
        call: "call".to_owned(),
        tool: "Write".to_owned(),
        outcome: ToolOutcome::NotRun("no".to_owned()),
        read: true,
    };
    let effects = walk.step(Input::Output(Output::Event(ended.clone())));
    assert_eq!(effects, [Effect::Emit(ended)]);
    assert!(!walk.state.has_deferred_call());
}

#[test]
fn other_questions_are_lost_with_their_process() {
    let mut walk = Walk::told(false);
    let effects = walk.step(Input::Output(proposes("other")));
    assert_eq!(effects, [Effect::Emit(question("other", true))]);
    let effects = walk.step(Input::Answer("other".to_owned(), yes()));
    let answer = Effect::Answer { id: "other".to_owned(), reply: yes(), person_asked: false };
    assert_eq!(effects, [answer]);
}

#[test]
fn a_stop_interrupts_the_process_and_gives_it_a_moment() {
    let mut walk = Walk::told(false);
    assert_eq!(walk.step(Input::Stop), [Effect::Interrupt]);
    assert!(walk.step(Input::Stop).is_empty());
    walk.step(Input::TimedOut(Timeout::Stop));
    assert_eq!(walk.outcome(), (TurnOutcome::Stopped, true));
    // It may have finished in that moment.
    let mut walk = Walk::told(false);
    walk.step(Input::Stop);
    walk.step(Input::Output(Output::Over(COMPLETE)));
    assert_eq!(walk.outcome(), (COMPLETE, false));
    // A stopped turn asks nothing.
    let mut walk = Walk::told(false);
    walk.step(Input::Output(Output::Deferred(call())));
    walk.step(Input::Stop);
    assert_eq!(walk.step(Input::Output(proposes("call"))), [Effect::Suspend]);
    assert_eq!(walk.outcome(), (TurnOutcome::Stopped, false));
    let mut walk = Walk::suspended();
    assert!(walk.step(Input::Stop).is_empty());
    assert_eq!(walk.outcome(), (TurnOutcome::Stopped, false));
}

#[test]
fn a_process_that_does_not_know_its_cli_session_is_replaced_once() {
    let afresh = [Effect::EndProcess, Effect::ForgetCliSession, Effect::Tell];
    let mut walk = Walk::told(true);
    assert_eq!(walk.step(Input::Output(Output::NoSuchCliSession)), afresh);
    let mut walk = Walk::told(true);
    assert_eq!(walk.step(exited(false)), afresh);
    walk.step(Input::Started { resumes: false });
    walk.step(exited(false));
    let not_started = TurnOutcome::Failed(AgentError::NotStarted("why".to_owned()));
    assert_eq!(walk.outcome(), (not_started, false));
    // A stopped turn starts nothing.
    let mut walk = Walk::told(true);
    walk.step(Input::Stop);
    assert!(walk.step(Input::Output(Output::NoSuchCliSession)).is_empty());
    assert_eq!(walk.outcome(), (TurnOutcome::Stopped, true));
}

#[test]
fn faults_end_the_turn_and_its_process() {
    let minute = Duration::from_secs(60);
    for (input, error) in [
        (Input::Wrote(MOST_BYTES + 1), "it wrote more than 100 bytes in one turn"),
        (Input::Broken("not JSON".to_owned()), "not JSON"),
        (Input::TimedOut(Timeout::FirstMessage(minute)), "it said nothing within 60s"),
        (Input::TimedOut(Timeout::Turn(minute)), "took longer than 60 s"),
        (Input::ServerStops, "the server is stopping"),
        (Input::NotStarted("no such file".to_owned()), "no such file"),
    ] {
        let mut walk = Walk::told(false);
        assert!(walk.step(Input::Wrote(MOST_BYTES)).is_empty());
        assert!(walk.state.waits(true).is_some());
        let mut walk = Walk::told(false);
        walk.step(input);
        let (TurnOutcome::Failed(failed), true) = walk.outcome() else { panic!("{error}") };
        assert!(failed.to_string().contains(error), "{failed}");
    }
    let mut walk = Walk::told(false);
    walk.step(Input::RunnerGone);
    assert_eq!(walk.outcome(), (TurnOutcome::Stopped, true));
    let mut walk = Walk::suspended();
    walk.step(Input::RunnerGone);
    assert_eq!(walk.outcome(), (TurnOutcome::Stopped, false));
}

/// The process asks about a call that another process could be told the answer of.
fn asking() -> Walk {
    let mut walk = Walk::told(false);
    let effects = walk.step(Input::Output(Output::Resumable(call())));
    let suspended = SuspendedTurn { call: call(), message_pending: false };
    assert_eq!(effects, [Effect::Checkpoint(Some(suspended))]);
    let effects = walk.step(Input::Output(proposes("call")));
    assert_eq!(effects, [Effect::Emit(question("call", false))]);
    assert_eq!(walk.state.waits(true), Some(Waits::ForProcess));
    walk
}

/// P-9: a process is not kept while a person takes time to answer; the answer starts another one.
#[test]
fn a_process_that_asks_a_person_is_killed() {
    let mut walk = asking();
    assert!(!walk.state.asks_person());
    assert!(walk.step(Input::PersonAsked("call".to_owned())).is_empty());
    assert!(walk.state.asks_person());
    assert_eq!(walk.step(Input::TimedOut(Timeout::Answer)), [Effect::Suspend]);
    assert_eq!(walk.state.waits(false), Some(Waits::WithoutProcess));
    let effects = walk.step(Input::Answer("call".to_owned(), yes()));
    assert_eq!(effects, [Effect::Continue(call())]);
    walk.step(Input::Started { resumes: true });
    let answer = Effect::Answer { id: "call".to_owned(), reply: yes(), person_asked: true };
    let effects = walk.step(Input::Output(proposes("call")));
    assert_eq!(effects, [Effect::Checkpoint(None), answer]);
}

/// A reply that needs no person, or comes at once, goes to the process that asked.
#[test]
fn a_reply_that_comes_at_once_goes_to_the_process() {
    for by_person in [true, false] {
        let mut walk = asking();
        if by_person {
            walk.step(Input::PersonAsked("call".to_owned()));
        }
        let answer = Effect::Answer { id: "call".to_owned(), reply: yes(), person_asked: false };
        let effects = walk.step(Input::Answer("call".to_owned(), yes()));
        assert_eq!(effects, [Effect::Checkpoint(None), answer]);
        walk.step(Input::Output(Output::Over(COMPLETE)));
        assert_eq!(walk.outcome(), (COMPLETE, false));
    }
}

/// A process that dies with its question leaves the question open; a stop interrupts it.
#[test]
fn a_question_outlives_its_process_but_not_a_stop() {
    let mut walk = asking();
    assert!(walk.step(exited(true)).is_empty());
    assert_eq!(walk.state.waits(false), Some(Waits::WithoutProcess));
    let effects = walk.step(Input::Answer("call".to_owned(), yes()));
    assert_eq!(effects, [Effect::Continue(call())]);
    let mut walk = asking();
    assert_eq!(walk.step(Input::Stop), [Effect::Interrupt]);
    walk.step(Input::Output(Output::Over(TurnOutcome::Stopped)));
    assert_eq!(walk.outcome(), (TurnOutcome::Stopped, false));
}
