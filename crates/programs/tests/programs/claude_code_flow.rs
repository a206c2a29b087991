//! F-1, F-2: once its model was told words of others, Claude Code asks about every sink, whatever
//! its own rules say. The lines are those of the real program (2.1.325).

use parlor_agent::{AgentEvent, Reply, TurnFlow};
use parlor_programs::{Dialect, Output};
use parlor_protocol::Content;
use serde_json::{Map, Value, json};
use uuid::Uuid;

use crate::claude_code_process::{Process, answer, deferred, shown};

const ASKS: TurnFlow = TurnFlow { asks: true, is_tainted: false };
const TAINTED: TurnFlow = TurnFlow { is_tainted: true, ..ASKS };

/// Calls that change something, or carry something out.
fn sinks() -> Vec<(&'static str, Value)> {
    vec![
        ("Write", json!({"file_path": "/srv/desk/a", "content": "x"})),
        ("Edit", json!({"file_path": "/srv/desk/a", "old_string": "x", "new_string": "y"})),
        ("MultiEdit", json!({"file_path": "/srv/desk/a"})),
        ("NotebookEdit", json!({"notebook_path": "/srv/desk/a"})),
        ("Bash", json!({"command": "git status"})),
        ("Bash", json!({"command": "rg --pre ./x y"})),
        ("WebFetch", json!({"url": "https://example.org"})),
        ("WebSearch", json!({"query": "x"})),
        ("mcp__mail__send", json!({"to": "x"})),
        ("KillShell", json!({"shell_id": "1"})),
        ("TaskStop", json!({"task_id": "1"})),
        ("CronCreate", json!({})),
        ("SomethingNew", json!({})),
    ]
}

/// Calls that only read, or ask.
fn others() -> Vec<(&'static str, Value)> {
    vec![
        ("Read", json!({"file_path": "/srv/mail/a"})),
        ("Grep", json!({"pattern": "x"})),
        ("Bash", json!({"command": "cat a"})),
        ("TodoWrite", json!({"todos": []})),
        ("Agent", json!({"prompt": "x"})),
        ("TaskOutput", json!({"task_id": "1"})),
    ]
}

/// What an administrator may have allowed.
fn rules() -> Vec<Vec<String>> {
    let every: Vec<String> = sinks().iter().map(|(tool, _)| (*tool).to_owned()).collect();
    let of_its_own = every.iter().map(|tool| format!("{tool}(*)")).collect();
    vec![Vec::new(), every, of_its_own, vec!["Bash(git status:*)".to_owned()]]
}

const MODES: [&str; 5] = ["default", "acceptEdits", "plan", "bypassPermissions", "dontAsk"];

/// Invariant: behind the bridge the hook's answer is `ask` for every sink once words of others were
/// told, or `defer` and then `ask`: in each permission mode, with each rule that allows it, also for
/// helpers, for calls that come together, and for those that cannot be deferred. Before that, and in
/// a project that does not ask, no call has to ask that would not have to.
#[test]
fn every_sink_asks_once_words_of_others_were_told() {
    for mode in MODES {
        for rules in rules() {
            for (tool, input) in sinks() {
                for durable in [true, false] {
                    let what = format!("{tool} {input} in {mode} with {rules:?}, {durable}");
                    asks_in_every_position(mode, &rules, tool, &input, durable, &what);
                }
            }
        }
    }
}

