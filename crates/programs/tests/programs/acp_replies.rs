//! B-3, B-4: what an agent of the Agent Client Protocol is told, and what its answers mean.

use parlor_agent::{AgentEvent, Answer, Reply, ToolOutcome, TurnOutcome};
use parlor_programs::acp::{Dialog, DialogSettings};
use parlor_programs::{Dialect, Output};
use parlor_protocol::{CallCaveat, Mode};
use serde_json::json;
use uuid::Uuid;

use crate::acp_agent::{Agent, COMPLETE, context, prompt_texts, run, settings};

/// B-2: an agent takes a text that begins with `/` as a command of its own: the person's text is
/// neither the first nor the last one.
#[test]
fn what_a_person_writes_is_never_a_command() {
    for words in ["/logout", "@/etc/passwd what is this?"] {
        let mut agent = Agent::opened(settings());
        agent.dialog.begin(&context(words, Mode::Act), Uuid::nil(), &mut agent.out);
        let texts = prompt_texts(&agent);
        assert_eq!(texts[0], "Instructions for this conversation:\n\nBe brief.");
        assert!(texts[1].ends_with("Person: Hello\n\nYou: Hi"), "{texts:?}");
        assert_eq!(texts[3], words, "unchanged");
        assert!(texts[2].starts_with('(') && texts[4].starts_with('('), "{texts:?}");
        assert_eq!(texts.len(), 5);
        agent.ends(2, "end_turn");
        agent.dialog.begin(&context(words, Mode::Act), Uuid::nil(), &mut agent.out);
        assert_eq!(prompt_texts(&agent).len(), 3, "the session knows the rest");
    }
}

/// K-4: an agent that takes instructions with a session does not get them with a message.
#[test]
fn instructions_are_given_once() {
    let mut dialog = Dialog::new(settings());
    dialog.opening();
    let mut agent = Agent { dialog, out: Vec::new() };
    agent.dialog.begin(&context("Go", Mode::Act), Uuid::nil(), &mut agent.out);
    let capabilities = json!({"sessionCapabilities": {"systemPrompt": {}}});
    agent.answers("initialize", json!({"agentCapabilities": capabilities}));
    let prompt = &agent.sent()[0]["params"]["systemPrompt"];
    assert_eq!(prompt["mode"], "append");
    assert_eq!(prompt["content"][0]["text"], "Be brief.");
    agent.answers("session/new", json!({"sessionId": "s"}));
    assert!(!prompt_texts(&agent).iter().any(|text| text.contains("Be brief.")));
}

/// P-5, FAULTS 28: what was approved is allowed, once.
#[test]
fn an_option_is_picked_by_its_kind() {
    let mut agent = Agent::prompted();
    agent.asks(7, "c1", json!({"command": "ls"}));
    let [call] = agent.proposed().try_into().unwrap();
    assert_eq!(call.caveats, [CallCaveat::EditsAreRefusals]);
    assert!(agent.dialog.waits_for_person());
    agent.replies("c1", run(json!({"command": "ls"})));
    let allowed = json!({"outcome": {"outcome": "selected", "optionId": "once"}});
    assert_eq!(agent.sent()[0]["result"], allowed);
    assert_eq!(agent.sent()[0]["id"], 7);
    agent.replies("c1", run(json!({"command": "ls"})));
    assert!(agent.out.is_empty(), "it is answered once");
}

/// B-4: no answer is a refusal, and a reason is told after the prompt.
#[test]
fn a_refusal_and_its_reason() {
    let mut agent = Agent::prompted();
    agent.asks(7, "c1", json!({"command": "ls"}));
    agent.replies("c1", Reply::not_run("The person refused: too loud"));
    let refused = json!({"outcome": {"outcome": "selected", "optionId": "no"}});
    assert_eq!(agent.sent()[0]["result"], refused);
    agent.ends(2, "cancelled");
    assert_eq!(agent.over(), None, "the reason is told first");
    assert!(prompt_texts(&agent)[0].ends_with("The person refused: too loud"));
    agent.ends(3, "end_turn");
    assert_eq!(agent.over(), Some(COMPLETE));
}

