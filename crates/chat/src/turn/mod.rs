//! A turn: everything from one message, or from an agent that begins by itself, until `done`.
//!
//! The walk, file by file:
//! 1. [`begin_write`]: the one write that stores a message and begins its turn.
//! 2. [`task`]: the write is committed, and the turn's own task starts. It reads the history
//!    that fits into the model's context ([`context`]).
//! 3. [`running`]: the task polls the agent and takes its events one by one. It waits for a
//!    stop signal and for an open prompt at the same time ([`waking`], [`prompt_wait`],
//!    [`deadline`]).
//! 4. [`text`]: text goes through the filter for secrets, the segmenter and the sanitizer into
//!    the live log, up to a limit ([`answer_limit`]). A finished block becomes a message.
//! 5. For calls, questions and answers, [`inputs`] reads the rows that matter, [`step`] decides
//!    (pure: rows in, effects out), and [`carry_out`] carries the effects out, in order. What a
//!    client returned for its own tool is scanned first ([`client_result`]).
//!    Before each call of a model budgets are looked at ([`budget_check`]), and what was used is
//!    counted ([`spending`]).
//! 6. [`writer`]: whatever is durable is collected, committed in one write, then published.
//! 7. [`end`]: the last write, with exactly one `done`, and how long all of it took ([`timing`]).

mod answer_limit;
mod begin_write;
mod budget_check;
mod call_end;
mod carry_out;
mod changed_tool;
mod client_result;
mod context;
mod deadline;
mod edited_call;
mod effect;
mod end;
mod inputs;
mod prompt_wait;
mod remembering;
mod result_message;
mod result_scan;
mod running;
mod spending;
mod step;
mod task;
mod text;
mod timing;
mod waking;
mod writer;

pub(crate) use begin_write::{PersonMessage, agent_turn, app_turn, message_turn};
pub(crate) use task::{begin, begin_handed_over, lost_block, resume};
pub(crate) use writer::{abandoned, empty_write, history_json};
