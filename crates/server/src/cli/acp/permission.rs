//! A yes or no: an approval, or a question that is answered with yes or no. Pure.
//!
//! It is the one question that every editor can ask. Nothing but the option that was offered
//! for a yes is one.

use agent_client_protocol_schema::v1::{
    PermissionOption, PermissionOptionKind, RequestPermissionOutcome, RequestPermissionRequest,
    RequestPermissionResponse, SessionId, ToolCallContent, ToolCallId, ToolCallStatus,
    ToolCallUpdate, ToolCallUpdateFields,
};
use parlor_protocol::{PromptAnswer, PromptType, UserPrompt};
use serde::Deserialize;
use serde_json::{Value, json};

use super::answers::{self, Outcome};
use super::tool_calls::{kind, preview_content};

const ALLOW: &str = "allow";
const ALWAYS: &str = "always";
const REFUSE: &str = "refuse";

/// Whether a prompt is asked in this way.
pub(super) fn fits(prompt: &UserPrompt) -> bool {
    prompt.prompt_type == PromptType::Confirm
}

/// The request. Without a call the prompt stands for one.
pub(super) fn request(
    session: &SessionId,
    prompt: &UserPrompt,
    call: Option<ToolCallId>,
) -> RequestPermissionRequest {
    let mut fields = ToolCallUpdateFields::new()
        .title(prompt.question.clone())
        .status(ToolCallStatus::Pending)
        .kind(kind(prompt.preview.as_ref()))
        .content(content(prompt));
    if let Some(proposed) = &prompt.tool_call {
        fields = fields.name(proposed.name.clone()).raw_input(proposed.input.clone());
    }
    let id = call.unwrap_or_else(|| ToolCallId::new(prompt.id.to_string()));
    let update = ToolCallUpdate::new(id, fields);
    RequestPermissionRequest::new(session.clone(), update, options(prompt))
}

/// What the editor's response means.
pub(super) fn outcome(response: &Value) -> Outcome {
    let Ok(response) = RequestPermissionResponse::deserialize(response) else {
        return Outcome::Unanswered("the editor's answer cannot be read".to_owned());
    };
    let RequestPermissionOutcome::Selected(selected) = response.outcome else {
        return Outcome::Dismissed;
    };
    match &*selected.option_id.0 {
        ALLOW => Outcome::Answer(answers::given(json!("yes"))),
        ALWAYS => Outcome::Answer(PromptAnswer {
            remember: Some(parlor_protocol::request::Remember::Conversation),
            ..answers::given(json!("yes"))
        }),
        REFUSE => Outcome::Answer(answers::given(json!("no"))),
        // B-4: what was not offered is not a yes.
        _ => Outcome::Answer(answers::refused()),
    }
}

fn options(prompt: &UserPrompt) -> Vec<PermissionOption> {
    use PermissionOptionKind::{AllowAlways, AllowOnce, RejectOnce};
    let Some(call) = &prompt.tool_call else {
        return vec![
            PermissionOption::new(ALLOW, "Yes", AllowOnce),
            PermissionOption::new(REFUSE, "No", RejectOnce),
        ];
    };
    let always = format!("Always allow {} in this conversation", call.name);
    let mut options = vec![PermissionOption::new(ALLOW, "Allow once", AllowOnce)];
    // Where somebody else has to answer, they do so each time.
    if !prompt.approvers.as_ref().is_some_and(|approvers| approvers.other) {
        options.push(PermissionOption::new(ALWAYS, always, AllowAlways));
    }
    options.push(PermissionOption::new(REFUSE, "Refuse", RejectOnce));
    options
}

/// What one should know to answer.
fn content(prompt: &UserPrompt) -> Option<Vec<ToolCallContent>> {
    let mut content = Vec::new();
    content.extend(prompt.context.clone().map(ToolCallContent::from));
    if let Some(call) = &prompt.tool_call {
        if let Some(masked) = call.masked.as_ref().filter(|masked| !masked.is_empty()) {
            let text = format!("Masked in what is shown: {}", masked.join(", "));
            content.push(ToolCallContent::from(text));
        }
        content.extend(prompt.preview.as_ref().map(|preview| preview_content(preview, call)));
    }
    (!content.is_empty()).then_some(content)
}

#[cfg(test)]
mod tests {
    use parlor_protocol::Approvers;

    use super::*;

    fn prompt(golden: &str) -> UserPrompt {
        serde_json::from_str(golden).unwrap()
    }

    const CONFIRM: &str = include_str!("../../../../protocol/tests/golden/prompt_confirm.json");

    /// P-11: an approval offers once, always in this conversation, and no; in this order, and
    /// by their kinds.
    #[test]
    fn an_approval_has_three_options() {
        let prompt = prompt(CONFIRM);
        assert!(fits(&prompt));
        let request = request(&SessionId::new("s"), &prompt, Some(ToolCallId::new("c")));
        let kinds: Vec<_> = request.options.iter().map(|option| option.kind).collect();
        use PermissionOptionKind::{AllowAlways, AllowOnce, RejectOnce};
        assert_eq!(kinds, [AllowOnce, AllowAlways, RejectOnce]);
        assert_eq!(request.tool_call.tool_call_id, ToolCallId::new("c"));
        let proposed = prompt.tool_call.as_ref().unwrap();
        assert_eq!(request.tool_call.fields.raw_input, Some(proposed.input.clone()));
        let approvers = Approvers { other: true, ..Approvers::default() };
        let limited = UserPrompt { approvers: Some(approvers), ..prompt.clone() };
        let kinds: Vec<_> = options(&limited).iter().map(|option| option.kind).collect();
        assert_eq!(kinds, [AllowOnce, RejectOnce], "somebody else answers each time");
        let question = UserPrompt { tool_call: None, ..prompt };
        let names: Vec<String> = options(&question).into_iter().map(|each| each.name).collect();
        assert_eq!(names, ["Yes", "No"], "a question is not remembered");
    }

    /// B-4: only the options that were offered for a yes are one.
    #[test]
    fn only_a_yes_is_a_yes() {
        let chosen =
            |id: &str| outcome(&json!({"outcome": {"outcome": "selected", "optionId": id}}));
        let answer = |outcome: Outcome| match outcome {
            Outcome::Answer(answer) => serde_json::to_value(answer).unwrap(),
            other => panic!("{other:?}"),
        };
        assert_eq!(answer(chosen("allow")), json!({"response": "yes"}));
        let always = json!({"response": "yes", "remember": "conversation"});
        assert_eq!(answer(chosen("always")), always);
        assert_eq!(answer(chosen("refuse")), json!({"response": "no"}));
        for other in ["", "yes", "ALLOW", "allow "] {
            assert_eq!(answer(chosen(other))["cancelled"], true, "{other:?}");
        }
        assert_eq!(outcome(&json!({"outcome": {"outcome": "cancelled"}})), Outcome::Dismissed);
        for broken in [json!(null), json!({}), json!({"outcome": "selected"}), json!([])] {
            assert!(matches!(outcome(&broken), Outcome::Unanswered(_)), "{broken}");
        }
    }
}
