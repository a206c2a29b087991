//! The vocabulary of Parlor.
//!
//! Everything that two parts of the product say to each other is a type of
//! this crate: ids, messages and their types, plans and questions, prompts and
//! their answers, the bodies of events, verdicts and error codes. It knows how
//! each of them looks on the wire and how to refuse what does not fit, and it
//! does nothing else: no async, no IO, no clock.
//!
//! Where to look:
//! - [`ids`]: names of things; each is parsed once, where it enters.
//! - [`message_type`], [`message`], [`metadata`]: what stands in a conversation.
//! - [`plan`], [`question`]: what an agent may say in JSON, and when it is valid.
//! - [`prompt`], [`prompt_draft`]: what waits for a person, as the server shows
//!   it and as an agent writes it.
//! - [`event`]: what happened, in the order in which it happened.
//! - [`request`]: what a client may send.
//! - [`verdict`], [`error`]: what the server decided, and what it says when it refuses.

pub mod error;
pub mod event;
pub mod ids;
pub mod message;
pub mod message_type;
pub mod metadata;
pub mod plan;
pub mod prompt;
pub mod prompt_draft;
pub mod question;
pub mod request;
mod structure;
pub mod tool;
pub mod verdict;

pub use error::{ErrorBody, ErrorCode, ErrorEnvelope, FieldProblem, Problem};
pub use event::{DoneReason, EventBody};
pub use ids::{
    CallId, ClientMessageId, ConversationId, EventId, MessageId, ProjectId, PromptId, TenantId,
    TurnId,
};
pub use message::{Message, MessageData, Metadata, Role, Timestamp};
pub use message_type::MessageType;
pub use metadata::{ImageReference, MetadataKey};
pub use plan::{Plan, PlanDecision, PlanStep};
pub use prompt::{
    Preview, PromptClosed, PromptOutcome, PromptStatus, PromptStep, PromptType, PromptUpdated,
    UserPrompt,
};
pub use prompt_draft::PromptDraft;
pub use question::{Question, QuestionOption, Severity, SubQuestion};
pub use request::{ChatRequest, ClientFrame, ImageAttachment, Mode, PromptAnswer};
pub use structure::StructureError;
pub use tool::{ToolCall, ToolProgress, ToolResult, ToolStatus};
pub use verdict::Verdict;
