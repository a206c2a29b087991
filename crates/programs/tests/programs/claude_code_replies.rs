//! The lines that are sent to Claude Code, case by case: where there is no recording, or where
//! something must never happen.

use std::sync::Arc;

use parlor_agent::tools::ToolAction;
use parlor_agent::{
    AgentError, AgentEvent, Answer, ContentBlock, HistoryMessage, Reply, ToolOutcome, TurnContext,
    TurnFlow, TurnOutcome,
};
use parlor_programs::claude_code::{Dialog, DialogSettings, PermissionMode, ToolPolicy};
use parlor_programs::{Dialect, Output};
use parlor_protocol::{Content, Mode, Preview, PromptType, Role};
use serde_json::{Value, json};
use uuid::Uuid;

fn dialog(session: Option<&str>, tools: ToolPolicy) -> Dialog {
    Dialog::new(DialogSettings {
        act: PermissionMode::Default,
        started_in: PermissionMode::Default,
        cli_session: session.map(str::to_owned),
        tools: Arc::new(tools),
        working_dir: "/work".to_owned(),
        working_dir_content: Content::Own,
        durable: false,
        flow: TurnFlow::default(),
        deferred: None,
    })
}

fn plain() -> Dialog {
    dialog(None, ToolPolicy::default())
}

fn read(dialog: &mut Dialog, line: Value) -> Vec<Output> {
    let mut out = Vec::new();
    dialog.read(&line, &mut out);
    out
}

fn permission(tool: &str, input: Value) -> Value {
    json!({"type": "control_request", "request_id": "r1", "request": {
        "subtype": "can_use_tool", "tool_name": tool, "input": input, "tool_use_id": "t1"}})
}

/// The answer to its last request.
fn told(dialog: &mut Dialog, reply: Reply) -> Value {
    let mut out = Vec::new();
    dialog.answer("t1", reply, &mut out);
    let [Output::Send(line)] = out.as_slice() else { panic!("one line, not {out:?}") };
    assert_eq!(line["response"]["request_id"], "r1");
    line["response"]["response"].clone()
}

fn context(history: Vec<HistoryMessage>, mode: Mode) -> TurnContext {
    TurnContext { history, mode, ..TurnContext::default() }
}

fn said(lines: &[Value]) -> Vec<&str> {
    let message = lines.iter().find(|line| line["type"] == "user").unwrap();
    let content = message["message"]["content"].as_array().unwrap();
    content.iter().filter_map(|block| block["text"].as_str()).collect()
}

/// The lines that begin a turn.
fn lines(dialog: &mut Dialog, context: &TurnContext) -> Vec<Value> {
    let mut out = Vec::new();
    dialog.begin(context, Uuid::nil(), &mut out);
    let line = |output| match output {
        Output::Send(line) => line,
        other => panic!("{other:?} is no line"),
    };
    out.into_iter().map(line).collect()
}

/// B-2: the program treats the last text of a message as a line of its terminal, with commands and
/// files in it. The last text is never the person's.
#[test]
fn what_a_person_writes_is_never_a_command() {
    for words in ["/cost", "@/etc/passwd what is this?", "!ls", "# remember"] {
        let context = context(vec![HistoryMessage::user(words)], Mode::Act);
        let sent = lines(&mut plain(), &context);
        let said = said(&sent);
        assert_eq!(said[0], words, "the words are the person's, unchanged");
        assert!(said.last().unwrap().starts_with('('), "{said:?}");
        assert_eq!(said.len(), 2);
    }
}

/// B-1: pictures are passed on, and a new CLI session gets the earlier messages.
#[test]
fn a_new_session_is_told_what_was_said_before() {
    let picture = ContentBlock::Image { media_type: "image/png".into(), data: "AAAA".into() };
    let message =
        HistoryMessage { role: Role::User, blocks: vec![picture, ContentBlock::text("This?")] };
    let before = [HistoryMessage::user("Hello"), HistoryMessage::assistant("Hi")];
    let history: Vec<_> = before.into_iter().chain([message]).collect();
    let sent = lines(&mut plain(), &context(history.clone(), Mode::Act));
    assert!(said(&sent)[0].ends_with("so far:\n\nPerson: Hello\n\nYou: Hi"), "{sent:?}");
    assert_eq!(sent[0]["message"]["content"][1]["source"]["data"], "AAAA");
    let mut knows = dialog(Some("s"), ToolPolicy::default());
    assert_eq!(said(&lines(&mut knows, &context(history, Mode::Act)))[0], "This?");
}