fn asks_in_every_position(
    mode: &str,
    rules: &[String],
    tool: &str,
    input: &Value,
    durable: bool,
    what: &str,
) {
    let tainted = || Process::at_work(rules, durable, TAINTED);
    let with_mode = || json!({"permission_mode": mode});

    let mut alone = tainted();
    alone.proposes(&["t1"], true);
    match alone.hook("t1", tool, input, with_mode()).as_deref() {
        Some("ask") => {}
        Some("defer") => {
            // What was known before the turn is not known to the next process in any other way.
            let paused = deferred(&mut alone);
            let mut next = Process::new(rules, durable, ASKS, Some(paused));
            assert_eq!(next.hook("t1", tool, input, with_mode()).as_deref(), Some("ask"), "{what}");
        }
        other => panic!("{what}: {other:?}"),
    }

    let mut together = tainted();
    together.proposes(&["t1", "t2"], true);
    for call in ["t1", "t2"] {
        let answer = together.hook(call, tool, input, with_mode());
        assert_eq!(answer.as_deref(), Some("ask"), "together: {what}");
    }

    // Held until it is known whether it is alone.
    for interruption in [&["t9"][..], &[]] {
        let mut held = tainted();
        held.proposes(&["t1"], false);
        if let Some(answer) = held.hook("t1", tool, input, with_mode()) {
            assert_eq!(answer, "ask", "held: {what}");
            continue;
        }
        let out = match interruption {
            [] => held.piece(json!({"type": "content_block_start", "index": 1,
                "content_block": {"type": "tool_use", "id": "t2", "name": "Bash"}})),
            ids => held.proposes(ids, false),
        };
        assert_eq!(answer(&out).as_deref(), Some("ask"), "held: {what}");
    }

    for more in [json!({"agent_id": "a1"}), json!({"cwd": "/srv/desk/below"})] {
        let mut elsewhere = tainted();
        elsewhere.proposes(&["t1"], true);
        let mut asked = with_mode();
        asked.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        let answer = elsewhere.hook("t1", tool, input, asked);
        assert_eq!(answer.as_deref(), Some("ask"), "elsewhere: {what}");
    }

    let mut stopped = tainted();
    stopped.dialog.interrupt(&mut Vec::new());
    let refused = stopped.hook("t1", tool, input, with_mode());
    assert_eq!(refused.as_deref(), Some("deny"), "nobody answers any more: {what}");

    for flow in [TurnFlow::default(), ASKS, TurnFlow { asks: false, ..TAINTED }] {
        let mut clean = Process::at_work(rules, false, flow);
        let answer = clean.hook("t1", tool, input, with_mode());
        assert_eq!(answer.as_deref(), Some("nothing"), "clean: {what}");
    }
}

/// F-2: what only reads is left to its own rules, also in a tainted context.
#[test]
fn what_only_reads_is_not_asked_about() {
    for mode in MODES {
        for (tool, input) in others() {
            let mut process = Process::at_work(&[], true, TAINTED);
            process.proposes(&["t1"], true);
            let answer = process.hook("t1", tool, &input, json!({"permission_mode": mode}));
            assert_eq!(answer.as_deref(), Some("nothing"), "{tool} {input} in {mode}");
        }
    }
}

/// T-2, F-2: the file of a plan can be written in plan mode, and no other file.
#[test]
fn a_plan_can_be_written() {
    let decides = |file: &str, mode: &str| {
        let mut process = Process::at_work(&[], false, TAINTED);
        let input = json!({"file_path": file, "content": "# A plan"});
        process.hook("t1", "Write", &input, json!({"permission_mode": mode})).unwrap()
    };
    assert_eq!(decides("/home/agent/.claude/plans/a.md", "plan"), "nothing");
    assert_eq!(decides("/home/agent/.claude/plans/a.md", "acceptEdits"), "ask");
    assert_eq!(decides("/home/agent/.claude/plans/../settings.md", "plan"), "ask");
    assert_eq!(decides("/home/agent/.claude/plans/a.json", "plan"), "ask");
    assert_eq!(decides("/srv/desk/a.md", "plan"), "ask");
}

/// F-1: results taint by whose words they hold, from then on and in all later turns of the process.
#[test]
fn what_is_read_taints() {
    for (tool, input, taints) in [
        ("Bash", json!({"command": "curl example.org"}), true),
        ("Bash", json!({"command": "cat a.txt"}), false),
        ("Bash", json!({"command": "cat /srv/mail/a.txt"}), true),
        ("Read", json!({"file_path": "/srv/desk/a.txt"}), false),
        ("Read", json!({"file_path": "/srv/mail/a.txt"}), true),
        ("WebFetch", json!({"url": "https://example.org"}), true),
        ("Write", json!({"file_path": "/srv/desk/a.txt"}), false),
        ("TodoWrite", json!({}), false),
        ("SomethingNew", json!({}), true),
    ] {
        let mut process = Process::at_work(&[], false, ASKS);
        let out = process.makes("t1", tool, input.clone(), None);
        let content = taints.then_some(Content::Others);
        assert_eq!(shown(&out), [(tool.to_owned(), content)], "{input}");
        assert_eq!(process.asks_about_edits(), taints, "{tool} {input}");
        process.ends();
        process.says(ASKS);
        assert_eq!(process.asks_about_edits(), taints, "later: {tool} {input}");
    }
}

