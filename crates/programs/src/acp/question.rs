//! What an agent asks a person, and what is stored of it for the next process.

use agent_client_protocol_schema::v1::ToolKind;
use parlor_agent::{AgentEvent, AskedBy, PromptRequest, ProposedCall};
use parlor_protocol::{CallCaveat, Content, Plan, Preview, PromptDraft, PromptType, SubQuestion};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::tools::{ToolLists, labels};
use crate::dialect::DeferredCall;
use crate::program_call::program_call;

/// A question to a person.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Question {
    /// May this call be made?
    Call {
        tool: String,
        input: Map<String, Value>,
        /// Whether `input` is what the call runs with; else it is the agent's description.
        proven: bool,
        /// Whether `input` is enough to recognise the call: its arguments, or the changes that
        /// it makes.
        known: bool,
        title: Option<String>,
        preview: Option<Preview>,
        /// What kind of tool the agent says it is; nothing of one that an older version stored.
        #[serde(default)]
        kind: ToolKind,
        /// Whether it is known to use no files but those of the working directory.
        #[serde(default)]
        stays_inside: bool,
    },
    /// May this plan be carried out?
    Plan { markdown: String },
    /// A form.
    Form { message: String, schema: Value },
    /// Questions that the protocol has no answers for.
    Questions { questions: Vec<SubQuestion> },
}

impl Question {
    /// The event that asks it, under this id. `files`: whose words are in the working directory.
    pub(super) fn event(&self, id: &str, tools: &ToolLists, files: Content) -> AgentEvent {
        match self {
            Self::Call { tool, input, proven, title, preview, kind, stays_inside, .. } => {
                let flow = labels(*kind, *stays_inside, files);
                let mut caveats = vec![CallCaveat::EditsAreRefusals];
                caveats.extend((!proven).then_some(CallCaveat::NotProven));
                AgentEvent::Proposes(Box::new(ProposedCall {
                    description: title.clone().filter(|title| title != tool),
                    preview: preview.clone(),
                    caveats,
                    ..program_call(id, tool, input.clone(), tools.action(tool), flow)
                }))
            }
            Self::Plan { markdown } => {
                let mut plan = Plan::from_markdown(markdown);
                if plan.goal.is_empty() {
                    plan.goal = "Plan".to_owned();
                }
                asks(id, plan.into())
            }
            Self::Questions { questions } => {
                let texts: Vec<&str> = questions.iter().map(|q| q.question.as_str()).collect();
                let mut draft = PromptDraft::bare(PromptType::MultiQuestion, texts.join("\n"));
                draft.questions = Some(questions.clone());
                asks(id, draft)
            }
            Self::Form { message, schema } => {
                let mut draft = PromptDraft::bare(PromptType::Form, message.as_str());
                draft.schema = Some(schema.clone());
                asks(id, draft)
            }
        }
    }

    /// What the next process has to know of it.
    pub(super) fn stored(&self, id: &str) -> DeferredCall {
        let state = serde_json::to_value(self).unwrap_or_default();
        DeferredCall { call: id.to_owned(), state }
    }

    /// The question that was stored.
    pub(super) fn read(deferred: &DeferredCall) -> Option<Self> {
        serde_json::from_value(deferred.state.clone()).ok()
    }

    /// Whether an agent that asks this repeats a call that was approved with these arguments:
    /// the same tool and, byte for byte, the same arguments or the same changes.
    pub(super) fn repeats(&self, approved: &str, arguments: &Map<String, Value>) -> bool {
        match self {
            Self::Call { tool, input, known: true, .. } => {
                tool == approved && text(input) == text(arguments)
            }
            _ => false,
        }
    }
}

/// The arguments as they are told to an agent, and compared: in their order.
pub(super) fn text(arguments: &Map<String, Value>) -> String {
    Value::Object(arguments.clone()).to_string()
}

fn asks(id: &str, draft: PromptDraft) -> AgentEvent {
    let (id, from) = (id.to_owned(), AskedBy::Agent);
    AgentEvent::Asks(Box::new(PromptRequest { id, from, draft, ends_with_agent: false }))
}