/// B-1, P-9: in a resumed turn, what the agent said before the message was told follows the message
/// in the history. The message is still the person's.
#[test]
fn a_message_is_told_although_the_agent_spoke_after_it() {
    let history =
        vec![HistoryMessage::user("Hello"), HistoryMessage::assistant("One moment: may I?")];
    let mut knows = dialog(Some("s"), ToolPolicy::default());
    let sent = lines(&mut knows, &context(history.clone(), Mode::Act));
    assert_eq!(said(&sent)[0], "Hello");
    let sent = lines(&mut plain(), &context(history, Mode::Act));
    let said = said(&sent);
    assert!(said[0].ends_with("so far:\n\nYou: One moment: may I?"), "{said:?}");
    assert_eq!(said[1], "Hello");
}

/// P-5, FAULTS 28: the approved arguments run, byte for byte.
#[test]
fn an_approved_call_runs_with_the_approved_bytes() {
    let mut dialog = plain();
    let out = read(&mut dialog, permission("Bash", json!({"z": 1, "command": "ls"})));
    let [Output::Event(AgentEvent::Proposes(call))] = out.as_slice() else { panic!("{out:?}") };
    assert!(dialog.waits_for_person());
    let edited = json!({"z": 1, "command": "ls -l"}).as_object().cloned().unwrap();
    let told = told(&mut dialog, Reply::Run { arguments: edited, run: Uuid::nil() });
    assert_eq!(
        told.to_string(),
        r#"{"behavior":"allow","updatedInput":{"z":1,"command":"ls -l"}}"#
    );
    assert!(!dialog.waits_for_person());
    assert_eq!(call.tool.as_ref().unwrap().server, "agent", "people are not told its name");
}

/// B-4, P-5: a repeated request, before its answer or after it, is one request: it is asked once,
/// and its answer applies to nothing else.
#[test]
fn a_request_that_comes_twice_is_asked_once() {
    let mut dialog = plain();
    let asked = permission("Bash", json!({"command": "make"}));
    assert_eq!(read(&mut dialog, asked.clone()).len(), 1);
    assert_eq!(read(&mut dialog, asked.clone()), [], "before the answer");
    let arguments = json!({"command": "make"}).as_object().cloned().unwrap();
    told(&mut dialog, Reply::Run { arguments, run: Uuid::nil() });
    assert_eq!(read(&mut dialog, asked), [], "after the answer");
    assert_eq!(read(&mut dialog, permission("Bash", json!({"command": "rm -r ."}))), []);
    assert!(!dialog.waits_for_person());
}

