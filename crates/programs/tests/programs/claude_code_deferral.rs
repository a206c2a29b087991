//! P-9, B-1: which calls Claude Code is told to defer, and what the following processes are told.
//! The lines are those of the real program (2.1.325).

use std::sync::Arc;

use parlor_agent::{AgentEvent, HistoryMessage, Reply, TurnContext, TurnFlow, TurnOutcome};
use parlor_programs::claude_code::{Dialog, DialogSettings, PermissionMode, ToolPolicy};
use parlor_programs::{DeferredCall, Dialect, Output};
use parlor_protocol::Content;
use serde_json::{Map, Value, json};
use uuid::Uuid;

const DIR: &str = "/srv/desk";

fn settings() -> DialogSettings {
    DialogSettings {
        act: PermissionMode::Default,
        started_in: PermissionMode::Default,
        cli_session: None,
        tools: Arc::default(),
        working_dir: DIR.to_owned(),
        working_dir_content: Content::Own,
        durable: true,
        flow: TurnFlow::default(),
        deferred: None,
    }
}

fn dialog(session: Option<&str>, paused: Option<DeferredCall>, tools: ToolPolicy) -> Dialog {
    let (cli_session, tools) = (session.map(str::to_owned), Arc::new(tools));
    Dialog::new(DialogSettings { cli_session, tools, deferred: paused, ..settings() })
}

/// A process that works on a person's message.
fn at_work() -> Dialog {
    let mut dialog = dialog(None, None, ToolPolicy::default());
    begin(&mut dialog);
    dialog
}

/// Begins the turn of a person's message.
fn begin(dialog: &mut Dialog) {
    begin_in(dialog, "2.1.325");
}

fn begin_in(dialog: &mut Dialog, version: &str) {
    says_hello(dialog);
    read(
        dialog,
        json!({"type": "system", "subtype": "init", "session_id": "s1",
        "claude_code_version": version, "user_message_uuids": [Uuid::max()]}),
    );
}

fn says_hello(dialog: &mut Dialog) {
    let history = vec![HistoryMessage::user("Go on")];
    dialog.begin(&TurnContext { history, ..TurnContext::default() }, Uuid::max(), &mut Vec::new());
}

fn read(dialog: &mut Dialog, line: Value) -> Vec<Output> {
    let mut out = Vec::new();
    dialog.read(&line, &mut out);
    out
}

fn piece(dialog: &mut Dialog, event: Value) -> Vec<Output> {
    read(dialog, json!({"type": "stream_event", "event": event, "parent_tool_use_id": null}))
}

/// Begins a message that contains these calls.
fn says(dialog: &mut Dialog, calls: &[&str]) -> Vec<Output> {
    let start = json!({"type": "message_start", "message": {"id": "m1"}});
    let mut out = piece(dialog, start);
    for (index, id) in calls.iter().enumerate() {
        let block = json!({"type": "tool_use", "id": id, "name": "Bash", "input": {}});
        let start = json!({"type": "content_block_start", "index": index, "content_block": block});
        out.extend(piece(dialog, start));
    }
    out
}

fn ends(dialog: &mut Dialog) -> Vec<Output> {
    piece(dialog, json!({"type": "message_stop"}))
}

/// The hook's request, with some fields changed.
fn hook(call: &str, change: Value) -> Value {
    let mut input = json!({"hook_event_name": "PreToolUse", "cwd": DIR, "tool_use_id": call,
        "permission_mode": "default", "tool_name": "Bash", "tool_input": {"command": "touch a"}});
    input.as_object_mut().unwrap().extend(change.as_object().unwrap().clone());
    let request = json!({"subtype": "hook_callback", "callback_id": "parlor", "input": input});
    json!({"type": "control_request", "request_id": "h1", "request": request})
}

fn asks(call: &str) -> Value {
    json!({"type": "control_request", "request_id": "r1", "request": {"subtype": "can_use_tool",
        "tool_name": "Bash", "input": {"command": "touch a"}, "tool_use_id": call}})
}

/// The answer to the hook: none yet, that the program's rules decide, or a decision.
fn told(out: &[Output]) -> Option<&str> {
    let answers: Vec<&Value> = out
        .iter()
        .filter_map(|output| match output {
            Output::Send(line) => Some(&line["response"]["response"]),
            _ => None,
        })
        .collect();
    let [answer] = answers[..] else { return None };
    Some(answer["hookSpecificOutput"]["permissionDecision"].as_str().unwrap_or("nothing"))
}

fn deferred(cost: f64) -> Value {
    json!({"type": "result", "subtype": "success", "terminal_reason": "tool_deferred",
        "total_cost_usd": cost, "num_turns": 1, "usage": {"input_tokens": 10, "output_tokens": 5}})
}

