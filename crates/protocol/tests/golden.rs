//! Every type of the wire format, as a readable file: the Rust value serializes to the file, and
//! the file deserializes to the same value.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests may fail")]

mod support;

use parlor_protocol::prompt::{PromptStep, PromptUpdated};
use parlor_protocol::request::Remember;
use parlor_protocol::*;
use serde_json::{Value, json};

use support::golden;

const CONVERSATION: &str = "0198c5a2-7b1e-7cc0-8000-000000000001";
const TURN: &str = "0198c5a2-7b1e-7cc0-8000-000000000002";
const MESSAGE: &str = "0198c5a2-7b1e-7cc0-8000-000000000003";
const PROMPT: &str = "0198c5a2-7b1e-7cc0-8000-000000000004";
const CALL: &str = "0198c5a2-7b1e-7cc0-8000-000000000005";

fn option(label: &str, value: &str) -> QuestionOption {
    QuestionOption { label: label.into(), value: value.into(), description: None }
}

fn message(message_type: MessageType, content: &str) -> Message {
    Message {
        id: MESSAGE.parse().unwrap(),
        conversation_id: CONVERSATION.parse().unwrap(),
        turn_id: TURN.parse().unwrap(),
        role: Role::Assistant,
        message_type,
        content: content.into(),
        data: None,
        options: None,
        questions: None,
        metadata: Metadata::new(),
        created_at: Timestamp(1_794_772_800_000),
    }
}

fn plan() -> Plan {
    Plan {
        goal: "Dinner for four".into(),
        steps: vec![PlanStep {
            step_number: 1,
            action: "Pick two recipes".into(),
            reason: "To know what to buy".into(),
            tools_needed: Some(vec!["list_recipes".into()]),
            estimated_time: Some("5 min".into()),
            risks: None,
        }],
        tools_needed: None,
        estimated_time: Some("1 h".into()),
        risks: Some(vec!["The oven is small".into()]),
        markdown: None,
    }
}

fn prompt(prompt_type: PromptType, question: &str) -> UserPrompt {
    UserPrompt {
        prompt_type,
        id: PROMPT.parse().unwrap(),
        conversation_id: CONVERSATION.parse().unwrap(),
        question: question.into(),
        options: None,
        tool_call: None,
        call_id: None,
        questions: None,
        steps: None,
        schema: None,
        plan: None,
        preview: None,
        severity: None,
        context: None,
        default: None,
        expires_at: None,
        ends_with_agent: false,
        caveats: Vec::new(),
        influence: None,
        approvers: None,
    }
}

fn sub_question() -> SubQuestion {
    SubQuestion {
        id: "q1".into(),
        question: "Which database?".into(),
        header: Some("Database".into()),
        options: vec![QuestionOption {
            label: "SQLite".into(),
            value: "SQLite".into(),
            description: Some("One file".into()),
        }],
        multi_select: false,
        allow_other: true,
    }
}

/// T-1, T-2, T-4, T-5, T-6: a message of each kind.
#[test]
fn messages() {
    golden(
        "message_text.json",
        &Message { role: Role::User, ..message(MessageType::Text, "Olá, café?") },
    );
    golden(
        "message_plan.json",
        &Message {
            data: Some(MessageData::Plan(plan())),
            ..message(MessageType::Plan, "## Dinner for four")
        },
    );
    let options = vec![option("Soup", "soup"), option("Cookies", "cookies")];
    let question = Question {
        question: "What should I cook?".into(),
        options: options.clone(),
        context: Some("Both are quick.".into()),
        severity: Some(Severity::Minor),
        default: Some("soup".into()),
    };
    golden(
        "message_question.json",
        &Message {
            data: Some(MessageData::Question(question)),
            options: Some(options),
            ..message(MessageType::Question, "What should I cook?")
        },
    );
    golden(
        "message_multi_question.json",
        &Message {
            options: Some(sub_question().options),
            questions: Some(vec![sub_question()]),
            ..message(MessageType::MultiQuestion, "Which database?")
        },
    );
    let call = ToolCall {
        name: "delete_recipe".into(),
        input: json!({"recipe_id": "r1", "note": "[token]"}),
        masked: Some(vec!["/note".into()]),
    };
    golden(
        "message_tool_call.json",
        &Message {
            data: Some(MessageData::ToolCall(call)),
            ..message(MessageType::ToolCall, "Delete a recipe")
        },
    );
    let result = ToolResult {
        name: "list_recipes".into(),
        call_id: CALL.parse().unwrap(),
        output: json!([{"title": "Tomato Soup"}]),
        is_error: false,
        structured: None,
    };
    golden(
        "message_tool_result.json",
        &Message {
            role: Role::Tool,
            data: Some(MessageData::ToolResult(result)),
            ..message(MessageType::ToolResult, "1 recipe")
        },
    );
}

