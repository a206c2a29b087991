//! The shapes of requests and errors, as golden files.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests may fail")]

mod support;

use parlor_protocol::*;
use serde_json::json;

use support::golden;

const CONVERSATION: &str = "0198c5a2-7b1e-7cc0-8000-000000000001";
const MESSAGE: &str = "0198c5a2-7b1e-7cc0-8000-000000000003";

/// H-1, W-1: requests and errors.
#[test]
fn requests_and_errors() {
    golden(
        "chat_request.json",
        &ChatRequest {
            message: "What is this?".into(),
            conversation_id: Some(CONVERSATION.parse().unwrap()),
            image: Some(Some(ImageAttachment {
                data: "iVBORw0KGgo=".into(),
                media_type: "image/png".into(),
            })),
            files: Some(vec![FileAttachment {
                name: "bill.pdf".into(),
                data: "JVBERi0=".into(),
                media_type: Some("application/pdf".into()),
            }]),
            tenant: Some("home".parse().unwrap()),
            project: Some("recipes".parse().unwrap()),
            mode: Some(Mode::Plan),
            client_message_id: Some("tab-1:7".parse().unwrap()),
            retry_of: Some(MESSAGE.parse().unwrap()),
            edit_of: Some(MESSAGE.parse().unwrap()),
            regenerate: Some(MESSAGE.parse().unwrap()),
            clear_context: true,
            client_tools: vec![ClientTool {
                name: "open_page".into(),
                description: "Opens a page of the app.".into(),
                input_schema: json!({"type": "object"}),
            }],
        },
    );
    golden(
        "branch_choice.json",
        &BranchChoice { turn_id: None, message_id: Some(MESSAGE.parse().unwrap()) },
    );
    golden(
        "error.json",
        &ErrorEnvelope {
            error: ErrorBody {
                code: ErrorCode::RateLimited,
                message: "Too many messages; try again in 12 s.".into(),
                retry_after: Some(12),
                prompt_id: None,
                problems: None,
                budget: None,
            },
        },
    );
    let (scope, measure, period) = (BudgetScope::Person, Measure::CostUsd, Period::Month);
    let ends_at = Timestamp(1_796_083_200_000);
    golden(
        "error_budget_exceeded.json",
        &ErrorEnvelope {
            error: ErrorBody {
                code: ErrorCode::BudgetExceeded,
                message: "Your budget for this month is used up.".into(),
                retry_after: Some(90),
                prompt_id: None,
                problems: None,
                budget: Some(SpentBudget { scope, measure, period, ends_at }),
            },
        },
    );
    golden(
        "budget_use.json",
        &BudgetUse {
            scope,
            project: None,
            measure,
            period,
            percent: 45,
            used: Some(2.25),
            limit: Some(5.0),
            ends_at,
        },
    );
    for code in [ErrorCode::InputBlocked, ErrorCode::TurnRunning, ErrorCode::Internal] {
        assert_eq!(serde_json::to_value(code).unwrap(), code.as_str());
    }
}

/// U-7: a picture that is null is left out, one that is not named is kept.
#[test]
fn a_picture_can_be_left_out() {
    let image = |body: serde_json::Value| {
        let request: ChatRequest = serde_json::from_value(body).unwrap();
        let again = serde_json::to_value(&request).unwrap();
        assert_eq!(serde_json::from_value::<ChatRequest>(again).unwrap(), request);
        request.image.map(|image| image.is_some())
    };
    assert_eq!(image(json!({"message": "a"})), None);
    assert_eq!(image(json!({"message": "a", "image": null})), Some(false));
    let picture = json!({"data": "iVBORw0KGgo=", "media_type": "image/png"});
    assert_eq!(image(json!({"message": "a", "image": picture})), Some(true));
}