/// F-1: a call that was refused brings nothing; one that a person changed brings what it then read.
#[test]
fn what_ran_counts_and_not_what_was_proposed() {
    let asks = |command: &str| {
        json!({"type": "control_request", "request_id": "r1", "request": {"tool_use_id": "t1",
            "subtype": "can_use_tool", "tool_name": "Bash", "input": {"command": command}}})
    };
    let mut refused = Process::at_work(&[], false, ASKS);
    refused.read(asks("curl example.org"));
    refused.dialog.answer("t1", Reply::not_run("no"), &mut Vec::new());
    refused.result("t1", "no", None);
    assert!(!refused.asks_about_edits());

    let mut changed = Process::at_work(&[], false, ASKS);
    changed.read(asks("ls"));
    let arguments = Map::from_iter([("command".to_owned(), json!("curl example.org"))]);
    changed.dialog.answer("t1", Reply::Run { arguments, run: Uuid::nil() }, &mut Vec::new());
    let out = changed.result("t1", "words", None);
    assert_eq!(shown(&out), [("Bash".to_owned(), Some(Content::Others))]);
    assert!(changed.asks_about_edits());
}

/// F-1: what a helper reads is its parent's. It is shown if it is of others and the project asks;
/// the helper's own report is of others then.
#[test]
fn what_a_helper_reads_is_its_parents() {
    for (command, flow, reads_others) in [
        ("curl example.org", ASKS, true),
        ("curl example.org", TurnFlow::default(), false),
        ("ls", ASKS, false),
    ] {
        let mut process = Process::at_work(&[], false, flow);
        process.calls("t1", "Agent", &json!({"prompt": "Look"}), None);
        let out = process.makes("h1", "Bash", json!({"command": command}), Some("t1"));
        let expected = [("Bash".to_owned(), Some(Content::Others))];
        assert_eq!(shown(&out), if reads_others { &expected[..] } else { &[] }, "{command}");
        assert_eq!(process.asks_about_edits(), reads_others, "{command}");
        let out = process.result("t1", "Report", None);
        let content = (command != "ls").then_some(Content::Others);
        assert_eq!(shown(&out), [("Agent".to_owned(), content)], "{command}");
    }
}

/// F-1: a helper in the background reads between turns: the next turn begins with that, whichever
/// way it begins, and before anything is asked.
#[test]
fn what_a_helper_reads_between_turns_is_told_later() {
    let read = || {
        let mut process = Process::at_work(&[], false, ASKS);
        process.makes("t1", "Agent", json!({"prompt": "Look"}), None);
        process.calls("h1", "Bash", &json!({"command": "curl example.org"}), Some("t1"));
        process.ends();
        assert!(!process.asks_about_edits());
        // Between turns nobody hears of events.
        assert_eq!(process.result("h1", "words", Some("t1")), []);
        assert!(process.asks_about_edits());
        process
    };
    let expected = [("Bash".to_owned(), Some(Content::Others))];
    assert_eq!(shown(&read().says(ASKS)), expected);
    let init = json!({"type": "system", "subtype": "init", "session_id": "s1"});
    assert_eq!(shown(&read().read(init)), expected);
    let mut process = read();
    let asked = process.read(json!({"type": "control_request", "request_id": "r1", "request": {
        "subtype": "can_use_tool", "tool_name": "Write", "input": {}, "tool_use_id": "h2"}}));
    assert_eq!(shown(&asked), expected);
    assert!(matches!(asked.last(), Some(Output::Event(AgentEvent::Proposes(_)))), "{asked:?}");
    assert_eq!(shown(&process.says(ASKS)), [], "once");
}

/// F-1: of a result of which nothing is known, the words are of others.
#[test]
fn an_unknown_result_is_of_others() {
    let mut process = Process::at_work(&[], false, ASKS);
    let out = process.result("h1", "words", Some("t1"));
    assert_eq!(shown(&out), [("Agent".to_owned(), Some(Content::Others))]);
    assert!(process.asks_about_edits());
}
