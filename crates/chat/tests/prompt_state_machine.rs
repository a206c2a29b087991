//! Prompts as a state machine: whatever happens to a prompt, in whatever order, it has one outcome,
//! the row, the log and the audit agree on it, and its tool is never started twice.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests may fail")]

mod support;

use std::time::Duration;

use parlor_guard::guardrail::Policy;
use parlor_protocol::{EventBody, PromptId, PromptOutcome, PromptStatus, Timestamp};
use parlor_storage::{Logged, Store};
use parlor_test_database::location;
use parlor_testkit::Script;
use proptest::prelude::*;
use serde_json::json;

use support::asking::{Scene, burn};
use support::{caller, eventually};

/// Long enough to be answered, short enough to be waited for.
const TIMEOUT: Duration = Duration::from_millis(400);

/// What can happen to a prompt.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Act {
    Yes,
    No,
    /// An answer that fails validation.
    Nonsense,
    /// Two answers at the same time.
    YesAndNo,
    /// Extends the deadline by the same time again.
    Extend,
    /// Removes the deadline.
    WaitForEver,
    /// Waits until the prompt expires.
    Lapse,
    /// The turn is stopped.
    Cancel,
    /// Another run of the server takes over.
    Restart,
}

fn act() -> impl Strategy<Value = Act> {
    prop_oneof![
        Just(Act::Yes),
        Just(Act::No),
        Just(Act::Nonsense),
        Just(Act::YesAndNo),
        Just(Act::Extend),
        Just(Act::WaitForEver),
        Just(Act::Lapse),
        Just(Act::Cancel),
        Just(Act::Restart),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 32, max_shrink_iters: 40, failure_persistence: None, ..ProptestConfig::default()
    })]

    /// P-4, P-5, P-9: one outcome, and a tool is started at most once.
    #[test]
    fn a_prompt_has_one_outcome_and_a_tool_one_start(
        acts in prop::collection::vec(act(), 1..7)
    ) {
        let runtime = tokio::runtime::Runtime::new().unwrap();
        runtime.block_on(play(&acts));
    }
}

async fn play(acts: &[Act]) {
    let scripts = [burn(), Script::answer().text("Well.")];
    let mut scene = Scene::with(scripts, Policy::Balanced, TIMEOUT).await;
    let at = scene.send("burn the toast").await;
    let id = scene.prompt(&at).await.id;
    let mut taken = Vec::new();
    for act in acts {
        match act {
            Act::Yes => taken.extend(answers(&scene, id, "yes").await),
            Act::No => taken.extend(answers(&scene, id, "no").await),
            Act::Nonsense => assert_eq!(answers(&scene, id, "perhaps").await, None),
            Act::YesAndNo => {
                let (yes, no) = tokio::join!(answers(&scene, id, "yes"), answers(&scene, id, "no"));
                taken.extend(yes.into_iter().chain(no));
            }
            // These may come too late; then nothing changes.
            Act::Extend => drop(scene.chat.extend(&caller(), id, None).await),
            Act::WaitForEver => drop(scene.chat.extend(&caller(), id, Some(0)).await),
            Act::Lapse => lapse(&scene, id).await,
            Act::Cancel => drop(scene.chat.stop(&caller(), at.conversation_id).await),
            Act::Restart => scene.restart().await,
        }
    }
    if expires(&scene, id).await.is_none() {
        drop(scene.chat.stop(&caller(), at.conversation_id).await);
    }
    let events = scene.rest(&at).await;
    let outcome = one_outcome(&scene, id, &events).await;
    assert!(taken.iter().all(|taken| *taken == outcome), "{acts:?}: {taken:?} {outcome:?}");
    let starts = scene.kitchen.made("burn").len();
    assert!(starts <= usize::from(outcome == PromptOutcome::Answered), "{acts:?}: {starts}");
    let was_decided = matches!(outcome, PromptOutcome::Answered | PromptOutcome::Refused);
    assert_eq!(taken.len(), usize::from(was_decided), "{acts:?}: who answered was told so");
    let is_calm = !acts.iter().any(|act| matches!(act, Act::Cancel | Act::Restart));
    if is_calm && outcome == PromptOutcome::Answered {
        assert_eq!(starts, 1, "{acts:?}: a yes is acted on");
    }
}

/// Answers, and returns the outcome if the answer was accepted.
async fn answers(scene: &Scene, id: PromptId, answer: &str) -> Option<PromptOutcome> {
    let is_taken = scene.answer(id, json!(answer)).await.is_ok();
    let outcome = if answer == "yes" { PromptOutcome::Answered } else { PromptOutcome::Refused };
    is_taken.then_some(outcome)
}

/// When the prompt expires, zero if it is closed; `None` if it has no deadline.
async fn expires(scene: &Scene, id: PromptId) -> Option<Timestamp> {
    let view = scene.chat.prompt(&caller(), id).await.unwrap();
    if view.closed.is_some() { Some(Timestamp(0)) } else { view.prompt.get().expires_at }
}

/// Waits until the prompt is closed, unless it has no deadline.
async fn lapse(scene: &Scene, id: PromptId) {
    eventually("the prompt expires", async || match expires(scene, id).await {
        None | Some(Timestamp(0)) => Some(()),
        Some(_) => None,
    })
    .await;
}

/// The outcome on which the row, the log and the audit agree.
async fn one_outcome(scene: &Scene, id: PromptId, events: &[Logged]) -> PromptOutcome {
    let view = scene.chat.prompt(&caller(), id).await.unwrap();
    let outcome = view.closed.expect("the turn is over, so its prompt is closed").outcome;
    let closed: Vec<PromptOutcome> = events
        .iter()
        .filter_map(|event| match event.body.get() {
            EventBody::UserPromptClosed(closed) => Some(closed.outcome),
            _ => None,
        })
        .collect();
    assert_eq!(closed, [outcome], "the log has it once");
    let count = |is: fn(&EventBody) -> bool| events.iter().filter(|e| is(e.body.get())).count();
    assert_eq!(count(|body| matches!(body, EventBody::UserPrompt(_))), 1);
    assert_eq!(count(|body| matches!(body, EventBody::Done { .. })), 1);
    let store = Store::open(location(&scene.dir.path().join("parlor.db")).await).await.unwrap();
    let decisions = store.decisions(&caller().tenant, (Timestamp(0), ""), 10).await.unwrap();
    let decided: Vec<PromptStatus> =
        decisions.iter().map(|decision| decision.outcome.into()).collect();
    assert_eq!(decided, [view.status], "the audit has it once");
    outcome
}
