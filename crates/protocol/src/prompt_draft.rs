//! A prompt as an agent writes it: what is asked, before the server has given
//! it an id, an origin and a time. Read leniently, like everything that agents
//! write; what a card cannot do without has to be there.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::plan::Plan;
use crate::prompt::{PromptStep, PromptType};
use crate::question::{Question, QuestionOption, Severity, SubQuestion};
use crate::structure::{StructureError, optional_text, required_list, required_text};

/// What an agent asks a person. It never stands for an approval: only the
/// server asks for those.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PromptDraft {
    /// How it is answered.
    pub prompt_type: PromptType,
    /// What is asked; without a text of its own, the questions, one per line.
    pub question: String,
    /// What can be chosen; only a `select` has options.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub options: Option<Vec<QuestionOption>>,
    /// The questions of a `multi_question`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub questions: Option<Vec<SubQuestion>>,
    /// The steps of a `wizard`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub steps: Option<Vec<PromptStep>>,
    /// The JSON Schema of a `form`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub schema: Option<Value>,
    /// The plan of a `plan`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub plan: Option<Plan>,
    /// What one should know to answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub context: Option<String>,
    /// How serious it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub severity: Option<Severity>,
    /// The answer that is highlighted, never chosen automatically.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub default: Option<String>,
}

/// What an agent can ask.
const DRAFT_TYPES: &str = "confirm, input, select, multi_question, plan, wizard or form";

impl PromptDraft {
    /// Reads a prompt. Its kind is `promptType`, or `type`.
    pub fn from_json(value: &Value) -> Result<Self, StructureError> {
        if !value.is_object() {
            return Err(StructureError::NotAnObject);
        }
        let kind = value.get("promptType").or_else(|| value.get("type"));
        let prompt_type = PromptType::deserialize(
            kind.ok_or(StructureError::Missing("promptType"))?,
        )
        .map_err(|_| StructureError::WrongType { field: "promptType", expected: DRAFT_TYPES })?;
        let mut draft = Self {
            context: optional_text(value, "context"),
            severity: value.get("severity").and_then(|field| Severity::deserialize(field).ok()),
            ..Self::bare(prompt_type, optional_text(value, "question").unwrap_or_default())
        };
        draft.read_parts(value)?;
        if draft.question.is_empty() {
            draft.question =
                draft.question_of_parts().ok_or(StructureError::Missing("question"))?;
        }
        draft.default = read_default(&draft, value);
        Ok(draft)
    }

    /// A prompt of a kind with nothing but its question.
    pub fn bare(prompt_type: PromptType, question: impl Into<String>) -> Self {
        Self {
            prompt_type,
            question: question.into(),
            options: None,
            questions: None,
            steps: None,
            schema: None,
            plan: None,
            context: None,
            severity: None,
            default: None,
        }
    }

    /// What each kind cannot do without.
    fn read_parts(&mut self, value: &Value) -> Result<(), StructureError> {
        match self.prompt_type {
            PromptType::Confirm | PromptType::Input => {}
            PromptType::Select => self.options = Some(read_options(value)?),
            PromptType::MultiQuestion => self.questions = Some(read_questions(value)?),
            PromptType::Plan => {
                self.plan = Some(Plan::from_json(value.get("plan").unwrap_or(value))?);
            }
            PromptType::Wizard => self.steps = Some(read_steps(value)?),
            // Only the server asks a client.
            PromptType::ClientCall => {
                return Err(StructureError::WrongType {
                    field: "promptType",
                    expected: DRAFT_TYPES,
                });
            }
            PromptType::Form => {
                let schema = value.get("schema").filter(|schema| schema.is_object());
                self.schema = Some(schema.ok_or(StructureError::Missing("schema"))?.clone());
            }
        }
        Ok(())
    }

    fn question_of_parts(&self) -> Option<String> {
        let lines = |texts: Vec<&str>| Some(texts.join("\n"));
        if let Some(plan) = &self.plan {
            return Some(plan.goal.clone());
        }
        if let Some(questions) = &self.questions {
            return lines(questions.iter().map(|each| each.question.as_str()).collect());
        }
        lines(self.steps.as_ref()?.iter().map(|each| each.title.as_str()).collect())
    }
}

impl From<Question> for PromptDraft {
    fn from(question: Question) -> Self {
        Self {
            options: Some(question.options),
            context: question.context,
            severity: question.severity,
            default: question.default,
            ..Self::bare(PromptType::Select, question.question)
        }
    }
}

impl From<Plan> for PromptDraft {
    fn from(plan: Plan) -> Self {
        Self { plan: Some(plan.clone()), ..Self::bare(PromptType::Plan, plan.goal) }
    }
}

