//! Counts the tokens that its turns use, and their cost.

use parlor_agent::{AgentEvent, Usage};
use serde_json::Value;

use crate::fields::number;

/// The cost of a CLI session so far, in millionths of a dollar.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Spending(u64);

impl Spending {
    pub(super) fn so_far(cost_micros: u64) -> Self {
        Self(cost_micros)
    }

    pub(super) fn micros(self) -> u64 {
        self.0
    }

    /// The usage of a turn, from its last line.
    pub(super) fn of_turn(&mut self, line: &Value) -> Option<AgentEvent> {
        let cost_micros = self.cost(line);
        let usage = &line["usage"];
        let usage = Usage {
            input_tokens: number(usage, "input_tokens"),
            output_tokens: number(usage, "output_tokens"),
            cache_read_tokens: number(usage, "cache_read_input_tokens"),
            cache_write_tokens: number(usage, "cache_creation_input_tokens"),
            cost_micros,
        };
        (usage != Usage::default()).then_some(AgentEvent::Usage(usage))
    }

    /// The cost of this turn. The line has the total of the process; a process that continues a CLI
    /// session may include the earlier total, or start from zero.
    fn cost(&mut self, line: &Value) -> u64 {
        let Some(all) = line.get("total_cost_usd").and_then(Value::as_f64) else { return 0 };
        let micros = (all.max(0.0) * 1e6).round() as u64;
        let before = std::mem::replace(&mut self.0, micros);
        micros.checked_sub(before).unwrap_or(micros)
    }
}
