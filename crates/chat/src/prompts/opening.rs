//! A prompt that opens: its row, and the message that stays in the conversation.

use std::time::Duration;

use parlor_agent::{ClientCall, ProposedCall};
use parlor_guard::Clean;
use parlor_guard::sanitizer::Sanitizer;
use parlor_protocol::message::{Message, MessageData, Metadata};
use parlor_protocol::{
    CallId, ConversationId, Influence, MessageId, MessageType, PersonId, Preview, PromptDraft,
    PromptId, PromptType, Question, Role, Severity, TenantId, Timestamp, ToolCall, TurnId,
    UserPrompt, metadata,
};
use parlor_storage::NewPrompt;
use serde_json::{Map, Value};
use uuid::Uuid;

use super::{APPROVAL, CLIENT, PendingCall, Subject};
use crate::clock::now;
use crate::project::Project;

/// The turn in which a prompt opens.
#[derive(Debug, Clone)]
pub(crate) struct Asker<'a> {
    pub(crate) tenant: &'a TenantId,
    pub(crate) project: &'a Project,
    pub(crate) sanitizer: &'a Sanitizer,
    pub(crate) conversation: ConversationId,
    pub(crate) turn: TurnId,
    /// Whether the prompt expires if the agent's process ends.
    pub(crate) ends_with_agent: bool,
}

/// A prompt that is about to open.
#[derive(Debug)]
pub(crate) struct OpeningPrompt {
    pub(crate) prompt: NewPrompt,
    /// Shows the prompt in the conversation, also once it is closed.
    pub(crate) message: Message,
}

/// What stands behind a call.
#[derive(Debug)]
pub(crate) struct Behind {
    /// What it would change.
    pub(crate) preview: Option<Preview>,
    /// What was read before it that others may have written.
    pub(crate) influence: Option<Influence>,
    /// Whether what was read makes it dangerous.
    pub(crate) is_dangerous: bool,
    /// Whose turn it is.
    pub(crate) asked_by: Option<PersonId>,
}

