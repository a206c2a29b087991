//! Agent CLIs behind the chat: the real one and a misbehaving one, each under the real binary, with
//! people on real WebSockets.

mod abuses;
mod agent_initiated;
mod branches;
pub(crate) mod bridge_app;
mod conversation;
mod durable_approvals;
mod flow;
mod permissions;
pub(crate) mod person;
mod plans;
mod program_killed;
mod queue;
mod suspended;