/// P-2: an agent that ends its turn without a word after a refusal is told of it; one that goes
/// on has understood.
#[test]
fn a_refusal_without_a_reason_is_told_to_who_is_silent() {
    for silent in [true, false] {
        let mut agent = Agent::prompted();
        agent.asks(7, "c1", json!({"command": "ls"}));
        agent.replies("c1", Reply::not_run("The person refused."));
        if !silent {
            let text = json!({"type": "text", "text": "Then not."});
            agent.update(json!({"sessionUpdate": "agent_message_chunk", "content": text}));
        }
        agent.ends(2, "end_turn");
        assert_eq!(agent.over().is_none(), silent);
    }
}

/// One question is open at a time; a stop answers all of them.
#[test]
fn questions_wait_for_each_other() {
    let mut agent = Agent::prompted();
    agent.asks(7, "c1", json!({"command": "a"}));
    agent.asks(8, "c2", json!({"command": "b"}));
    assert_eq!(agent.proposed().len(), 1);
    agent.replies("c1", run(json!({"command": "a"})));
    assert_eq!(agent.proposed()[0].id, "c2");
    agent.asks(9, "c3", json!({"command": "c"}));
    agent.out.clear();
    agent.dialog.interrupt(&mut agent.out);
    let sent = agent.sent();
    assert_eq!(sent[0]["id"], 8);
    assert_eq!(sent[1]["id"], 9);
    assert!(sent[..2].iter().all(|line| line["result"]["outcome"]["outcome"] == "cancelled"));
    assert_eq!(sent[2]["method"], "session/cancel");
    agent.ends(2, "cancelled");
    assert_eq!(agent.over(), Some(TurnOutcome::Stopped));
    agent.out.clear();
    agent.asks(10, "c4", json!({}));
    assert_eq!(agent.sent()[0]["result"]["outcome"]["outcome"], "cancelled", "no prompt runs");
}

/// T-3: in plan mode a call that changes something is refused without asking; a plan is asked
/// about, and carried out in the mode that asks.
#[test]
fn plan_mode_refuses_changes_and_presents_plans() {
    let mut agent = Agent::opened(DialogSettings { mode: Mode::Plan, ..settings() });
    assert_eq!(agent.sent()[0]["params"]["modeId"], "plan");
    agent.answers("session/set_mode", json!({}));
    agent.dialog.begin(&context("Go", Mode::Plan), Uuid::nil(), &mut agent.out);
    agent.out.clear();
    agent.asks(7, "c1", json!({"command": "rm"}));
    assert_eq!(agent.sent()[0]["result"]["outcome"]["optionId"], "no");
    assert!(matches!(&agent.ended_calls()[..], [(_, ToolOutcome::NotRun(_))]));
    agent.out.clear();
    agent.read(json!({"jsonrpc": "2.0", "id": 8, "method": "session/request_permission",
        "params": {"sessionId": "s", "toolCall": {"toolCallId": "c2", "kind": "switch_mode",
            "title": "Ready?", "rawInput": {"plan": "# Tidy up\n1. Look\n2. Sweep"}},
            "options": [{"optionId": "y", "name": "Yes", "kind": "allow_once"},
                {"optionId": "n", "name": "No", "kind": "reject_once"}]}}));
    let Some(Output::Event(AgentEvent::Asks(ask))) = agent.out.last() else { panic!() };
    assert_eq!(ask.draft.plan.as_ref().unwrap().goal, "Tidy up");
    agent.replies("c2", Reply::Answer(Answer::Given(json!("execute"))));
    assert_eq!(agent.sent()[0]["result"]["outcome"]["optionId"], "y");
}