/// B-4: only an explicit approval is consent.
#[test]
fn no_answer_and_no_blank_answer_is_ever_consent() {
    let questions = json!({"questions": [
        {"question": "Which?", "options": [{"label": "A"}, {"label": "B"}], "multiSelect": true},
        {"question": "Why?", "options": [{"label": "C"}, {"label": "D"}]}]});
    let plan = json!({"plan": "# Do it\n\n1. First"});
    let given = |value: Value| Reply::Answer(Answer::Given(value));
    for (tool, input, reply) in [
        ("Bash", json!({}), Reply::not_run("")),
        ("Bash", json!({}), given(json!("yes"))),
        ("AskUserQuestion", questions.clone(), given(json!({"q1": ["A"], "q2": " "}))),
        ("AskUserQuestion", questions.clone(), given(json!({"q1": [], "q2": "C"}))),
        ("AskUserQuestion", questions.clone(), given(json!({"q1": ["A"]}))),
        ("AskUserQuestion", questions.clone(), given(json!(null))),
        ("AskUserQuestion", questions.clone(), Reply::Answer(Answer::Expired)),
        ("ExitPlanMode", plan.clone(), given(json!(""))),
        ("ExitPlanMode", plan.clone(), given(json!("yes"))),
        ("ExitPlanMode", plan.clone(), Reply::Answer(Answer::Refused(None))),
        ("ExitPlanMode", plan.clone(), Reply::Answer(Answer::Expired)),
    ] {
        let mut dialog = plain();
        read(&mut dialog, permission(tool, input));
        let told = told(&mut dialog, reply.clone());
        assert_eq!(told["behavior"], "deny", "{tool} {reply:?}");
        assert!(!told["message"].as_str().unwrap().trim().is_empty(), "{tool} {reply:?}");
    }
    let mut dialog = plain();
    read(&mut dialog, permission("AskUserQuestion", questions));
    let told = told(&mut dialog, given(json!({"q1": ["A", "B"], "q2": "because"})));
    let answers = &told["updatedInput"]["answers"];
    assert_eq!(*answers, json!({"Which?": ["A", "B"], "Why?": "because"}));
}

/// T-3: a plan to be refined is refused with the person's words, and is to be presented again.
#[test]
fn a_plan_is_refined_in_the_persons_words() {
    let mut dialog = plain();
    let out = read(&mut dialog, permission("ExitPlanMode", json!({"plan": "# Go\n\n1. Left"})));
    let [Output::Event(AgentEvent::Asks(ask))] = out.as_slice() else { panic!("{out:?}") };
    assert_eq!((ask.draft.prompt_type, ask.draft.question.as_str()), (PromptType::Plan, "Go"));
    let refine = Reply::Answer(Answer::Given(json!({"refine": "go right"})));
    let told = told(&mut dialog, refine);
    let words = told["message"].as_str().unwrap();
    assert!(words.contains("go right") && words.contains("again"), "{words}");
}

/// T-3: in plan mode a call that changes something is refused without asking.
#[test]
fn plan_mode_refuses_what_would_change_something() {
    let mut dialog = plain();
    let sent = lines(&mut dialog, &context(vec![HistoryMessage::user("x")], Mode::Plan));
    assert_eq!(sent[0]["request"], json!({"subtype": "set_permission_mode", "mode": "plan"}));
    let out = read(&mut dialog, permission("Bash", json!({"command": "rm x"})));
    let [
        Output::Event(AgentEvent::CallEnded { outcome: ToolOutcome::NotRun(_), .. }),
        Output::Send(line),
    ] = out.as_slice()
    else {
        panic!("{out:?}")
    };
    assert_eq!(line["response"]["response"]["behavior"], "deny");
    let out = read(&mut dialog, permission("WebFetch", json!({"url": "https://a.b"})));
    assert!(matches!(out.as_slice(), [Output::Event(AgentEvent::Proposes(_))]));
}

/// B-2: allow lists and deny lists become rules of Parlor; rules about arguments are left to the
/// program.
#[test]
fn lists_of_tools_become_rules() {
    let list = |tools: &[&str]| tools.iter().map(|tool| (*tool).to_owned()).collect::<Vec<_>>();
    let tools = ToolPolicy::new(&list(&["Bash", "Write(x)"]), &list(&["WebFetch"]));
    for (tool, action) in [
        ("Bash", Some(ToolAction::Allow)),
        ("WebFetch", Some(ToolAction::Deny)),
        ("Write", None),
        ("Write(x)", Some(ToolAction::Allow)),
    ] {
        let out = read(&mut dialog(None, tools.clone()), permission(tool, json!({})));
        let [Output::Event(AgentEvent::Proposes(call))] = out.as_slice() else { panic!("{out:?}") };
        assert_eq!(call.tool.as_ref().unwrap().configured(&call.input), action, "{tool}");
    }
}

