//! Everything that must survive: conversations and their numbered logs, the
//! model's raw history, prompts and the ledger of tool runs, people, credentials,
//! blocked inputs, the audit, figures of turns, and what browsers are to be told.
//!
//! - [`Store`] is the handle to a database of either engine ([`parlor_database`]); what is
//!   acknowledged is on the disk.
//! - `tables`: one file for each table group, with its row types, its reads and the
//!   writes that need no other table. They do not know each other's writes.
//! - `transactions`: what writes several tables, all or nothing: begin a turn, commit a
//!   step of it, resolve a prompt, choose a branch, take over after a crash, delete a
//!   conversation, import one.
//! - `postgres_only`: limits that several nodes keep together, in one statement each.
//! - `transfer`: the list of tables, for copies into another database.
//! - `scope`: who sees which conversations. Every statement about them has its predicate.
//! - `search_text`: words of texts, as the index of words has them and a search asks for them.
//! - `queries`: what reads several tables, from one snapshot of the database.
//!
//! What holds:
//! - What people see is written from [`parlor_guard::Clean`] and comes back as
//!   [`Served`], which only this crate makes: a handler cannot show anything
//!   else. The raw history goes in and out as opaque JSON.
//! - Every write of a turn carries its epoch. A take-over increments it; a write
//!   with an older epoch is refused.
//! - No decisions: `chat` says what is written, and in which order.

// The unit tests share a scene with the integration tests, which name this crate.
#[cfg(test)]
extern crate self as parlor_storage;

mod block_kind;
mod columns;
mod error;
mod histogram;
mod migrations;
mod pages;
mod path;
mod postgres_only;
mod queries;
mod scope;
mod search_text;
mod served;
mod store;
mod tables;
mod transactions;
mod transfer;
mod unknown;

pub use block_kind::BlockKind;
pub use error::{MOST_PINNED, StorageError};
pub use histogram::Histogram;
pub use pages::{InvalidCursor, PageCursor};
pub use parlor_database::Fault;
pub use path::Path;
pub use postgres_only::SharedLimits;
pub use postgres_only::login_attempts::{AttemptRules, LoginAttempt};
pub use postgres_only::rate_limits::{TokenWanted, TokensTaken};
pub use queries::activity::Activity;
pub use queries::branches::TurnPlace;
pub use queries::conversation_view::ConversationView;
pub use queries::decision_list::{DecisionContent, DecisionFilter, DecisionPage, ListedDecision};
pub use queries::log::{LogEnd, LogEntry, PageSize};
pub use queries::running_turns::RunningTurns;
pub use queries::search::{Hit, SearchPage, TitleHit};
pub use queries::shared_view::SharedView;
pub use queries::waiting_prompts::{WaitingContent, WaitingPage, WaitingPrompt};
pub use scope::Scope;
pub use search_text::excerpt::Excerpt;
pub use served::Served;
pub use store::Store;
pub use tables::access::{Access, AccessRole, NewToken, SessionsOf, Token, TokenPerson};
pub use tables::admin_acts::{AdminAct, AdminActPage};
pub use tables::allowances::Allowance;
pub use tables::audit_chain::{
    AuditChains, AuditEntry, AuditHead, AuditKind, PendingRecord, SaltedRecord,
};
pub use tables::blocked_inputs::{BlockedInput, BlockedInputPage};
pub use tables::conversations::{
    Conversation, ConversationChanges, ConversationFilter, ConversationList, ConversationPage,
    NewConversation,
};
pub use tables::decisions::Decision;
pub use tables::events::Logged;
pub use tables::external_conversations::{ExternalConversation, Surface};
pub use tables::history::HistoryPart;
pub use tables::images::{FileFacts, StoredFile};
pub use tables::invitations::Invitation;
pub use tables::list_places::PlaceChange;
pub use tables::mcp_logins::{McpLoginAttempt, McpLogins, McpServerId};
pub use tables::nodes::{NewNode, Node};
pub use tables::people::{Identity, NewPerson, People, Person};
pub use tables::people_list::ListedPerson;
pub use tables::person_logins::{ListedPersonLogin, PersonAtServer, PersonLogin, PersonLogins};
pub use tables::prompts::{NewPrompt, Prompt, PromptClosing, PromptPage, PromptView, PromptWrite};
pub use tables::push::{NewPushSubscription, Push, PushNumbers};
pub use tables::push_messages::{EndedTurn, PushClaim, PushMessage, PushRecipient, PushSubject};
pub use tables::rate_limits::RateLimitUse;
pub use tables::search_entries::IndexStep;
pub use tables::share_links::{ListedShareLink, NewShareLink, ShareLink};
pub use tables::text_blocks::{Delta, TextBlock};
pub use tables::token_kind::{TokenKind, Visit};
pub use tables::tool_runs::{
    RunLabel, RunStatus, RunWrite, Told, ToldResult, ToldResults, ToolRun,
};
pub use tables::turn_figures::{TurnFigures, TurnHour};
pub use tables::turns::{TurnOutcome, TurnRow, TurnStatus, Wanted};
pub use tables::usage::{
    AccountUse, ListedUse, Spent, UsageAccount, UsageOf, UsagePage, UsageWrite,
};
pub use tables::visitors::{EmbedToken, NewVisitor, Visitor, VisitorSession, Visitors};
pub use tables::webhooks::{Webhook, WebhookEvent, WebhookMessage, WebhookQueue};
pub use transactions::begin_turn::{BeginTurn, BegunTurn, ClosedPrompts, Follows, TurnOwner};
pub use transactions::choose_branch::ChosenBranch;
pub use transactions::commit::{Commit, NewEvent, Step};
pub use transactions::import_conversation::{ImportedConversation, ImportedTurn};
pub use transactions::resolve_prompt::PromptResolution;
pub use transactions::take_over::{Claim, InterruptedTurn, OpenTextBlock};
pub use transfer::component;