fn read_options(value: &Value) -> Result<Vec<QuestionOption>, StructureError> {
    let wrong =
        StructureError::WrongType { field: "options", expected: "a list of label and value" };
    required_list(value, "options")?;
    value.get("options").and_then(QuestionOption::list_from_json).ok_or(wrong)
}

fn read_questions(value: &Value) -> Result<Vec<SubQuestion>, StructureError> {
    required_list(value, "questions")?;
    let questions = value.get("questions").map(SubQuestion::list_from_json).unwrap_or_default();
    if questions.is_empty() { Err(StructureError::Missing("question")) } else { Ok(questions) }
}

/// Steps are inputs, choices and yes or no; a step without a kind is an input,
/// or a choice if it has options.
fn read_steps(value: &Value) -> Result<Vec<PromptStep>, StructureError> {
    let mut steps: Vec<PromptStep> = Vec::new();
    for (index, item) in required_list(value, "steps")?.iter().enumerate() {
        let question = required_text(item, "question")?;
        let options = match item.get("options") {
            Some(_) => Some(read_options(item)?),
            None => None,
        };
        let kind = item.get("promptType").or_else(|| item.get("type"));
        let prompt_type = match kind.and_then(|kind| PromptType::deserialize(kind).ok()) {
            Some(kind @ (PromptType::Confirm | PromptType::Input)) => kind,
            Some(PromptType::Select) if options.is_none() => {
                return Err(StructureError::Missing("options"));
            }
            _ if options.is_some() => PromptType::Select,
            _ => PromptType::Input,
        };
        let id = optional_text(item, "id")
            .filter(|id| steps.iter().all(|earlier| earlier.id != *id))
            .unwrap_or_else(|| format!("step{}", index + 1));
        steps.push(PromptStep {
            id,
            title: optional_text(item, "title").unwrap_or_else(|| question.clone()),
            prompt_type,
            question,
            options: options.filter(|_| prompt_type == PromptType::Select),
            schema: None,
        });
    }
    Ok(steps)
}

/// A default that cannot be answered is dropped.
fn read_default(draft: &PromptDraft, value: &Value) -> Option<String> {
    let default = match value.get("default")? {
        Value::Bool(true) => "yes".to_owned(),
        Value::Bool(false) => "no".to_owned(),
        _ => optional_text(value, "default")?,
    };
    let answers = match draft.prompt_type {
        PromptType::Confirm => default == "yes" || default == "no",
        PromptType::Select => draft.options.as_ref()?.iter().any(|option| option.value == default),
        PromptType::Input => true,
        PromptType::MultiQuestion
        | PromptType::Plan
        | PromptType::Wizard
        | PromptType::Form
        | PromptType::ClientCall => false,
    };
    answers.then_some(default)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    /// P-1, P-8: each kind needs what its card cannot do without.
    #[test]
    fn a_prompt_without_what_its_kind_needs_says_what_is_missing() {
        for (bad, why) in [
            (json!([]), "it is not a JSON object"),
            (json!({"question": "Q?"}), "'promptType' is missing or empty"),
            (
                json!({"type": "dance", "question": "Q?"}),
                "'promptType' must be confirm, input, select, multi_question, plan, wizard or form",
            ),
            (json!({"type": "input"}), "'question' is missing or empty"),
            (json!({"type": "select", "question": "Q?"}), "'options' is missing or empty"),
            (json!({"type": "wizard", "question": "Q?"}), "'steps' is missing or empty"),
            (
                json!({"type": "wizard", "steps": [{"question": "a", "type": "select"}]}),
                "'options' is missing or empty",
            ),
            (json!({"type": "form", "question": "Q?"}), "'schema' is missing or empty"),
            (
                json!({"type": "multi_question", "questions": [{}]}),
                "'question' is missing or empty",
            ),
        ] {
            assert_eq!(PromptDraft::from_json(&bad).unwrap_err().to_string(), why, "{bad}");
        }
    }

    /// P-8: the steps of a wizard get ids and kinds where the agent gave none.
    #[test]
    fn a_wizard_is_read_leniently() {
        let draft = PromptDraft::from_json(&json!({"promptType": "wizard", "steps": [
            {"id": "title", "question": "What is it called?"},
            {"id": "title", "question": "For how many?", "options": [2, 4]},
            {"question": "Save it?", "type": "confirm", "title": "Save"},
        ]}))
        .unwrap();
        let steps = draft.steps.unwrap();
        let read: Vec<_> = steps.iter().map(|s| (s.id.as_str(), s.prompt_type)).collect();
        assert_eq!(
            read,
            [
                ("title", PromptType::Input),
                ("step2", PromptType::Select),
                ("step3", PromptType::Confirm)
            ]
        );
        assert_eq!(draft.question, "What is it called?\nFor how many?\nSave");
    }
}
