//! F-1: whose words the calls of an agent of the Agent Client Protocol bring, and which are sinks.

use parlor_agent::{AgentEvent, ToolOutcome};
use parlor_programs::acp::DialogSettings;
use parlor_programs::{Dialect as _, Output};
use parlor_protocol::{Content, Mode};
use serde_json::{Value, json};
use uuid::Uuid;

use crate::acp_agent::{Agent, context, settings};

/// What is known of a call that the agent makes by its own rules: whose words before it and at its
/// end, and whether it is a sink.
fn labels(files: Content, call: Value, end: Value) -> (Content, Option<Content>, bool) {
    let mut agent = Agent::opened(DialogSettings { working_dir_content: files, ..settings() });
    agent.dialog.begin(&context("Go", Mode::Act), Uuid::nil(), &mut agent.out);
    let mut start = json!({"sessionUpdate": "tool_call", "toolCallId": "c1", "title": "A call",
        "status": "in_progress"});
    start.as_object_mut().unwrap().extend(call.as_object().unwrap().clone());
    agent.update(start);
    agent.dialog.release(&mut agent.out);
    let mut ends = json!({"sessionUpdate": "tool_call_update", "toolCallId": "c1",
        "status": "completed", "rawOutput": "words"});
    ends.as_object_mut().unwrap().extend(end.as_object().unwrap().clone());
    agent.update(ends);
    let made = agent.out.iter().find_map(|output| match output {
        Output::Event(AgentEvent::Calls(call)) => call.tool.clone(),
        _ => None,
    });
    let flow = made.unwrap().flow;
    let (_, outcome) = agent.ended_calls().remove(0);
    let ToolOutcome::Answered { extras, .. } = outcome else { panic!("{outcome:?}") };
    (flow.content.is, extras.label.content, flow.sink.is)
}

/// F-1: a read counts as one of the working directory only if the agent names its files, and all are
/// there; a search also if it is one in files. Everything else is what its kind says, or unknown.
#[test]
fn calls_have_labels() {
    use Content::{Others, Own};
    let at = |path: &str| json!({"kind": "read", "locations": [{"path": path}]});
    for (call, files, expected) in [
        (at("/work/a.txt"), Own, (Own, None, false)),
        (at("/work/a.txt"), Others, (Others, Some(Others), false)),
        (at("/mail/a.txt"), Own, (Others, Some(Others), false)),
        (at("/work/../mail/a.txt"), Own, (Others, Some(Others), false)),
        (json!({"kind": "read"}), Own, (Others, Some(Others), false)),
        (json!({"kind": "read", "rawInput": {"filePath": "a.txt"}}), Own, (Own, None, false)),
        (json!({"kind": "search", "rawInput": {"pattern": "x"}}), Own, (Own, None, false)),
        (json!({"kind": "search", "rawInput": {"query": "x"}}), Own, (Others, Some(Others), false)),
        (json!({"kind": "search", "title": "Search the web"}), Own, (Others, Some(Others), false)),
        (json!({"kind": "edit"}), Others, (Own, None, true)),
        (json!({"kind": "fetch"}), Own, (Others, Some(Others), true)),
        (json!({"kind": "brand_new"}), Own, (Others, Some(Others), true)),
        (json!({}), Own, (Others, Some(Others), true)),
    ] {
        assert_eq!(labels(files, call.clone(), json!({})), expected, "{call} {files:?}");
    }
}

/// F-1: what the agent says of a call at its end counts, if it is worse.
#[test]
fn a_call_that_turns_out_otherwise_is_of_others() {
    let read = json!({"kind": "read", "locations": [{"path": "/work/a.txt"}]});
    for end in [json!({"kind": "fetch"}), json!({"locations": [{"path": "/mail/a.txt"}]})] {
        let (before, after, _) = labels(Content::Own, read.clone(), end);
        assert_eq!((before, after), (Content::Own, Some(Content::Others)));
    }
}
