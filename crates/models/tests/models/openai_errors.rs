//! The errors of OpenAI-compatible servers, in their own words, and what they are mapped to.

use std::time::Duration;

use parlor_agent::{AgentError, AgentEvent, ContentBlock, HistoryMessage, ModelError};
use parlor_models::ModelKind;
use parlor_protocol::Role;
use parlor_testkit::Script;
use serde_json::{Value, json};

use crate::harness::{Harness, failure, text, turn};

async fn error_of(script: Script) -> ModelError {
    let harness =
        Harness::over(ModelKind::Openai, [script], |settings| settings.max_attempts = 1).await;
    let events = harness.ask("?").await;
    match failure(&events) {
        AgentError::Model(error) => error.clone(),
        other => panic!("{other:?}"),
    }
}

fn refused(status: u16, body: Value) -> Script {
    Script::response(status, "application/json", body.to_string())
}

fn name(error: &ModelError) -> String {
    format!("{error:?}").split([' ', '(', '{']).next().unwrap_or_default().to_owned()
}

/// H-4: a picture that the model does not accept is told apart from other bad requests.
#[tokio::test]
async fn a_refused_picture_is_told_apart() {
    let error = |message: &str, code: Value| json!({"error": {"message": message, "code": code}});
    let cases = [
        (400, error("You uploaded an unsupported image.", json!("invalid_image_format"))),
        (400, error("At most 0 image(s) may be provided in one request.", json!(400))),
        (422, json!({"detail": "unknown variant `image_url`, expected `text`"})),
        (404, error("No endpoints found that support image input", json!(404))),
        (500, json!({"error": "image input is not supported"})),
    ];
    for (status, body) in cases {
        let script = refused(status, body.clone());
        let harness =
            Harness::over(ModelKind::Openai, [script], |settings| settings.max_attempts = 1).await;
        let image = ContentBlock::Image { media_type: "image/png".into(), data: "AAAA".into() };
        let message = HistoryMessage { role: Role::User, blocks: vec![image] };
        let events = turn(&mut harness.open(), [message]).await;
        let refused = failure(&events);
        assert!(refused.is_about_pictures(), "{status} {body}: {refused}");
        assert!(refused.user_message().contains("left out from now on"));
    }
}

#[tokio::test]
async fn every_server_says_it_in_its_own_way() {
    let error = |message: &str, kind: &str, code: Value| json!({"error": {"message": message, "type": kind, "param": null, "code": code}});
    let quota = "You exceeded your current quota, please check your plan and billing details.";
    let too_long = "This model's maximum context length is 8192 tokens. However, you requested \
                    8204 tokens (12 in the messages, 8192 in the completion).";
    let cases = [
        // OpenAI
        (
            401,
            error("Incorrect API key provided", "invalid_request_error", json!("invalid_api_key")),
            "WrongKey",
        ),
        (
            403,
            error("Country not supported", "request_forbidden", json!("unsupported_country")),
            "NotPermitted",
        ),
        (
            404,
            error(
                "The model `x` does not exist",
                "invalid_request_error",
                json!("model_not_found"),
            ),
            "UnknownModel",
        ),
        (
            403,
            error(
                "Project has no access to `x`",
                "invalid_request_error",
                json!("model_not_found"),
            ),
            "UnknownModel",
        ),
        (429, error("Rate limit reached", "requests", json!("rate_limit_exceeded")), "RateLimited"),
        (429, error(quota, "insufficient_quota", json!("insufficient_quota")), "NoCredit"),
        (
            400,
            error(too_long, "invalid_request_error", json!("context_length_exceeded")),
            "ContextTooLong",
        ),
        (
            400,
            error(
                "Unsupported parameter: 'max_tokens'",
                "invalid_request_error",
                json!("unsupported_parameter"),
            ),
            "BadRequest",
        ),
        (500, error("The server had an error", "server_error", json!(null)), "ServerFailed"),
        (503, error("The engine is overloaded", "server_error", json!(null)), "Overloaded"),
        // Ollama
        (
            404,
            error("model \"x\" not found, try pulling it first", "not_found_error", json!(null)),
            "UnknownModel",
        ),
        (404, error("model 'x' not found", "api_error", json!(null)), "UnknownModel"),
        (
            400,
            error("x does not support tools", "invalid_request_error", json!(null)),
            "BadRequest",
        ),
        (
            500,
            error(
                "model requires more system memory (5.6 GiB) than is available",
                "api_error",
                json!(null),
            ),
            "ServerFailed",
        ),
        // vLLM, before and after it moved its errors
        (
            400,
            json!({"object": "error", "message": too_long, "type": "BadRequestError", "code": 400}),
            "ContextTooLong",
        ),
        (404, error("The model `x` does not exist.", "NotFoundError", json!(404)), "UnknownModel"),
        (401, json!({"error": "Unauthorized"}), "WrongKey"),
        (422, json!({"detail": [{"loc": ["body"], "msg": "field required"}]}), "BadRequest"),
        // OpenRouter
        (402, json!({"error": {"code": 402, "message": "Insufficient credits"}}), "NoCredit"),
        (
            400,
            json!({"error": {"code": 400, "message": "x/y is not a valid model ID"}}),
            "UnknownModel",
        ),
        (
            400,
            json!({"error": {"code": 400, "message": "Provider returned error",
            "metadata": {"raw": "prompt exceeds the context window", "provider_name": "X"}}}),
            "ContextTooLong",
        ),
        (200, json!({"error": {"code": 429, "message": "Rate limited upstream"}}), "RateLimited"),
        (200, json!({"error": {"code": 502, "message": "Upstream went away"}}), "Interrupted"),
        // LiteLLM
        (
            400,
            error("Invalid model name passed in model=x.", "invalid_request_error", json!("400")),
            "UnknownModel",
        ),
        (200, error("mock rate limit", "throttling_error", json!("429")), "RateLimited"),
        // llama.cpp, LM Studio, Google, a proxy
        (
            400,
            error(
                "the request exceeds the available context size",
                "exceed_context_size_error",
                json!(400),
            ),
            "ContextTooLong",
        ),
        (500, json!({"error": "Context size has been exceeded."}), "ContextTooLong"),
        (
            400,
            json!([{"error": {"code": 400, "message": "Unable to submit", "status": "INVALID_ARGUMENT"}}]),
            "BadRequest",
        ),
        (413, json!(null), "ContextTooLong"),
        (
            400,
            error(
                "The decoder prompt (length 9) is longer than the maximum model length of 8.",
                "BadRequestError",
                json!(400),
            ),
            "ContextTooLong",
        ),
        (
            400,
            error("The input token count (9) exceeds the maximum.", "x", json!(400)),
            "ContextTooLong",
        ),
        (404, error("The model `image-1` does not exist", "x", json!(null)), "UnknownModel"),
        (502, json!("Bad Gateway"), "ServerFailed"),
    ];
    for (status, body, expected) in cases {
        let error = error_of(refused(status, body.clone())).await;
        assert_eq!(name(&error), expected, "{status} {body}: {error}");
    }
}

