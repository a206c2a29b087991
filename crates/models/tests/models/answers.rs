//! Answers that arrive as they should, and what becomes of them.

use std::time::Duration;

use parlor_agent::{AgentEvent, Checkpoint, ContentBlock, HistoryMessage, TurnContext, TurnStart};
use parlor_testkit::{Gate, Script};
use serde_json::json;

use crate::harness::{Harness, is_idle, next, rest, start, text, told, turn};

/// H-2: a plain answer streams and becomes a message.
#[tokio::test]
async fn a_plain_answer_streams_and_becomes_a_message() {
    let harness = Harness::new([Script::answer().text("Hel").text("lo!").usage(12, 3)]).await;
    assert_eq!(
        told(&harness.ask("Hi").await),
        [
            r#"text "Hel""#, r#"text "lo!""#, "block end",
            "usage 12 in, 3 out, cache 0 read, 0 written",
            r#"message [{"type":"text","text":"Hello!"}]"#, "ended Complete { cut_off: false }",
        ]
    );
}

/// H-2: each piece is delivered before the next one is sent.
#[tokio::test]
async fn nothing_waits_for_what_comes_after_it() {
    let gate = Gate::closed();
    let script = Script::answer().text("one ").gate(&gate).text("two ").gate(&gate).text("three");
    let harness = Harness::new([script]).await;
    let mut session = harness.open();
    session.begin(start([HistoryMessage::user("Count")]));
    for piece in ["one ", "two "] {
        assert_eq!(next(&mut session).await, AgentEvent::Text(piece.into()));
        assert!(is_idle(&mut session).await);
        gate.release(1);
    }
    assert_eq!(text(&rest(&mut session).await), "three");
}

#[tokio::test]
async fn reasoning_comes_apart_from_text_and_keeps_its_signature() {
    let script = Script::answer()
        .thinking("Let me ")
        .thinking("see.")
        .signature("c2lnbmVk")
        .block(json!({"type": "redacted_thinking", "data": "ZW5jcnlwdGVk"}))
        .text("Here.");
    let harness = Harness::new([script]).await;
    assert_eq!(
        told(&harness.ask("Think").await),
        [
            r#"thinking "Let me ""#,
            r#"thinking "see.""#,
            "block end",
            r#"text "Here.""#,
            "block end",
            "usage 10 in, 1 out, cache 0 read, 0 written",
            concat!(
                r#"message [{"type":"thinking","text":"Let me see.","signature":"c2lnbmVk"},"#,
                r#"{"type":"vendor","vendor":"anthropic","block":{"type":"redacted_thinking","data":"ZW5jcnlwdGVk"}},"#,
                r#"{"type":"text","text":"Here."}]"#
            ),
            "ended Complete { cut_off: false }",
        ]
    );
}

