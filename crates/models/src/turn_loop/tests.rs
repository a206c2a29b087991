//! The state of a turn can be written down between any two inputs.

use std::collections::VecDeque;
use std::time::Duration;

use parlor_agent::tools::ToolOutcome;
use parlor_agent::{AgentEvent, ContentBlock, ModelError, TurnOutcome, Usage};
use proptest::prelude::*;
use serde_json::{Map, json};
use uuid::Uuid;

use super::LoopLimits;
use super::step::{Effect, Input, LoopState};
use crate::client::{ModelEvent, StopReason};

const LIMITS: LoopLimits = LoopLimits {
    max_rounds: 3,
    max_attempts: 3,
    retry_delay: Duration::from_secs(1),
    max_retry_delay: Duration::from_secs(30),
};

/// Runs a turn; `keep` is what happens to the state between two inputs.
fn run(inputs: &[Input], keep: impl Fn(LoopState) -> LoopState) -> Vec<Effect> {
    let mut effects = VecDeque::new();
    let mut state = LoopState::begin(&mut effects);
    for input in inputs {
        state.handle(input.clone(), &LIMITS, &mut effects);
        state = keep(state);
    }
    effects.into()
}

fn input() -> impl Strategy<Value = Input> {
    let tool =
        || ContentBlock::ToolUse { id: "t".into(), name: "look".into(), input: json!({"a": 1}) };
    let vendor =
        || ContentBlock::Vendor { vendor: "anthropic".into(), block: json!({"type": "x"}) };
    let usage = || Usage { input_tokens: 3, output_tokens: 4, ..Usage::default() };
    prop_oneof![
        4 => "[a-z ]{1,5}".prop_map(|text| Input::Model(ModelEvent::Text(text))),
        2 => "[a-z ]{1,5}".prop_map(|text| Input::Model(ModelEvent::Thinking(text))),
        1 => Just(Input::Model(ModelEvent::Signature("s".into()))),
        2 => Just(Input::Model(ModelEvent::BlockEnd)),
        1 => Just(Input::Model(ModelEvent::ContentBlock(tool()))),
        1 => Just(Input::Model(ModelEvent::ContentBlock(vendor()))),
        1 => Just(Input::Model(ModelEvent::Usage(usage()))),
        1 => prop_oneof![
            Just(StopReason::EndTurn), Just(StopReason::CutOff), Just(StopReason::ToolUse),
            Just(StopReason::Pause), Just(StopReason::Declined),
        ].prop_map(|reason| Input::Model(ModelEvent::Stop(reason))),
        1 => Just(Input::ModelFailed(ModelError::Overloaded { retry_after: None })),
        1 => Just(Input::ModelFailed(ModelError::BadRequest("no".into()))),
        1 => Just(Input::WaitOver),
        1 => Just(Input::Run { id: "t".into(), arguments: Map::new(), run: Uuid::nil() }),
        1 => Just(Input::CallEnded { id: "t".into(), outcome: ToolOutcome::NotRun("no".into()) }),
        2 => Just(Input::Settled { id: "t".into(), content: Vec::new(), is_error: false }),
        1 => Just(Input::Stop),
    ]
}

proptest! {
    #[test]
    fn a_state_goes_on_the_same_after_it_was_written_down(
        inputs in proptest::collection::vec(input(), 0..30),
    ) {
        let stored = run(&inputs, |state| {
            serde_json::from_str(&serde_json::to_string(&state).unwrap()).unwrap()
        });
        prop_assert_eq!(run(&inputs, |state| state), stored);
    }

    /// Every turn ends once, nothing comes after the end, and what was shown is kept.
    #[test]
    fn a_turn_ends_once_and_keeps_what_was_shown(
        inputs in proptest::collection::vec(input(), 0..30),
    ) {
        let inputs: Vec<Input> = inputs.into_iter().chain([Input::Stop]).collect();
        let effects = run(&inputs, |state| state);
        let is_end = |effect: &&Effect| matches!(effect, Effect::Emit(AgentEvent::Ended(_)));
        prop_assert_eq!(effects.iter().filter(is_end).count(), 1);
        prop_assert!(is_end(&effects.last().unwrap()));

        let (mut shown, mut kept) = (String::new(), String::new());
        for effect in &effects {
            match effect {
                Effect::Emit(AgentEvent::Text(text) | AgentEvent::Thinking(text)) => {
                    shown.push_str(text);
                }
                Effect::Emit(AgentEvent::AssistantMessage(message)) => {
                    for block in &message.blocks {
                        if let ContentBlock::Text { text } | ContentBlock::Thinking { text, .. } = block {
                            kept.push_str(text);
                        }
                    }
                }
                // What the model declined to say is taken back.
                Effect::Emit(AgentEvent::Withheld) => shown.truncate(kept.len()),
                _ => {}
            }
        }
        prop_assert_eq!(shown, kept);
    }
}

#[test]
fn waits_double_up_to_the_longest_one() {
    let limits = LoopLimits { max_attempts: 9, ..LIMITS };
    let mut effects = VecDeque::new();
    let mut state = LoopState::begin(&mut effects);
    for _ in 0..8 {
        state.handle(
            Input::ModelFailed(ModelError::ServerFailed { status: 500, retry_after: None }),
            &limits,
            &mut effects,
        );
    }
    let waits: Vec<u64> = effects
        .iter()
        .filter_map(|effect| match effect {
            Effect::Wait(delay) => Some(delay.as_secs()),
            _ => None,
        })
        .collect();
    assert_eq!(waits, [1, 2, 4, 8, 16, 30, 30, 30]);
}

/// A retry is for a person who has seen nothing yet.
#[test]
fn nothing_is_tried_again_after_it_was_shown() {
    let failed = || Input::ModelFailed(ModelError::Interrupted("reset".into()));
    let unseen = [Input::Model(ModelEvent::Signature("s".into())), failed()];
    assert!(run(&unseen, |s| s).iter().any(|effect| matches!(effect, Effect::Wait(_))));
    for piece in [ModelEvent::Text("a".into()), ModelEvent::Thinking("a".into())] {
        let effects = run(&[Input::Model(piece), failed()], |state| state);
        let Some(Effect::Emit(AgentEvent::Ended(TurnOutcome::Failed(_)))) = effects.last() else {
            panic!("{effects:?}")
        };
    }
}
