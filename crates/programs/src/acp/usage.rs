//! Counts the tokens that prompts use, and their cost. Agents say it in different places: in
//! the answer to a prompt, beside it, or with each answer of their model.

use agent_client_protocol_schema::v1::PromptResponse;
use parlor_agent::{AgentEvent, Usage};
use serde::Deserialize as _;
use serde_json::Value;

use crate::fields::number;

/// What the prompt has used so far.
#[derive(Debug, Default)]
pub(super) struct Spending {
    /// What the answers of its model said.
    of_answers: Usage,
    /// The cost of the process so far, in millionths of a dollar, and how much of it was told.
    cost: u64,
    told: u64,
}

impl Spending {
    /// An update of the session says what an answer of the model used.
    pub(super) fn answer(&mut self, meta: &Value) {
        let usage = &meta["usage"];
        if usage.is_object() {
            self.of_answers += tokens(usage);
        }
    }

    /// The agent says the total cost of the process.
    pub(super) fn cost(&mut self, cost: &Value) {
        let dollars =
            cost.get("amount").and_then(Value::as_f64).filter(|_| cost["currency"] == "USD");
        if let Some(dollars) = dollars {
            self.cost = (dollars.max(0.0) * 1e6).round() as u64;
        }
    }

    /// The usage of a prompt that is over.
    pub(super) fn of_prompt(&mut self, response: &Value) -> Option<AgentEvent> {
        let of_answers = std::mem::take(&mut self.of_answers);
        let told = PromptResponse::deserialize(response).ok().and_then(|response| response.usage);
        let quota = &response["_meta"]["quota"]["token_count"];
        let mut usage = match told {
            Some(usage) => Usage {
                input_tokens: usage.input_tokens,
                output_tokens: usage.output_tokens,
                cache_read_tokens: usage.cached_read_tokens.unwrap_or_default(),
                cache_write_tokens: usage.cached_write_tokens.unwrap_or_default(),
                cost_micros: 0,
            },
            None if of_answers != Usage::default() => of_answers,
            None => Usage {
                input_tokens: number(quota, "input_tokens"),
                output_tokens: number(quota, "output_tokens"),
                ..Usage::default()
            },
        };
        let before = std::mem::replace(&mut self.told, self.cost);
        usage.cost_micros = self.cost.saturating_sub(before);
        (usage != Usage::default()).then_some(AgentEvent::Usage(usage))
    }
}

fn tokens(usage: &Value) -> Usage {
    Usage {
        input_tokens: number(usage, "inputTokens"),
        output_tokens: number(usage, "outputTokens"),
        cache_read_tokens: number(usage, "cachedReadTokens"),
        cache_write_tokens: number(usage, "cachedWriteTokens"),
        cost_micros: 0,
    }
}