/// P-7: the preview of an edit comes from its arguments.
#[test]
fn edits_have_previews() {
    let edits = json!({"edits": [{"old_string": "a", "new_string": "b"},
        {"old_string": "c", "new_string": "d"}]});
    for (tool, input, old, new) in [
        ("Edit", json!({"old_string": "a", "new_string": "b"}), Some("a"), "b"),
        ("Edit", json!({"old_string": "", "new_string": "b"}), None, "b"),
        ("MultiEdit", edits, Some("a\n⋯\nc"), "b\n⋯\nd"),
    ] {
        let out = read(&mut plain(), permission(tool, input));
        let [Output::Event(AgentEvent::Proposes(call))] = out.as_slice() else { panic!("{out:?}") };
        let diff = Preview::Diff { old: old.map(str::to_owned), new: Some(new.to_owned()) };
        assert_eq!(call.preview, Some(diff));
    }
    let out = read(&mut plain(), permission("Edit", json!({"old_string": 7})));
    assert!(matches!(out.as_slice(), [Output::Event(AgentEvent::Proposes(_))]));
}

/// A withdrawn question is no longer asked, and an unknown request is answered with an error, so
/// that the program never waits.
#[test]
fn withdrawn_and_unknown_requests() {
    let mut dialog = plain();
    read(&mut dialog, permission("Bash", json!({})));
    let out = read(&mut dialog, json!({"type": "control_cancel_request", "request_id": "r1"}));
    assert_eq!(out, [Output::Event(AgentEvent::Withdrawn("t1".into()))]);
    let mut late = Vec::new();
    dialog.answer("t1", Reply::not_run("no"), &mut late);
    assert!(late.is_empty() && !dialog.waits_for_person());
    for request in [json!({"subtype": "hook_callback"}), json!({}), json!(7)] {
        let line = json!({"type": "control_request", "request_id": "r9", "request": request});
        let out = read(&mut dialog, line);
        let [Output::Send(line)] = out.as_slice() else { panic!("{out:?}") };
        assert_eq!(line["response"]["subtype"], "error");
    }
}

/// B-1: background work that ends while a person writes does not end the person's turn.
#[test]
fn the_end_of_another_turn_is_not_the_end_of_this_one() {
    let mut dialog = plain();
    let id = Uuid::from_u128(7);
    dialog.begin(&context(vec![HistoryMessage::user("x")], Mode::Act), id, &mut Vec::new());
    let result = |more: Value| {
        let mut line = json!({"type": "result", "subtype": "success", "num_turns": 1});
        line.as_object_mut().unwrap().extend(more.as_object().cloned().unwrap());
        line
    };
    let origin = json!({"origin": {"kind": "task-notification"}});
    assert_eq!(read(&mut dialog, result(origin.clone())), []);
    let mut folded = origin;
    folded["user_message_uuids"] = json!([id]);
    let over = [Output::Over(TurnOutcome::Complete { cut_off: false })];
    assert_eq!(read(&mut dialog, result(folded)), over);
    dialog.begin(&context(vec![HistoryMessage::user("x")], Mode::Act), id, &mut Vec::new());
    assert_eq!(read(&mut dialog, result(json!({}))), over);
}

/// C-3: no line causes a panic, and an unknown one is ignored.
#[test]
fn strange_lines_mean_nothing() {
    let kinds = ["system", "assistant", "user", "stream_event", "control_request", "what"];
    let values = [json!(null), json!(7), json!("x"), json!([[1]]), json!({"content": [7, {}]})];
    let mut dialog = plain();
    for kind in kinds {
        for value in &values {
            let line = json!({"type": kind, "subtype": "init", "message": value, "event": value,
                "request": value, "session_id": value});
            let out = read(&mut dialog, line);
            let speaks =
                |o: &Output| matches!(o, Output::Event(AgentEvent::Ended(_)) | Output::Over(_));
            assert!(!out.iter().any(speaks), "{kind} {value}: {out:?}");
        }
    }
    for value in values {
        let out = read(&mut plain(), json!({"type": "result", "is_error": true, "errors": value}));
        let [Output::Over(TurnOutcome::Failed(AgentError::Reported(_)))] = out.as_slice() else {
            panic!("{value}: {out:?}")
        };
    }
}