/// T-1, T-7: rows of older and newer versions are read without losing anything.
#[test]
fn rows_of_other_versions() {
    let old = json!({"id": MESSAGE, "conversation_id": CONVERSATION, "turn_id": TURN, "role": "user", "content": "hi", "metadata": null});
    let read: Message = serde_json::from_value(old).unwrap();
    assert_eq!(read.message_type, MessageType::Text);
    assert_eq!(read.content, "hi");

    let newer = json!({
        "id": MESSAGE, "conversation_id": CONVERSATION, "turn_id": TURN, "role": "assistant",
        "message_type": "hologram", "content": "look", "data": {"depth": 3}, "metadata": {}, "created_at": 5,
    });
    let read: Message = serde_json::from_value(newer.clone()).unwrap();
    assert_eq!(read.message_type, MessageType::Unknown("hologram".into()));
    assert_eq!(serde_json::to_value(&read).unwrap(), newer);

    // Data that does not fit its message type is kept too.
    let mut odd = newer;
    odd["message_type"] = json!("plan");
    let read: Message = serde_json::from_value(odd.clone()).unwrap();
    assert_eq!(read.data, Some(MessageData::Other(json!({"depth": 3}))));
    assert_eq!(serde_json::to_value(&read).unwrap(), odd);
}

/// P-1, P-7, P-8: a prompt of each kind, an answer, and the outcomes of prompts.
#[test]
fn prompts() {
    let approval = UserPrompt {
        tool_call: Some(ToolCall {
            name: "update_recipe".into(),
            input: json!({"recipe_id": "r1", "servings": 6}),
            masked: None,
        }),
        call_id: Some(CALL.parse().unwrap()),
        preview: Some(Preview::Record {
            old: Some(json!({"servings": 4})),
            new: Some(json!({"servings": 6})),
        }),
        severity: Some(Severity::Critical),
        expires_at: Some(Timestamp(1_794_772_830_000)),
        ..prompt(PromptType::Confirm, "Change the recipe?")
    };
    golden("prompt_confirm.json", &approval);
    let client_call = UserPrompt {
        tool_call: Some(ToolCall {
            name: "open_page".into(),
            input: json!({"page": "soups"}),
            masked: None,
        }),
        call_id: Some(CALL.parse().unwrap()),
        ..prompt(PromptType::ClientCall, "“open_page” is up to your app.")
    };
    golden("prompt_client_call.json", &client_call);
    let caveats = vec![CallCaveat::EditsAreRefusals, CallCaveat::NotProven];
    golden("prompt_not_proven.json", &UserPrompt { caveats, ..approval });
    golden(
        "prompt_select.json",
        &UserPrompt {
            options: Some(vec![option("Vue", "vue"), option("React", "react")]),
            default: Some("react".into()),
            context: Some("For the new page.".into()),
            ..prompt(PromptType::Select, "Which framework?")
        },
    );
    golden("prompt_input.json", &prompt(PromptType::Input, "What is the component called?"));
    golden(
        "prompt_multi_question.json",
        &UserPrompt {
            questions: Some(vec![sub_question()]),
            ..prompt(PromptType::MultiQuestion, "Two decisions")
        },
    );
    golden(
        "prompt_plan.json",
        &UserPrompt { plan: Some(plan()), ..prompt(PromptType::Plan, "Carry it out?") },
    );
    golden(
        "prompt_wizard.json",
        &UserPrompt {
            steps: Some(vec![PromptStep {
                id: "title".into(),
                title: "Title".into(),
                prompt_type: PromptType::Input,
                question: "What is it called?".into(),
                options: None,
                schema: Some(json!({"type": "string", "minLength": 1})),
            }]),
            ..prompt(PromptType::Wizard, "A new recipe")
        },
    );
    golden(
        "prompt_form.json",
        &UserPrompt {
            schema: Some(json!({"type": "object"})),
            ..prompt(PromptType::Form, "Where do you live?")
        },
    );
    golden("preview_diff.json", &Preview::Diff { old: None, new: Some("hello\n".into()) });
    golden("preview_list.json", &Preview::List { items: vec!["a.log".into()], count: 50 });
    golden(
        "prompt_answer.json",
        &PromptAnswer {
            response: json!("yes"),
            cancelled: false,
            input: Some(json!({"servings": 5})),
            reason: None,
            remember: Some(Remember::Conversation),
        },
    );
}

