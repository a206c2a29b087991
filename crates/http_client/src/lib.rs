//! What every outgoing HTTP client has in common: whom its TLS connections trust, which addresses
//! a URL from outside may lead to, how much of an answer is read, and what its errors say.
//!
//! Must never contain: a request, a client, anything about models or MCP.

mod address;
mod answer;
mod error;
mod trust;

pub use address::{HostError, NotPublic, PublicOnly};
pub use answer::read_whole;
pub use error::describe;
pub use trust::trusted;