/// The vendor's error message is in the log, and only there.
#[tokio::test]
async fn the_words_are_for_the_log() {
    let body = json!({"error": {"message": "model 'x' not found, try pulling it first"}});
    let error = error_of(refused(404, body)).await;
    assert_eq!(
        error.to_string(),
        "there is no such model: check the settings model and base_url (model 'x' not found, try \
         pulling it first (status 404))"
    );
    assert!(!error.user_message().contains("pulling"));
    let wrong_key = error_of(Script::failure(401)).await;
    assert_eq!(
        wrong_key.to_string(),
        "the model refused the key: set OPENAI_API_KEY to a valid one"
    );
}

#[tokio::test]
async fn errors_in_the_middle_keep_what_was_said() {
    let cases = [
        (json!({"error": {"message": "Overloaded", "code": 503}}), "Overloaded"),
        (
            json!({"error": {"message": "boom", "type": "server_error", "code": null}}),
            "Interrupted",
        ),
        (json!({"error": {"message": "slow down", "code": "rate_limit_exceeded"}}), "RateLimited"),
        (json!({"error": "out of memory"}), "Interrupted"),
        (json!({"object": "error", "message": "prompt too odd", "code": 400}), "BadRequest"),
        (json!({"error": {"message": "x"}, "choices": 7}), "Interrupted"),
        (
            json!({"choices": [{"delta": {}, "finish_reason": "error",
            "error": {"code": 502, "message": "gone"}}]}),
            "Interrupted",
        ),
    ];
    for (event, expected) in cases {
        let script = Script::answer().text("So far").event(event.clone()).without_end();
        let harness = Harness::over(ModelKind::Openai, [script], |_| {}).await;
        let events = harness.ask("?").await;
        let AgentError::Model(error) = failure(&events) else { panic!("{events:?}") };
        assert_eq!(name(error), expected, "{event}: {error}");
        assert_eq!(text(&events), "So far");
    }
}

#[tokio::test]
async fn the_servers_own_delay_is_kept_to() {
    let scripts = [Script::failure(429).retry_after(0), Script::answer().text("ok")];
    let harness = Harness::over(ModelKind::Openai, scripts, |settings| {
        settings.retry_delay_seconds = 3_600.0;
        settings.max_retry_delay_seconds = 3_600.0;
    })
    .await;
    let events = harness.ask("?").await;
    assert!(matches!(events[0], AgentEvent::Retrying { after: Duration::ZERO, .. }));
    assert_eq!(text(&events), "ok");
}

/// The error for a local model server that is not running names its address.
#[tokio::test]
async fn a_server_that_is_not_there_is_asked_for_by_its_address() {
    // A port that was free a moment ago.
    let free = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let harness = Harness::over(ModelKind::Openai, [], |settings| {
        settings.base_url = Some(format!("http://me:hunter2@{free}/secret/v1?key=hunter2"));
        settings.max_attempts = 1;
    })
    .await;
    let events = harness.ask("?").await;
    let error = failure(&events);
    assert!(matches!(error, AgentError::Model(ModelError::Unreachable(_))), "{error}");
    let told = error.to_string();
    assert!(
        told.ends_with(&format!("; is the model's server running at http://{free}?")),
        "{told}"
    );
    assert!(!told.contains("hunter2") && !told.contains("secret"), "{told}");
    assert!(!error.user_message().contains("127.0.0.1"), "people need no addresses");
    assert!(error.user_message().contains("Check that its server is running"));
}
