//! FAULTS 11: failures of a model API.

use parlor_agent::{AgentError, AgentEvent, HistoryMessage, ModelError};
use parlor_models::ModelSettings;
use parlor_testkit::{Gate, Script};
use serde_json::json;

use crate::harness::{BOTH, Harness, failure, message, next, rest, start, text, told};

const ANSWER: &str = "Olá! Ein ganzer Satz — with 🙂 in it.";

fn answer() -> Script {
    Script::answer().thinking("Hm…").signature("c2ln").words(ANSWER).usage(5, 6)
}

/// The same answer gives the same events, however it is formatted and split.
#[tokio::test]
async fn every_way_of_writing_the_stream_gives_the_same_events() {
    let ways = || {
        [
            ("split at every byte", answer().split(1)),
            ("split at every third byte", answer().split(3)),
            ("CRLF", answer().line_end("\r\n")),
            ("CRLF, split at every byte", answer().line_end("\r\n").split(1)),
            ("CR", answer().line_end("\r")),
            ("comments and a byte order mark", answer().comments()),
            ("comments, split at every byte", answer().comments().split(1)),
            ("multi-line data", answer().multi_line()),
            ("all of it", answer().multi_line().comments().line_end("\r\n").split(1)),
        ]
    };
    for kind in BOTH {
        let plain = told(&Harness::over(kind, [answer()], |_| {}).await.ask("Hi").await);
        for (way, script) in ways() {
            let events = Harness::over(kind, [script], |_| {}).await.ask("Hi").await;
            assert_eq!(told(&events), plain, "{kind:?}, {way}");
            assert_eq!(text(&events), ANSWER, "{kind:?}, {way}");
        }
    }
}

/// H-6: text that was shown is kept, and is never repeated by a retry.
#[tokio::test]
async fn a_reset_mid_stream_keeps_the_text_and_is_not_retried() {
    for kind in BOTH {
        let half = b"event: content_block_delta\ndata: {\"type\":\"content_blo".to_vec();
        let gate = Gate::closed();
        let script = Script::answer().text("So far").gate(&gate).raw(half).reset();
        let again = Script::answer().text("again");
        let harness = Harness::over(kind, [script, again], |_| {}).await;
        let mut session = harness.open();
        session.begin(start([HistoryMessage::user("?")]));
        assert_eq!(next(&mut session).await, AgentEvent::Text("So far".into()));
        gate.release(1);
        let events = rest(&mut session).await;
        assert!(matches!(failure(&events), AgentError::Model(ModelError::Interrupted(_))));
        assert_eq!(message(&events), Some(&HistoryMessage::assistant("So far")));
        assert_eq!(harness.model.requests().len(), 1);
    }
}

#[tokio::test]
async fn an_answer_without_its_end_marker_is_interrupted() {
    let events = Harness::new([Script::answer().text("All of it?").end_block().without_end()])
        .await
        .ask("?")
        .await;
    assert_eq!(
        told(&events)[2..],
        [
            "usage 10 in, 1 out, cache 0 read, 0 written",
            r#"message [{"type":"text","text":"All of it?"}]"#,
            "failed: the answer of the model broke off: it ended without its end marker",
        ]
    );
}

#[tokio::test]
async fn an_error_in_the_middle_keeps_the_text() {
    let script = Script::answer().text("So far").error("overloaded_error", "Overloaded");
    let events = Harness::new([script]).await.ask("?").await;
    assert_eq!(failure(&events), &ModelError::Overloaded { retry_after: None }.into());
    assert_eq!(message(&events), Some(&HistoryMessage::assistant("So far")));
}

#[tokio::test]
async fn a_silent_model_is_given_up() {
    for kind in BOTH {
        let before = Script::answer().silence();
        let after = Script::answer().text("So").silence();
        for script in [Script::mute(), before, after] {
            let impatient = |settings: &mut ModelSettings| settings.idle_timeout_seconds = 0.2;
            let harness = Harness::over(kind, [script], impatient).await;
            let events = harness.ask("?").await;
            assert!(matches!(failure(&events), AgentError::Model(ModelError::Silent { .. })));
            harness.model.wait_until_unconnected().await;
            assert_eq!(harness.model.requests().len(), 1);
        }
    }
}

#[tokio::test]
async fn an_event_over_the_limit_is_refused() {
    for kind in BOTH {
        let huge = "x".repeat(5 << 20);
        let whole = Script::answer().text("ok").text(&huge);
        let endless = Script::answer().text("ok").raw(format!("data: {huge}"));
        for script in [whole, endless] {
            let events = Harness::over(kind, [script], |_| {}).await.ask("?").await;
            assert_eq!(failure(&events), &ModelError::TooLarge { limit: 1 << 20 }.into());
            assert_eq!(message(&events), Some(&HistoryMessage::assistant("ok")));
        }
        let fits = Script::answer().text(&"y".repeat(900 << 10));
        let events = Harness::over(kind, [fits], |_| {}).await.ask("?").await;
        assert_eq!(text(&events).len(), 900 << 10);
    }
}

#[tokio::test]
async fn what_is_not_the_wire_format_is_said_to_be_so() {
    let scripts = || {
        [
            Script::answer().raw("data: {\"type\": 7, \"choices\": 7}\n\n"),
            Script::answer().raw("data: not json\n\n"),
            Script::answer().raw(b"data: \"\xff\xfe\"\n\n".to_vec()),
            Script::response(200, "text/html", "<h1>Welcome to the router</h1>"),
            Script::response(200, "application/json", "{}"),
            Script::response(302, "text/html", "").header("location", "http://127.0.0.1:9/steal"),
        ]
    };
    for kind in BOTH {
        for script in scripts() {
            let events = Harness::over(kind, [script], |_| {}).await.ask("?").await;
            let malformed = matches!(failure(&events), AgentError::Model(ModelError::Malformed(_)));
            assert!(malformed, "{:?}", told(&events));
        }
    }
}

/// Unknown events and deltas, which the API may add later, are ignored.
#[tokio::test]
async fn unknown_events_and_deltas_are_passed_over() {
    let script = Script::answer()
        .event(json!({"type": "weather", "delta": 21, "error": [[[]]]}))
        .event(json!({"type": "content_block_delta", "delta": {"type": "mood", "mood": 3}}))
        .event(json!({}))
        .text("fine");
    assert_eq!(text(&Harness::new([script]).await.ask("?").await), "fine");
}
