//! How much a client may use, and what happens beyond that.
//!
//! - [`RateLimits`]: messages per minute, by session, address, project and tenant.
//! - [`connections`]: connections at the same time, in all and by address.
//! - [`BodyBudget`]: memory for the request bodies that are being read.
//!
//! How many turns run in parallel is limited by `parlor-chat`.
//!
//! What a sender may use holds for all nodes together: messages per minute, login attempts
//! ([`crate::auth`]), turns in parallel. What protects a machine is counted on that machine on
//! purpose: connections, memory for bodies, agent processes, images that are being decoded.
//! Each node has its own, and a second node doubles them.

mod body_budget;
pub(crate) mod connections;
mod rate_limits;
mod token_bucket;

pub use body_budget::BodyBudget;
pub(crate) use body_budget::BudgetedBytes;
pub use rate_limits::{RateLimitError, RateLimits, Sender};
