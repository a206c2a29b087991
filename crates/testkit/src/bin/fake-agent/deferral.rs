//! A call that is put off, and the processes that go on with it, as the real program
//! does it.
//!
//! What a process does about a call that it was left with is in its environment,
//! `FAKE_AGENT_TAKES_UP`: `asks_late` (asks for the first time once it is interrupted),
//! `is_told_late` (asks again once it is interrupted; both leave a file `late.txt` when
//! they wait for that), `hangs` or `dies` (instead of asking again); else it asks, and a
//! yes adds a line to `made.txt` where it works.

use std::fs::OpenOptions;
use std::io::Write as _;
use std::path::Path;
use std::process::exit;
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};

use crate::stream::{answer, call, defer, event, init, tool_result, work_of_subagent};
use crate::{Host, write};

const CALL: &str = "p1";

/// Whether this process was started to go on with a call.
pub(crate) fn was_left_with_call() -> bool {
    std::env::args().any(|argument| argument == "--await-initialize")
}

/// Wants to make a call, which is put off.
pub(crate) fn wants(host: &mut Host) {
    init();
    event(json!({"type": "message_start", "message": {"id": "msg_put_off", "content": []}}));
    let block = json!({"type": "tool_use", "id": "toolu_p1", "name": "Bash", "input": {}});
    event(json!({"type": "content_block_start", "index": 0, "content_block": block}));
    call("toolu_p1", "Bash", &input());
    event(json!({"type": "message_stop"}));
    match asked_hook(host).as_deref() {
        Some("defer") => defer(),
        other => answer(&[&format!("It was not put off: {other:?}.")]),
    }
}

/// Works by itself without beginning a turn, so that a message has to wait; says so with a
/// file `busy.txt`. Once there is a file `go.txt`, wants to make a call, which is put off.
pub(crate) fn wants_later(host: &mut Host) {
    work_of_subagent();
    // The host reads in order: with its answer to this, it has read what came before.
    write(&json!({"type": "control_request", "request_id": "q1", "request": {"subtype": "?"}}));
    let _refused = host.answer_to("q1");
    note("busy.txt", "");
    while !Path::new("go.txt").exists() {
        thread::sleep(Duration::from_millis(10));
    }
    wants(host);
}

/// Goes on with the call.
pub(crate) fn go_on(host: &mut Host) {
    init();
    let how = std::env::var("FAKE_AGENT_TAKES_UP").unwrap_or_default();
    let was_asked = asked_hook(host).as_deref() == Some("ask");
    match (how.as_str(), was_asked) {
        ("asks_late", false) | ("is_told_late", true) => {
            note("late.txt", "");
            host.wait_for_interrupt();
        }
        ("hangs", true) => thread::sleep(Duration::from_secs(3_600)),
        ("dies", true) => exit(3),
        _ => {}
    }
    let Some(response) = host.ask(CALL, "Bash", &input()) else { return };
    let behavior = &response["behavior"];
    if behavior == "allow" {
        note("made.txt", "made\n");
        tool_result("toolu_p1", "made");
    }
    answer(&[&format!("The answer was {behavior}.")]);
}

/// What our hook says about the call.
fn asked_hook(host: &mut Host) -> Option<String> {
    let place = std::env::current_dir().unwrap_or_default();
    let asked = json!({"hook_event_name": "PreToolUse", "cwd": place, "tool_name": "Bash",
        "tool_use_id": "toolu_p1", "permission_mode": "default", "tool_input": input()});
    write(&json!({"type": "control_request", "request_id": "h1", "request": {
        "subtype": "hook_callback", "callback_id": "parlor", "input": asked}}));
    let response = host.answer_to("h1")?;
    let decision = &response["hookSpecificOutput"]["permissionDecision"];
    decision.as_str().map(str::to_owned)
}

fn input() -> Value {
    json!({"command": "make"})
}

fn note(file: &str, words: &str) {
    let opened = OpenOptions::new().create(true).append(true).open(file);
    let _as_far_as_possible = opened.and_then(|mut file| file.write_all(words.as_bytes()));
}
