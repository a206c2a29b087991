//! Which part of the history goes to the model (K-1, K-2). The history is that of the path to the
//! turn: what was said in other branches is not in it.
//!
//! 1. Of a message that was tried again, the last attempt. Earlier ones stay if tools were
//!    called in them: a model that does not know of a call would make it again.
//! 2. Before a person went on without what was read, only what is their own
//!    ([`crate::flow::clearing`]).
//! 3. Before a branch, no CLI session ([`crate::versions`]).
//! 4. Images that a model refused are replaced ([`crate::refused_images`]).
//! 5. Everything, if it fits. Otherwise the oldest turns are left out, each as a whole, so
//!    that a tool's call and its result stay together; the newest turn always stays.
//! 6. A long conversation gets a reminder at the end of the person's newest message, which
//!    only the model reads (K-5).

use std::collections::HashMap;

use parlor_agent::{ContentBlock, HistoryMessage};
use parlor_protocol::{Role, TurnId};
use serde_json::Value;

use crate::flow::clearing::{self, KeptCalls};
use crate::{refused_images, retries, versions};

/// From how many messages on there is a reminder, all roles counted (K-5).
const REMIND_FROM: usize = 5;

/// The history for the model: the part that fits, and the reminder.
pub(crate) fn for_model(
    history: Vec<(TurnId, Value)>,
    max_tokens: u64,
    reminder: Option<&str>,
) -> Vec<HistoryMessage> {
    let turns = without_earlier_attempts(turns(history));
    let long = turns.iter().map(|turn| turn.messages.len()).sum::<usize>() >= REMIND_FROM;
    let mut messages = with_results(fitting(turns, max_tokens));
    let newest = messages.iter_mut().rfind(|message| message.role == Role::User);
    if let (true, Some(reminder), Some(newest)) = (long, reminder, newest) {
        newest.blocks.push(ContentBlock::text(reminder));
    }
    messages
}

/// The history of one turn.
#[derive(Clone)]
struct Turn {
    id: TurnId,
    /// The turn that it tries again.
    retries: Option<TurnId>,
    tokens: u64,
    messages: Vec<HistoryMessage>,
}

fn turns(history: Vec<(TurnId, Value)>) -> Vec<Turn> {
    let mut turns: Vec<Turn> = Vec::new();
    for (id, body) in history {
        if refused_images::is_mark(&body) {
            refused_images::replace(turns.iter_mut().flat_map(|turn| &mut turn.messages));
            continue;
        }
        if let Some(kept) = clearing::kept(&body) {
            turns = turns.into_iter().filter_map(|turn| turn.cleared(&kept)).collect();
            continue;
        }
        if versions::is_mark(&body) {
            turns = turns.into_iter().filter_map(Turn::without_sessions).collect();
            continue;
        }
        let retries = retries::marked(&body);
        // A row that this version cannot read is left out.
        let Ok(message) = serde_json::from_value::<HistoryMessage>(body) else { continue };
        let tokens = message.approximate_tokens();
        match turns.last_mut() {
            Some(last) if last.id == id => {
                last.tokens += tokens;
                last.messages.push(message);
            }
            _ => turns.push(Turn { id, retries, tokens, messages: vec![message] }),
        }
    }
    turns
}

fn without_earlier_attempts(mut turns: Vec<Turn>) -> Vec<Turn> {
    // The first attempt of each turn, and the last attempt of each first one.
    let mut first: HashMap<TurnId, TurnId> = HashMap::new();
    let mut last: HashMap<TurnId, TurnId> = HashMap::new();
    for turn in &turns {
        let of = turn.retries.unwrap_or(turn.id);
        let of = first.get(&of).copied().unwrap_or(of);
        first.insert(turn.id, of);
        last.insert(of, turn.id);
    }
    let is_last = |id: &TurnId| first.get(id).and_then(|of| last.get(of)) == Some(id);
    turns.retain(|turn| is_last(&turn.id) || turn.called_tools());
    turns
}

