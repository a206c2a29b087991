//! Requests beside the conversation. They get a short answer and take no script, so that
//! a test says what its model says, and not how often a client asks for something else.
//!
//! 1. What is not posted: lists of models.
//! 2. Counts of tokens.
//! 3. From agent CLIs, where there are no tools or no stream: a title, a summary, a check;
//!    and where the agent asks for what the person may want to say next.

use serde_json::{Value, json};

use crate::format::Format;
use crate::record::RecordedRequest;
use crate::script::Script;
use crate::wire::Wire;

/// What a model says of itself where nobody wants to know.
const SHORT: &str = "A short answer";
/// How agents begin a request that offers tools and is still none of the conversation.
const SUGGESTIONS: &[&str] = &["[SUGGESTION MODE"];

/// The answer to a request beside the conversation; `None` for one of the conversation.
pub(crate) fn side_answer(
    request: &RecordedRequest,
    wire: &dyn Wire,
    for_agents: bool,
) -> Option<Script> {
    if request.method != "POST" {
        return Some(document(&request.path));
    }
    if request.path.contains("count_tokens") || request.path.contains("countTokens") {
        return Some(Script::json(&json!({"input_tokens": 5, "totalTokens": 5})));
    }
    if !for_agents || is_conversation(request) {
        return None;
    }
    let text = if wants_json(request) { r#"{"title":"A short answer"}"# } else { SHORT };
    Some(match request.is_streamed() {
        true => Script::answer().text(text),
        false => Script::json(&wire.whole(text)),
    })
}

fn is_conversation(request: &RecordedRequest) -> bool {
    let body = request.body.to_string();
    request.is_streamed()
        && !request.offered().is_empty()
        && !SUGGESTIONS.iter().any(|words| body.contains(words))
}

/// A list of models, and an empty one of their providers.
fn document(path: &str) -> Script {
    let path = path.split('?').next().unwrap_or_default();
    if path.ends_with("/models") {
        let model = json!({"id": "scripted", "object": "model", "owned_by": "testkit"});
        Script::json(&json!({"object": "list", "data": [model], "models": []}))
    } else if path.ends_with("/api.json") {
        Script::json(&json!({}))
    } else {
        Script::response(404, "application/json", r#"{"error":{"message":"not found"}}"#)
    }
}

/// Whether the text of the answer has to be JSON.
fn wants_json(request: &RecordedRequest) -> bool {
    let body = &request.body;
    match request.format() {
        Format::Gemini => body["generationConfig"]["responseMimeType"] == "application/json",
        Format::ChatCompletions => body["response_format"].is_object(),
        Format::Responses => is_schema(&body["text"]["format"]),
        Format::Messages => is_schema(&body["output_config"]["format"]),
    }
}

fn is_schema(format: &Value) -> bool {
    format["type"] == "json_schema"
}
