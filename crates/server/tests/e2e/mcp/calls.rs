//! Calls of tools that behave, and of some that take too long (M-1, M-3).

use parlor_agent::ContentBlock;
use parlor_agent::tools::{Artifact, Claims, ResultExtras, ToolAction, ToolOutcome, Tools};
use serde_json::{Map, Value, json};

use super::{RUN, begin, call, faulty, health, host, next, ready, text, until};
use crate::test_app::PATIENCE;

/// M-1: names are unique; a tool that cannot be used is left out and named.
#[tokio::test]
async fn tools_have_names_of_their_own() {
    let mut trusted = faulty(&["--duplicate"]);
    trusted["trust_annotations"] = json!(true);
    trusted["prefix"] = json!("");
    trusted["tools"] = json!({"echo": {"action": "allow"}, "*": {"action": "ask"}});
    let mut clash = faulty(&[]);
    clash["prefix"] = json!("");
    let host = host(&[("first", trusted), ("second", faulty(&[])), ("third", clash)]);
    for server in ["first", "second", "third"] {
        ready(&host, server).await;
    }
    let list = host.list();
    let find = |name: &str| list.iter().find(|tool| tool.spec.name == name);
    let (plain, named) = (find("echo").unwrap(), find("second_echo").unwrap());
    assert_eq!((plain.server.as_str(), plain.name.as_str()), ("first", "echo"));
    assert_eq!((named.server.as_str(), named.name.as_str()), ("second", "echo"));
    assert_eq!(plain.claims, Claims { read_only: true, not_destructive: true });
    assert_eq!(named.claims, Claims::default(), "its word does not count");
    assert_eq!(plain.configured(&Map::new()), Some(ToolAction::Allow));
    assert_eq!(find("slow").unwrap().configured(&Map::new()), Some(ToolAction::Ask));
    assert!(find("changes").is_none_or(|tool| tool.server == "third"), "it is hidden");
    assert!(find("second_changes").is_some(), "nobody but a trusted server hides tools");
    let warnings = |server| health(&host, server).warnings.join("\n");
    assert!(warnings("first").contains("echo was left out: there is one of that name"));
    assert!(warnings("second").contains("odd was left out: its schema is no object"));
    assert!(warnings("third").contains("echo: another server has the name"));
    assert!(!list.iter().any(|tool| tool.server == "third" && tool.name == "echo"));
    host.settle().await;
}

/// The server gets exactly the approved arguments, and the id of the run.
#[tokio::test]
async fn a_call_carries_its_arguments_and_its_run() {
    let host = host(&[("s", faulty(&[]))]);
    ready(&host, "s").await;
    let arguments = json!({"z": 1, "a": [null, {"text": "ü\u{202e}"}], "text": ""});
    let echo = text(&host, "s_echo", arguments.clone()).await;
    let echo: Value = serde_json::from_str(&echo).unwrap();
    assert_eq!(echo["arguments"].to_string(), arguments.to_string(), "in the same order");
    assert_eq!(echo["meta"]["parlor/run-id"], RUN.to_string());
}

/// M-3: results are limited in size; errors are results; only artifacts of the configured kinds are
/// shown.
#[tokio::test]
async fn results_are_bounded_and_read() {
    let mut settings = faulty(&[]);
    settings["max_result_bytes"] = json!(2_000);
    settings["artifacts"] = json!(["recipe"]);
    let host = host(&[("s", settings)]);
    ready(&host, "s").await;
    let ToolOutcome::Answered { content, .. } =
        call(&host, "s_big", json!({"number": 5_000})).await
    else {
        panic!("it is an answer")
    };
    let [ContentBlock::Text { text: start }, ContentBlock::Text { text: note }] =
        content.as_slice()
    else {
        panic!("{content:?}")
    };
    assert_eq!(start.len(), 2_000);
    assert!(note.contains("truncated: 3000 bytes were left out"), "{note}");
    for (tool, words) in [("s_fail", "It did not work."), ("s_refuse", "No such thing.")] {
        let content = vec![ContentBlock::text(words)];
        let failed = ToolOutcome::answered(content, true);
        assert_eq!(call(&host, tool, json!({})).await, failed);
    }
    let artifact = Some(Artifact { kind: "recipe".into(), id: "7".into() });
    let extras = Box::new(ResultExtras { artifact, ..ResultExtras::default() });
    let shown = ToolOutcome::Answered { content: Vec::new(), is_error: false, extras };
    assert_eq!(call(&host, "s_show", json!({"text": "7"})).await, shown);
    let unknown = call(&host, "s_nothing", json!({})).await;
    assert_eq!(unknown, ToolOutcome::NotRun("There is no tool \"s_nothing\".".into()));
}

