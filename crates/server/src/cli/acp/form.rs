//! A question, a plan, a wizard or a form as a form of the editor (`elicitation/create`).
//! Pure.
//!
//! What a form cannot hold is not asked in this way, but as text ([`super::reply`]). Every
//! answer is validated by the server once more.

use agent_client_protocol_schema::v1::{
    CreateElicitationRequest, ElicitationFormMode, ElicitationPropertySchema, ElicitationSchema,
    ElicitationSessionScope, EnumOption, MultiSelectPropertySchema, SessionId,
    StringPropertySchema,
};
use parlor_protocol::{
    PromptAnswer, PromptStep, PromptType, QuestionOption, SubQuestion, UserPrompt,
};
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::answers::{self, Outcome};

/// The field of a form with one question.
const ANSWER: &str = "answer";
/// The fields of a plan.
const DECISION: &str = "decision";
const CHANGES: &str = "changes";
/// Ends the name of a field for an answer that is not among the options.
const OTHER: &str = "_other";

/// The request; `None` if a form cannot hold it.
pub(super) fn request(
    session: &SessionId,
    prompt: &UserPrompt,
) -> Option<CreateElicitationRequest> {
    let scope = ElicitationSessionScope::new(session.clone());
    let message = match &prompt.context {
        Some(context) => format!("{}\n\n{context}", prompt.question),
        None => prompt.question.clone(),
    };
    let mode = ElicitationFormMode::new(scope, schema(prompt)?);
    Some(CreateElicitationRequest::new(mode, message))
}

/// What the editor's response means. It is read leniently: some editors send `null` for a
/// field that was left empty.
pub(super) fn outcome(prompt: &UserPrompt, response: &Value) -> Outcome {
    match response["action"].as_str() {
        Some("accept") => match &response["content"] {
            Value::Object(filled) => answer(prompt, filled),
            _ => answer(prompt, &Map::new()),
        },
        Some("decline") => Outcome::Answer(answers::refused()),
        Some("cancel") => Outcome::Dismissed,
        _ => Outcome::Unanswered("the editor's answer cannot be read".to_owned()),
    }
}

fn schema(prompt: &UserPrompt) -> Option<ElicitationSchema> {
    let empty = ElicitationSchema::new();
    Some(match prompt.prompt_type {
        PromptType::Confirm => return None,
        PromptType::Input => empty.property(ANSWER, text("Answer"), true),
        PromptType::Select => {
            empty.property(ANSWER, choice("Answer", prompt.options.as_deref()?), true)
        }
        PromptType::MultiQuestion => prompt.questions.as_ref()?.iter().fold(empty, with_question),
        PromptType::Wizard => {
            let mut steps = prompt.steps.as_ref()?.iter();
            steps.try_fold(empty, with_step)?
        }
        PromptType::Plan => {
            let option = |value: &str, title: &str| EnumOption::new(value, title);
            let options = vec![option("execute", "Execute plan"), option("refine", "Refine plan")];
            let decision = StringPropertySchema::new().title("Decision".to_owned()).one_of(options);
            empty.property(DECISION, decision, true).property(
                CHANGES,
                text("What to change"),
                false,
            )
        }
        PromptType::Form => form(prompt.schema.as_ref()?)?,
        PromptType::ClientCall => return None,
    })
}

/// The schema of a form, if all its fields are of kinds that an editor knows.
fn form(schema: &Value) -> Option<ElicitationSchema> {
    let form = ElicitationSchema::deserialize(schema).ok()?;
    let is_known =
        |field: &ElicitationPropertySchema| !matches!(field, ElicitationPropertySchema::Other(_));
    form.properties.values().all(is_known).then_some(form)
}

