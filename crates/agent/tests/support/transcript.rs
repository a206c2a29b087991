//! Events as lines of text, for snapshots: one line for each event.

use parlor_agent::{AgentEvent, ToolOutcome, TurnOutcome};
use parlor_protocol::Role;
use serde_json::json;

pub(crate) fn line(event: &AgentEvent) -> String {
    match event {
        AgentEvent::Text(text) => format!("text {text:?}"),
        AgentEvent::Thinking(text) => format!("thinking {text:?}"),
        AgentEvent::BlockEnd => "block end".into(),
        AgentEvent::BrokeOff => "broke off".into(),
        AgentEvent::Queued => "queued".into(),
        AgentEvent::Withheld => "withheld".into(),
        AgentEvent::AssistantMessage(message) => {
            assert_eq!(message.role, Role::Assistant);
            format!("message {}", serde_json::to_string(&message.blocks).unwrap())
        }
        AgentEvent::ToolMessage(message) => {
            assert_eq!(message.role, Role::Tool);
            format!("results {}", serde_json::to_string(&message.blocks).unwrap())
        }
        AgentEvent::Proposes(call) => {
            format!("proposes {} {} {}", call.id, call.name, json!(call.input))
        }
        AgentEvent::Calls(call) => format!("calls {} {} {}", call.id, call.name, json!(call.input)),
        AgentEvent::CallEnded { call, outcome, .. } => {
            format!("call {call} ended: {}", end(outcome))
        }
        AgentEvent::Asks(ask) => format!("asks {} {:?} {:?}", ask.id, ask.from, ask.draft.question),
        AgentEvent::CallsClient(call) => {
            format!("calls the client's {} {} {}", call.id, call.name, json!(call.input))
        }
        AgentEvent::Withdrawn(id) => format!("withdrawn {id}"),
        AgentEvent::CallsModel => "calls the model".into(),
        AgentEvent::Usage(usage) => format!(
            "usage {} in, {} out, cache {} read, {} written{}",
            usage.input_tokens,
            usage.output_tokens,
            usage.cache_read_tokens,
            usage.cache_write_tokens,
            if usage.cost_micros > 0 {
                format!(", ${:.6}", usage.cost_micros as f64 / 1e6)
            } else {
                String::new()
            }
        ),
        AgentEvent::Progress { call, progress } => format!("progress of {call}: {progress:?}"),
        AgentEvent::Checkpoint(_) => "checkpoint".into(),
        AgentEvent::Retrying { after, attempt, error } => {
            format!("retrying in {after:?} after attempt {attempt}: {error}")
        }
        AgentEvent::Ended(TurnOutcome::Failed(error)) => format!("failed: {error}"),
        AgentEvent::Ended(end) => format!("ended {end:?}"),
    }
}

/// The end of a call, without what only some servers give.
fn end(outcome: &ToolOutcome) -> String {
    match outcome {
        ToolOutcome::Answered { content, is_error, extras } => {
            let artifact = &extras.artifact;
            format!(
                "Answered {{ content: {content:?}, is_error: {is_error}, artifact: {artifact:?} }}"
            )
        }
        other => format!("{other:?}"),
    }
}