/// A deferred call, and the process that continues with it.
fn goes_on() -> (DeferredCall, Dialog) {
    let mut first = at_work();
    says(&mut first, &["t1"]);
    ends(&mut first);
    assert_eq!(told(&read(&mut first, hook("t1", json!({})))), Some("defer"));
    let out = read(&mut first, deferred(0.25));
    let Some(Output::Deferred(paused)) = out.last() else { panic!("{out:?}") };
    let next = dialog(Some("s1"), Some(paused.clone()), ToolPolicy::default());
    (paused.clone(), next)
}

fn cost(out: &[Output]) -> Option<u64> {
    out.iter().find_map(|output| match output {
        Output::Event(AgentEvent::Usage(usage)) => Some(usage.cost_micros),
        _ => None,
    })
}

/// The hook is asked before its message is complete: it waits for the end, or for a second call,
/// because the CLI session would keep only one of two.
#[test]
fn only_a_call_that_is_alone_is_deferred() {
    let mut alone = at_work();
    says(&mut alone, &["t1"]);
    assert_eq!(told(&read(&mut alone, hook("t1", json!({})))), None, "more may come");
    assert_eq!(told(&ends(&mut alone)), Some("defer"));

    let mut with_another = at_work();
    says(&mut with_another, &["t1"]);
    assert_eq!(told(&read(&mut with_another, hook("t1", json!({})))), None);
    let second = json!({"type": "content_block_start", "index": 1,
        "content_block": {"type": "tool_use", "id": "t2", "name": "Bash"}});
    assert_eq!(told(&piece(&mut with_another, second)), Some("nothing"));
    ends(&mut with_another);
    assert_eq!(told(&read(&mut with_another, hook("t2", json!({})))), Some("nothing"));

    let mut broken_off = at_work();
    says(&mut broken_off, &["t1"]);
    read(&mut broken_off, hook("t1", json!({})));
    assert_eq!(told(&says(&mut broken_off, &["t9"])), Some("nothing"), "its message never ended");
}

/// A call is not deferred if nobody is asked about it, or if more would be lost than kept.
#[test]
fn what_is_not_worth_a_new_process_is_not_deferred() {
    let decision = |dialog: &mut Dialog, change: Value| {
        says(dialog, &["t1"]);
        ends(dialog);
        told(&read(dialog, hook("t1", change))).unwrap().to_owned()
    };
    let bash = |command: &str| json!({"tool_input": {"command": command}});
    for (change, expected) in [
        (json!({}), "defer"),
        (json!({"tool_name": "Read"}), "nothing"),
        (json!({"tool_name": "Task"}), "nothing"),
        (json!({"tool_name": "Write"}), "defer"),
        (json!({"tool_name": "Write", "permission_mode": "acceptEdits"}), "nothing"),
        (json!({"tool_name": "Write", "permission_mode": "plan"}), "nothing"),
        (json!({"tool_name": "Write", "permission_mode": "bypassPermissions"}), "nothing"),
        (json!({"tool_name": "ExitPlanMode", "permission_mode": "plan"}), "defer"),
        (json!({"tool_name": "AskUserQuestion", "permission_mode": "acceptEdits"}), "defer"),
        (json!({"tool_name": "mcp__desk__send"}), "defer"),
        (json!({"cwd": "/srv/desk/below"}), "nothing"),
        (json!({"agent_id": "a1"}), "nothing"),
        (json!({"tool_use_id": "t7"}), "nothing"),
        (bash("ls -l"), "nothing"),
        (bash("ls; touch a"), "defer"),
        (bash("cat a > b"), "defer"),
    ] {
        assert_eq!(decision(&mut at_work(), change.clone()), expected, "{change}");
    }
    let rules = ["WebFetch", "Bash(git log:*)", "Edit(/docs/**)"].map(str::to_owned);
    for (change, expected) in [
        (json!({"tool_name": "WebFetch"}), "nothing"),
        (json!({"tool_name": "Edit"}), "nothing"),
        (bash("git log -1"), "nothing"),
        (bash("git push"), "defer"),
    ] {
        let mut dialog = dialog(None, None, ToolPolicy::new(&rules, &[]));
        begin(&mut dialog);
        assert_eq!(decision(&mut dialog, change.clone()), expected, "{change}");
    }
    let mut busy = at_work();
    let tasks = |tasks: Value| json!({"type": "system", "subtype": "background_tasks_changed", "tasks": tasks});
    read(&mut busy, tasks(json!([{"task_id": "b1"}])));
    assert_eq!(decision(&mut busy, json!({})), "nothing", "something runs in the background");
    read(&mut busy, tasks(json!([])));
    assert_eq!(decision(&mut busy, json!({})), "defer");
    let own_turn = json!({"type": "system", "subtype": "init", "claude_code_version": "2.1.325"});
    read(&mut busy, own_turn);
    assert_eq!(decision(&mut busy, json!({})), "nothing", "the message is in the program's queue");
    begin(&mut busy);
    assert_eq!(decision(&mut busy, json!({})), "defer");
    let mut old = dialog(None, None, ToolPolicy::default());
    begin_in(&mut old, "2.1.197");
    assert_eq!(decision(&mut old, json!({})), "nothing", "it would lose the call");
    let mut by_itself = dialog(None, None, ToolPolicy::default());
    assert_eq!(decision(&mut by_itself, json!({})), "nothing", "nobody is there to be asked");
}

