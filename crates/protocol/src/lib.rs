//! The vocabulary of Parlor.
//!
//! Everything that two parts of the product exchange is a type of this crate: ids,
//! messages and their types, plans and questions, prompts and their answers, the
//! bodies of events, verdicts and error codes. It defines how each of them is
//! written on the wire and when it is valid, and does nothing else: no async, no
//! IO, no clock.
//!
//! Where to look:
//! - [`ids`]: each is parsed once, where it enters.
//! - [`message_type`], [`message`], [`metadata`]: the messages of a conversation.
//! - [`plan`], [`question`]: structures that an agent may write in JSON, and when they are valid.
//! - [`prompt`], [`prompt_draft`]: what waits for a person, as the server shows
//!   it and as an agent writes it.
//! - [`person`]: names of people, and who sees a conversation.
//! - [`approvers`]: whose answers to a prompt count.
//! - [`budget`]: how much may be used, of what, and until when.
//! - [`influence`]: what may be behind a call that a person is asked about.
//! - [`event`]: the entries of a conversation's log.
//! - [`request`]: what a client may send.
//! - [`verdict`], [`error`]: what the server decided, and the errors that clients see.

pub mod approvers;
pub mod budget;
pub mod error;
pub mod event;
pub mod ids;
pub mod influence;
pub mod message;
pub mod message_type;
pub mod metadata;
pub mod person;
pub mod plan;
pub mod prompt;
pub mod prompt_draft;
pub mod question;
pub mod request;
mod structure;
mod timestamp;
pub mod tool;
pub mod verdict;

pub use approvers::{Answerer, ApproverError, Approvers, RoleName, RoleNameError};
pub use budget::{BudgetScope, BudgetUse, Measure, Period, SpentBudget};
pub use error::{ErrorBody, ErrorCode, ErrorEnvelope, FieldProblem, Problem};
pub use event::{Branch, DoneReason, EventBody};
pub use ids::{
    BootId, CallId, ClientMessageId, ConversationId, EventId, ExternalId, MessageId, NodeId,
    PersonId, ProjectId, PromptId, ShareLinkId, TenantId, TurnId,
};
pub use influence::{Content, Found, Influence, Source, ValueOrigin};
pub use message::{Message, MessageData, Metadata, Role, Timestamp};
pub use message_type::MessageType;
pub use metadata::{FileReference, ImageReference, MetadataKey};
pub use person::{LinkAudience, LoginName, PersonName, PersonNameError, Visibility};
pub use plan::{Plan, PlanDecision, PlanStep};
pub use prompt::{
    CallCaveat, Preview, PromptClosed, PromptOutcome, PromptStatus, PromptStep, PromptType,
    PromptUpdated, UserPrompt,
};
pub use prompt_draft::PromptDraft;
pub use question::{Question, QuestionOption, Severity, SubQuestion};
pub use request::{
    BranchChoice, ChatRequest, ClientFrame, ClientTool, FileAttachment, ImageAttachment, Mode,
    PromptAnswer,
};
pub use structure::StructureError;
pub use tool::{ToolCall, ToolProgress, ToolResult, ToolStatus};
pub use verdict::Verdict;
