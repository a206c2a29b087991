//! The tool by which a model asks the person in the middle of its work.

use std::sync::LazyLock;

use parlor_agent::tools::{ASK_USER, ToolSpec};
use parlor_protocol::{PromptDraft, PromptType, StructureError};
use serde_json::{Value, json};

/// Its name.
pub(super) const NAME: &str = ASK_USER;

/// The tool as the model sees it.
pub(super) static SPEC: LazyLock<ToolSpec> = LazyLock::new(spec);

fn spec() -> ToolSpec {
    let option = json!({
        "type": "object",
        "properties": {
            "label": {"type": "string", "description": "What the person reads"},
            "value": {"type": "string", "description": "What you get back"},
            "description": {"type": "string"},
        },
        "required": ["label", "value"],
    });
    let options = json!({"type": "array", "items": option});
    ToolSpec {
        name: NAME.to_owned(),
        description: "Asks the person and waits for the answer. Use it when you cannot go on \
            without a decision or a fact that only the person has; never to get a permission for \
            another tool, which is asked for by itself. `confirm` is a yes or no, `input` a text, \
            `select` one of `options`, `multi_question` several `questions` at once, `wizard` \
            `steps` one after the other."
            .to_owned(),
        input_schema: json!({
            "type": "object",
            "properties": {
                "type": {"enum": ["confirm", "input", "select", "multi_question", "wizard"]},
                "question": {"type": "string"},
                "options": options,
                "questions": {"type": "array", "items": {
                    "type": "object",
                    "properties": {
                        "id": {"type": "string"},
                        "question": {"type": "string"},
                        "header": {"type": "string"},
                        "options": options,
                        "multi_select": {"type": "boolean"},
                        "allow_other": {"type": "boolean"},
                    },
                    "required": ["question"],
                }},
                "steps": {"type": "array", "items": {
                    "type": "object",
                    "properties": {
                        "id": {"type": "string"},
                        "title": {"type": "string"},
                        "type": {"enum": ["confirm", "input", "select"]},
                        "question": {"type": "string"},
                        "options": options,
                    },
                    "required": ["question"],
                }},
                "context": {"type": "string", "description": "What one should know to answer"},
                "severity": {"enum": ["critical", "major", "minor"]},
                "default": {"type": "string", "description": "The value to highlight"},
            },
            "required": ["type", "question"],
        }),
    }
}

/// What is asked. Plans and forms are not asked this way.
pub(super) fn draft(input: &Value) -> Result<PromptDraft, StructureError> {
    let draft = PromptDraft::from_json(input)?;
    match draft.prompt_type {
        PromptType::Plan | PromptType::Form | PromptType::ClientCall => {
            Err(StructureError::WrongType {
                field: "type",
                expected: "confirm, input, select, multi_question or wizard",
            })
        }
        PromptType::Confirm
        | PromptType::Input
        | PromptType::Select
        | PromptType::MultiQuestion
        | PromptType::Wizard => Ok(draft),
    }
}
