//! B-3, B-4, P-9: what an agent is told, and what its answers mean. The agent is played by hand
//! where no recording has the case.

use std::sync::Arc;

use parlor_agent::{
    AgentEvent, Answer, HistoryMessage, ProposedCall, Reply, ToolOutcome, TurnContext, TurnOutcome,
};
use parlor_programs::acp::{Dialog, DialogSettings, ToolLists, Wanted};
use parlor_programs::{DeferredCall, Dialect, Output};
use parlor_protocol::{CallCaveat, Mode};
use serde_json::{Map, Value, json};
use uuid::Uuid;

const COMPLETE: TurnOutcome = TurnOutcome::Complete { cut_off: false };

/// An agent that was prompted.
struct Agent {
    dialog: Dialog,
    out: Vec<Output>,
}

fn settings() -> DialogSettings {
    DialogSettings {
        process: Uuid::nil(),
        working_dir: "/work".to_owned(),
        wanted: Wanted::default(),
        session_meta: Map::new(),
        instructions: Some("Be brief.".to_owned()),
        auth_method: None,
        warns_in_text: false,
        cli_session: None,
        tools: Arc::new(ToolLists::new(&["look".to_owned()], &[])),
        durable: true,
        deferred: None,
        mode: Mode::Act,
    }
}

fn context(words: &str, mode: Mode) -> TurnContext {
    let history = vec![
        HistoryMessage::user("Hello"),
        HistoryMessage::assistant("Hi"),
        HistoryMessage::user(words),
    ];
    TurnContext { history, system_prompt: None, mode }
}

impl Agent {
    /// Initialized, with a session; it can resume it.
    fn opened(settings: DialogSettings) -> Self {
        let mut dialog = Dialog::new(settings);
        dialog.opening();
        let mut agent = Self { dialog, out: Vec::new() };
        agent.answers(
            "initialize",
            json!({"protocolVersion": 1, "agentCapabilities":
            {"loadSession": true, "sessionCapabilities": {"resume": {}}}}),
        );
        let opening = agent.sent().last().unwrap()["method"].as_str().unwrap().to_owned();
        let modes = json!({"currentModeId": "default", "availableModes":
            [{"id": "default", "name": "d"}, {"id": "plan", "name": "p"}, {"id": "yolo", "name": "y"}]});
        agent.answers(&opening, json!({"sessionId": "s", "modes": modes}));
        agent
    }

    fn prompted() -> Self {
        let mut agent = Self::opened(settings());
        agent.dialog.begin(&context("Go", Mode::Act), Uuid::nil(), &mut agent.out);
        agent.out.clear();
        agent
    }

    fn read(&mut self, line: Value) {
        self.dialog.read(&line, &mut self.out);
    }

    /// Answers the last request of this method. Requests are numbered from 0.
    fn answers(&mut self, method: &str, result: Value) {
        let id = self.request_id(method);
        self.out.clear();
        self.read(json!({"jsonrpc": "2.0", "id": id, "result": result}));
    }

    fn request_id(&self, method: &str) -> Value {
        let sent = self.sent();
        let last = sent.iter().rev().find(|line| line["method"] == method);
        last.map_or(json!(0), |line| line["id"].clone())
    }

    fn update(&mut self, update: Value) {
        self.read(json!({"jsonrpc": "2.0", "method": "session/update",
            "params": {"sessionId": "s", "update": update}}));
    }

    fn asks(&mut self, id: u64, call: &str, input: Value) {
        let mut tool = json!({"toolCallId": call, "name": "Bash", "kind": "execute",
            "title": "a command", "rawInput": input});
        if tool["rawInput"].is_null() {
            tool.as_object_mut().unwrap().remove("rawInput");
        }
        self.read(json!({"jsonrpc": "2.0", "id": id, "method": "session/request_permission",
            "params": {"sessionId": "s", "toolCall": tool, "options": [
                {"optionId": "always", "name": "Always", "kind": "allow_always"},
                {"optionId": "once", "name": "Yes", "kind": "allow_once"},
                {"optionId": "no", "name": "No", "kind": "reject_once"}]}}));
    }

    fn replies(&mut self, id: &str, reply: Reply) {
        self.out.clear();
        self.dialog.answer(id, reply, &mut self.out);
    }

    /// Ends the prompt.
    fn ends(&mut self, prompt: u64, reason: &str) {
        self.out.clear();
        self.read(json!({"jsonrpc": "2.0", "id": prompt, "result": {"stopReason": reason}}));
    }

    fn sent(&self) -> Vec<Value> {
        let sent = |output: &Output| match output {
            Output::Send(line) => Some(line.clone()),
            _ => None,
        };
        self.out.iter().filter_map(sent).collect()
    }

    fn proposed(&self) -> Vec<ProposedCall> {
        let proposed = |output: &Output| match output {
            Output::Event(AgentEvent::Proposes(call)) => Some((**call).clone()),
            _ => None,
        };
        self.out.iter().filter_map(proposed).collect()
    }

    fn ended_calls(&self) -> Vec<(String, ToolOutcome)> {
        let ended = |output: &Output| match output {
            Output::Event(AgentEvent::CallEnded { call, outcome, .. }) => {
                Some((call.clone(), outcome.clone()))
            }
            _ => None,
        };
        self.out.iter().filter_map(ended).collect()
    }

    fn over(&self) -> Option<TurnOutcome> {
        match self.out.last() {
            Some(Output::Over(outcome)) => Some(outcome.clone()),
            _ => None,
        }
    }
}

/// The texts of the last prompt.
fn prompt_texts(agent: &Agent) -> Vec<String> {
    let sent = agent.sent();
    let prompt = sent.iter().rev().find(|line| line["method"] == "session/prompt").unwrap();
    let blocks = prompt["params"]["prompt"].as_array().unwrap();
    blocks.iter().map(|block| block["text"].as_str().unwrap_or_default().to_owned()).collect()
}

fn run(arguments: Value) -> Reply {
    Reply::Run { arguments: arguments.as_object().cloned().unwrap(), run: Uuid::nil() }
}

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
