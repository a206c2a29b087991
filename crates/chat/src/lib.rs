//! The heart of Parlor: takes a person's message, lets the agent take its turn, and writes
//! everything that happens to one numbered log.
//!
//! The path of a message:
//! 1. [`chat`]: the public operations. [`sending`] takes a message, [`answering`] an answer.
//! 2. [`input_check`]: the guardrail. What passes is a `Checked`, and nothing else goes on.
//! 3. [`turn`]: message and turn are stored in one write, which is the acknowledgement; then
//!    the agent takes its turn in a task of its own, until exactly one `done`.
//! 4. [`log`]: durable events are committed before anyone sees them; text is visible as it
//!    streams and stored a moment later.
//! 5. [`prompts`], [`approval_policy`]: what an agent must not do by itself waits for a
//!    person's answer, as a row that outlives connections and restarts. [`approvers`]: whose
//!    answers count.
//! 6. [`recovery`]: after a crash, unfinished turns are resumed or ended.
//!    [`agent_initiated_turns`]: an agent may begin a turn by itself.
//!    [`apps`]: pages of MCP servers, whose calls are turns too.
//!    [`flow`]: what the model was told of others decides what is asked.
//!    [`importing`]: conversations that took place in another chat.
//!    [`budgets`]: how much may be used in a day or a month.
//!    [`metrics`]: what happens is counted.
//!    [`files`]: pictures, PDF and text that come with a message.
//!    [`branches`]: a message is edited, or answered once more; both versions stay.
//!    [`sharing`]: links with which others read a conversation.
//! 7. [`nodes`]: several servers on one database take over from each other and tell each
//!    other where to look.
//!
//! All of them work with [`state`], which is at the bottom. This crate knows neither HTTP nor
//! SQL nor any model's wire format.

mod agent_initiated_turns;
mod allowances;
mod answering;
mod approval_policy;
mod approvers;
mod apps;
mod branches;
mod budgets;
mod caller;
mod chat;
mod checked_tools;
mod client_tools;
mod clock;
mod conversations;
mod error;
mod external_message;
mod fail_point;
mod file_limits;
mod files;
mod flow;
#[doc(hidden)]
pub mod fuzz;
mod housekeeping;
mod images;
mod importing;
mod input_check;
mod live_turns;
mod log;
mod metrics;
mod node;
mod nodes;
mod observing;
mod over_budget;
mod project;
mod prompts;
mod read_pdf;
mod recovery;
mod refused_images;
mod retries;
mod schema;
mod sending;
mod sharing;
mod state;
mod texts;
mod turn;
mod turn_slots;
mod validation_error;
mod versions;

pub use allowances::ListedAllowance;
pub use answering::Answered;
pub use apps::AppCallOutcome;
pub use budgets::{
    AheadMs, Budget, Budgets, Calendar, Limit, PersonBudgets, Prices, TenantBudgets, UsedPage,
    units,
};
pub use caller::{Accepted, Caller};
pub use chat::Chat;
pub use checked_tools::CheckedTools;
pub use error::ChatError;
pub use external_message::{EarlierMessage, ExternalMessage};
pub use file_limits::FileLimits;
pub use flow::notes::FlowNote;
pub use flow::{FlowNotes, FlowPolicy};
pub use importing::Imported;
pub use log::{EventBatch, LargeEvent, LargePieces, Piece, PolledBatch, Reader, WriteEvent};
pub use metrics::{ChatMetrics, ProjectMetrics};
pub use node::Membership;
pub use project::{Project, Projects};
pub use prompts::PreviewedCall;
pub use read_pdf::{NotRead, ReadPdf};
pub use sharing::LinkWish;
pub use validation_error::ValidationError;