impl Asker<'_> {
    /// "May this call be made?"
    pub(crate) fn approval(&self, call: &ProposedCall, run: Uuid, behind: Behind) -> OpeningPrompt {
        let Behind { preview, influence, is_dangerous, asked_by } = behind;
        let of_tool = call.tool.as_ref().and_then(|tool| tool.approvers.clone());
        let approvers = of_tool.or_else(|| self.project.approvers.clone());
        let title = call.tool.as_ref().and_then(|tool| tool.title.as_deref());
        let shown = shown_call(&call.name, &call.input);
        let prompt = UserPrompt {
            tool_call: Some(shown.clone()),
            call_id: Some(CallId::new(run)),
            preview,
            schema: call.tool.as_ref().and_then(|tool| form_of(&tool.spec.input_schema)),
            severity: Some(if is_dangerous { Severity::Critical } else { Severity::Major }),
            influence,
            approvers: approvers.map(|approvers| approvers.asked_by(asked_by)),
            context: suspicion(call).or_else(|| call.description.clone()),
            caveats: call.caveats.clone(),
            ..self.bare(PromptType::Confirm, format!("Allow “{}”?", title.unwrap_or(&call.name)))
        };
        let subject = Subject::Call(Box::new(PendingCall {
            run,
            server: call.tool.as_ref().map(|tool| tool.server.clone()).unwrap_or_default(),
            tool: call.name.clone(),
            fingerprint: call
                .tool
                .as_ref()
                .map(|tool| tool.fingerprint.clone())
                .unwrap_or_default(),
            input: call.input.clone(),
            schema: call.tool.as_ref().map(|tool| tool.spec.input_schema.clone()),
        }));
        let timeout = match call.tool.as_ref().and_then(|tool| tool.prompt_timeout) {
            Some(own) => timeout_ms(own),
            None => timeout_ms(self.project.prompt_timeout),
        };
        let data = (MessageType::ToolCall, Some(MessageData::ToolCall(shown)));
        self.open(prompt, subject, (&call.id, APPROVAL, true), timeout, data)
    }

    /// "What does your tool return?"
    pub(crate) fn client_call(&self, call: &ClientCall, run: Uuid) -> OpeningPrompt {
        let shown = shown_call(&call.name, &call.input);
        let prompt = UserPrompt {
            tool_call: Some(shown.clone()),
            call_id: Some(CallId::new(run)),
            ..self.bare(PromptType::ClientCall, format!("“{}” is up to your app.", call.name))
        };
        let timeout = timeout_ms(self.project.prompt_timeout);
        let data = (MessageType::ToolCall, Some(MessageData::ToolCall(shown)));
        self.open(prompt, Subject::ClientCall, (&call.id, CLIENT, true), timeout, data)
    }

    /// "May the model read this result?" (G-8)
    pub(crate) fn result(&self, ask_id: &str, tool: &str, rule: &str) -> OpeningPrompt {
        let prompt = UserPrompt {
            severity: Some(Severity::Critical),
            context: Some(format!("Rule: {rule}")),
            ..self.bare(
                PromptType::Confirm,
                format!("The result of {tool} looks as if it gives orders. Let the agent read it?"),
            )
        };
        let timeout = timeout_ms(self.project.prompt_timeout);
        let data = (MessageType::Question, None);
        self.open(prompt, Subject::Result, (ask_id, APPROVAL, true), timeout, data)
    }

    /// A question of an agent or of a server. Without `parks` no turn waits for it, and the
    /// answer begins the next one.
    pub(crate) fn question(
        &self,
        ask_id: &str,
        origin: &str,
        draft: PromptDraft,
        parks: bool,
    ) -> OpeningPrompt {
        self.question_with_id(PromptId::new(Uuid::now_v7()), ask_id, origin, draft, parks)
    }

    /// A question with an id that the conversation knows already.
    pub(crate) fn question_with_id(
        &self,
        id: PromptId,
        ask_id: &str,
        origin: &str,
        draft: PromptDraft,
        parks: bool,
    ) -> OpeningPrompt {
        let PromptDraft {
            prompt_type,
            question,
            options,
            questions,
            steps,
            schema,
            plan,
            context,
            severity,
            default,
        } = draft.clone();
        let timeout = match prompt_type {
            PromptType::Confirm | PromptType::Input | PromptType::Select if parks => {
                timeout_ms(self.project.prompt_timeout)
            }
            _ => None,
        };
        let data = message_data(&draft);
        let prompt = UserPrompt {
            id,
            options,
            questions,
            steps,
            schema,
            plan,
            context,
            severity,
            default,
            ..self.bare(prompt_type, question)
        };
        let subject = Subject::Question(Box::new(draft));
        self.open(prompt, subject, (ask_id, origin, parks), timeout, data)
    }

    fn open(
        &self,
        mut prompt: UserPrompt,
        subject: Subject,
        (ask_id, origin, parks): (&str, &str, bool),
        timeout_ms: Option<i64>,
        (message_type, data): (MessageType, Option<MessageData>),
    ) -> OpeningPrompt {
        prompt.expires_at = expiry(timeout_ms);
        let mut metadata = Metadata::new();
        metadata::PROMPT_ID.set(&mut metadata, &prompt.id);
        metadata::ORIGIN.set(&mut metadata, origin);
        let message = Message {
            id: MessageId::new(Uuid::now_v7()),
            conversation_id: self.conversation,
            turn_id: self.turn,
            role: Role::Assistant,
            message_type,
            content: prompt.question.clone(),
            data,
            options: prompt.options.clone(),
            questions: prompt.questions.clone(),
            metadata,
            created_at: now(),
        };
        let sanitizer = self.sanitizer;
        OpeningPrompt {
            message,
            prompt: NewPrompt {
                tenant: self.tenant.clone(),
                project: self.project.id.clone(),
                ask_id: ask_id.to_owned(),
                origin: origin.to_owned(),
                turn_waits: parks,
                public: Clean::new(sanitizer, prompt),
                private: serde_json::to_value(subject).unwrap_or(Value::Null),
                timeout_ms,
            },
        }
    }

    fn bare(&self, prompt_type: PromptType, question: String) -> UserPrompt {
        UserPrompt {
            prompt_type,
            id: PromptId::new(Uuid::now_v7()),
            conversation_id: self.conversation,
            question,
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
            ends_with_agent: self.ends_with_agent,
            caveats: Vec::new(),
            influence: None,
            approvers: None,
        }
    }
}

/// A call as it is shown. What has to be masked is masked when it is written.
fn shown_call(name: &str, input: &Map<String, Value>) -> ToolCall {
    ToolCall { name: name.to_owned(), input: Value::Object(input.clone()), masked: None }
}

/// When a prompt expires that gets its full time now.
pub(crate) fn expiry(timeout_ms: Option<i64>) -> Option<Timestamp> {
    timeout_ms.map(|ms| Timestamp(now().0.saturating_add(ms)))
}

/// `None` for zero, which is no deadline (P-4).
fn timeout_ms(timeout: Duration) -> Option<i64> {
    i64::try_from(timeout.as_millis()).ok().filter(|ms| *ms > 0)
}

fn message_data(draft: &PromptDraft) -> (MessageType, Option<MessageData>) {
    match draft.prompt_type {
        PromptType::MultiQuestion => (MessageType::MultiQuestion, None),
        PromptType::Plan => (MessageType::Plan, draft.plan.clone().map(MessageData::Plan)),
        PromptType::Select => {
            let question = Question {
                question: draft.question.clone(),
                options: draft.options.clone().unwrap_or_default(),
                context: draft.context.clone(),
                severity: draft.severity,
                default: draft.default.clone(),
            };
            (MessageType::Question, Some(MessageData::Question(question)))
        }
        PromptType::Confirm
        | PromptType::Input
        | PromptType::Wizard
        | PromptType::Form
        | PromptType::ClientCall => (MessageType::Question, None),
    }
}

/// The schema for edited arguments, if it describes any.
fn form_of(schema: &Value) -> Option<Value> {
    schema.get("properties").is_some().then(|| schema.clone())
}

/// Why the tool is suspicious (G-8), for the person who is asked.
fn suspicion(call: &ProposedCall) -> Option<String> {
    let rule = call.tool.as_ref()?.suspicion.as_ref()?;
    Some(format!("The description of this tool looks as if it gives orders. Rule: {rule}"))
}
