//! P-9: a call that was approved after its process ended, or with other arguments, is made again.

use parlor_agent::{Reply, ToolOutcome};
use parlor_programs::acp::{Dialog, DialogSettings};
use parlor_programs::{DeferredCall, Dialect, Output};
use parlor_protocol::{CallCaveat, Mode};
use serde_json::{Value, json};
use uuid::Uuid;

use crate::acp_agent::{Agent, COMPLETE, context, prompt_texts, run, settings};

/// Edited arguments are a refusal with the change; the call is then allowed if it is exactly that.
#[test]
fn edited_arguments_are_made_again() {
    let mut agent = Agent::prompted();
    agent.asks(7, "c1", json!({"command": "rm x"}));
    agent.replies("c1", run(json!({"command": "ls x"})));
    assert_eq!(agent.sent()[0]["result"]["outcome"]["optionId"], "no");
    agent.ends(2, "end_turn");
    assert!(prompt_texts(&agent)[0].ends_with(r#"Tool: Bash. Arguments: {"command":"ls x"}"#));
    agent.out.clear();
    agent.asks(8, "c2", json!({"command": "ls x"}));
    assert_eq!(agent.sent()[0]["result"]["outcome"]["optionId"], "once");
    assert!(agent.proposed().is_empty(), "nobody is asked again");
    agent.update(json!({"sessionUpdate": "tool_call_update", "toolCallId": "c2",
        "status": "completed", "rawOutput": "done"}));
    let [(call, ToolOutcome::Answered { .. })] = &agent.ended_calls()[..] else { panic!() };
    assert_eq!(call, "c1", "people see the call that they approved");
}

/// P-9: after a restart the approved call is made again, and only that one.
#[test]
fn a_call_is_repeated_byte_for_byte_or_asked_again() {
    let state = stored_question(json!({"command": "ls", "n": 1}));
    for (repeated, is_same) in [
        (json!({"command": "ls", "n": 1}), true),
        (json!({"n": 1, "command": "ls"}), false),
        (json!({"command": "ls ", "n": 1}), false),
        (Value::Null, false),
    ] {
        let deferred = DeferredCall { call: "c1".to_owned(), state: state.clone() };
        let cli_session = Some("s".to_owned());
        let mut agent =
            Agent::opened(DialogSettings { deferred: Some(deferred), cli_session, ..settings() });
        let [asked] = agent.proposed().try_into().unwrap();
        assert_eq!(asked.id, "c1");
        assert!(agent.dialog.reached_deferred_call());
        agent.replies("c1", run(json!({"command": "ls", "n": 1})));
        assert!(prompt_texts(&agent)[0].contains("Make it now, once"));
        agent.out.clear();
        agent.asks(0, "c1", repeated.clone());
        assert_eq!(agent.proposed().is_empty(), is_same, "{repeated}");
        assert_eq!(!agent.sent().is_empty(), is_same, "{repeated}");
        if let [other] = &agent.proposed()[..] {
            assert_ne!(other.id, "c1", "it is another question, whatever the agent calls it");
            agent.replies(&other.id.clone(), Reply::not_run("The person refused."));
            assert_eq!(agent.ended_calls()[0].0, "c1", "the approved one was not made");
        }
    }
}

/// P-9: an agent that does not make the call again is said to have not made it.
#[test]
fn an_approved_call_that_is_not_made_is_not_run() {
    let deferred = DeferredCall { call: "c1".to_owned(), state: stored_question(json!({})) };
    let cli_session = Some("s".to_owned());
    let mut agent =
        Agent::opened(DialogSettings { deferred: Some(deferred), cli_session, ..settings() });
    agent.replies("c1", run(json!({})));
    agent.ends(2, "end_turn");
    let [(call, ToolOutcome::NotRun(_))] = &agent.ended_calls()[..] else { panic!() };
    assert_eq!(call, "c1");
    assert_eq!(agent.over(), Some(COMPLETE));
}

/// The question of a call, as it is stored.
fn stored_question(input: Value) -> Value {
    let mut agent = Agent::prompted();
    agent.asks(7, "c1", input);
    let stored = agent.out.iter().find_map(|output| match output {
        Output::Resumable(call) => Some(call.state.clone()),
        _ => None,
    });
    stored.unwrap()
}

/// A permission without arguments is not proven, and cannot be recognised later.
#[test]
fn what_the_agent_only_describes_is_marked() {
    let mut agent = Agent::prompted();
    agent.asks(7, "c1", Value::Null);
    let [call] = agent.proposed().try_into().unwrap();
    assert_eq!(call.caveats, [CallCaveat::EditsAreRefusals, CallCaveat::NotProven]);
    assert_eq!(call.input["title"], "a command");
    assert!(!agent.out.iter().any(|output| matches!(output, Output::Resumable(_))));
}

/// A change of which the agent says the texts is recognised by them.
#[test]
fn a_change_without_arguments_is_recognised_by_its_texts() {
    let edit = |id: u64, call: &str, new: &str| {
        json!({"jsonrpc": "2.0", "id": id, "method": "session/request_permission",
            "params": {"sessionId": "s", "toolCall": {"toolCallId": call, "kind": "edit",
                "title": "Edit files", "content": [{"type": "diff", "path": "/work/a",
                    "oldText": null, "newText": new}]},
                "options": [{"optionId": "y", "name": "Yes", "kind": "allow_once"}]}})
    };
    let mut agent = Agent::prompted();
    agent.read(edit(7, "c1", "one"));
    let stored = agent.out.iter().find_map(|output| match output {
        Output::Resumable(call) => Some(call.clone()),
        _ => None,
    });
    let [call] = agent.proposed().try_into().unwrap();
    assert!(call.caveats.contains(&CallCaveat::NotProven));
    assert_eq!(call.input["changes"][0]["new"], "one");
    for (text, is_same) in [("one", true), ("two", false)] {
        let cli_session = Some("s".to_owned());
        let mut agent =
            Agent::opened(DialogSettings { deferred: stored.clone(), cli_session, ..settings() });
        agent.replies("c1", Reply::Run { arguments: call.input.clone(), run: Uuid::nil() });
        agent.out.clear();
        agent.read(edit(0, "c9", text));
        assert_eq!(agent.proposed().is_empty(), is_same, "{text}");
    }
}

/// A session that is gone is replaced by one that is told what was said.
#[test]
fn a_session_that_is_gone_is_begun_afresh() {
    let mut dialog =
        Dialog::new(DialogSettings { cli_session: Some("old".to_owned()), ..settings() });
    dialog.opening();
    let mut agent = Agent { dialog, out: Vec::new() };
    agent.dialog.begin(&context("Go", Mode::Act), Uuid::nil(), &mut agent.out);
    agent.answers("initialize", json!({"agentCapabilities": {"loadSession": true}}));
    assert_eq!(agent.sent()[0]["method"], "session/load");
    agent.out.clear();
    agent.read(json!({"jsonrpc": "2.0", "id": 1, "error": {"code": -32603, "message": "gone"}}));
    assert_eq!(agent.sent()[0]["method"], "session/new");
    agent.answers("session/new", json!({"sessionId": "s"}));
    assert_eq!(agent.out[0], Output::CliSession("s".to_owned()));
    assert!(prompt_texts(&agent)[1].contains("Person: Hello"));
}
