//! Everything that must survive: conversations and their numbered logs, the
//! model's raw history, prompts and the ledger of tool runs, credentials, the
//! audit.
//!
//! - One SQLite file ([`parlor_sqlite`]): one connection that writes, several that
//!   read; what is acknowledged is on the disk.
//! - What people see is written from [`parlor_guard::Clean`] and comes back as
//!   [`Served`], which only this crate makes: a handler cannot show anything
//!   else. The raw history goes in and out as opaque JSON.
//! - Every write of a turn carries its epoch. A boot takes over the turns that
//!   ran; whoever still writes with an older epoch is refused.
//! - No decisions: what is written, and in which order, is said by `chat`.

// The tests of this crate's own parts share a scene with those of its interface.
#[cfg(test)]
extern crate self as parlor_storage;

mod access;
mod activity;
mod audit;
mod conversations;
mod decisions;
mod deltas;
mod error;
mod history;
mod images;
mod log;
mod log_pages;
mod messages;
mod pages;
mod prompt_pages;
mod prompts;
mod quotas;
mod rows;
mod served;
mod store;
mod takeover;
mod tool_runs;
mod turns;

pub use access::{Access, NewToken, Role, Token, TokenKind};
pub use activity::Activity;
pub use audit::{AuditPage, BlockedInput};
pub use conversations::{Conversation, ConversationPage, ConversationView};
pub use decisions::{Allowance, Answering, Decision};
pub use deltas::{Block, Delta};
pub use error::StorageError;
pub use history::HistoryPart;
pub use images::{Image, NewImage};
pub use log::{Commit, Logged, NewEvent, TurnEnd};
pub use log_pages::{LogEntry, PageSize};
pub use pages::{NotAPlace, PagePlace};
pub use parlor_sqlite::Fault;
pub use prompt_pages::PromptPage;
pub use prompts::{Closing, NewPrompt, Prompt, PromptView, PromptWrite};
pub use quotas::UsedQuota;
pub use served::Served;
pub use store::Store;
pub use takeover::{Interrupted, OpenBlock};
pub use tool_runs::{RunStatus, RunWrite, ToolRun};
pub use turns::{BeginTurn, BegunTurn, NewConversation, Turn, TurnStatus};