impl Turn {
    /// What stays of it after the person went on without what was read.
    fn cleared(mut self, kept: &KeptCalls) -> Option<Self> {
        let messages = self.messages.into_iter();
        let id = self.id;
        self.messages = messages.filter_map(|one| clearing::cleared(one, id, kept)).collect();
        self.tokens = self.messages.iter().map(HistoryMessage::approximate_tokens).sum();
        (!self.messages.is_empty()).then_some(self)
    }

    /// What stays of it after a branch.
    fn without_sessions(mut self) -> Option<Self> {
        let messages = self.messages.into_iter();
        self.messages = messages.filter_map(versions::without_session).collect();
        (!self.messages.is_empty()).then_some(self)
    }

    fn called_tools(&self) -> bool {
        let mut blocks = self.messages.iter().flat_map(|message| &message.blocks);
        blocks.any(|block| {
            matches!(block, ContentBlock::ToolUse { .. } | ContentBlock::ToolResult { .. })
        })
    }
}

/// The part of the history that fits, oldest first.
fn fitting(turns: Vec<Turn>, max_tokens: u64) -> Vec<HistoryMessage> {
    let mut left = max_tokens;
    let mut kept = 0;
    for turn in turns.iter().rev() {
        if kept > 0 && turn.tokens > left {
            break;
        }
        left = left.saturating_sub(turn.tokens);
        kept += 1;
    }
    let first = turns.len() - kept;
    turns.into_iter().skip(first).flat_map(|turn| turn.messages).collect()
}

/// Adds results to calls that a crash left without: no model accepts those. The calls of the
/// last message are still to be settled.
fn with_results(messages: Vec<HistoryMessage>) -> Vec<HistoryMessage> {
    let mut whole: Vec<HistoryMessage> = Vec::with_capacity(messages.len());
    for message in messages {
        if let Some(before) = whole.last()
            && message.role != Role::Tool
        {
            whole.extend(interrupted_calls(before));
        }
        whole.push(message);
    }
    whole
}

fn interrupted_calls(message: &HistoryMessage) -> Option<HistoryMessage> {
    let results = message.blocks.iter().filter_map(|block| match block {
        ContentBlock::ToolUse { id, .. } => Some(ContentBlock::ToolResult {
            tool_use_id: id.clone(),
            content: vec![ContentBlock::text(
                "The turn was interrupted; what came of this is not known.",
            )],
            is_error: true,
        }),
        _ => None,
    });
    let blocks: Vec<ContentBlock> = results.collect();
    (!blocks.is_empty()).then_some(HistoryMessage { role: Role::Tool, blocks })
}

#[cfg(test)]
mod tests {
    use super::*;
    use uuid::Uuid;

    fn turn(n: u128, texts: &[&str]) -> Vec<(TurnId, Value)> {
        texts
            .iter()
            .map(|text| {
                let body = serde_json::to_value(HistoryMessage::user(*text)).unwrap();
                (TurnId::new(Uuid::from_u128(n)), body)
            })
            .collect()
    }

    /// K-2: whole turns go, the oldest first; the newest stays whatever its size.
    #[test]
    fn the_oldest_turns_go_first_and_as_a_whole() {
        let history = [
            turn(1, &["one", "answer one"]),
            turn(2, &["two", "call", "result", "answer two"]),
            turn(3, &["three"]),
        ];
        let history = turns(history.concat());
        let texts = |most| {
            fitting(history.clone(), most).iter().map(HistoryMessage::text).collect::<Vec<_>>()
        };
        assert_eq!(texts(10_000).len(), 7);
        assert_eq!(texts(40), ["two", "call", "result", "answer two", "three"]);
        assert_eq!(texts(20), ["three"]);
        assert_eq!(texts(0), ["three"]);
        assert!(fitting(Vec::new(), 10).is_empty());
    }

