//! Answers of an OpenAI-compatible model, and what becomes of them.

use parlor_agent::{ContentBlock, ModelError};
use parlor_models::{ModelEvent, ModelKind, StopReason};
use parlor_testkit::Script;
use serde_json::{Value, json};

use crate::harness::{Harness, failure, heard, text, told};

async fn ask(script: Script) -> Vec<String> {
    told(&Harness::over(ModelKind::Openai, [script], |_| {}).await.ask("Hi").await)
}

fn call(id: &str, name: &str, input: Value) -> Result<ModelEvent, ModelError> {
    Ok(ModelEvent::ContentBlock(ContentBlock::ToolUse { id: id.into(), name: name.into(), input }))
}

const STOP_FOR_TOOLS: Result<ModelEvent, ModelError> = Ok(ModelEvent::Stop(StopReason::ToolUse));

/// H-2: a plain answer streams and becomes a message.
#[tokio::test]
async fn a_plain_answer_streams_and_becomes_a_message() {
    let script = Script::answer().thinking("Hm.").text("Hel").text("lo!").usage(12, 3);
    assert_eq!(
        ask(script).await,
        [
            r#"thinking "Hm.""#,
            "block end",
            r#"text "Hel""#,
            r#"text "lo!""#,
            "block end",
            "usage 12 in, 3 out, cache 0 read, 0 written",
            r#"message [{"type":"thinking","text":"Hm.","signature":null},{"type":"text","text":"Hello!"}]"#,
            "ended Complete { cut_off: false }",
        ]
    );
}

/// U-1, K-1: some servers pass reasoning on as tags in the text. It is treated as reasoning, and
/// not sent back to any model.
#[tokio::test]
async fn reasoning_in_tags_is_no_part_of_the_answer() {
    let scripts = [
        Script::answer().text("<think>Hm.</think>\n\nHello!"),
        Script::answer().text("<thinking>\n").text("Hm.</think").text("ing>Hello!"),
    ];
    let expected = [
        r#"thinking "Hm.""#,
        "block end",
        r#"text "Hello!""#,
        "block end",
        r#"message [{"type":"thinking","text":"Hm.","signature":null},{"type":"text","text":"Hello!"}]"#,
        "ended Complete { cut_off: false }",
    ];
    for script in scripts {
        assert_eq!(ask(script.without_usage()).await, expected);
    }
    let about = r#"text "Use `<think>x</think>`.""#;
    assert_eq!(ask(Script::answer().text("Use `<think>x</think>`.")).await[0], about);
}

/// H-1: text beside two calls in one message, however the stream is split.
#[tokio::test]
async fn parallel_calls_arrive_whole() {
    let script = || {
        Script::answer()
            .text("Let me look.")
            .tool_use("t1", "look", &json!({"z": [1, 2], "a": "é🙂"}))
            .tool_use("t2", "list", &json!({}))
            .usage(1, 2)
    };
    let usage = parlor_agent::Usage { input_tokens: 1, output_tokens: 2, ..Default::default() };
    let expected = [
        Ok(ModelEvent::Text("Let me look.".into())),
        Ok(ModelEvent::Usage(usage)),
        Ok(ModelEvent::BlockEnd),
        call("t1", "look", json!({"z": [1, 2], "a": "é🙂"})),
        call("t2", "list", json!({})),
        STOP_FOR_TOOLS,
    ];
    for script in [script(), script().split(1), script().split(7), script().multi_line().comments()]
    {
        assert_eq!(heard(script).await, expected);
    }
    // Some servers report `stop` beside calls, or no reason at all.
    for reason in ["stop", "end_turn", "function_call", ""] {
        let events = heard(script().stop_reason(reason)).await;
        assert_eq!(events.last(), Some(&STOP_FOR_TOOLS), "{reason:?}");
    }
}

/// Arguments that are not JSON are passed on, so that the model can be told.
#[tokio::test]
async fn broken_arguments_are_passed_on_as_they_were_written() {
    let broken = r#"{"at": [1, }"#;
    let script =
        Script::answer().tool_use_saying("t1", "look", broken).tool_use("t2", "look", &json!([1]));
    let events = heard(script.without_usage()).await;
    let expected =
        [call("t1", "look", json!(broken)), call("t2", "look", json!([1])), STOP_FOR_TOOLS];
    assert_eq!(events, expected);
}

/// The last call of an answer that was cut off may be incomplete: `{}` could be the beginning of
/// anything.
#[tokio::test]
async fn an_answer_that_was_cut_off_calls_nothing() {
    for (reason, expected) in
        [("length", StopReason::CutOff), ("content_filter", StopReason::Declined)]
    {
        let script = Script::answer().text("So").tool_use_saying("t1", "drop", "");
        let events = heard(script.stop_reason(reason).without_usage()).await;
        let text = Ok(ModelEvent::Text("So".into()));
        assert_eq!(events, [text, Ok(ModelEvent::BlockEnd), Ok(ModelEvent::Stop(expected))]);
    }
}

