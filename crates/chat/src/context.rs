//! What of the history goes to the model (K-1, K-2).
//!
//! Everything, if it fits. Otherwise the oldest turns go first, each as a whole,
//! so that a tool's call and its result go or stay together; the newest turn
//! always stays. A long conversation gets a reminder at the end of the person's
//! newest message, which only the model sees (K-5).

use parlor_agents::{Block, HistoryMessage};
use parlor_protocol::{Role, TurnId};
use serde_json::Value;

/// From how many messages on the model is reminded, all roles counted (K-5).
const REMIND_FROM: usize = 5;

/// What goes to the model: what fits, and the reminder.
pub(crate) fn for_model(
    history: Vec<(TurnId, Value)>,
    most_tokens: u64,
    reminder: Option<&str>,
) -> Vec<HistoryMessage> {
    let long = history.len() >= REMIND_FROM;
    let mut messages = answered(fitting(history, most_tokens));
    let newest = messages.iter_mut().rfind(|message| message.role == Role::User);
    if let (true, Some(reminder), Some(newest)) = (long, reminder, newest) {
        newest.blocks.push(Block::text(reminder));
    }
    messages
}

/// The part of the history that fits, oldest first.
fn fitting(history: Vec<(TurnId, Value)>, most_tokens: u64) -> Vec<HistoryMessage> {
    let mut turns: Vec<(TurnId, u64, Vec<HistoryMessage>)> = Vec::new();
    for (turn, body) in history {
        // A row that this version cannot read is of no use to its model.
        let Ok(message) = serde_json::from_value::<HistoryMessage>(body) else { continue };
        let tokens = message.approximate_tokens();
        match turns.last_mut() {
            Some((last, sum, messages)) if *last == turn => {
                *sum += tokens;
                messages.push(message);
            }
            _ => turns.push((turn, tokens, vec![message])),
        }
    }
    let mut left = most_tokens;
    let mut kept = 0;
    for (_, tokens, _) in turns.iter().rev() {
        if kept > 0 && *tokens > left {
            break;
        }
        left = left.saturating_sub(*tokens);
        kept += 1;
    }
    let first = turns.len() - kept;
    turns.into_iter().skip(first).flat_map(|(_, _, messages)| messages).collect()
}

/// A turn that a crash ended may have left calls without results, and no model
/// takes those. The calls of the last message are still to be settled.
fn answered(messages: Vec<HistoryMessage>) -> Vec<HistoryMessage> {
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
        Block::ToolUse { id, .. } => Some(Block::ToolResult {
            tool_use_id: id.clone(),
            content: vec![Block::text("The turn was interrupted; what came of this is not known.")],
            is_error: true,
        }),
        _ => None,
    });
    let blocks: Vec<Block> = results.collect();
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
        let history: Vec<_> = [
            turn(1, &["one", "answer one"]),
            turn(2, &["two", "call", "result", "answer two"]),
            turn(3, &["three"]),
        ]
        .concat();
        let texts = |most| {
            fitting(history.clone(), most).iter().map(HistoryMessage::text).collect::<Vec<_>>()
        };
        assert_eq!(texts(10_000).len(), 7);
        assert_eq!(texts(40), ["two", "call", "result", "answer two", "three"]);
        assert_eq!(texts(20), ["three"]);
        assert_eq!(texts(0), ["three"]);
        assert!(fitting(Vec::new(), 10).is_empty());
    }

    /// K-1: every call has a result, also where a crash came in between; but for
    /// those that are still to be settled.
    #[test]
    fn calls_that_a_crash_left_are_answered() {
        let call = HistoryMessage {
            role: Role::Assistant,
            blocks: vec![Block::ToolUse { id: "t".into(), name: "n".into(), input: Value::Null }],
        };
        let history =
            vec![HistoryMessage::user("a"), call.clone(), HistoryMessage::user("b"), call];
        let roles: Vec<Role> = answered(history).iter().map(|message| message.role).collect();
        use Role::{Assistant, Tool, User};
        assert_eq!(roles, [User, Assistant, Tool, User, Assistant]);
    }

    /// K-5: from the fifth message on, in the newest of the person's, as a part
    /// of its own; never stored.
    #[test]
    fn a_long_conversation_gets_a_reminder() {
        let four = [turn(1, &["one", "answer"]), turn(2, &["two", "answer"])].concat();
        let five = [four.clone(), turn(3, &["three"])].concat();
        let texts = |history| {
            let messages = for_model(history, 10_000, Some("Remember."));
            messages.last().unwrap().blocks.iter().filter_map(Block::as_text).count()
        };
        assert_eq!((texts(four), texts(five.clone())), (1, 2));
        let newest = for_model(five, 10_000, Some("Remember.")).pop().unwrap();
        assert_eq!(newest.blocks, [Block::text("three"), Block::text("Remember.")]);
    }
}
