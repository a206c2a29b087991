//! What of the history goes to the model (K-1, K-2).
//!
//! Everything, if it fits. Otherwise the oldest turns go first, each as a whole,
//! so that a tool's call and its result go or stay together; the newest turn
//! always stays.

use parlor_agents::HistoryMessage;
use parlor_protocol::TurnId;
use serde_json::Value;

/// The part of the history that fits, oldest first.
pub(crate) fn fitting(history: Vec<(TurnId, Value)>, most_tokens: u64) -> Vec<HistoryMessage> {
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
}