/// H-3: the stop reason decides how the turn ends.
#[tokio::test]
async fn the_reason_to_stop_decides_how_the_turn_ends() {
    for (reason, end) in [
        ("stop", "ended Complete { cut_off: false }"),
        ("length", "ended Complete { cut_off: true }"),
        ("content_filter", "failed: the model declined to answer"),
        ("tool_calls", "ended Complete { cut_off: false }"),
        ("something_new", "ended Complete { cut_off: false }"),
        ("insufficient_system_resource", "failed: the model is overloaded"),
        ("error", "failed: the answer of the model broke off: its server failed"),
    ] {
        let told = ask(Script::answer().text("So far").stop_reason(reason)).await;
        assert_eq!(told.last().unwrap(), end, "{reason}");
        let remembered = told.contains(&r#"message [{"type":"text","text":"So far"}]"#.into());
        let withheld = told.contains(&"withheld".into());
        let is_filtered = reason == "content_filter";
        assert_eq!((remembered, withheld), (!is_filtered, is_filtered), "{reason}");
    }
}

#[tokio::test]
async fn usage_is_asked_for_and_counts_the_cache_apart() {
    let usage = json!({"prompt_tokens": 1_000, "completion_tokens": 90, "total_tokens": 1_090,
                       "prompt_tokens_details": {"cached_tokens": 900, "cache_write_tokens": 50},
                       "completion_tokens_details": {"reasoning_tokens": 7}});
    let told = ask(Script::answer().text("x").usage_json(usage)).await;
    assert!(told.contains(&"usage 50 in, 90 out, cache 900 read, 50 written".into()), "{told:?}");
    // Without usage from the server no usage is reported.
    let told = ask(Script::answer().text("x").without_usage()).await;
    assert!(!told.iter().any(|line| line.starts_with("usage")), "{told:?}");
    assert_eq!(told.last().unwrap(), "ended Complete { cut_off: false }");
}

/// Not every server sends the end marker; a stop reason ends the answer as well.
#[tokio::test]
async fn an_answer_is_whole_with_its_reason_or_with_its_marker() {
    let whole = || Script::answer().text("All of it.");
    let reason = json!({"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]});
    let scripts = [
        whole().without_end_marker(),
        whole().event(reason.clone()).reset(),
        whole().without_end().raw("data: [DONE]\n\n"),
        whole().without_end().raw("data:  [DONE] \n\n"),
    ];
    for script in scripts {
        let told = ask(script).await;
        assert_eq!(told.last().unwrap(), "ended Complete { cut_off: false }", "{told:?}");
    }
    let broken = "failed: the answer of the model broke off: it ended without its end marker";
    assert_eq!(ask(whole().without_end()).await.last().unwrap(), broken);
    // A server that keeps the connection open has still finished its answer.
    let script = whole().event(reason).silence();
    let harness =
        Harness::over(ModelKind::Openai, [script], |s| s.idle_timeout_seconds = 0.2).await;
    let events = harness.ask("?").await;
    assert_eq!(told(&events).last().unwrap(), "ended Complete { cut_off: false }");
}

/// LM Studio sends an empty answer if a prompt does not fit.
#[tokio::test]
async fn nothing_said_and_no_reason_given_is_no_answer() {
    let script = || Script::answer().without_end().raw("data: [DONE]\n\n");
    let harness = Harness::over(ModelKind::Openai, [script(), script(), script()], |_| {}).await;
    let events = harness.ask("?").await;
    assert_eq!(
        failure(&events).to_string(),
        "the answer of the model broke off: it ended with nothing said and no reason given"
    );
    // With a stop reason, an empty answer is an answer.
    let told = ask(Script::answer()).await;
    assert_eq!(told.last().unwrap(), "ended Complete { cut_off: false }");
}

#[tokio::test]
async fn what_is_unknown_is_passed_over() {
    let script = Script::answer()
        .event(json!({}))
        .event(json!({"type": "ping", "weather": [[21]]}))
        .event(json!({"choices": null, "usage": null, "error": null}))
        .event(json!({"choices": [], "object": "chat.completion.chunk"}))
        .event(json!({"choices": [{"delta": null, "finish_reason": ""}]}))
        .event(json!({"choices": [{"delta": {"content": null, "mood": 3, "tool_calls": []}}]}))
        .text("fine");
    let harness = Harness::over(ModelKind::Openai, [script], |_| {}).await;
    assert_eq!(text(&harness.ask("?").await), "fine");
}