/// The rules of the next process decide whether it asks; every process after that may only ask, and
/// the question is the same without a process.
#[test]
fn what_was_asked_once_is_never_made_without_an_answer() {
    let (_, mut second) = goes_on();
    assert_eq!(told(&read(&mut second, hook("t1", json!({})))), Some("nothing"));
    let asked = read(&mut second, asks("t1"));
    let [Output::Durable(paused), Output::Event(AgentEvent::Proposes(call))] = &asked[..] else {
        panic!("{asked:?}")
    };
    assert_eq!((paused.call.as_str(), call.id.as_str()), ("t1", "t1"));

    let mut third = dialog(Some("s1"), Some(paused.clone()), ToolPolicy::default());
    let mut again = Vec::new();
    third.ask_again(&mut again);
    assert_eq!(again, asked);
    let mut third = dialog(Some("s1"), Some(paused.clone()), ToolPolicy::default());
    assert!(third.is_busy() && !third.reached_deferred_call());
    assert_eq!(told(&read(&mut third, hook("t1", json!({})))), Some("ask"));
    assert!(third.reached_deferred_call());
    assert_eq!(read(&mut third, asks("t1")), asked);
    let mut out = Vec::new();
    let arguments = Map::from_iter([("command".to_owned(), json!("touch b"))]);
    third.answer("t1", Reply::Run { arguments, run: Uuid::nil() }, &mut out);
    let [Output::Send(line)] = &out[..] else { panic!("{out:?}") };
    assert_eq!(line["response"]["response"]["updatedInput"], json!({"command": "touch b"}));
}

/// The program forgets a plan that its model presents without a file: the plan is neither in the
/// hook's request nor in later ones. The person sees it all the same, also after a restart.
#[test]
fn a_plan_without_a_file_is_not_lost() {
    let mut first = at_work();
    says(&mut first, &["t1"]);
    let call = json!({"type": "tool_use", "id": "t1", "name": "ExitPlanMode",
        "input": {"plan": "# A footer"}});
    read(
        &mut first,
        json!({"type": "assistant", "parent_tool_use_id": null, "message":
        {"id": "m1", "role": "assistant", "content": [call]}}),
    );
    ends(&mut first);
    let change = json!({"tool_name": "ExitPlanMode", "permission_mode": "plan", "tool_input": {}});
    assert_eq!(told(&read(&mut first, hook("t1", change))), Some("defer"));
    let out = read(&mut first, deferred(0.25));
    let Some(Output::Deferred(paused)) = out.last() else { panic!("{out:?}") };

    let mut second = dialog(Some("s1"), Some(paused.clone()), ToolPolicy::default());
    let asked = read(
        &mut second,
        json!({"type": "control_request", "request_id": "r1", "request": {"input": {},
        "subtype": "can_use_tool", "tool_name": "ExitPlanMode", "tool_use_id": "t1"}}),
    );
    let [Output::Durable(paused), Output::Event(AgentEvent::Asks(ask))] = &asked[..] else {
        panic!("{asked:?}")
    };
    let shown = |ask: &parlor_agent::PromptRequest| format!("{:?}", ask.draft);
    assert!(shown(ask).contains("A footer"), "{}", shown(ask));
    let mut third = dialog(Some("s1"), Some(paused.clone()), ToolPolicy::default());
    let mut again = Vec::new();
    third.ask_again(&mut again);
    assert_eq!(again, asked);
}

/// A call that the next process makes by its own rules is shown like any other.
#[test]
fn what_its_own_rules_allow_is_shown() {
    let (_, mut second) = goes_on();
    read(&mut second, hook("t1", json!({})));
    let result = json!({"type": "tool_result", "tool_use_id": "t1", "content": "done"});
    let out = read(
        &mut second,
        json!({"type": "user", "parent_tool_use_id": null,
        "message": {"role": "user", "content": [result]}}),
    );
    let [Output::Event(AgentEvent::Calls(call)), Output::Event(AgentEvent::CallEnded { .. })] =
        &out[..]
    else {
        panic!("{out:?}")
    };
    assert_eq!((call.id.as_str(), call.name.as_str()), ("t1", "Bash"));
    assert_eq!(call.input["command"], "touch a");
}