/// M-3: the tools are listed again after `list_changed`.
#[tokio::test]
async fn a_list_that_changed_is_read_again() {
    let host = host(&[("s", faulty(&[]))]);
    ready(&host, "s").await;
    let has = |name: &str| host.list().iter().any(|tool| tool.spec.name == name);
    assert!(!has("s_grown_0"));
    text(&host, "s_grow", json!({})).await;
    until("the list is read again", || has("s_grown_0")).await;
    text(&host, "s_grow", json!({})).await;
    until("and again", || has("s_grown_1")).await;
    assert!(has("s_echo"));
}

/// H-3: a call that times out is cancelled at the server, which stays up.
#[tokio::test]
async fn a_call_that_takes_too_long_is_cancelled() {
    let mut settings = faulty(&[]);
    settings["tools"] = json!({"slow": {"timeout_seconds": 0.2}});
    let host = host(&[("s", settings)]);
    ready(&host, "s").await;
    let outcome = call(&host, "s_slow", json!({"number": 3_600_000})).await;
    let ToolOutcome::Unknown(words) = outcome else { panic!("{outcome:?}") };
    assert!(words.contains("did not answer within 200ms"), "{words}");
    let cancelled = || async { text(&host, "s_cancelled", json!({})).await };
    while cancelled().await == "[]" {}
    // Dropping the stream cancels the call as well.
    let before = cancelled().await;
    let mut dropped = begin(&host, "s_slow", json!({"number": 3_600_000}));
    tokio::select! {
        biased;
        _ = next(&mut dropped) => panic!("it does not end"),
        echo = text(&host, "s_echo", json!({"text": "meanwhile"})) => {
            assert!(echo.contains("meanwhile"), "calls run side by side");
        }
    }
    drop(dropped);
    while cancelled().await == before {}
    assert_eq!(health(&host, "s").restarts, 0, "it answers, so it stays");
}

/// P-7: a trusted server computes the preview of a call, which changes nothing.
#[tokio::test]
async fn a_trusted_server_tells_what_a_call_would_change() {
    let mut trusted = faulty(&[]);
    trusted["trust_annotations"] = json!(true);
    let host = host(&[("s", trusted), ("stranger", faulty(&[]))]);
    ready(&host, "s").await;
    ready(&host, "stranger").await;
    let arguments = Map::from_iter([("text".to_owned(), json!("soup"))]);
    let preview = host.preview("s_preview_me", &arguments).await;
    let asked = json!({"tool": "preview_me", "arguments": {"text": "soup"}});
    assert_eq!(preview, Some(json!({"asked": asked})));
    assert_eq!(host.preview("s_echo", &arguments).await, None);
    assert_eq!(host.preview("stranger_preview_me", &arguments).await, None);
}

/// `settle` and calls both wait for a server that starts slowly.
#[tokio::test]
async fn a_server_that_takes_its_time_is_waited_for() {
    let host = host(&[("s", faulty(&["--slow-start", "300", "--noise"]))]);
    assert!(host.list().is_empty());
    host.settle().await;
    ready(&host, "s").await;
    assert!(text(&host, "s_echo", json!({"text": "hello"})).await.contains("hello"));
    host.close(PATIENCE).await;
    let refused = call(&host, "s_echo", json!({})).await;
    assert!(matches!(refused, ToolOutcome::NotRun(_)), "{refused:?}");
    assert!(host.list().is_empty());
}
