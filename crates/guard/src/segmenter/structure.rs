//! Reads a complete JSON object: is it a plan, a question, or neither?

use parlor_protocol::{Plan, Question};
use serde_json::Value;

use super::object::Seen;
use super::segment::Found;

/// Reads an object whose keys were seen on the way.
pub(super) fn read_object(json: &str, seen: Seen) -> Found {
    if !seen.is_claim() {
        return Found::Nothing;
    }
    serde_json::from_str(json).map_or(Found::Invalid, |value| read_value(&value))
}

fn read_value(value: &Value) -> Found {
    if is_plan_claim(value) {
        Plan::from_json(value).map_or(Found::Invalid, Found::Plan)
    } else if is_question_claim(value) {
        Question::from_json(value).map_or(Found::Invalid, Found::Question)
    } else {
        Found::Nothing
    }
}

/// True for JSON that means to be a plan. A field that is `null` is not there.
pub(crate) fn is_plan_claim(value: &Value) -> bool {
    Plan::is_claimed_by(value) && !value["goal"].is_null() && !value["steps"].is_null()
}

/// True for JSON that means to be a question. A field that is `null` is not there.
pub(crate) fn is_question_claim(value: &Value) -> bool {
    Question::is_claimed_by(value) && !value["question"].is_null() && !value["options"].is_null()
}