    /// K-1: every call has a result, also after a crash, but for those that are still to be
    /// settled.
    #[test]
    fn calls_that_a_crash_left_get_results() {
        let call = HistoryMessage {
            role: Role::Assistant,
            blocks: vec![ContentBlock::ToolUse {
                id: "t".into(),
                name: "n".into(),
                input: Value::Null,
            }],
        };
        let history =
            vec![HistoryMessage::user("a"), call.clone(), HistoryMessage::user("b"), call];
        let roles: Vec<Role> = with_results(history).iter().map(|message| message.role).collect();
        use Role::{Assistant, Tool, User};
        assert_eq!(roles, [User, Assistant, Tool, User, Assistant]);
    }

    /// H-4: a refused image is not sent again; one that was accepted stays.
    #[test]
    fn images_that_a_model_refused_are_replaced() {
        let picture = |n: u128| {
            let image = ContentBlock::Image { media_type: "image/png".into(), data: "AAAA".into() };
            let blocks = vec![image, ContentBlock::text("Look.")];
            let message = HistoryMessage { role: Role::User, blocks };
            (TurnId::new(Uuid::from_u128(n)), serde_json::to_value(message).unwrap())
        };
        let answer = |n: u128| {
            let message = serde_json::to_value(HistoryMessage::assistant("A cat.")).unwrap();
            (TurnId::new(Uuid::from_u128(n)), message)
        };
        let mark = |n: u128| (TurnId::new(Uuid::from_u128(n)), refused_images::mark());
        let pictures = |history: &[(TurnId, Value)]| {
            let messages = for_model(history.to_vec(), 100_000, None);
            messages.iter().map(HistoryMessage::has_picture).collect::<Vec<_>>()
        };
        let refused = [picture(1), answer(1), picture(2), mark(2), turn(3, &["hello"]).remove(0)];
        assert_eq!(pictures(&refused), [true, false, false, false]);
        // Another model accepts none at all.
        let another = [picture(1), answer(1), turn(2, &["hello"]).remove(0), mark(2), picture(3)];
        assert_eq!(pictures(&another), [false, false, false, true]);
    }

    /// K-5: from the fifth message on, as a content block of its own in the person's newest
    /// message; never stored.
    #[test]
    fn a_long_conversation_gets_a_reminder() {
        let four = [turn(1, &["one", "answer"]), turn(2, &["two", "answer"])].concat();
        let five = [four.clone(), turn(3, &["three"])].concat();
        let texts = |history| {
            let messages = for_model(history, 10_000, Some("Remember."));
            messages.last().unwrap().blocks.iter().filter_map(ContentBlock::as_text).count()
        };
        assert_eq!((texts(four), texts(five.clone())), (1, 2));
        let newest = for_model(five, 10_000, Some("Remember.")).pop().unwrap();
        assert_eq!(newest.blocks, [ContentBlock::text("three"), ContentBlock::text("Remember.")]);
    }

    /// U-5: of several attempts the model reads the last, and those in which tools were
    /// called.
    #[test]
    fn a_message_that_is_tried_again_is_read_once() {
        let again = |n: u128, of: u128, texts: &[&str]| {
            let mut rows = turn(n, texts);
            retries::mark(&mut rows[0].1, TurnId::new(Uuid::from_u128(of)));
            rows
        };
        let called =
            ContentBlock::ToolUse { id: "t".into(), name: "cook".into(), input: Value::Null };
        let called = HistoryMessage { role: Role::Assistant, blocks: vec![called] };
        let mut with_tool = again(5, 4, &["cook", "?"]);
        with_tool[1].1 = serde_json::to_value(called).unwrap();
        let history = [
            turn(1, &["hello", "half an ans"]),
            again(2, 1, &["hello"]),
            again(3, 1, &["hello!", "Hi."]),
            turn(4, &["cook"]),
            with_tool,
            again(6, 5, &["cook", "Done."]),
        ];
        let read = for_model(history.concat(), 10_000, None);
        let read: Vec<_> = read.iter().map(HistoryMessage::text).collect();
        let (call, result) = ("", "");
        assert_eq!(read, ["hello!", "Hi.", "cook", call, result, "cook", "Done."]);
    }
}
