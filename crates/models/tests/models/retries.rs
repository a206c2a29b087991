//! Which errors are retried, and which are not.

use std::time::Duration;

use parlor_agent::{AgentError, AgentEvent, ModelError};
use parlor_testkit::Script;

use crate::harness::{Harness, failure, text, told};

/// FAULTS 11: temporary errors are retried.
#[tokio::test]
async fn passing_failures_are_tried_again() {
    for (status, what) in [
        (429, "the model's rate limit is reached"),
        (500, "the model's server failed with status 500"),
        (502, "the model's server failed with status 502"),
        (529, "the model is overloaded"),
    ] {
        let harness =
            Harness::new([Script::failure(status), Script::answer().text("Here I am.")]).await;
        let events = harness.ask("Hi").await;
        assert_eq!(told(&events)[0], format!("retrying in 0ns after attempt 1: {what}"));
        assert_eq!(text(&events), "Here I am.");
        let requests = harness.model.requests();
        assert_eq!(requests.len(), 2);
        assert_eq!(requests[0], requests[1], "the same is asked again");
    }
}

#[tokio::test]
async fn the_vendors_own_delay_is_kept_to() {
    for status in [429, 500, 529] {
        let scripts = [Script::failure(status).retry_after(0), Script::answer().text("ok")];
        // The configured delay would be an hour: the vendor's is used.
        let harness = Harness::with(scripts, |settings| {
            settings.retry_delay_seconds = 3_600.0;
            settings.max_retry_delay_seconds = 3_600.0;
        })
        .await;
        let events = harness.ask("?").await;
        assert!(matches!(events[0], AgentEvent::Retrying { after: Duration::ZERO, .. }));
        assert_eq!(text(&events), "ok");
    }
}

#[tokio::test]
async fn a_vendor_who_asks_for_too_much_patience_gets_no_second_request() {
    let harness = Harness::new([Script::failure(529).retry_after(31)]).await;
    let events = harness.ask("?").await;
    let error = ModelError::Overloaded { retry_after: Some(Duration::from_secs(31)) };
    assert_eq!(failure(&events), &AgentError::Model(error.clone()));
    assert_eq!(error.user_message(), "The model is overloaded. Try again in 31 seconds.");
    assert_eq!(harness.model.requests().len(), 1);
}

#[tokio::test]
async fn attempts_have_an_end() {
    let harness = Harness::new([]).await;
    harness.model.always(Script::failure(529));
    let events = harness.ask("?").await;
    assert_eq!(
        told(&events),
        [
            "retrying in 0ns after attempt 1: the model is overloaded",
            "retrying in 0ns after attempt 2: the model is overloaded",
            "failed: the model is overloaded",
        ]
    );
    assert!(failure(&events).is_recoverable());
    assert_eq!(harness.model.requests().len(), 3);
}

/// A stream that breaks before anything was shown is retried like a refused request.
#[tokio::test]
async fn a_stream_that_breaks_before_any_content_is_tried_again() {
    let scripts = [
        Script::answer().reset(),
        Script::answer().error("overloaded_error", "Overloaded"),
        Script::answer().text("Third time lucky."),
    ];
    let events = Harness::new(scripts).await.ask("?").await;
    assert_eq!(text(&events), "Third time lucky.");
    let retries = events.iter().filter(|e| matches!(e, AgentEvent::Retrying { .. })).count();
    assert_eq!(retries, 2);
}

#[tokio::test]
async fn what_stays_wrong_is_not_tried_again() {
    type Expected = fn(&ModelError) -> bool;
    let kinds: [(Script, Expected); 9] = [
        (Script::failure(400), |e| matches!(e, ModelError::BadRequest(_))),
        (Script::failure(401), |e| matches!(e, ModelError::WrongKey { .. })),
        (Script::failure(403), |e| matches!(e, ModelError::NotPermitted(_))),
        (Script::failure(404), |e| matches!(e, ModelError::UnknownModel(_))),
        (Script::failure(413), |e| matches!(e, ModelError::ContextTooLong(_))),
        (
            Script::failure_saying(
                400, "invalid_request_error", "prompt is too long: 9 > 8 maximum",
            ),
            |e| matches!(e, ModelError::ContextTooLong(_)),
        ),
        (
            Script::failure_saying(
                400,
                "invalid_request_error",
                "input length and `max_tokens` exceed context limit: 9 + 9 > 10, decrease input length",
            ),
            |e| matches!(e, ModelError::ContextTooLong(_)),
        ),
        // The request has no picture, so the error is about something else.
        (Script::failure_saying(400, "invalid_request_error", "Could not process image"), |e| {
            matches!(e, ModelError::BadRequest(_))
        }),
        (
            Script::failure_saying(400, "invalid_request_error", "Your credit balance is too low"),
            |e| matches!(e, ModelError::NoCredit(_)),
        ),
    ];
    for (script, expected) in kinds {
        let harness = Harness::new([script]).await;
        let events = harness.ask("?").await;
        let AgentError::Model(error) = failure(&events) else { panic!("{events:?}") };
        assert!(expected(error), "{error:?}");
        assert!(!error.is_recoverable());
        assert_eq!(harness.model.requests().len(), 1);
    }
}

/// The log names the key's setting for the operator; people read that the operator has to fix it,
/// without a vendor's name.
#[tokio::test]
async fn a_wrong_key_names_the_setting_to_fix() {
    let events = Harness::new([Script::failure(401)]).await.ask("?").await;
    let error = failure(&events);
    assert_eq!(
        error.to_string(),
        "the model refused the key: set ANTHROPIC_API_KEY to a valid one"
    );
    let shown = error.user_message();
    assert!(shown.contains("Whoever runs the server") && !shown.contains("ANTHROPIC"), "{shown}");
}

#[tokio::test]
async fn a_server_that_is_not_there_is_unreachable() {
    // A port that was free a moment ago.
    let free = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let harness = Harness::with([], |settings| {
        settings.base_url = Some(format!("http://{free}"));
        settings.max_attempts = 2;
    })
    .await;
    let events = harness.ask("?").await;
    assert_eq!(events.len(), 2, "{:?}", told(&events));
    assert!(matches!(failure(&events), AgentError::Model(ModelError::Unreachable(_))));
}
