//! What happens in the chat, counted for metrics (O-3).
//!
//! A turn counts what it has written, after it is written ([`ProjectMetrics::written`]), so that a
//! write costs the same whatever is in it, and streamed text costs nothing. What happens outside of
//! a turn's writes is counted where it happens: inputs that matched a rule, prompts that close while
//! no turn waits for them.

use std::time::Duration;

use parlor_metrics::{Counter, Family, Timings};
use parlor_protocol::{PromptOutcome, PromptStatus, PromptType, Timestamp, ToolStatus};
use parlor_storage::{Prompt, PromptWrite, Step, ToolRun};

use crate::clock::now;

/// The server of a tool that is none of an MCP server: an agent's own, or one of the client.
const OWN_TOOLS: &str = "agent";

/// What happened in one project since the start of the server.
#[derive(Debug, Default)]
pub struct ProjectMetrics {
    /// Turns that ended, by outcome.
    pub turns: Family<1>,
    /// Turns that failed, by code.
    pub errors: Family<1>,
    /// How long turns took, without the time that people took to answer.
    pub turn_time: Timings,
    /// How long the first words of a turn took.
    pub first_words: Timings,
    /// How long a call of a model took until it said something.
    pub first_token: Timings,
    /// Durable events of the log.
    pub events: Counter,
    /// Tokens in and out, as far as agents report them.
    pub tokens: Counter,
    /// Millionths of a dollar, as far as they are known.
    pub cost_micros: Counter,
    /// Prompts that opened, by kind.
    pub prompts_opened: Family<1>,
    /// Prompts that closed, by kind and outcome.
    pub prompts_closed: Family<2>,
    /// How long prompts waited until they closed.
    pub prompt_wait: Timings,
    /// Tool calls that ended, by server and result.
    pub tool_calls: Family<2>,
    /// Inputs that matched a rule, by rule and action.
    pub inputs: Family<2>,
}

/// What happened in the whole chat since the start of the server.
#[derive(Debug, Default)]
pub struct ChatMetrics {
    /// How long it took to store streamed text.
    pub flushes: Timings,
}

impl ProjectMetrics {
    /// Counts what a turn has written.
    pub(crate) fn written(&self, step: &Step) {
        self.events.add(step.events.len() as u64);
        if let Some(usage) = &step.usage {
            self.tokens.add(usage.spent.tokens);
            self.cost_micros.add(usage.spent.cost_micros);
        }
        for prompt in &step.prompts {
            if let PromptWrite::Open(new) = prompt {
                self.prompts_opened.add([kind(new.public.get().prompt_type)]);
            }
        }
        if let Some(end) = &step.end {
            self.turns.add([end.status.as_str()]);
        }
        if let Some(figures) = &step.figures {
            let milliseconds = |ms: Option<u64>| ms.map(Duration::from_millis);
            figures.error.iter().for_each(|code| self.errors.add([code]));
            milliseconds(figures.first_ms).iter().for_each(|took| self.first_words.add(*took));
            milliseconds(figures.took_ms).iter().for_each(|took| self.turn_time.add(*took));
        }
    }

    /// Counts a prompt that closed.
    pub(crate) fn closed(&self, prompt: &Prompt, outcome: PromptOutcome, at: Timestamp) {
        let waited = u64::try_from(at.0.saturating_sub(prompt.opened_at.0)).unwrap_or_default();
        self.prompts_closed
            .add([kind(prompt.public.get().prompt_type), PromptStatus::from(outcome).as_str()]);
        self.prompt_wait.add(Duration::from_millis(waited));
    }

    /// Counts prompts that a message passed over, when it begins its turn.
    pub(crate) fn passed_over(&self, prompts: &[Prompt]) {
        prompts.iter().for_each(|prompt| self.closed(prompt, PromptOutcome::Cancelled, now()));
    }

    /// Counts a tool call, if this status is its last.
    pub(crate) fn tool_status(&self, run: &ToolRun, status: ToolStatus) {
        let result = match status {
            ToolStatus::Waiting | ToolStatus::Running => return,
            ToolStatus::Completed => "completed",
            ToolStatus::Error => "error",
            ToolStatus::Denied => "denied",
        };
        let server = if run.server.is_empty() { OWN_TOOLS } else { &run.server };
        self.tool_calls.add([server, result]);
    }
}

/// How the wire names it.
fn kind(of: PromptType) -> &'static str {
    match of {
        PromptType::Confirm => "confirm",
        PromptType::Input => "input",
        PromptType::Select => "select",
        PromptType::MultiQuestion => "multi_question",
        PromptType::Plan => "plan",
        PromptType::Wizard => "wizard",
        PromptType::Form => "form",
        PromptType::ClientCall => "client_call",
    }
}