/// H-1: every event, by name and data.
#[test]
fn events() {
    let (conversation_id, turn_id) = (CONVERSATION.parse().unwrap(), TURN.parse().unwrap());
    let (message_id, call_id) = (MESSAGE.parse().unwrap(), CALL.parse().unwrap());
    let text = || "Hel".to_owned();
    let start = |message_id, app: Option<&str>, branch| EventBody::Start {
        conversation_id,
        turn_id,
        message_id,
        app: app.map(str::to_owned),
        branch,
    };
    golden(
        "events.json",
        &vec![
            start(Some(message_id), None, None),
            start(None, None, None),
            start(None, Some("clock"), None),
            start(Some(message_id), None, Some(Branch { parent: Some(turn_id) })),
            start(Some(message_id), None, Some(Branch { parent: None })),
            EventBody::BranchChosen { conversation_id, turn_id },
            EventBody::Queued { turn_id },
            EventBody::Chunk { text: text(), message_id },
            EventBody::Snapshot { text: text(), message_id },
            EventBody::Thinking { text: text(), message_id },
            EventBody::ToolUse {
                tool: "list_recipes".into(),
                call_id,
                status: ToolStatus::Running,
                input: Some(json!({"tag": "soup"})),
                progress: None,
            },
            EventBody::ToolUse {
                tool: "list_recipes".into(),
                call_id,
                status: ToolStatus::Running,
                input: None,
                progress: Some(ToolProgress {
                    done: 3.0,
                    total: Some(10.0),
                    message: Some("Reading".into()),
                }),
            },
            EventBody::Artifact { kind: "recipe".into(), id: "r1".into() },
            EventBody::Message(Box::new(message(MessageType::Info, "Hello"))),
            EventBody::UserPrompt(Box::new(prompt(PromptType::Input, "Name?"))),
            EventBody::UserPromptUpdated(PromptUpdated {
                id: PROMPT.parse().unwrap(),
                expires_at: None,
            }),
            EventBody::UserPromptClosed(Box::new(PromptClosed {
                id: PROMPT.parse().unwrap(),
                outcome: PromptOutcome::Expired,
                response: None,
                reason: None,
                tool_call: None,
                preview: None,
                answered_by: None,
                at: Timestamp(1_794_772_830_000),
            })),
            EventBody::Error {
                message: "The model is overloaded.".into(),
                code: ErrorCode::AgentFailed,
                recoverable: true,
            },
            EventBody::Done {
                conversation_id,
                turn_id,
                tokens_used: Some(120),
                reason: DoneReason::Complete,
            },
        ],
    );
}

/// W-1, W-2: valid and invalid frames of a client.
#[test]
fn client_frames() {
    let read =
        |frame: Value| serde_json::from_value::<ClientFrame>(frame).map_err(|e| e.to_string());
    assert!(
        matches!(read(json!({"message": "hi"})), Ok(ClientFrame::Message(request)) if request.message == "hi")
    );
    assert_eq!(read(json!({"type": "stop"})), Ok(ClientFrame::Stop));
    assert_eq!(
        read(json!({"type": "userPromptExtend", "messageId": PROMPT, "seconds": 0})),
        Ok(ClientFrame::PromptExtend { id: PROMPT.parse().unwrap(), seconds: Some(0) })
    );
    let Ok(ClientFrame::PromptResponse { answer, .. }) = read(
        json!({"type": "userPromptResponse", "messageId": PROMPT, "response": "no", "reason": "not now", "extra": 1}),
    ) else {
        panic!("an answer is an answer")
    };
    assert_eq!((answer.response, answer.reason.as_deref()), (json!("no"), Some("not now")));

    for (bad, why) in [
        (json!({}), "a frame is {\"message\": …} or has a known \"type\""),
        (json!([]), "a frame is {\"message\": …} or has a known \"type\""),
        (json!({"type": "dance"}), "a frame of type 'dance' is not known"),
        (json!({"message": 7}), "invalid type: integer `7`, expected a string"),
        (json!({"type": "userPromptResponse", "response": "yes"}), "missing field `messageId`"),
        (json!({"type": "userPromptResponse", "messageId": "../x"}), "a prompt id is a UUID"),
        (json!({"message": "hi", "tenant": "../etc"}), "a tenant is 1 to 64"),
    ] {
        let error = read(bad.clone()).unwrap_err();
        assert!(error.contains(why), "{bad}: {error}");
    }
}