/// A tool that is always allowed is not deferred again; one that a person was asked about is.
#[test]
fn a_tool_that_nobody_is_asked_about_is_left_alone() {
    for (waits, expected) in [(false, "nothing"), (true, "defer")] {
        let (_, mut second) = goes_on();
        read(&mut second, hook("t1", json!({})));
        read(&mut second, asks("t1"));
        if waits {
            second.person_asked("t1");
        }
        let run = Reply::Run { arguments: Map::new(), run: Uuid::nil() };
        second.answer("t1", run, &mut Vec::new());
        read(
            &mut second,
            json!({"type": "system", "subtype": "init", "session_id": "s1",
            "claude_code_version": "2.1.400"}),
        );
        says(&mut second, &["t2"]);
        ends(&mut second);
        assert_eq!(told(&read(&mut second, hook("t2", json!({})))), Some(expected));
    }
}

/// The cost of a turn is counted once, whether the next process continues the total or starts from
/// zero.
#[test]
fn a_pause_costs_nothing_twice() {
    let mut first = at_work();
    says(&mut first, &["t1"]);
    ends(&mut first);
    read(&mut first, hook("t1", json!({})));
    assert_eq!(cost(&read(&mut first, deferred(0.25))), Some(250_000));
    for (all, expected) in [(0.35, 100_000), (0.1, 100_000)] {
        let (_, mut second) = goes_on();
        let out = read(
            &mut second,
            json!({"type": "result", "subtype": "success",
            "terminal_reason": "completed", "total_cost_usd": all, "num_turns": 2,
            "usage": {"input_tokens": 1}}),
        );
        assert_eq!(cost(&out), Some(expected));
        assert_eq!(out.last(), Some(&Output::Over(TurnOutcome::Complete { cut_off: false })));
    }
}

/// B-4: a call that an earlier turn left behind is refused before the person's message is worked
/// on, even if the program's own rules would allow it; the end of that does not end the turn.
#[test]
fn what_was_left_behind_is_refused_first() {
    for knows_of_hook in [true, false] {
        refuses(knows_of_hook);
    }
}

fn refuses(knows_of_hook: bool) {
    let mut next = dialog(Some("s1"), None, ToolPolicy::default());
    says_hello(&mut next);
    if knows_of_hook {
        assert_eq!(told(&read(&mut next, hook("t1", json!({})))), Some("ask"));
    }
    let out = read(&mut next, asks("t1"));
    let [Output::Send(line)] = &out[..] else { panic!("nobody is asked: {out:?}") };
    let answer = &line["response"]["response"];
    assert_eq!((&answer["behavior"], &answer["interrupt"]), (&json!("deny"), &json!(true)));
    read(&mut next, json!({"type": "system", "subtype": "init", "session_id": "s1"}));
    let aborted = json!({"type": "result", "subtype": "error_during_execution", "is_error": true,
        "terminal_reason": "aborted_streaming", "num_turns": 2});
    assert_eq!(read(&mut next, aborted), []);
    let done = json!({"type": "result", "subtype": "success", "terminal_reason": "completed",
        "num_turns": 1, "user_message_uuids": [Uuid::max()]});
    assert_eq!(read(&mut next, done), [Output::Over(TurnOutcome::Complete { cut_off: false })]);
}

/// A stop before the process ends for a deferred call is a stop.
#[test]
fn a_stopped_turn_does_not_pause() {
    let mut dialog = at_work();
    says(&mut dialog, &["t1"]);
    ends(&mut dialog);
    read(&mut dialog, hook("t1", json!({})));
    dialog.interrupt(&mut Vec::new());
    let out = read(&mut dialog, deferred(0.0));
    assert_eq!(out.last(), Some(&Output::Over(TurnOutcome::Stopped)));
}

/// The hook is for approvals that outlive the process, calls left behind, and projects that ask.
#[test]
fn the_hook_is_registered_where_it_is_needed() {
    let hooks = |durable: bool, session: Option<&str>, asks: bool| {
        let flow = TurnFlow { asks, ..TurnFlow::default() };
        let cli_session = session.map(str::to_owned);
        let settings = DialogSettings { cli_session, durable, flow, ..settings() };
        Dialog::new(settings).opening()[0]["request"]["hooks"]["PreToolUse"].is_array()
    };
    assert!(hooks(true, None, false) && hooks(true, Some("s1"), false));
    assert!(hooks(false, Some("s1"), false) && hooks(false, None, true), "F-2");
    assert!(!hooks(false, None, false));
}
