//! How much a client may use, and what happens beyond that.
//!
//! - [`RateLimits`]: messages per minute, by session, address, project and tenant.
//! - [`connections`]: connections at the same time, in all and by address.
//! - [`BodyBudget`]: memory for the request bodies that are being read.
//!
//! How many turns run in parallel is limited by `parlor-chat`.

mod body_budget;
pub(crate) mod connections;
mod rate_limits;
mod token_bucket;

pub use body_budget::BodyBudget;
pub(crate) use body_budget::BudgetedBytes;
pub use rate_limits::{RateLimits, Sender};