/// Some models sign reasoning without showing it; then a reader gets no end of a text block.
#[tokio::test]
async fn reasoning_that_is_not_shown_is_kept_for_the_model_only() {
    let script = Script::answer().thinking("").signature("c2ln").text("Yes.");
    let events = Harness::new([script]).await.ask("?").await;
    assert_eq!(told(&events)[..2], [r#"text "Yes.""#, "block end"]);
    let message = crate::harness::message(&events).unwrap();
    assert_eq!(
        message.blocks[0],
        ContentBlock::Thinking { text: String::new(), signature: Some("c2ln".into()) }
    );
}

#[tokio::test]
async fn usage_counts_the_cache_apart() {
    let usage = json!({"input_tokens": 7, "output_tokens": 90, "cache_read_input_tokens": 1_000,
                       "cache_creation_input_tokens": 200});
    let events = Harness::new([Script::answer().text("x").usage_json(usage)]).await.ask("?").await;
    let told = told(&events);
    assert!(told.contains(&"usage 7 in, 90 out, cache 1000 read, 200 written".into()), "{told:?}");
    let usage = events.iter().find_map(|event| match event {
        AgentEvent::Usage(usage) => Some(usage.total()),
        _ => None,
    });
    assert_eq!(usage, Some(1_297));
}

/// H-3: an answer that was cut off says so.
#[tokio::test]
async fn an_answer_that_was_cut_off_says_so() {
    for reason in ["max_tokens", "model_context_window_exceeded"] {
        let harness = Harness::new([Script::answer().text("Once upon").stop_reason(reason)]).await;
        let told = told(&harness.ask("A story").await);
        assert_eq!(told.last().unwrap(), "ended Complete { cut_off: true }");
    }
}

/// H-3: text that a model wrote before it declined is withheld, and not in the history.
#[tokio::test]
async fn a_refusal_withholds_what_was_said() {
    for (script, withheld) in [
        (Script::answer().text("First, you"), true),
        (Script::answer().thinking("Let me see."), true),
        (Script::answer(), false),
    ] {
        let harness = Harness::new([script.stop_reason("refusal")]).await;
        let told = told(&harness.ask("?").await);
        assert_eq!(told.contains(&"withheld".to_owned()), withheld, "{told:?}");
        assert!(!told.iter().any(|line| line.starts_with("message")), "{told:?}");
        assert_eq!(told.last().unwrap(), "failed: the model declined to answer");
    }
}

#[tokio::test]
async fn an_empty_answer_is_complete_and_no_message() {
    let told = told(&Harness::new([Script::answer()]).await.ask("?").await);
    assert_eq!(told[1..], ["ended Complete { cut_off: false }"]);
}

/// If a model pauses, it is asked again with what it said; a checkpoint before that lets a later
/// process continue from there.
#[tokio::test]
async fn a_pause_yields_a_checkpoint_and_the_turn_goes_on_from_it() {
    let paused = Script::answer().text("First, ").stop_reason("pause_turn");
    let harness = Harness::new([paused, Script::answer().text("second.")]).await;
    let mut session = harness.open();
    session.begin(start([HistoryMessage::user("Go")]));
    let mut first = Vec::new();
    while !matches!(first.last(), Some(AgentEvent::Checkpoint(_))) {
        first.push(next(&mut session).await);
    }
    assert_eq!(told(&first)[3..], [r#"message [{"type":"text","text":"First, "}]"#, "checkpoint"]);
    assert_eq!(harness.model.requests().len(), 1, "nothing is asked before the commit");

    // What a server does that finds the checkpoint after a crash.
    let Some(AgentEvent::Checkpoint(checkpoint)) = first.pop() else { panic!() };
    drop(session);
    let stored = serde_json::to_string(&checkpoint).unwrap();
    let checkpoint: Checkpoint = serde_json::from_str(&stored).unwrap();
    let history = vec![HistoryMessage::user("Go"), HistoryMessage::assistant("First, ")];
    let mut session = harness.open();
    let context = TurnContext { history, ..TurnContext::default() };
    session.begin(TurnStart::Resume(context, checkpoint));
    assert_eq!(text(&rest(&mut session).await), "second.");
    assert_eq!(harness.model.requests()[1]["messages"][1]["content"][0]["text"], "First, ");
}

/// H-3: the number of rounds in a turn is limited.
#[tokio::test]
async fn a_model_that_never_stops_pausing_is_stopped() {
    let harness = Harness::with([], |settings| settings.max_rounds = 3).await;
    harness.model.always(Script::answer().text("Hm. ").stop_reason("pause_turn"));
    let told = told(&harness.ask("Go").await);
    assert_eq!(told.iter().filter(|line| *line == "checkpoint").count(), 2);
    assert_eq!(told.last().unwrap(), "failed: the turn was ended after 3 rounds");
    assert_eq!(harness.model.requests()[2]["messages"].as_array().unwrap().len(), 2);
}

#[tokio::test]
async fn a_checkpoint_that_is_none_fails_the_turn() {
    let harness = Harness::new([]).await;
    let mut session = harness.open();
    session.begin(TurnStart::Resume(TurnContext::default(), Checkpoint(json!({"x": 1}))));
    let told = told(&rest(&mut session).await);
    assert!(told[0].starts_with("failed: the turn cannot go on"), "{told:?}");
}

/// A turn runner takes one turn after the other over one connection.
#[tokio::test]
async fn turns_follow_each_other_over_one_connection() {
    let harness = Harness::new([]).await;
    harness.model.always(Script::answer().text("Yes."));
    let mut session = harness.open();
    for _ in 0..5 {
        assert_eq!(text(&turn(&mut session, [HistoryMessage::user("?")]).await), "Yes.");
        tokio::task::yield_now().await;
    }
    assert_eq!(harness.model.accepted_connections(), 1);
}

/// Many parallel streams, each complete and in order: the benchmark relies on it.
#[tokio::test]
async fn streams_do_not_disturb_each_other() {
    let harness = Harness::new([]).await;
    let number = |number: u64| format!("{number} ");
    harness.model.always(Script::answer().steady(200, Duration::from_millis(1), number));
    let expected: String = (0..200).map(number).collect();
    let asked = (0..20).map(|_| harness.ask("Count"));
    for events in futures_util::future::join_all(asked).await {
        assert_eq!(text(&events), expected);
    }
    assert_eq!(harness.model.accepted_connections(), 20);
}

/// A turn that begins while another one runs stops that one first: both end.
#[tokio::test]
async fn every_begin_has_its_end() {
    let silent = Script::answer().text("I was say").silence();
    let harness = Harness::new([silent, Script::answer().text("Two")]).await;
    let mut session = harness.open();
    session.begin(start([HistoryMessage::user("One")]));
    assert_eq!(next(&mut session).await, AgentEvent::Text("I was say".into()));
    session.begin(start([HistoryMessage::user("Two")]));
    let mut told_all = Vec::new();
    while told_all.iter().filter(|line: &&String| line.starts_with("ended")).count() < 2 {
        told_all.extend(told(&[next(&mut session).await]));
    }
    assert_eq!(
        told_all[2..4],
        [r#"message [{"type":"text","text":"I was say"}]"#, "ended Stopped"]
    );
    assert!(is_idle(&mut session).await);
}