/// C-4: questions that come as a permission are asked as questions, and the answers are told.
#[test]
fn questions_that_come_as_a_permission_are_answered_in_words() {
    let mut agent = Agent::prompted();
    agent.read(json!({"jsonrpc": "2.0", "id": 7, "method": "session/request_permission",
        "params": {"sessionId": "s", "toolCall": {"toolCallId": "c1", "kind": "think",
            "title": "Ask user 1 question", "_meta": {"toolName": "ask_user_question"},
            "rawInput": {"questions": [{"question": "Which size?", "header": "Size",
                "options": [{"label": "Small", "description": ""}, {"label": "Large"}],
                "multiSelect": false}]}},
            "options": [{"optionId": "ok", "name": "Submit", "kind": "allow_once"},
                {"optionId": "cancel", "name": "Cancel", "kind": "reject_once"}]}}));
    let Some(Output::Event(AgentEvent::Asks(ask))) = agent.out.last() else { panic!() };
    let id = ask.draft.questions.as_ref().unwrap()[0].id.clone();
    agent.replies("c1", Reply::Answer(Answer::Given(json!({id: "Small"}))));
    assert_eq!(agent.sent()[0]["result"]["outcome"]["optionId"], "cancel");
    agent.ends(2, "cancelled");
    assert!(prompt_texts(&agent)[0].ends_with("Which size?: \"Small\""));
}

/// A mode in which nobody is asked is left at once, whoever set it.
#[test]
fn the_agent_does_not_change_to_a_mode_that_asks_nobody() {
    let mut agent = Agent::prompted();
    agent.update(json!({"sessionUpdate": "current_mode_update", "currentModeId": "yolo"}));
    assert_eq!(agent.sent()[0]["params"], json!({"modeId": "default", "sessionId": "s"}));
}

/// The replay of a loaded session is not said again, and nothing is said without a prompt.
#[test]
fn nothing_is_said_twice() {
    let mut agent = Agent::opened(settings());
    let text = json!({"type": "text", "text": "old"});
    agent.out.clear();
    agent.update(json!({"sessionUpdate": "agent_message_chunk", "content": text}));
    assert!(agent.out.is_empty());
}

/// A call in progress is shown with the next line, or after a moment without one: it may still
/// ask.
#[test]
fn a_call_in_progress_may_still_ask() {
    let tool = |status: &str| {
        json!({"sessionUpdate": "tool_call", "toolCallId": "c1", "title": "x",
            "kind": "execute", "status": status, "rawInput": {"command": "x"}})
    };
    let mut agent = Agent::prompted();
    agent.update(tool("in_progress"));
    assert!(agent.dialog.holds_back() && agent.out.is_empty());
    agent.asks(7, "c1", json!({"command": "x"}));
    assert_eq!(agent.proposed().len(), 1);
    let mut agent = Agent::prompted();
    agent.update(tool("in_progress"));
    agent.dialog.release(&mut agent.out);
    assert!(matches!(agent.out[..], [Output::Event(AgentEvent::Calls(_))]), "{:?}", agent.out);
    agent.asks(7, "c1", json!({"command": "x"}));
    assert!(matches!(&agent.ended_calls()[..], [(call, ToolOutcome::NotRun(_))] if call == "c1"));
    assert_eq!(agent.proposed()[0].id, "c1+", "it is another call for people");
}

/// A plan is shown once; afterwards its progress is a line like that of a tool.
#[test]
fn a_plan_is_shown_once_and_then_its_progress() {
    let plan = |status: &str, second: &str| {
        let entry = |content: &str, status: &str| json!({"content": content, "priority": "medium", "status": status});
        json!({"sessionUpdate": "plan",
            "entries": [entry("Look", status), entry(second, "pending")]})
    };
    let mut agent = Agent::prompted();
    agent.update(plan("in_progress", "Sweep"));
    let [Output::Event(AgentEvent::Text(list)), Output::Event(AgentEvent::BlockEnd)] =
        agent.out.as_slice()
    else {
        panic!("{:?}", agent.out)
    };
    assert_eq!(list, "- [ ] Look …\n- [ ] Sweep\n");
    agent.out.clear();
    agent.update(plan("completed", "Sweep"));
    let [(_, ToolOutcome::Answered { content, .. })] = &agent.ended_calls()[..] else { panic!() };
    assert_eq!(content[0].as_text(), Some("- [x] Look\n- [ ] Sweep\n"));
    agent.out.clear();
    agent.update(plan("completed", "Dust"));
    assert!(matches!(agent.out[0], Output::Event(AgentEvent::Text(_))), "other steps are new");
}