fn with_question(form: ElicitationSchema, question: &SubQuestion) -> ElicitationSchema {
    let title = question.question.clone();
    let options = options(&question.options);
    let field: ElicitationPropertySchema = if question.multi_select {
        MultiSelectPropertySchema::titled(options).title(title).into()
    } else {
        StringPropertySchema::new().title(title).one_of(options).into()
    };
    let form = form.property(question.id.clone(), field, !question.allow_other);
    if !question.allow_other {
        return form;
    }
    let title = format!("{} (something else)", question.question);
    form.property(format!("{}{OTHER}", question.id), text(&title), false)
}

fn with_step(form: ElicitationSchema, step: &PromptStep) -> Option<ElicitationSchema> {
    let field = match step.prompt_type {
        PromptType::Input => text(&step.question),
        PromptType::Select => choice(&step.question, step.options.as_deref()?),
        PromptType::Confirm => choice(&step.question, &yes_or_no()),
        PromptType::MultiQuestion
        | PromptType::Plan
        | PromptType::Wizard
        | PromptType::Form
        | PromptType::ClientCall => return None,
    };
    Some(form.property(step.id.clone(), field, true))
}

fn text(title: &str) -> StringPropertySchema {
    StringPropertySchema::new().title(title.to_owned())
}

fn choice(title: &str, of: &[QuestionOption]) -> StringPropertySchema {
    text(title).one_of(options(of))
}

fn options(of: &[QuestionOption]) -> Vec<EnumOption> {
    let option = |option: &QuestionOption| {
        EnumOption::new(option.value.clone(), option.label.clone())
            .description(option.description.clone())
    };
    of.iter().map(option).collect()
}

/// What a step that is answered with yes or no offers.
pub(super) fn yes_or_no() -> [QuestionOption; 2] {
    let option = |value: &str, label: &str| QuestionOption {
        label: label.to_owned(),
        value: value.to_owned(),
        description: None,
    };
    [option("yes", "Yes"), option("no", "No")]
}

/// A field that was left empty is left out: the server says what is missing.
fn answer(prompt: &UserPrompt, filled: &Map<String, Value>) -> Outcome {
    let field = |name: &str| filled.get(name).filter(|value| !is_blank(value)).cloned();
    let given = match prompt.prompt_type {
        PromptType::Input | PromptType::Select => field(ANSWER).map(answers::given),
        PromptType::Plan => field(DECISION).map(|decision| PromptAnswer {
            reason: field(CHANGES).and_then(|changes| Some(changes.as_str()?.to_owned())),
            ..answers::given(decision)
        }),
        PromptType::MultiQuestion => {
            let questions = prompt.questions.as_deref().unwrap_or_default().iter();
            let answered = questions.filter_map(|question| {
                let other = field(&format!("{}{OTHER}", question.id));
                let answer = joined(field(&question.id), other, question.multi_select)?;
                Some((question.id.clone(), answer))
            });
            Some(answers::given(Value::Object(answered.collect())))
        }
        PromptType::Wizard | PromptType::Form => {
            let kept = filled.iter().filter(|(_, value)| !is_blank(value));
            let kept = kept.map(|(name, value)| (name.clone(), value.clone()));
            Some(answers::given(Value::Object(kept.collect())))
        }
        PromptType::Confirm | PromptType::ClientCall => None,
    };
    match given {
        Some(answer) => Outcome::Answer(answer),
        None => Outcome::Unanswered("the form came back empty".to_owned()),
    }
}

/// What was chosen and what was written beside it. Of one answer what was written counts.
fn joined(chosen: Option<Value>, other: Option<Value>, several: bool) -> Option<Value> {
    if !several {
        return other.or(chosen);
    }
    let mut all = match chosen {
        Some(Value::Array(chosen)) => chosen,
        chosen => chosen.into_iter().collect(),
    };
    all.extend(other);
    (!all.is_empty()).then(|| json!(all))
}

fn is_blank(value: &Value) -> bool {
    value.is_null() || value.as_str().is_some_and(|text| text.trim().is_empty())
}

#[cfg(test)]
mod tests;
