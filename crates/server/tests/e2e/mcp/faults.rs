//! Servers that crash, hang and write invalid output (FAULTS 4, M-2).

use parlor_agent::tools::{ServerState, ToolOutcome, Tools};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::json;

use super::{call, family, faulty, gone, health, host, ready, runs, text, until};

fn is_unknown(outcome: &ToolOutcome) -> bool {
    matches!(outcome, ToolOutcome::Unknown(_))
}

/// M-2: a call that may have changed something is never repeated automatically, and the next call
/// works.
#[tokio::test]
async fn a_call_that_was_lost_is_not_repeated_and_the_next_one_works() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("calls");
    let host = host(&[("s", faulty(&[]))]);
    ready(&host, "s").await;
    let lost = call(&host, "s_mark_and_crash", json!({"text": file})).await;
    let ToolOutcome::Unknown(words) = &lost else { panic!("{lost:?}") };
    assert!(words.contains("may or may not have done its work"), "{words}");
    assert!(host.list().iter().any(|tool| tool.spec.name == "s_echo"), "it keeps its tools");
    assert!(text(&host, "s_echo", json!({"text": "again"})).await.contains("again"));
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "called\n");
    let health = health(&host, "s");
    assert_eq!((health.state, health.restarts), (ServerState::Ready, 1));
}

/// M-2: after a server was killed between two calls, the next call works.
#[tokio::test]
async fn a_crash_between_calls_is_healed_by_the_next_one() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("pids");
    let host = host(&[("s", faulty(&["--family", file.to_str().unwrap()]))]);
    ready(&host, "s").await;
    let first = family(&file);
    assert_eq!(first.len(), 3);
    kill_process(Pid::from_raw(first[0].try_into().unwrap()).unwrap(), Signal::KILL).unwrap();
    gone(&first).await;
    until("it is noticed", || health(&host, "s").state != ServerState::Ready).await;
    assert!(text(&host, "s_echo", json!({"text": "again"})).await.contains("again"));
    assert!(runs(family(&file)[3]));
}

/// FAULTS 4: it dies in the middle of a line, hangs, writes 100 MB without a line break, invalid
/// UTF-8, invalid JSON, exits with 0 and no answer, leaves a grandchild on standard output. Each is
/// reported, no process is left, and the server is restarted.
#[tokio::test]
async fn whatever_goes_wrong_in_a_call_is_told_and_cleared_up() {
    for (tool, problem) in [
        ("half_line", "it ended with code 9"),
        ("hang", "it no longer answers"),
        ("long_line", "it sent a message that is too long"),
        ("bad_utf8", "it sent a message that is not UTF-8"),
        ("bad_json", "it sent a message that is not JSON"),
        ("exit_zero", "it ended with code 0"),
        ("leave_grandchild", "it ended with code 0"),
    ] {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("pids");
        let mut settings = faulty(&["--family", file.to_str().unwrap()]);
        settings["tools"] = json!({"hang": {"timeout_seconds": 0.3}});
        let host = host(&[("s", settings)]);
        ready(&host, "s").await;
        let processes = family(&file);
        assert!(processes.iter().all(|pid| runs(*pid)), "{tool}");
        let outcome = call(&host, &format!("s_{tool}"), json!({})).await;
        assert!(is_unknown(&outcome), "{tool}: {outcome:?}");
        gone(&processes).await;
        let told = || health(&host, "s").problem.is_some_and(|words| words == problem);
        let is_back = || health(&host, "s").restarts == 1;
        until(tool, || told() || is_back()).await;
        assert!(text(&host, "s_echo", json!({"text": "again"})).await.contains("again"), "{tool}");
        host.close(crate::test_app::PATIENCE).await;
        gone(&family(&file)).await;
    }
}

/// FAULTS 4: floods on both outputs block neither the server nor Parlor.
#[tokio::test]
async fn floods_are_drained() {
    let host = host(&[("s", faulty(&["--flood-stderr", "--noise"]))]);
    ready(&host, "s").await;
    for tool in ["s_flood_stdout", "s_flood_stderr"] {
        assert_eq!(text(&host, tool, json!({})).await, "flooded");
    }
    assert_eq!(health(&host, "s").restarts, 0);
}

/// M-2: a bad server neither hides nor delays the others.
#[tokio::test]
async fn servers_that_never_start_do_not_touch_the_others() {
    let mut slow = faulty(&["--silent"]);
    slow["start_timeout_seconds"] = json!(0.2);
    let host = host(&[
        ("silent", faulty(&["--silent"])),
        ("slow", slow),
        ("crash", faulty(&["--crash-at-start"])),
        ("refuses", faulty(&["--refuse"])),
        ("missing", json!({"command": "no-such-program"})),
        ("nowhere", json!({"command": "true", "working_dir": "/no/such/directory"})),
        ("good", faulty(&[])),
    ]);
    ready(&host, "good").await;
    assert!(host.list().iter().all(|tool| tool.server == "good"));
    assert!(text(&host, "good_echo", json!({"text": "fine"})).await.contains("fine"));
    assert_eq!(health(&host, "silent").state, ServerState::Starting);
    for (server, problem) in [
        ("slow", "it was not ready within 200ms"),
        ("crash", "it ended with code 3"),
        ("refuses", "it refused to begin: Not today."),
        ("missing", "there is no program 'no-such-program'"),
        ("nowhere", "the program 'true' cannot be run as configured"),
    ] {
        let problem_of = || health(&host, server).problem;
        until(server, || problem_of().is_some()).await;
        assert_eq!(problem_of().as_deref(), Some(problem));
        assert_eq!(health(&host, server).tools, 0);
    }
    let refused = call(&host, "crash_echo", json!({})).await;
    assert!(matches!(refused, ToolOutcome::NotRun(_)), "{refused:?}");
}
