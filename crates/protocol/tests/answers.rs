//! Outcomes of prompts and validation errors of answers, as readable files.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests may fail")]

mod support;

use parlor_protocol::*;
use serde_json::json;

use support::golden;

const PROMPT: &str = "0198c5a2-7b1e-7cc0-8000-000000000004";

/// P-5, P-6: an approval with edited arguments, a refusal with its reason, an invalid answer.
#[test]
fn answers() {
    golden(
        "prompt_closed.json",
        &PromptClosed {
            id: PROMPT.parse().unwrap(),
            outcome: PromptOutcome::Answered,
            response: Some(json!("yes")),
            reason: None,
            tool_call: Some(ToolCall {
                name: "update_recipe".into(),
                input: json!({"title": "Stew"}),
                masked: None,
            }),
            preview: Some(Preview::Record {
                old: Some(json!({"title": "Soup"})),
                new: Some(json!({"title": "Stew"})),
            }),
            answered_by: Some("family".into()),
            at: Timestamp(1_794_772_812_000),
        },
    );
    golden(
        "prompt_refused.json",
        &PromptClosed {
            id: PROMPT.parse().unwrap(),
            outcome: PromptOutcome::Refused,
            response: Some(json!("no")),
            reason: Some("It is breakfast.".into()),
            tool_call: None,
            preview: None,
            answered_by: Some("family".into()),
            at: Timestamp(1_794_772_812_000),
        },
    );
    golden(
        "error_answer_invalid.json",
        &ErrorEnvelope {
            error: ErrorBody {
                code: ErrorCode::AnswerInvalid,
                message: "Title must not be empty.".into(),
                retry_after: None,
                prompt_id: None,
                problems: Some(vec![FieldProblem {
                    pointer: "/title".into(),
                    problem: Problem::TooShort,
                    limit: Some(1.into()),
                }]),
                budget: None,
            },
        },
    );
}
